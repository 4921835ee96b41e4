/*
 * strides.h - the state of assay strides, and its options.
 *
 * Source: Inagaki, Onodera, Komatsu, Nakatani, "Stride Prefetching by Dynamically Inspecting Objects", PLDI 2003;
 * classes of strides: Wu, "Efficient Discovery of Regular Stride Patterns in Irregular Programs and Its Use in Compiler
 * Prefetching", PLDI 2002.
 */
#ifndef ASSAY_STRIDES_STRIDES_H
#define ASSAY_STRIDES_STRIDES_H

#include "analyze/cache/machine.h"
#include "analyze/cache/simulation.h"
#include "analyze/driver/analyzer.h"
#include "analyze/strides/loads.h"

enum strides_algorithm {
    STRIDES_INTER,      /* prefetches along inter-iteration strides only, as Wu's */
    STRIDES_INTER_INTRA /* all of the paper's */
};

struct strides_options {
    double majority;     /* a stride recurs if more than this share of all is the same */
    bool moves;          /* steps to the same address do not count */
    uint64_t iterations; /* looks at a load until this many iterations of a burst had strides, less one; 0: at all */
    uint64_t small;      /* a loop with fewer iterations an entry is looked at as part of the loop around it, too */
    uint64_t
        distance; /* iterations ahead that are prefetched; 0: as many as the latency of the simulated memory takes */
    bool always;  /* prefetches also where the simulation finds that it does not pay */
    enum strides_algorithm algorithm;
    struct cache_machine machine;
    bool chosen; /* by the user: saved states of other options are refused, instead of choosing them */
};

struct observer;

struct strides {
    struct strides_options options;
    struct loads loads;
    struct observer *observer; /* of the trace that is being read */
};

/* As in struct analyzer. Inputs: all columns of access and iteration. */
void *strides_init(const struct analysis_options *options);
int strides_feed(void *state, const struct analysis_trace *trace, const struct trace_batch *batch);
int strides_finalize(void *state, const struct analysis_trace *trace);
int strides_merge(void *state, void *other);
json_t *strides_save(void *state);
int strides_load(void *state, const json_t *saved);
void strides_free(void *state);

#endif
