/*
 * loads.h - the loads of all traces, by instruction and loop, and what recurred in them: the state of assay strides.
 *
 * A load is an instruction in a loop, whatever the calls that led there. An instruction in two loops, one within the
 * other, is two loads. What recurs is looked for in its first execution in each iteration of that loop.
 *
 * Memory: bounded by the instructions and loops of the programs, at most about 10 KB for each load.
 */
#ifndef ASSAY_STRIDES_LOADS_H
#define ASSAY_STRIDES_LOADS_H

#include "analyze/cache/simulation.h"
#include "analyze/driver/relations.h"
#include "analyze/strides/histogram.h"
#include "trace/trace.h"

enum { LOADS_NONE = FIELD_NONE, LOADS_PARTNERS_MAX = 8 };

enum { LOADS_LOCATIONS, LOADS_LOOPS, LOADS_ROWS, LOADS_PARTNERS, LOADS_TOTALS, LOADS_RELATIONS };

/* An instruction: a load, or the header of a loop. */
struct loads_location {
    uint32_t text;              /* "method:line", or "method@0x11d3" where no line is known */
    uint32_t module;            /* the base name of its file; "" for JVMs */
    uint32_t position_words[2]; /* the address in that file, or the index of the bytecode, low word first */
    uint32_t bytes;             /* that it loads; 0: a header */
    uint32_t number;            /* of the load in its instruction, from 0 */
    /* not part of the key */
    uint32_t file, line; /* of its source; "" and 0: unknown */
};

/* How a load depends on another one, its partner. */
enum loads_how {
    LOADS_BASE, /* its address is the loaded one and an offset */
    LOADS_INDEX /* its address grows with the loaded number */
};

struct loads_partner {
    uint32_t row, location, how; /* the key: whose it is, which load, and how the row depends on it */
    uint64_t executions;         /* that depended on it */
    struct histogram offsets; /* base: its address − the loaded one; index: change of its address / of the number */
    struct histogram strides; /* base: its address − that of the partner, both in one iteration */
};

struct loads_row {
    uint32_t location, loop; /* locations: the key */
    uint32_t inner;          /* the location of the innermost loop around the instruction; `loop` if that is it */
    uint32_t middle;         /* of the loop between these two, or `loop` */
    uint64_t accesses;       /* all of them */
    uint64_t misses;         /* of these, in the level of the simulated caches that prefetches fill */
    uint64_t stall;          /* cycles that they waited for levels behind the first one, there */
    struct cache_prefetches prefetches; /* of what it loads, by the plan */
    uint64_t executions;                /* first ones of an iteration */
    struct histogram strides;           /* from one such execution to the next one, within an entry of the loop */
    uint64_t repeats;                   /* strides that are the same as the one before */
    uint64_t address, serial, entry; /* of one execution: where, in which iteration, and the first one of that entry */
    /* No fields: they follow from the partners. One that is too many is not kept. */
    uint32_t partners[LOADS_PARTNERS_MAX], partner_count;
};

struct loads_loop {
    uint32_t location; /* the key */
    uint32_t outer;    /* the location of the loop around it; LOADS_NONE: none */
    uint64_t entries, iterations;
    uint64_t spans, accesses; /* iterations that another one followed, and accesses of the process in them */
};

/* Sums over all traces: one row, if there are any. */
struct loads_totals {
    uint32_t key; /* 0 */
    uint64_t traces, accesses, loads, loads_in_loops, instructions, gaps;
    uint64_t valueless;                /* traces without the values of accesses */
    struct cache_counts before, after; /* without and with the plan */
    struct cache_prefetches prefetches;
    uint64_t added;   /* instructions of the plan */
    uint64_t unknown; /* prefetches of addresses that the trace does not show: useless */
};

struct loads {
    struct relations relations;
};

void loads_init(struct loads *loads);

/* These return an index, adding an item if it is new, or LOADS_NONE without memory. Expected O(length of texts). */
uint32_t loads_location(struct loads *loads, const struct trace_names *names, uint32_t context, uint32_t bytes,
                        uint32_t number);
uint32_t loads_row(struct loads *loads, uint32_t location, uint32_t loop, uint32_t inner, uint32_t middle);
uint32_t loads_loop(struct loads *loads, uint32_t location, uint32_t outer);

/* The partner of a row, added if it is new. 0 and *partner, which is NULL if there is no capacity for one more, or
 * ENOMEM. */
int loads_partner(struct loads *loads, uint32_t row, uint32_t location, enum loads_how how,
                  struct loads_partner **partner);
/* Adds to the sums. 0 or ENOMEM. */
int loads_add_totals(struct loads *loads, const struct loads_totals *more);

static inline struct loads_row *loads_row_at(const struct loads *loads, uint32_t index)
{
    return relations_at(&loads->relations, LOADS_ROWS, index);
}

static inline size_t loads_row_count(const struct loads *loads)
{
    return relations_count(&loads->relations, LOADS_ROWS);
}

static inline struct loads_loop *loads_loop_at(const struct loads *loads, uint32_t index)
{
    return relations_at(&loads->relations, LOADS_LOOPS, index);
}

static inline const struct loads_location *loads_location_at(const struct loads *loads, uint32_t index)
{
    return relations_at(&loads->relations, LOADS_LOCATIONS, index);
}

/* A row's partner: the first, the second, … */
static inline struct loads_partner *loads_partner_at(const struct loads *loads, const struct loads_row *row,
                                                     uint32_t index)
{
    return relations_at(&loads->relations, LOADS_PARTNERS, row->partners[index]);
}

/* Zeros if there are no traces. */
const struct loads_totals *loads_totals_of(const struct loads *loads);
/* The loop at this location, or NULL. */
const struct loads_loop *loads_loop_find(const struct loads *loads, uint32_t location);
/* The row of an instruction in a loop, or NULL. */
const struct loads_row *loads_row_find(const struct loads *loads, uint32_t location, uint32_t loop);
int64_t loads_position(const struct loads_location *location);
const char *loads_text(const struct loads *loads, uint32_t location); /* "method:line" */
/* The mean number of iterations of an entry; 0 if it is unknown. */
double loads_trips(const struct loads_loop *loop);

#endif
