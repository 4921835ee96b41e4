/*
 * check.h - the traces of a run: found, resolved, opened, and compared with the CPU time that the run used.
 */
#ifndef ASSAY_RECORD_FINISH_CHECK_H
#define ASSAY_RECORD_FINISH_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct check_summary {
    size_t traces;
    size_t unfinished; /* of processes that were killed */
    size_t running;    /* of processes that still run */
    size_t damaged;    /* that can't be read; they don't count elsewhere */
    uint64_t sampled_cpu_ns;
};

struct check_location {
    const char *directory, *prefix; /* of the run's traces */
    const json_t *raw_metadata;     /* engine exact: the base metadata of traces from its raw files; else NULL */
    const json_t *raw_problems;     /* what is missing in existing traces, by their names; or NULL */
    struct cache *cache;            /* of resolve_trace(), or NULL */
};

/*
 * Checks the traces of a run and resolves those whose process has ended; first converts raw files, if there are any.
 * Puts one object per trace into *traces (a new array): {"file", "state": "finished" | "unfinished" | "running" |
 * "damaged", "sampled_cpu_ns", "probes" (probes_largest(), if any), "problem"}. Objects of `before` (NULL: none), an
 * earlier result, are reused where nothing can have changed. `ending` (borrowed), how the command ended, becomes key
 * "exit" in the metadata of each of these. Returns 0 or an errno value.
 */
int check_run(const struct check_location *location, const json_t *before, const json_t *ending, json_t **traces);

/* The samples in those of these traces that can be read, in `directory`. Cost: O(chunks). */
uint64_t check_count_samples(const char *directory, const json_t *traces);

void check_summarize(const json_t *traces, struct check_summary *summary);

/* The names of the traces in this state, comma separated, cut with "..." if too many. */
void check_list_names(const json_t *traces, const char *state, char *text, size_t size);

#endif
