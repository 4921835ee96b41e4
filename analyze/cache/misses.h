/*
 * misses.h - what the accesses of traces miss in a machine's caches: in total, and by the locations in the code.
 */
#ifndef ASSAY_CACHE_MISSES_H
#define ASSAY_CACHE_MISSES_H

#include "analyze/cache/simulation.h"
#include "analyze/driver/analyzer.h"

enum { MISSES_TRACES, MISSES_LOCATIONS, MISSES_RELATIONS };

/* A trace that has accesses, or a part of it. Equal ones stay apart, in the order of the driver. */
struct misses_trace {
    uint32_t path;  /* text */
    bool by_thread; /* only the accesses of a thread are in their order */
    struct cache_counts counts;
    uint64_t instructions; /* executed while accesses were recorded; 0: not counted */
    uint64_t gaps;         /* between bursts */
    uint64_t unknown;      /* accesses whose sites, and executions whose code, are not defined: left out */
};

/* The accesses of a source line, or of a method whose lines are unknown, in a trace. */
struct misses_location {
    uint32_t trace, method, file, line; /* the key: row, texts; line 0: unknown */
    uint64_t loads, stores, load_misses[CACHE_LEVELS_MAX], store_misses[CACHE_LEVELS_MAX], tlb_misses;
};

struct misses_run; /* the trace that is being simulated */

struct misses {
    struct relations relations;
    struct cache_machine machine;
    bool fixed;             /* no other machine may take its place */
    struct misses_run *run; /* NULL: none is */
};

static inline const struct misses_trace *misses_trace_at(const struct misses *misses, size_t trace)
{
    return relations_at(&misses->relations, MISSES_TRACES, trace);
}

static inline size_t misses_trace_count(const struct misses *misses)
{
    return relations_count(&misses->relations, MISSES_TRACES);
}

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

#endif
