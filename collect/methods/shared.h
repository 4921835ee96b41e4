/*
 * shared.h - what the probes of a process share with whoever makes events of their records: a thread of the process, or
 * another process that has the same memory mapped (collect/pool). Such a process takes nothing in here for granted.
 */
#ifndef ASSAY_METHODS_SHARED_H
#define ASSAY_METHODS_SHARED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/methods/methods.h"

enum {
    RING_RECORDS = 1 << 15,
    RING_SLACK = 256,       /* for records of handlers that interrupt a probe after it has checked for space */
    WAKE_RECORDS = 1 << 13, /* the reader is woken after each so many records */
    CODE_BITS = 56,
    CACHE_LINE = 64, /* bytes that processors exchange as a unit */
    SHARED_PAGE = 4096,
    NAME_WORDS = 2, /* of a thread's name: the kernel's 16 bytes */
    GIVEUP_SLOTS = 4096,
    PASSED_WAYS = 4,
    PASSED_SETS_LOG2 = 14,
};

/* Methods whose probes have been given up (giveup.h). The reader's. */
enum giveup_state { GIVEUP_DRAINING, GIVEUP_OFF };
struct giveup_table {
    _Atomic unsigned count;                 /* 0: nothing is looked up */
    _Atomic unsigned generation;            /* changes when all methods get their probes again */
    _Atomic uint64_t methods[GIVEUP_SLOTS]; /* 0: free */
    _Atomic unsigned char states[GIVEUP_SLOTS];
};

/* A method's slot, or −1. Async-signal-safe. */
int giveup_find(const struct giveup_table *table, uint64_t method);

/* The same; costs one load while no method has been given up. */
static inline int giveup_slot(const struct giveup_table *table, uint64_t method)
{
    return atomic_load_explicit(&table->count, memory_order_acquire) == 0 ? -1 : giveup_find(table, method);
}

/* Functions that were not chosen, by address; 0: free. The reader's. */
struct passed_table {
    _Atomic uint64_t sets[1 << PASSED_SETS_LOG2][PASSED_WAYS];
};

/* One record: the time, what happened to which method, and the location on the stack or a value. */
struct record {
    uint64_t ticks;
    uint64_t code; /* mark << CODE_BITS | method */
    uint64_t location;
    uint64_t spare;
};

/* The records of a thread, and what its reader must know of it. */
struct methods_ring {
    /* The thread's part. */
    uint64_t stack_high;               /* where its own stack ends */
    _Atomic uint64_t name[NAME_WORDS]; /* as the kernel has it */
    _Atomic uint64_t head;             /* records that are complete; only the thread stores it */
    _Atomic uint64_t passed;           /* calls of methods whose probes have been given up */
    /* The reader's part: it writes here at each step, so nothing that a probe reads may be in the same cache line. */
    _Alignas(CACHE_LINE) _Atomic uint64_t tail;
    _Alignas(SHARED_PAGE) struct record records[RING_RECORDS];
};

/* What its reader must know of a process. */
struct methods_about {
    uint32_t counter_count;
    uint32_t counters[EVENT_COUNTERS_MAX]; /* enum methods_counter: those of an event, in the order of the columns */
    uint64_t inner_ns;                     /* the part of the cost of a pair of probes that a method's time includes */
    double pair_ns;                        /* that cost; 0: unknown */
    bool exact_places;                     /* methods_hooks.exact_places */
    bool takes_out;                        /* methods that are given up get their probes taken out of the code */
    bool lacks_allocated;                  /* methods_lacks_allocated() */
    bool forked;                           /* the process is the child of a fork … */
    uint64_t fork;                         /* … which this mark announced in the parent (MARK_FORK); 0: none */
    uint64_t start_ns;                     /* CPU time of the recorder's start; 0: unknown */
};

enum { ABOUT_TEXT_BYTES = 16 << 10, CHOICE_LINES_MAX = 1 << 16 };

/* The tables of a process. All zero at first. */
struct methods_tables {
    _Alignas(CACHE_LINE) _Atomic uint32_t bell; /* not 0: there is something to do for a reader in another process */
    _Atomic uint32_t blind;                     /* threads without their hardware events */
    _Atomic uint32_t hasty;                     /* how often methods_wait_for_reader() gave up waiting */
    _Atomic uint32_t unrecorded;                /* threads for which there was no space */
    _Atomic uint32_t has_probes;                /* in the code of functions */
    struct methods_about about;
    char text[ABOUT_TEXT_BYTES];                            /* a JSON object: metadata */
    _Atomic uint64_t lines_recorded[CHOICE_LINES_MAX / 64]; /* a bit a line of the user's list (choice.h) */
    _Alignas(CACHE_LINE) _Atomic uint64_t taken;            /* counts steps in which the reader takes records */
    _Atomic uint64_t cycles;                                /* complete cycles of the reader */
    _Alignas(CACHE_LINE) struct giveup_table giveup;
    _Alignas(CACHE_LINE) struct passed_table passed;
};

#endif
