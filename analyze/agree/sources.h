/*
 * sources.h - where the profiles that assay agree compares come from: cpu samples, with the functions of struct
 * analyzer, or a table.
 *
 * Inputs: samples with CPU time and context. The key that tells profilers apart is read from each trace's metadata when
 * it is fed (analysis_options.own points at, or begins with, struct from_trace_options), so a saved state also has it.
 */
#ifndef ASSAY_AGREE_SOURCES_H
#define ASSAY_AGREE_SOURCES_H

#include "analyze/agree/profiles.h"
#include "analyze/driver/run_label.h"
#include "analyze/driver/tables/groups.h"

/* --- from_trace.c --- */

struct from_trace_options {
    enum run_label by;       /* what tells profilers apart */
    bool without_signatures; /* "f(int)" is called "f": what most profilers say */
    bool raw_names;          /* methods are called what the traces call them */
};

struct from_trace {
    struct profiles profiles;
    const struct from_trace_options *options;
    uint64_t *counts; /* [context], of the current stream; NULL: none */
    uint32_t stream;
    uint64_t last_cpu_ns; /* of that stream; 0: none yet */
    uint64_t cpu_ns, intervals;
};

void *from_trace_init(const struct analysis_options *options);
int from_trace_feed(void *state, const struct analysis_trace *trace, const struct trace_batch *batch);
int from_trace_finalize(void *state, const struct analysis_trace *trace);
void from_trace_free(void *state);

/* --- from_table.c: a share per row --- */

/* Group columns: profiler, method, and run if there is one (else all is one run); value column: the share, 0-1. */
int from_table(const struct groups *groups, bool has_run, struct profiles *profiles, struct error_text *message);

#endif
