/*
 * walk.h - a walk along the accesses of a trace: each with its loops, its number and its time.
 *
 * Whoever walks learns of every access, and, for each loop around it, whether it is the first one of its instruction in
 * that loop's iteration, and what that was one iteration ago.
 */
#ifndef ASSAY_STRIDES_WALK_H
#define ASSAY_STRIDES_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/driver/analyzer.h"
#include "analyze/strides/loads.h"
#include "analyze/strides/turns.h"

enum { WALK_LEVELS = 3, WALK_CYCLES = 3 };

struct walk_access {
    const struct trace_site *site;
    uint32_t site_id;
    uint64_t number; /* in the trace, from 1 */
    uint64_t now;    /* instructions so far; where they are not known, WALK_CYCLES for each access */
    uint64_t address, value;
};

/* An instruction in one of the loops around it: its latest first execution in an iteration, and the one before. */
struct walk_visit {
    uint32_t row;            /* of loads */
    uint32_t loop;           /* of the trace */
    uint64_t serial, before; /* iterations of the two; 0: there was none */
    uint64_t address, address_before, value, value_before;
    int64_t stride; /* between the two before */
    bool strided;   /* whether there is such a stride, in the same entry of the loop */
};

struct walk_site {
    uint32_t location, first; /* of loads; index of its visits, one for each level */
    uint8_t levels;
    bool known;
    uint64_t accesses, misses, stall; /* as in loads_row: the walker counts them */
};

/* The location that a frame had last. */
struct walk_memo {
    uint32_t location, bytes, number;
    bool known;
};

struct walk {
    struct loads *loads;
    const struct trace *trace;
    const struct trace_names *names;
    size_t next_chunk; /* of the trace: behind the latest batch */
    struct turns turns;
    struct walk_site *sites; /* [names->site_count] */
    uint8_t *numbers;        /* [names->site_count]: of the access in its instruction and loop, from 0 */
    struct walk_memo *memo;  /* [names->frame_count] */
    struct walk_visit *visits;
    size_t visit_count, visit_capacity;
    uint64_t accesses; /* so far */
    uint64_t instructions;
    void *user;
    /* Every access, in order, with the walk's site, NULL if it is of no known site. 0 or an errno value. */
    int (*access)(struct walk *walk, const struct walk_access *access, struct walk_site *site);
    /* A load that is the first of its instruction in an iteration of this loop; called before `access`. `continues`:
     * the one before was in the same entry of the loop. Likewise. */
    int (*visit)(struct walk *walk, const struct walk_access *access, struct walk_visit *visit,
                 const struct turns_loop *loop, bool continues);
};

/* 0 or ENOMEM */
int walk_init(struct walk *walk, struct loads *loads, const struct trace *trace, const struct trace_names *names);
void walk_free(struct walk *walk);
/* Takes a batch of kind access or iteration, in the order of the trace: those that are left out are damaged. 0 or an
 * errno value. */
int walk_feed(struct walk *walk, const struct trace_batch *batch);

/* Looks up the locations and rows of a site, unless it is known. 0 or ENOMEM. */
int walk_define_site(struct walk *walk, uint32_t site);
/* The visits of a site in this loop of the trace, or NULL. */
struct walk_visit *walk_find_visit(const struct walk *walk, uint32_t site, uint32_t loop);

#endif
