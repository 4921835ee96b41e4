/*
 * Folded stacks: one line per stack, frames from the outermost on, joined by ';', then a blank and the count. Source:
 * B. Gregg, FlameGraph, stackcollapse-*.pl, flamegraph.pl and difffolded.pl; G. N. Tornetta, Austin.
 *
 * Lines of '#' or '//' are comments, also those that end in a number, as Austin writes them. A count may have decimals:
 * all counts are scaled by the power of ten that makes them integers, so the file is read twice. A file whose lines all
 * end in two numbers compares two profiles, and is refused.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/import/reading.h"
#include "trace/import/stack.h"

enum { DECIMALS_MAX = 18 };

/* "12", "1.5", ".5" or "1e-05": the number of its decimals, or -1 if it is none of these. */
static long folded_count_decimals(const char *text)
{
    char *end = NULL;
    size_t whole = strspn(text, "0123456789");
    const char *at = text + whole + (text[whole] == '.');
    size_t fraction = text[whole] == '.' ? strspn(at, "0123456789") : 0;
    long exponent = 0;
    at += fraction;
    if (whole + fraction == 0)
        return -1;
    if (*at == 'e' || *at == 'E') {
        if (!isdigit((unsigned char)at[1 + (at[1] == '-' || at[1] == '+')]))
            return -1;
        exponent = strtol(at + 1, &end, 10);
        at = end;
    }
    if (*at || exponent > 99 || exponent < -99 || whole > 20)
        return -1;
    long decimals = (long)fraction - exponent;
    return decimals > 0 ? decimals : 0;
}

/* Cuts the count off the end of a line: false, and the line as it was but for blanks at its end, if there is none. */
static bool folded_cut_count(char *line, size_t length, char **count, long *decimals)
{
    while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\t'))
        line[--length] = '\0';
    while (length > 0 && line[length - 1] != ' ' && line[length - 1] != '\t')
        length--;
    *count = line + length;
    *decimals = folded_count_decimals(*count);
    while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\t'))
        length--;
    if (length == 0 || *decimals < 0)
        return false;
    line[length] = '\0';
    return true;
}

/* Whether what is left of a line ends in a number, too. */
static bool folded_ends_in_number(const char *line)
{
    size_t at = strlen(line);
    while (at > 0 && line[at - 1] != ' ' && line[at - 1] != '\t')
        at--;
    return at > 0 && folded_count_decimals(line + at) >= 0;
}

/* "#<Class:A>#method" is a frame of Ruby, and "//anon" a mapping of Linux. */
static bool folded_is_comment(const char *line)
{
    line += strspn(line, " \t");
    return *line == '\0' || (line[0] == '#' && line[1] != '<') ||
           (strncmp(line, "//", 2) == 0 && strncmp(line, "//anon", 6) != 0);
}

/* Its first line is a stack, or most of its lines are stacks of several frames. */
static bool folded_recognize(const unsigned char *head, size_t length)
{
    const char *text = (const char *)head;
    if (text[0] == '{' || (length > 1 && text[0] == '[' && text[1] == '{'))
        return false; /* JSON that is cut may end in a number, too */
    if (length >= 18 && memcmp(text, "# callgrind format", 18) == 0)
        return false; /* cut within its head */
    uint64_t stacks = 0, others = 0;
    for (size_t at = 0; at < length;) {
        char line[4096], start[64];
        const char *end = memchr(text + at, '\n', length - at);
        size_t size = end ? (size_t)(end - text) - at : length - at;
        if (!end && length == READING_HEAD)
            break;
        size_t tail = size < sizeof line ? size : sizeof line - 1; /* the count is at the end */
        memcpy(line, text + at + size - tail, tail);
        line[tail] = '\0';
        snprintf(start, sizeof start, "%.*s", (int)size, text + at);
        if (tail > 0 && line[tail - 1] == '\r')
            line[--tail] = '\0';
        char *count;
        long decimals;
        if (memchr(line, '\0', tail))
            return false;
        if (!folded_is_comment(start)) {
            bool stack = folded_cut_count(line, tail, &count, &decimals);
            if (stack && stacks + others == 0)
                return true;
            stacks += stack && memchr(text + at, ';', size) != NULL;
            others += !stack;
        }
        at += size + 1;
    }
    return stacks > others;
}

/* What the lines of a file have in common. */
struct survey {
    uint64_t single, twofold; /* lines that end in one number, and in two */
    uint64_t hidden;          /* comments that look like stacks */
    long decimals;            /* the maximum over all counts */
    long double sum;
};

/* The count as an integer; false if it is beyond 64 bits. */
static bool folded_scale_count(const char *count, long kept, uint64_t *weight)
{
    errno = 0;
    if (kept == 0 && count[strspn(count, "0123456789")] == '\0') {
        *weight = strtoull(count, NULL, 10);
        return errno == 0;
    }
    long double scaled = roundl(strtold(count, NULL) * powl(10, (long double)kept));
    *weight = scaled < 18446744073709551616.0L ? (uint64_t)scaled : 0;
    return scaled < 18446744073709551616.0L;
}

static int folded_read_lines(struct reading *reading, struct stack *stack, long kept, struct error_text *message)
{
    char unit[32] = "samples", *line, *count;
    size_t length;
    long decimals;
    if (kept > 0)
        snprintf(unit, sizeof unit, "samples/1e%ld", kept);
    const struct sink_profile wanted = {
        .name = "samples", .unit = unit, .unknown = UNKNOWN_TIMES | UNKNOWN_THREADS | UNKNOWN_PERIOD};
    struct sink_sample sample = {.profile = sink_open_profile(reading->sink, &wanted)};
    sample.thread = sink_add_thread(reading->sink, 0, "");
    for (uint64_t number = 0;
         !sink_has_failed(reading->sink) && (line = source_read_line(reading->source, &length, &number));) {
        const bool zero = memchr(line, '\0', length) != NULL;
        if (!zero && folded_is_comment(line))
            continue;
        if (zero || !folded_cut_count(line, length, &count, &decimals)) {
            reading_report_bad(reading, "line %" PRIu64 ": not 'frame;frame COUNT': '%.60s'", number, line);
            continue;
        }
        if (!folded_scale_count(count, kept, &sample.weight)) {
            reading_report_bad(reading, "line %" PRIu64 ": a count beyond 64 bits: %.60s", number, count);
            continue;
        }
        stack->depth = 0;
        for (char *next; line; line = next) { /* from the outermost on; the sink wants the innermost first */
            next = strchr(line, ';');
            if (next)
                *next++ = '\0';
            uint32_t frame = sink_add_frame(reading->sink, &(struct sink_frame){.method = line, .position = -1});
            if (!stack_push(stack, frame))
                return error_set(message, STATUS_BAD, "line %" PRIu64 ": out of memory", number);
        }
        stack_reverse(stack);
        sample.frames = stack->frames;
        sample.depth = stack->depth;
        sink_add_sample(reading->sink, &sample);
    }
    return STATUS_GOOD;
}

static int read_folded(struct reading *reading, struct error_text *message)
{
    struct stack stack = {0};
    struct survey survey = {0};
    char *line, *count;
    size_t length;
    long decimals;
    for (uint64_t number = 0; (line = source_read_line(reading->source, &length, &number));) {
        const bool comment = folded_is_comment(line), joined = strchr(line, ';') != NULL;
        if (memchr(line, '\0', length) || !folded_cut_count(line, length, &count, &decimals))
            continue;
        if (comment) {
            survey.hidden += joined;
            continue;
        }
        survey.twofold += folded_ends_in_number(line);
        survey.single += !folded_ends_in_number(line);
        survey.decimals = decimals > survey.decimals ? decimals : survey.decimals;
        survey.sum += strtold(count, NULL);
    }
    if (survey.twofold > 0 && survey.single == 0)
        return error_set(message, STATUS_BAD,
                         "each line ends in two numbers, as in a comparison of two profiles; keep the first by "
                         "sed -E 's/ [0-9.]+ *$//', the second by sed -E 's/ [0-9.]+( [0-9.]+) *$/\\1/'");
    if (!source_rewind(reading->source))
        return error_set(message, STATUS_BAD, "it cannot be read twice");
    /* As many decimals as the sum leaves capacity for in 64 bits. */
    long kept = survey.decimals < DECIMALS_MAX ? survey.decimals : DECIMALS_MAX;
    while (kept > 0 && survey.sum * powl(10, (long double)kept) > 9e18L)
        kept--;
    if (survey.hidden > 0)
        error_append(&reading->note, "%" PRIu64 " comments look like stacks, and are left out", survey.hidden);
    if (survey.twofold > 0)
        error_append(&reading->note, "%" PRIu64 " lines have a number before the count, taken as part of the method",
                     survey.twofold);
    if (kept < survey.decimals)
        error_append(&reading->note, "counts are rounded to %ld decimals", kept);
    int status = folded_read_lines(reading, &stack, kept, message);
    stack_free(&stack);
    return status;
}

const struct profile_format format_folded = {"folded", folded_recognize, read_folded};
