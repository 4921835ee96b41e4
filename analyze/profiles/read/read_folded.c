/*
 * Folded stacks: one line per stack, frames from the outermost on, joined by ';', then a blank and the count. Source:
 * B. Gregg, FlameGraph, stackcollapse-*.pl and flamegraph.pl. Lines of '#' or '//' without a count are comments.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profiles/read/reading.h"
#include "analyze/profiles/read/stack.h"

/* Cuts the count off the end of a line: false if there is none. */
static bool cut_count(char *line, size_t length, uint64_t *count)
{
    while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\t'))
        line[--length] = '\0';
    size_t digits = 0;
    while (digits < length && line[length - 1 - digits] >= '0' && line[length - 1 - digits] <= '9')
        digits++;
    size_t at = length - digits;
    if (digits == 0 || digits > 20 || at < 2 || (line[at - 1] != ' ' && line[at - 1] != '\t'))
        return false;
    errno = 0;
    *count = strtoull(line + at, NULL, 10);
    while (at > 0 && (line[at - 1] == ' ' || line[at - 1] == '\t'))
        at--;
    line[at] = '\0';
    return errno == 0 && at > 0;
}

static bool is_comment(const char *line)
{
    return line[0] == '#' || strncmp(line, "//", 2) == 0 || line[strspn(line, " \t")] == '\0';
}

static bool looks(const unsigned char *head, size_t length)
{
    const char *text = (const char *)head;
    if (text[0] == '{' || (length > 1 && text[0] == '[' && text[1] == '{'))
        return false; /* JSON that is cut may end in a number, too */
    if (length >= 18 && memcmp(text, "# callgrind format", 18) == 0)
        return false; /* cut within its head */
    for (size_t at = 0; at < length;) {
        char line[4096];
        const char *end = memchr(text + at, '\n', length - at);
        size_t size = end ? (size_t)(end - text) - at : length - at;
        if (!end && length == READING_HEAD)
            return false;
        size_t tail = size < sizeof line ? size : sizeof line - 1; /* the count is at the end */
        memcpy(line, text + at + size - tail, tail);
        line[tail] = '\0';
        if (tail > 0 && line[tail - 1] == '\r')
            line[--tail] = '\0';
        uint64_t count;
        if (memchr(line, '\0', tail))
            return false;
        if (cut_count(line, tail, &count))
            return true;
        if (!is_comment(line))
            return false;
        at += size + 1;
    }
    return false;
}

/* Pushes frames from the outermost on; the stack is reversed for the sink. */
static bool push_frames(struct reading *reading, struct stack *stack, char *line)
{
    stack->depth = 0;
    for (char *next; line; line = next) {
        next = strchr(line, ';');
        if (next)
            *next++ = '\0';
        uint32_t frame = sink_frame(reading->sink, &(struct sink_frame){.method = line, .position = -1});
        if (!stack_push(stack, frame))
            return false;
    }
    stack_reverse(stack);
    return true;
}

static int read_lines(struct reading *reading, struct stack *stack, struct complaint *complaint)
{
    const struct sink_profile wanted = {"samples", "samples", 0, UNKNOWN_TIMES | UNKNOWN_THREADS | UNKNOWN_PERIOD};
    struct sink_sample sample = {.profile = sink_profile(reading->sink, &wanted)};
    char *line;
    size_t length;
    sample.thread = sink_thread(reading->sink, 0, "");
    for (uint64_t number = 0; !sink_failed(reading->sink) && (line = source_line(reading->source, &length, &number));) {
        bool zero = memchr(line, '\0', length) != NULL;
        if (!zero && cut_count(line, length, &sample.weight)) {
            if (!push_frames(reading, stack, line))
                return complain(complaint, STATUS_BAD, "line %llu: out of memory", (unsigned long long)number);
            sample.frames = stack->frames;
            sample.depth = stack->depth;
            sink_sample(reading->sink, &sample);
        } else if (zero || !is_comment(line)) {
            reading_bad(reading, "line %llu: not 'frame;frame COUNT': '%.60s'", (unsigned long long)number, line);
        }
    }
    return STATUS_GOOD;
}

static int read_folded(struct reading *reading, struct complaint *complaint)
{
    struct stack stack = {0};
    int status = read_lines(reading, &stack, complaint);
    stack_free(&stack);
    return status;
}

const struct profile_format format_folded = {"folded", looks, read_folded};
