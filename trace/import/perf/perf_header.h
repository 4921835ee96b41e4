/*
 * perf_header.h - the line that begins a sample in the text of `perf script`:
 *
 *     [COMM] [PID/]TID [[CPU]] [MISC] TIME: [PERIOD] EVENT: [FLAGS] [ADDR …] [IP …] [others]
 *
 * Which of these columns a file has depends on perf's option -F and on what was recorded, and is the same in the whole
 * file; COMM may hold blanks, numbers and colons. simpleperf's report_sample.py separates them by tabs. Source: linux,
 * tools/perf/builtin-script.c.
 */
#ifndef ASSAY_TRACE_IMPORT_PERF_PERF_HEADER_H
#define ASSAY_TRACE_IMPORT_PERF_PERF_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The columns of a file that show how a line is to be read; the others show themselves. */
struct perf_layout {
    bool time, tid, event;
    bool period;       /* in files without times: there is one before each event */
    bool time_of_day;  /* in files without times: each sample has a date and a time of day (tod) */
    bool instructions; /* samples have the instructions between branches (brstackinsn), on lines of their own */
    unsigned chained_count;
    char chained[16][64]; /* events whose frames follow on lines of their own, so that none is in the header */
};

struct perf_header {
    char *comm, *event;            /* "" if there is none */
    uint64_t tid, time_ns, period; /* 0: there is none */
    char *rest;                    /* what follows the event */
};

/* The layout of a file by its first bytes; false if they hold no sample. */
bool perf_detect_layout(const unsigned char *head, size_t length, struct perf_layout *layout);

bool perf_is_chained(const struct perf_layout *layout, const char *event);

/* Splits a line in place; false, and the line unchanged but for a time of day, if it is not a header of this layout. */
bool perf_parse_header(char *line, const struct perf_layout *layout, struct perf_header *header);

/* Whether a line is an instruction of brstackinsn: a tab, an address of 16 digits, a tab. */
bool perf_is_instruction(const char *line);

/* Whether a line may be a frame: it begins with a blank, or, in simpleperf's text and where blanks were cut, with an
 * address. */
bool perf_may_be_frame(const char *line);

/* What a record of tasks, mappings and losses says after "PERF_RECORD_"; NULL if the line is none. Source:
 * tools/perf/util/event.c, perf_event__fprintf(). */
const char *perf_find_side_record(const char *line);

#endif
