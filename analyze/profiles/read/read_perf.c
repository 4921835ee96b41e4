/*
 * The text of `perf script`: for each sample a header line, then one line per frame, the innermost first, then a blank
 * line.
 *
 *     COMM TID [CPU] TIME: [PERIOD] EVENT: [IP SYMBOL (MODULE)]
 *     \tADDRESS SYMBOL+OFFSET (MODULE)
 *
 * Each event is a profile. A sample counts as one, as in `perf script | stackcollapse-perf.pl`; COMM may hold blanks,
 * TID may be PID/TID, and any of CPU and PERIOD may be missing. Source: linux, tools/perf/builtin-script.c.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profiles/read/reading.h"
#include "analyze/profiles/read/stack.h"

struct header {
    char *comm, *event;
    uint64_t tid, time_ns;
    char *rest; /* after the event: a frame without a call chain, or "" */
};

/* "203265.377019:" with 1 to 9 digits after the point; returns the position after the colon, or NULL. */
static char *parse_time(char *at, uint64_t *time_ns)
{
    uint64_t seconds = 0, fraction = 0, scale = 1000000000;
    size_t whole = strspn(at, "0123456789");
    if (whole == 0 || whole > 10 || at[whole] != '.')
        return NULL;
    for (; *at != '.'; at++)
        seconds = seconds * 10 + (uint64_t)(*at - '0');
    for (at++; isdigit((unsigned char)*at) && scale > 1; at++) {
        fraction = fraction * 10 + (uint64_t)(*at - '0');
        scale /= 10;
    }
    if (*at != ':' || scale == 1000000000)
        return NULL;
    *time_ns = seconds * 1000000000 + fraction * scale;
    return at + 1;
}

/* "[002]" */
static bool is_cpu(const char *word, size_t length)
{
    return length > 2 && word[0] == '[' && word[length - 1] == ']' && strspn(word + 1, "0123456789") == length - 2;
}

/* "123" or "12/123": the last number is the thread's. */
static bool parse_tid(const char *word, size_t length, uint64_t *tid)
{
    size_t digits = strspn(word, "0123456789");
    if (digits > 0 && digits < length && word[digits] == '/') {
        word += digits + 1;
        length -= digits + 1;
        digits = strspn(word, "0123456789");
    }
    if (digits == 0 || digits != length || digits > 10)
        return false;
    *tid = strtoull(word, NULL, 10);
    return true;
}

/* The word before `end`, which moves to its start; NULL if there is none. */
static char *word_before(char *start, char **end, size_t *length)
{
    char *at = *end;
    while (at > start && at[-1] == ' ')
        at--;
    char *behind = at;
    while (at > start && at[-1] != ' ')
        at--;
    *length = (size_t)(behind - at);
    *end = at;
    return *length > 0 ? at : NULL;
}

/* The part before the time: COMM TID [CPU]. Terminates COMM by a NUL. */
static bool parse_task(char *line, char *end, struct header *header)
{
    size_t length;
    char *word = word_before(line, &end, &length);
    if (word && is_cpu(word, length))
        word = word_before(line, &end, &length);
    if (!word || !parse_tid(word, length, &header->tid))
        return false;
    while (end > line && end[-1] == ' ')
        end--;
    *end = '\0';
    header->comm = line + strspn(line, " ");
    return true;
}

/* "[PERIOD] EVENT:", where the event ends at its last colon before a blank or the end. */
static bool parse_event(char *at, struct header *header)
{
    at += strspn(at, " ");
    size_t digits = strspn(at, "0123456789");
    if (digits > 0 && at[digits] == ' ') {
        at += digits;
        at += strspn(at, " ");
    }
    char *colon = at;
    while (*colon && !(*colon == ':' && (colon[1] == ' ' || colon[1] == '\t' || colon[1] == '\0')))
        colon += *colon == ' ' ? strlen(colon) : 1;
    if (*colon != ':' || colon == at)
        return false;
    *colon = '\0';
    header->event = at;
    header->rest = colon + 1 + strspn(colon + 1, " \t");
    return true;
}

/* The first word that is a time splits the line. */
static bool parse_header(char *line, struct header *header)
{
    for (char *at = strchr(line, ' '); at; at = strchr(at, ' ')) {
        at += strspn(at, " ");
        char *behind = parse_time(at, &header->time_ns);
        if (behind)
            return parse_task(line, at, header) && parse_event(behind, header);
    }
    return false;
}

/* ------------------------------------------------------------------------------------------ frames -- */

/* Cuts "+0x1a" off a symbol. */
static void cut_offset(char *symbol)
{
    char *plus = strrchr(symbol, '+');
    if (plus && plus > symbol && strncmp(plus, "+0x", 3) == 0 && plus[3] &&
        plus[3 + strspn(plus + 3, "0123456789abcdef")] == '\0')
        *plus = '\0';
}

/* Cuts " (MODULE)" off the end: the module, or NULL. Parentheses may be in the symbol and in the path. */
static char *cut_module(char *symbol, size_t length)
{
    if (length == 0 || symbol[length - 1] != ')')
        return NULL;
    char *path = strstr(symbol, " (/"), *special = strstr(symbol, " (["), *open = strrchr(symbol, '(');
    if (path || special)
        open = (path && (!special || path < special) ? path : special) + 1;
    if (!open || (open > symbol && open[-1] != ' '))
        return NULL;
    symbol[length - 1] = '\0';
    *open = '\0';
    return open + 1;
}

/* "ADDRESS SYMBOL (MODULE)": a code address without a symbol is named as in other traces: [MODULE]. */
static bool parse_frame(struct reading *reading, char *line, uint32_t *frame)
{
    char *end, name[256];
    line += strspn(line, " \t");
    errno = 0;
    uint64_t address = strtoull(line, &end, 16);
    if (end == line || (*end != ' ' && *end) || errno)
        return false;
    char *symbol = end + strspn(end, " ");
    size_t length = strlen(symbol);
    while (length > 0 && symbol[length - 1] == ' ')
        symbol[--length] = '\0';
    char *module = cut_module(symbol, length);
    length = strlen(symbol);
    while (length > 0 && symbol[length - 1] == ' ')
        symbol[--length] = '\0';
    cut_offset(symbol);
    bool known_module = module && *module && strcmp(module, "[unknown]") != 0 && strcmp(module, "inlined") != 0;
    if (length == 0 || strcmp(symbol, "[unknown]") == 0) {
        snprintf(name, sizeof name,
                 known_module && *module == '[' ? "%.200s"
                 : known_module                 ? "[%.200s]"
                                                : "[unknown]",
                 known_module ? reading_file(module) : "");
        symbol = name;
    }
    *frame = sink_frame(reading->sink, &(struct sink_frame){.method = symbol,
                                                            .file = known_module ? reading_file(module) : "",
                                                            .position = (int64_t)address});
    return true;
}

/* ------------------------------------------------------------------------------------------ samples -- */

struct perf {
    struct reading *reading;
    struct stack stack;
    struct sink_sample sample;
    bool open; /* a header was read, and its sample has not ended */
};

static void end_sample(struct perf *perf)
{
    if (!perf->open)
        return;
    perf->sample.frames = perf->stack.frames;
    perf->sample.depth = perf->stack.depth;
    sink_sample(perf->reading->sink, &perf->sample);
    perf->open = false;
    perf->stack.depth = 0;
}

/* The names of HotSpot's threads that run no Java code, as cut by the kernel. Other names don't determine a role. */
static unsigned role_of(const char *comm)
{
    static const struct {
        const char *prefix;
        unsigned role;
    } known[] = {{"C1 Compiler", ROLE_JIT}, {"C2 Compiler", ROLE_JIT}, {"JVMCI", ROLE_JIT},
                 {"GC Thread", ROLE_GC},    {"G1 ", ROLE_GC},          {"ParGC Thread", ROLE_GC},
                 {"Shenandoah", ROLE_GC},   {"ZWorker", ROLE_GC},      {"ZDirector", ROLE_GC},
                 {"ZDriver", ROLE_GC},      {"VM Thread", ROLE_VM},    {"VM Periodic", ROLE_VM}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(comm, known[i].prefix, strlen(known[i].prefix)) == 0)
            return known[i].role;
    return ROLE_NATIVE;
}

static bool begin_sample(struct perf *perf, const struct header *header)
{
    const struct sink_profile profile = {header->event, "samples", 0, UNKNOWN_PERIOD | UNKNOWN_ROLES};
    end_sample(perf);
    perf->sample = (struct sink_sample){.profile = sink_profile(perf->reading->sink, &profile),
                                        .thread = sink_thread(perf->reading->sink, header->tid, header->comm),
                                        .time_ns = header->time_ns,
                                        .weight = 1};
    if (role_of(header->comm) != ROLE_NATIVE)
        sink_thread_role(perf->reading->sink, perf->sample.thread, role_of(header->comm));
    perf->open = true;
    uint32_t frame;
    return !*header->rest || !parse_frame(perf->reading, header->rest, &frame) || stack_push(&perf->stack, frame);
}

static bool is_blank(const char *line)
{
    return line[strspn(line, " \t")] == '\0';
}

/* A line of a sample, or any other; false without memory. */
static bool take_line(struct perf *perf, char *line, size_t length, uint64_t number)
{
    struct header header = {0};
    char shown[64];
    uint32_t frame;
    snprintf(shown, sizeof shown, "%s", line);
    bool text = !memchr(line, '\0', length);
    if (text && is_blank(line)) {
        end_sample(perf);
    } else if (text && (line[0] == '\t' || line[0] == ' ') && perf->open && parse_frame(perf->reading, line, &frame)) {
        return stack_push(&perf->stack, frame);
    } else if (text && line[0] != '\t' && parse_header(line, &header)) {
        return begin_sample(perf, &header);
    } else if (!text || line[0] != '#') {
        reading_bad(perf->reading, "line %" PRIu64 ": neither the header nor a frame of a sample: '%s'", number, shown);
    }
    return true;
}

static int read_perf(struct reading *reading, struct complaint *complaint)
{
    struct perf perf = {.reading = reading};
    int status = STATUS_GOOD;
    char *line;
    size_t length;
    sink_origin(reading->sink, "perf", "perf script", NULL);
    for (uint64_t number = 0; status == STATUS_GOOD && !sink_failed(reading->sink) &&
                              (line = source_line(reading->source, &length, &number));)
        if (!take_line(&perf, line, length, number))
            status = complain(complaint, STATUS_BAD, "line %" PRIu64 ": out of memory", number);
    end_sample(&perf);
    stack_free(&perf.stack);
    return status;
}

/* The first line that is neither blank nor a comment is the header of a sample. */
static bool looks(const unsigned char *head, size_t length)
{
    for (size_t at = 0; at < length;) {
        char line[1024];
        struct header header;
        const unsigned char *end = memchr(head + at, '\n', length - at);
        size_t size = end ? (size_t)(end - head) - at : length - at;
        size_t shown = size < sizeof line ? size : sizeof line - 1;
        memcpy(line, head + at, shown);
        line[shown] = '\0';
        if (shown > 0 && line[shown - 1] == '\r')
            line[shown - 1] = '\0';
        if (memchr(line, '\0', shown) && line[shown - 1] != '\0')
            return false;
        if (line[0] != '#' && !is_blank(line))
            return parse_header(line, &header);
        at += size + 1;
    }
    return false;
}

const struct profile_format format_perf = {"perf", looks, read_perf};
