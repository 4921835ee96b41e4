/*
 * giveup.h - methods that lose their probes: those that take less time than was asked for (give_up_below_ns), and those
 * that make probes take more of a thread's CPU time than they may (max_cost).
 *
 * The writer's thread decides, from the events that it makes. A probe finds its method in a small table and returns: it
 * records nothing from then on, and counts the call. A call that had been recorded when its method was given up is
 * still left by a record; so a method drains first, until no thread has such a call open. Where probes can be taken out
 * of the code, the collector does that (methods_hooks.given_up).
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

int giveup_find(uint64_t method); /* its slot, or −1. Async-signal-safe */

/* The slot of a method that has been given up, or −1. A load where there is none. Async-signal-safe. */
static inline int giveup_slot(uint64_t method)
{
    return atomic_load_explicit(&giveup_table.count, memory_order_acquire) == 0 ? -1 : giveup_find(method);
}

/* The rest is the writer's thread's, but for the first. */
struct methods_thread;

/* `configuration` as in methods_prepare(). `pair_ns`: what a pair of probes costs; 0: not known, and no limit holds. */
void giveup_prepare(const json_t *configuration, double pair_ns);

/* A call has ended after `ns`, probes inside of it taken off. `id`: of the method in the trace. */
void giveup_took(struct methods_thread *thread, uint64_t method, uint32_t id, uint64_t ns);

/* The thread's events so far are known: whether they have cost more than they may. */
void giveup_judge(struct methods_thread *thread);

/* After every thread's records have been taken: which methods have drained. */
void giveup_settle(struct methods_thread *threads);

/* Counts the calls that the thread's probes have passed over. */
void giveup_count(struct methods_thread *thread);

/* One line on stderr, at the end: how many methods, how many calls, why. */
void giveup_tell(void);

/* Methods mean something else from now on: all have their probes again. */
void giveup_forget(struct methods_thread *threads);

/* The same in the child of a fork, whose one thread this is: it has given up nothing yet. */
void giveup_inherit(struct methods_thread *thread);

#endif
