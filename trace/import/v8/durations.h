/*
 * durations.h - events of Chrome's trace that last: B and E, or X. They become the time that each is innermost in its
 * thread, in ns.
 *
 * An X is written when it ends, so that it comes after those within it, and some tools write threads or events in no
 * order. Events are therefore kept in an unnamed temporary file until the trace ends. If those of each thread came in
 * the order of their times, the file is read through; otherwise it is mapped and sorted. Memory: threads, and open
 * events. Source: Google, "Trace Event Format".
 */
#ifndef ASSAY_TRACE_IMPORT_V8_DURATIONS_H
#define ASSAY_TRACE_IMPORT_V8_DURATIONS_H

#include <stdio.h>

#include "trace/import/reading.h"
#include "trace/import/stack.h"
#include "base/text_set.h"

/* Starts as {0}, except for `reading`. */
struct durations {
    struct reading *reading;
    struct text_set keys; /* of threads: "PID/TID" */
    struct duration_thread *threads;
    size_t thread_capacity;
    FILE *waiting;
    int64_t count;
    bool unordered, full;
    struct stack stack;
    uint64_t no_entry, no_exit, never_ended, overlapping; /* events */
};

struct duration {
    double ts_us, end_us; /* of B and E: when they are */
    int64_t number;       /* a place in the file */
    uint32_t thread, frame;
    char phase; /* B, E, X; '\0': an E that has ended its B */
    bool empty; /* of B: an E of its name, for which there was no B, is at the same time */
};

/* The number of a thread, new or not; false without memory. */
bool durations_add_thread(struct durations *durations, const char *pid, const char *tid, uint32_t *thread);
/* Records that were lost in a thread. */
void durations_add_lost(struct durations *durations, uint32_t thread, uint64_t count);

/* Takes an event, without its number. False without memory or capacity. */
bool durations_add(struct durations *durations, const struct duration *event);
/* Passes all time to the sink. False without memory or capacity. */
bool durations_finish(struct durations *durations);
void durations_free(struct durations *durations);

#endif
