/*
 * raw_output.h - the file of this process, in the form of the exact tool's (collect/exact/tool/state/raw.h), and the
 * numbers that threads, nodes and accesses have in it (raw_definitions.c). Any thread, until raw_output_end().
 */
#ifndef ASSAY_REWRITE_RAW_OUTPUT_H
#define ASSAY_REWRITE_RAW_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "collect/rewrite/methods.h"
#include "collect/exact/tool/state/raw.h"

/* Handles below this are accesses that nobody counts, as in AssayNode.java. */
enum { RAW_OUTPUT_FIRST_HANDLE = 1 << 16 };

/* Kinds of pairs, as in AssayAccess.java. */
enum raw_output_kind {
    RAW_OUTPUT_LOADS = 1,
    RAW_OUTPUT_SILENT_STORES = 2,
    RAW_OUTPUT_DEAD_STORES = 4,
    RAW_OUTPUT_ADJACENT_LOADS = 8
};

/* Creates PREFIX-PID[.N].exact; `about` (borrowed) describes the process, `kinds` has the kinds that are recorded, 0
 * for accesses without pairs; `bursts`: the same nodes come again in each burst. 0 or an errno value. */
int raw_output_begin(const char *directory, const char *prefix, const json_t *about, unsigned kinds, bool bursts);

/* The file's path. */
const char *raw_output_path(void);

/* Appends a record: the payload, then more of it. */
void raw_output_append(enum raw_type type, const void *payload, size_t bytes, const void *more, size_t more_bytes);

/* Where a loop of a method has its header, as the address of an instruction; 0: it has none with this number. */
uint64_t raw_output_loop_address(uint32_t number, const struct method *method, uint64_t loop);

/* Sets the binary logarithm of a reference's size, before any access. */
void raw_output_set_reference_size(uint32_t size);

/* A pair may consist of accesses of two threads. Before any access. */
void raw_output_set_between_threads(void);

/* A new thread: its number, from 1. `name` may be NULL. */
uint32_t raw_output_define_thread(uint32_t tid, const char *name);

/* The first of `count` handles that belong to a thread from now on. */
uint32_t raw_output_reserve_handles(uint32_t thread, uint32_t count);

/* Where a node is in the tree. */
struct raw_output_node {
    uint32_t thread, parent, parent_method; /* parent 0: the root */
    uint32_t site;                          /* the number of the call in the parent's method */
    uint32_t method, first_handle;          /* method 0: none */
    bool cut;                               /* for calls that are lumped together */
};

/* The node's number, from 1, in bursts that of the same one in an earlier burst; its accesses get numbers as well. 0:
 * the file is closed. */
uint32_t raw_output_define_node(const struct raw_output_node *node);

/* A node's method constructs, or allocates, objects; they have this handle, and are one object of the trace. In bursts
 * until the burst ends. */
void raw_output_define_object(uint32_t handle, uint32_t node, uint32_t method);

/* How often an access followed another since the last time, was silent, and (a store) made the other dead or (a load)
 * was adjacent. */
struct raw_output_pair {
    uint32_t thread, first, second; /* the thread of the second, and handles */
    int32_t object; /* the handle of what the accesses were in; 0: unknown; −n: static field number n */
    uint32_t scope; /* the method, and the number of its loop in the lower RAW_OUTPUT_LOOP_BITS; 0: none */
    uint64_t events, silent, dead_or_adjacent;
};
enum { RAW_OUTPUT_LOOP_BITS = 12 };

/* If the first is another thread's, its bytes are counted; it is not a pair, but for raw_output_set_between_threads().
 * False: an access belongs to a node, or the object is one, that was not given yet. */
bool raw_output_add_pair(const struct raw_output_pair *pair);

/* Accesses without an earlier one at their address: [kind], as in methods.h, without references. */
void raw_output_add_unpaired(uint32_t thread, const uint64_t counts[16]);

/* Calls that reused the node of an earlier one; calls that were lumped together; pairs whose loop is not known. */
void raw_output_add_lost(uint64_t reused, uint64_t lumped, uint64_t scopes);

/* Bytes accessed through Unsafe that belong neither to a field nor to an element. */
void raw_output_add_elsewhere(uint64_t bytes);

/* A class that no agent can rewrite. */
void raw_output_count_hidden(void);

/* A thread has ended, or its burst, and all that it counted was given: forgets its accesses, unless a pair may follow
 * that begins with one of them. */
void raw_output_release_thread(uint32_t thread);

/* Adds what a thread has counted in a burst: for silent loads, silent stores and dead stores the members of struct
 * raw_burst that are bytes. */
enum { RAW_OUTPUT_SUMS = 15 };
void raw_output_add_burst(const uint64_t sums[RAW_OUTPUT_SUMS]);

/* The burst is over: writes the sums of each kind that is recorded, and calls `learn` for it. */
void raw_output_end_burst(void (*learn)(const struct raw_burst *burst));

/* All that was given so far is in the file: a process that is killed loses only what comes after. */
void raw_output_flush(void);

/* Completes the file, and closes it. `status`: with which the process exits. 0 or the first errno value. */
int raw_output_end(uint32_t status);

#endif
