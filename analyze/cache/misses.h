/*
 * misses.h - what the accesses of traces miss in a machine's caches: in total, and by the locations in the code.
 */
#ifndef ASSAY_CACHE_MISSES_H
#define ASSAY_CACHE_MISSES_H

#include "analyze/cache/simulation.h"
#include "analyze/driver/analyzer.h"
#include "base/text_set.h"

/* The accesses of a source line, or of a method whose lines are unknown. */
struct misses_location {
    uint32_t method, file; /* numbers of texts */
    uint32_t line;         /* 0: unknown */
    uint64_t loads, stores, load_misses[CACHE_LEVELS_MAX], store_misses[CACHE_LEVELS_MAX], tlb_misses;
};

struct misses_trace {
    char *path;
    struct cache_counts counts;
    uint64_t instructions; /* executed while accesses were recorded; 0: not counted */
    uint64_t gaps;         /* between bursts */
    uint64_t unknown;      /* accesses whose sites, and executions whose code, are not defined: left out */
    bool by_thread;        /* only the accesses of a thread are in their order */
    struct misses_location *locations;
    size_t location_count;
};

struct misses_run; /* the trace that is being simulated */

struct misses {
    struct cache_machine machine;
    bool fixed;                  /* no other machine may take its place */
    struct misses_trace *traces; /* in the order of the frame; without those that have no accesses */
    size_t count, capacity;
    struct text_set texts;
    struct misses_run *run; /* NULL: none is */
};

/* The functions of an analyzer (analyze/driver/analyzer.h). */
const struct analyzer_input *misses_inputs(const struct cache_machine *machine);
/* A saved state brings its own machine, unless `fixed`. */
struct misses *misses_new(const struct cache_machine *machine, bool fixed);
int misses_feed(void *state, const struct analysis_trace *trace, const struct trace_batch *batch);
int misses_finalize(void *state, const struct analysis_trace *trace);
int misses_merge(void *state, void *other);
json_t *misses_save(void *state);
int misses_load(void *state, const json_t *saved);
void misses_free(void *state);

/* Results of this machine are to be added: whether they may be. */
bool misses_adopt_machine(struct misses *misses, const struct cache_machine *machine);

/* Adds a trace, which it takes over; 0 or ENOMEM. */
int misses_add(struct misses *misses, const struct misses_trace *trace);

#endif
