#include "trace/import/perf/perf_header.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "trace/import/perf/perf_frame.h"

static bool perf_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* "203265.377019:" with 1 to 9 digits after the point, which older versions of simpleperf's script wrote without
 * leading zeros, as a number of µs; returns the position after the colon, or NULL. */
static char *perf_parse_time(char *at, bool tabs, uint64_t *time_ns)
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
    if (tabs && scale > 1000)
        scale = 1000;
    *time_ns = seconds * 1000000000 + fraction * scale;
    return at + 1;
}

/* A part of a line. */
struct word {
    char *text;
    size_t length;
};

/* The last word before `end`; its length is 0 if there is none. */
static struct word perf_word_before(char *line, char *end)
{
    while (end > line && perf_is_blank(end[-1]))
        end--;
    char *start = end;
    while (start > line && !perf_is_blank(start[-1]))
        start--;
    return (struct word){start, (size_t)(end - start)};
}

/* "[002]" */
static bool perf_is_cpu(struct word word)
{
    return word.length > 2 && word.text[0] == '[' && word.text[word.length - 1] == ']' &&
           strspn(word.text + 1, "0123456789") == word.length - 2;
}

/* "123" or "12/123": the last number is the thread's; -1 is an unknown one, which becomes 0. */
static bool perf_parse_tid(struct word word, uint64_t *tid)
{
    const char *slash = memchr(word.text, '/', word.length), *last = slash ? slash + 1 : word.text;
    const char *end = word.text + word.length;
    char *behind;
    if (word.length == 0 || (slash && !isdigit((unsigned char)*word.text) && *word.text != '-'))
        return false;
    if (end - last == 2 && memcmp(last, "-1", 2) == 0) {
        *tid = 0;
        return true;
    }
    if (!isdigit((unsigned char)*last) || end - last > 10)
        return false;
    *tid = strtoull(last, &behind, 10);
    return behind == end && (!slash || strspn(word.text + 1, "0123456789") == (size_t)(slash - word.text) - 1);
}

/* [COMM] [TID] [CPU] [MISC] before `end`, which moves to the end of COMM. */
static bool perf_parse_task(char *line, char **end, const struct perf_layout *layout, struct perf_header *header)
{
    struct word word = perf_word_before(line, *end);
    struct word before = perf_word_before(line, word.text);
    /* "K", "U", "E": where a sample was taken, and what a record of another kind is about. */
    if (word.length > 0 && word.length <= 3 && strspn(word.text, "KUHGgMESDe") >= word.length &&
        (perf_is_cpu(before) || (layout->tid && perf_parse_tid(before, &header->tid)))) {
        word = before;
        before = perf_word_before(line, word.text);
    }
    if (perf_is_cpu(word))
        word = before;
    if (layout->tid && !perf_parse_tid(word, &header->tid))
        return false;
    *end = layout->tid ? word.text : word.text + word.length;
    while (*end > line && perf_is_blank((*end)[-1]))
        --*end;
    return true;
}

/* The end of the event that begins at a word, its last colon before a blank or the end; NULL if it is none. */
static char *perf_find_event_end(char *at)
{
    char *colon = at + strcspn(at, " \t");
    return colon > at + 1 && colon[-1] == ':' ? colon - 1 : NULL;
}

/* "[PERIOD] EVENT:" after the time. */
static bool perf_parse_event(char *at, char **colon, struct perf_header *header)
{
    at = perf_skip_blanks(at);
    size_t digits = strspn(at, "0123456789");
    if (digits > 0 && perf_is_blank(at[digits])) {
        header->period = strtoull(at, NULL, 10);
        at = perf_skip_blanks(at + digits);
    }
    *colon = perf_find_event_end(at);
    header->event = at;
    return *colon != NULL;
}

static void perf_split_header(char *line, char *comm_end, char *colon, struct perf_header *header)
{
    header->comm = perf_skip_blanks(line);
    if (header->comm >= comm_end)
        header->comm = "";
    *comm_end = '\0';
    if (colon) {
        *colon = '\0';
        header->rest = colon + 1;
    }
}

/* Blanks the time of day, "2026-11-28 06:20:41.095086", and returns it in ns since 1970, as if it were in UTC; 0: there
 * is none. */
static uint64_t perf_cut_time_of_day(char *line)
{
    for (char *at = line; (at = strchr(at, '-')); at++) {
        struct tm day = {.tm_isdst = 0};
        char *start = at - 4;
        if (at - line < 5 || !perf_is_blank(start[-1]) || !isdigit((unsigned char)*start))
            continue;
        char *end = strptime(start, "%Y-%m-%d %H:%M:%S", &day), *behind;
        if (!end || *end != '.')
            continue;
        double fraction = strtod(end, &behind);
        time_t seconds = timegm(&day);
        if (seconds <= 0 || !perf_is_blank(*behind))
            continue;
        memset(start, ' ', (size_t)(behind - start));
        return (uint64_t)seconds * 1000000000 + (uint64_t)(fraction * 1e9 + 0.5);
    }
    return 0;
}

bool perf_parse_header(char *line, const struct perf_layout *layout, struct perf_header *header)
{
    *header = (struct perf_header){.comm = "", .event = "", .rest = ""};
    uint64_t time_of_day_ns = perf_cut_time_of_day(line);
    if (layout->time) {
        /* The first word that is a time splits the line. */
        const bool tabs = strchr(line, '\t') != NULL;
        for (char *at = perf_skip_blanks(line); *at; at = perf_skip_blanks(at + strcspn(at, " \t"))) {
            char *behind = perf_parse_time(at, tabs, &header->time_ns), *colon = NULL, *comm_end = at;
            if (!behind)
                continue;
            if (!perf_parse_task(line, &comm_end, layout, header) ||
                (layout->event && !perf_parse_event(behind, &colon, header)))
                return false;
            header->rest = behind;
            perf_split_header(line, comm_end, colon, header);
            return true;
        }
        return false;
    }
    header->time_ns = time_of_day_ns;
    /* Without a time the first word with a colon that TID and CPU, and perhaps a period, come before is the event. */
    for (char *at = perf_skip_blanks(line); *at; at = perf_skip_blanks(at + strcspn(at, " \t"))) {
        char *colon = perf_find_event_end(at), *comm_end = at;
        struct word period = perf_word_before(line, at);
        if (!colon)
            continue;
        if (layout->period && period.length > 0 && period.length < 20 &&
            strspn(period.text, "0123456789") == period.length) {
            header->period = strtoull(period.text, NULL, 10);
            comm_end = period.text;
        }
        if (!perf_parse_task(line, &comm_end, layout, header))
            continue;
        header->event = at;
        perf_split_header(line, comm_end, colon, header);
        return true;
    }
    return false;
}

const char *perf_find_side_record(const char *line)
{
    const char *at = strstr(line, "PERF_RECORD_");
    return at && at > line && perf_is_blank(at[-1]) ? at + 12 : NULL;
}

/* ------------------------------------------------------------------------------------------ the layout -- */

enum { LINE_BYTES = 4096 };

/* Copies the line at *at, cut if it is too long, and moves behind it; false at the end. */
static bool perf_next_line(const unsigned char *head, size_t length, size_t *at, char line[LINE_BYTES])
{
    if (*at >= length)
        return false;
    const unsigned char *end = memchr(head + *at, '\n', length - *at);
    size_t size = end ? (size_t)(end - head) - *at : length - *at;
    size_t shown = size < LINE_BYTES ? size : LINE_BYTES - 1;
    memcpy(line, head + *at, shown);
    line[shown] = '\0';
    if (shown > 0 && line[shown - 1] == '\r')
        line[shown - 1] = '\0';
    *at += size + 1;
    return true;
}

bool perf_is_instruction(const char *line)
{
    enum { ADDRESS_DIGITS = 16 };
    return *line == '\t' && strspn(line + 1, "0123456789abcdef") == ADDRESS_DIGITS && line[1 + ADDRESS_DIGITS] == '\t';
}

bool perf_may_be_frame(const char *line)
{
    if (perf_is_instruction(line))
        return false;
    size_t digits = strspn(line, "0123456789abcdef");
    return perf_is_blank(*line) || (digits >= 4 && digits <= 16 && perf_is_blank(line[digits]));
}

/* Whether a line is a frame: it begins with a tab; where that has become blanks, it has a module, and is not a
 * header. */
static bool perf_is_frame_line(const char *line, const struct perf_layout *layout)
{
    char copy[LINE_BYTES];
    struct perf_frame frame;
    struct perf_header header;
    memcpy(copy, line, strlen(line) + 1);
    if (!perf_may_be_frame(line) || (*line != '\t' && perf_parse_header(copy, layout, &header)))
        return false;
    memcpy(copy, line, strlen(line) + 1);
    return perf_parse_frame(copy, &frame) && (frame.module || *line == '\t');
}

bool perf_is_chained(const struct perf_layout *layout, const char *event)
{
    for (unsigned i = 0; i < layout->chained_count; i++)
        if (strncmp(layout->chained[i], event, sizeof *layout->chained - 1) == 0)
            return true;
    return false;
}

/* Whether a line is a header of this layout, whose parts are in `copy` then. Where it has few columns, other texts may
 * look like it; there a frame must be in the line, or be the line after it. */
static bool perf_line_fits_layout(const char *line, bool followed, const struct perf_layout *layout,
                                  char copy[LINE_BYTES], struct perf_header *header)
{
    char columns[LINE_BYTES];
    struct perf_frame frame;
    memcpy(copy, line, strlen(line) + 1);
    if (line[0] == '#' || line[0] == '\t' || perf_find_side_record(line) || !perf_parse_header(copy, layout, header))
        return false;
    memcpy(columns, header->rest, strlen(header->rest) + 1);
    return (layout->time && layout->tid && layout->event) || followed ||
           (perf_parse_ip(columns, &frame) && frame.module);
}

bool perf_detect_layout(const unsigned char *head, size_t length, struct perf_layout *layout)
{
    static const struct perf_layout layouts[] = {{.time = true, .tid = true, .event = true},
                                                 {.time = true, .event = true},
                                                 {.time = true, .tid = true},
                                                 {.tid = true, .event = true}};
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        *layout = layouts[i];
        /* What the headers of this layout have in common. */
        char line[LINE_BYTES], next[LINE_BYTES] = "", copy[LINE_BYTES];
        size_t at = 0, headers = 0, unperiodic = 0, days = 0;
        struct perf_layout periodic = *layout;
        struct perf_header header;
        periodic.period = true;
        for (bool more = perf_next_line(head, length, &at, line); more; memcpy(line, next, strlen(next) + 1)) {
            more = perf_next_line(head, length, &at, next);
            layout->instructions |= perf_is_instruction(line);
            const bool followed = more && perf_is_frame_line(next, layout);
            unperiodic += !layout->time && !perf_line_fits_layout(line, followed, &periodic, copy, &header) &&
                          perf_line_fits_layout(line, followed, layout, copy, &header);
            if (!perf_line_fits_layout(line, followed, layout, copy, &header))
                continue;
            headers++;
            days += header.time_ns > 0;
            if (followed && layout->chained_count < sizeof layout->chained / sizeof *layout->chained &&
                !perf_is_chained(layout, header.event))
                snprintf(layout->chained[layout->chained_count++], sizeof *layout->chained, "%s", header.event);
        }
        layout->period = headers > 0 && unperiodic == 0;
        layout->time_of_day = !layout->time && headers > 0 && days == headers;
        if (headers > 0)
            return true;
    }
    return false;
}
