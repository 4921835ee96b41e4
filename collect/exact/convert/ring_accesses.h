/*
 * ring_accesses.h - the words of mode memory (collect/exact/tool/state/raw.h) as accesses of the trace, as iterations
 * of loops and as fetches, chunk by chunk.
 */
#ifndef ASSAY_EXACT_CONVERT_RING_ACCESSES_H
#define ASSAY_EXACT_CONVERT_RING_ACCESSES_H

#include "collect/exact/convert/contexts.h"
#include "collect/exact/convert/ring_loops.h"
#include "collect/exact/convert/trace_sink.h"

/* A block as executed in a node: the sites of its accesses, and the loops of its headers. */
struct ring_accesses_path {
    uint64_t word;       /* the mark */
    uint64_t next_word;  /* what followed it the last time, */
    uint32_t next;       /* and its index; 0: none */
    uint32_t first_site; /* in `sites` */
    uint32_t block;
};

/* The meaning of one number in the trace. */
struct ring_accesses_site {
    struct trace_site site;
    uint32_t number; /* among the accesses of the instruction */
};

struct ring_accesses {
    struct contexts *contexts;
    struct trace_sink *sink;
    bool values, fetches;
    uint64_t count, instructions;
    struct hash path_set, site_set;
    struct ring_accesses_path *paths; /* [1 … path_count] */
    struct ring_accesses_site *known; /* [1 … known_count]: by the number in the trace */
    uint32_t *sites;                  /* numbers in the trace, of the slots of each path: sites, or loops */
    uint32_t path_count, known_count, site_count;
    size_t path_capacity, known_capacity, site_capacity;
    struct ring_loops loops;
    uint64_t *columns[TRACE_COLUMNS_MAX];      /* of the chunk that is filled */
    uint64_t *iterations[ITERATION_COUNT + 1]; /* likewise */
    uint64_t *fetched[FETCH_COUNT + 1];        /* likewise */
    uint32_t rows, iteration_rows, fetch_rows;
};

/* Start with {0}, except for the first four; `loops` with the first two of its own. */
void ring_accesses_free(struct ring_accesses *accesses);

/*
 * Takes the words of a segment, up to its end mark, or up to the first zero if it is incomplete. Returns 0; ENODATA:
 * what follows refers to an undefined block or node; EILSEQ: the tool can't have written these; or an errno value of
 * the file.
 */
int ring_accesses_read(struct ring_accesses *accesses, const uint64_t *words, size_t count, bool whole,
                       uint64_t now_ns);

/* Writes what is buffered. Likewise. */
int ring_accesses_flush(struct ring_accesses *accesses, uint64_t now_ns);

#endif
