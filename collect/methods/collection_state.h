/*
 * collection_state.h - a collection, for collection.c and giveup.c.
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

#endif
