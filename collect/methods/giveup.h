/*
 * giveup.h - methods that lose their probes: those that take less time than requested (give_up_below_ns), and those
 * whose probes take more of a thread's CPU time than allowed (max_cost).
 *
 * The reader decides this from the events that it makes. From then on a probe finds its method in a small table
 * (shared.h), counts the call, and returns without a record. A call whose entry was recorded before still needs a
 * record of its exit; so a method drains first, until no thread has such a call open. Where probes can be taken out of
 * the code, that is done as well (methods_hooks.given_up and .passed).
 */
#ifndef ASSAY_METHODS_GIVEUP_H
#define ASSAY_METHODS_GIVEUP_H

#include "collect/methods/collection.h"
#include "collect/methods/shared.h"

/* What is known of a method. [id] */
struct giveup_record {
    uint64_t method, calls, ns;
    uint64_t lately; /* calls since threads were judged last */
    bool given_up;
};

/* All zero: nothing is given up. */
struct giveup {
    struct giveup_table *table;
    uint64_t below_ns;
    double max_cost, pair_ns; /* max_cost 1: any */
    struct giveup_record *methods;
    size_t capacity;
    unsigned count;                           /* of methods in the table */
    bool drains;                              /* probes do not know whether an open call was recorded */
    unsigned long since[GIVEUP_SLOTS], cycle; /* when each slot began to drain */
    unsigned long seen[GIVEUP_SLOTS];         /* the last cycle in which a thread had such a call open */
    unsigned long counts[GIVEUP_REASONS];
    uint64_t passed;
};

struct collected;

/* `configuration` is that of methods_prepare(). `pair_ns` is the cost of a pair of probes; 0: unknown, so there is no
 * limit. */
void giveup_prepare(struct giveup *giveup, struct giveup_table *table, const json_t *configuration, double pair_ns);

/* Says that a call has ended after `ns`, without the probes inside it. `id` is that of the method in the trace. */
void giveup_took(struct collection *collection, struct collected *thread, uint64_t method, uint32_t id, uint64_t ns);

/* Checks whether the events of the thread so far have cost more than allowed. */
void giveup_decide(struct collection *collection, struct collected *thread);

/* Finds which methods have drained, after the records of every thread have been taken. */
void giveup_finalize(struct giveup *giveup, const struct collected *threads);

/* Counts the calls that the thread's probes have skipped. */
void giveup_count(struct giveup *giveup, struct collected *thread);

/* Writes how many methods were given up, with how many calls, and why. False: none. */
bool giveup_text(const struct giveup *giveup, bool takes_out, char *text, size_t size);

/* Gives all methods their probes again, since their ids change their meaning. */
void giveup_forget(struct giveup *giveup);

/* Does the same in the child of a fork, for its only thread. */
void giveup_inherit(struct giveup *giveup, struct collected *thread);

#endif
