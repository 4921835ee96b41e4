/*
 * giveup.h - methods that lose their probes: those that take less time than requested (give_up_below_ns), and those
 * whose probes take more of a thread's CPU time than allowed (max_cost).
 *
 * The writer's thread decides this from the events that it makes. From then on a probe finds its method in a small
 * table, counts the call, and returns without a record. A call whose entry was recorded before still needs a record of
 * its exit; so a method drains first, until no thread has such a call open. Where probes can be taken out of the code,
 * the collector does so (methods_hooks.given_up).
 */
#ifndef ASSAY_METHODS_GIVEUP_H
#define ASSAY_METHODS_GIVEUP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

enum { GIVEUP_SLOTS = 4096, GIVEUP_MAX = GIVEUP_SLOTS / 2 };

enum giveup_state { GIVEUP_DRAINING, GIVEUP_OFF };

struct giveup_table {
    _Atomic unsigned count;                 /* 0: nothing is looked up */
    _Atomic uint64_t methods[GIVEUP_SLOTS]; /* 0: free */
    _Atomic unsigned char states[GIVEUP_SLOTS];
};
extern struct giveup_table giveup_table;

int giveup_find(uint64_t method); /* returns its slot, or −1. Async-signal-safe */

/* Returns the slot of a method that has been given up, or −1. Costs one load while there is none. Async-signal-safe. */
static inline int giveup_slot(uint64_t method)
{
    return atomic_load_explicit(&giveup_table.count, memory_order_acquire) == 0 ? -1 : giveup_find(method);
}

/* All of the following but the first run in the writer's thread. */
struct methods_thread;

/* `configuration` is that of methods_prepare(). `pair_ns` is the cost of a pair of probes; 0: unknown, so there is no
 * limit. */
void giveup_prepare(const json_t *configuration, double pair_ns);

/* Says that a call has ended after `ns`, without the probes inside it. `id` is that of the method in the trace. */
void giveup_took(struct methods_thread *thread, uint64_t method, uint32_t id, uint64_t ns);

/* Checks whether the events of the thread so far have cost more than allowed. */
void giveup_judge(struct methods_thread *thread);

/* Finds which methods have drained, after the records of every thread have been taken. */
void giveup_settle(struct methods_thread *threads);

/* Counts the calls that the thread's probes have skipped. */
void giveup_count(struct methods_thread *thread);

/* Prints one line on stderr, at the end: how many methods were given up, with how many calls, and why. */
void giveup_tell(void);

/* Gives all methods their probes again, since their ids change their meaning. */
void giveup_forget(struct methods_thread *threads);

/* Does the same in the child of a fork, for its only thread. */
void giveup_inherit(struct methods_thread *thread);

#endif
