/*
 * gprof's flat profile: one row per function, `%time cumulative self [calls self/call total/call] name`. Source: GNU
 * binutils, gprof, "The Flat Profile". A row counts as many samples as its self seconds represent; there are no stacks.
 * Its calls are a further weight.
 * What follows the table is ignored.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/import/reading.h"

static const char sample_line[] = "Each sample counts as ";

/* A number without sign and exponent. */
static bool gprof_parse_number(char **at, double *value)
{
    char *start = *at + strspn(*at, " \t");
    size_t length = strspn(start, "0123456789.");
    if (length == 0 || length > 30 || (start[length] && start[length] != ' ' && start[length] != '\t'))
        return false;
    char number[32], *end;
    memcpy(number, start, length);
    number[length] = '\0';
    *value = strtod(number, &end);
    *at = start + length;
    return *end == '\0';
}

struct gprof {
    struct reading *reading;
    struct sink_sample sample;
    double period_s, sum_s, cumulative_s, percent;
    uint64_t rows;
    uint64_t number;
    bool inside; /* the table's header has been read */
};

static void gprof_read_row(struct gprof *gprof, char *line)
{
    double percent, cumulative, self;
    char *at = line;
    bool good =
        gprof_parse_number(&at, &percent) && gprof_parse_number(&at, &cumulative) && gprof_parse_number(&at, &self);
    if (good) {
        /* The number of calls, if present, and two times of a call; 0: unknown. */
        double calls = 0, ignored;
        char *behind = at;
        if (gprof_parse_number(&behind, &calls)) {
            at = behind;
            for (int i = 0; i < 2 && gprof_parse_number(&behind, &ignored); i++)
                at = behind;
        }
        gprof->sample.more[0] = calls < 1e18 ? (uint64_t)calls : 0;
    }
    at += strspn(at, " \t");
    if (!good || !*at || self / gprof->period_s > 1e15) {
        reading_report_bad(gprof->reading, "line %" PRIu64 ": not a row of a flat profile: '%.60s'", gprof->number,
                           line);
        return;
    }
    uint32_t frame = sink_add_frame(gprof->reading->sink, &(struct sink_frame){.method = at, .position = -1});
    gprof->sample.weight = (uint64_t)llround(self / gprof->period_s);
    gprof->sample.frames = &frame;
    gprof->sum_s += self;
    gprof->percent += percent;
    gprof->rows++;
    gprof->cumulative_s = cumulative;
    sink_add_sample(gprof->reading->sink, &gprof->sample);
}

static int read_gprof(struct reading *reading, struct error_text *message)
{
    struct gprof gprof = {.reading = reading};
    char *line;
    size_t length;
    bool ended = false;
    sink_set_origin(reading->sink, "gprof", "gprof", NULL);
    while (!gprof.inside && (line = source_read_line(reading->source, &length, &gprof.number))) {
        if (strncmp(line, sample_line, sizeof sample_line - 1) == 0)
            gprof.period_s = strtod(line + sizeof sample_line - 1, NULL);
        gprof.inside = strstr(line, "seconds") && strstr(line, "name") && strncmp(line, sample_line, 4) != 0;
    }
    if (!gprof.inside)
        return error_set(message, STATUS_BAD, "line %" PRIu64 ": the file ends before the table", gprof.number);
    if (!(gprof.period_s > 1e-9 && gprof.period_s < 1e6))
        return error_set(message, STATUS_BAD, "line %" PRIu64 ": it does not say what a sample counts as",
                         gprof.number);
    const struct sink_profile wanted = {.name = "samples",
                                        .unit = "samples",
                                        .period_ns = (uint64_t)llround(gprof.period_s * 1e9),
                                        .unknown = UNKNOWN_TIMES | UNKNOWN_THREADS | UNKNOWN_STACKS,
                                        .more = {{"calls", "calls"}}};
    gprof.sample = (struct sink_sample){
        .profile = sink_open_profile(gprof.reading->sink, &wanted),
        .depth = 1,
        .thread = sink_add_thread(gprof.reading->sink, 0, ""),
    };
    while (!ended && !sink_has_failed(reading->sink) &&
           (line = source_read_line(reading->source, &length, &gprof.number))) {
        ended = line[strspn(line, " \t\f")] == '\0';
        if (memchr(line, '\0', length))
            reading_report_bad(reading, "line %" PRIu64 ": a NUL in a line", gprof.number);
        else if (!ended)
            gprof_read_row(&gprof, line);
    }
    if (fabs(gprof.sum_s - gprof.cumulative_s) > 0.006 * (double)(gprof.number + 1))
        return error_set(
            message, STATUS_BAD,
            "self seconds add up to %.2f, but the last cumulative value is %.2f: a row is missing or damaged",
            gprof.sum_s, gprof.cumulative_s);
    if (gprof.sum_s > 0 && fabs(gprof.percent - 100) > 0.006 * (double)gprof.rows + 1)
        return error_set(message, STATUS_BAD, "its rows hold %.2f %% of the time: it is cut or damaged", gprof.percent);
    return STATUS_GOOD;
}

static bool gprof_recognize(const unsigned char *head, size_t length)
{
    return memmem(head, length < 4096 ? length : 4096, "Flat profile:", 13) && memmem(head, length, "cumulative", 10);
}

const struct profile_format format_gprof = {"gprof", gprof_recognize, read_gprof};
