/*
 * collection_state.h - a collection, for collection.c, collected.c and giveup.c.
 */
#ifndef ASSAY_METHODS_COLLECTION_STATE_H
#define ASSAY_METHODS_COLLECTION_STATE_H

#include "collect/methods/collection.h"
#include "collect/methods/giveup.h"

enum { KNOWN_METHODS = 4096 };

struct collection {
    struct collection_hooks hooks;
    struct methods_tables *tables;
    struct methods_about about;
    struct trace_writer *writer;
    struct time_line line;
    uint64_t pair_ns;
    struct collected *threads;
    _Atomic(struct collected *) arrived; /* threads that have been added since */
    bool replaying; /* records of the parent are gone through, in the child of a fork: nothing is written */
    bool wrote;     /* there has been an event */
    bool blind_reported;
    struct known_method {
        uint64_t method;
        uint32_t id;
    } known[KNOWN_METHODS]; /* ids that were asked for lately, hashed */
    struct giveup giveup;
};

/* --- collected.c: the records of one thread --- */

/* The moment of an event. */
struct moment {
    uint64_t ns, cpu_ns;
};

/* The id of a method in the trace; 0 while the records of the parent are gone through. */
uint32_t collection_method_id(struct collection *collection, uint64_t method);

/* Turns the records up to the time `until` into events. */
void collected_drain_ring(struct collection *collection, struct collected *thread, uint64_t until);

void collected_add_event(struct collection *collection, struct collected *thread, enum trace_event what, uint32_t id,
                         struct moment at);

/* Ends the innermost methods until `keep` are open. */
void collected_end_methods(struct collection *collection, struct collected *thread, size_t keep, enum trace_event what,
                           struct moment at);

/* Writes the events that have been added. */
void collected_flush_events(const struct collection *collection, struct collected *thread);

#endif
