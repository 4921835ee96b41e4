/*
 * events.h - method entries and exits, as a trace of Chrome (B and E events by thread) or as folded stacks.
 *
 * Times are as recorded, including the cost of probes. chrome: a process for each trace, a thread for each stream, in
 * the order of the file. folded: elapsed time in ns that a stack spent in its innermost method. Events that do not nest
 * are treated as in assay phases: an exit ends the innermost open call of its method, and those above it end there too;
 * an exit without an open call ends nothing. Memory: open calls of all threads, and for folded up to 65536 distinct
 * stacks; never the number of events. Source: Google, "Trace Event Format", "Duration Events" and "Metadata Events".
 */
#ifndef ASSAY_TRACE_EXPORT_EVENTS_H
#define ASSAY_TRACE_EXPORT_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/names/folded.h"
#include "trace/trace.h"

/* What a trace lacks, or the output leaves out. Calls or events. */
struct event_gaps {
    uint64_t events;        /* all of the trace */
    uint64_t missing_exits; /* calls that ended with one below them */
    uint64_t missing_enters;
    uint64_t open;       /* calls that were open after the last event: they end there */
    uint64_t too_deep;   /* calls deeper than the format allows: part of their caller */
    uint64_t new_stacks; /* calls on stacks for which there is no capacity: part of their caller */
    uint64_t backwards;  /* events with an earlier time than the previous event: taken as equal */
};

/* The maximum number of open calls of a thread in each format; deeper ones are counted. */
enum { EVENTS_CHROME_DEPTH = 1 << 20, EVENTS_FOLDED_DEPTH = 1024 };
/* Distinct stacks of a trace. */
enum { EVENTS_STACKS_MAX = 65536 };

void events_chrome_begin(FILE *out);
/* The events of the trace; no two traces may have the same `process`. False without memory. Damage goes into *loss. */
bool events_chrome_add(FILE *out, uint32_t process, const struct trace *trace, const struct trace_names *names,
                       struct trace_loss *loss, struct event_gaps *gaps);
void events_chrome_end(FILE *out);

/* Adds the stacks of the trace; `threads`: the thread's name is the outermost frame. As above. */
bool events_folded_add(struct folded *stacks, bool threads, const struct trace *trace, const struct trace_names *names,
                       struct trace_loss *loss, struct event_gaps *gaps);

#endif
