/*
 * context.h - calling contexts. A node of the tree is a function called from a place in its parent's function; a
 * context is one access of an instruction in a node, and has a handle: a number from 1.
 *
 * A superblock that is instrumented has `count` slots: one for each memory access, system call, and loop header. When
 * it is first executed in a node it gets an array of their handles; while it stays in that node its `handles` is that
 * array (context_enter() is called only when the node changes). In a node the same access has the same handle in all
 * superblocks that contain its instruction.
 */
#ifndef ASSAY_EXACT_TOOL_STATE_CONTEXT_H
#define ASSAY_EXACT_TOOL_STATE_CONTEXT_H

#include <valgrind/pub_tool_basics.h>

#include "collect/exact/tool/state/raw.h"

/* Values that are compared as floating point: bytes of a lane, 0: exactly. */
struct context_slot {
    Addr address;
    UShort size; /* of the access; 0: no access */
    UChar lane;
    UChar store;
    UChar header; /* of a loop: its `handle` is the index of its stamp */
    UChar number; /* among the slots of the instruction, from 0 */
};

struct context_block {
    const UInt *handles; /* [count], in `node`; without one, of no meaning */
    UInt node;           /* 0: none yet */
    UInt id, count;
    UInt call_node, call_child; /* of the call at its end: the child of call_node */
    Bool call_lumped;           /* context_is_lumped() */
    Addr call;                  /* its address */
    const struct context_slot *slots;
    const UInt *sites; /* [count]: the numbers of its accesses and system calls; 0: a loop header */
};

extern UInt context_node;    /* of the running thread */
extern UInt *context_stamps; /* [index]: when a loop's header was last passed in a node */
extern UInt context_time;    /* grows by one with each pass of a loop header; see times.h */

void context_init(void);

/* Adds a block with its slots (copied). To be called only while instrumenting. */
struct context_block *context_block_new(const struct context_slot *slots, UInt count, Addr call);

/* The block is executed in context_node, which is not block->node. */
void context_enter(struct context_block *block);

/* A root: the first node of a thread. */
UInt context_root(UInt thread);

/*
 * The node called from `call` in `parent`, created if needed. A call that is on the path three times already reuses the
 * node of the third: otherwise the tree of a program that calls itself at two places would double with every level.
 */
UInt context_child(UInt parent, Addr call, enum raw_node_kind kind);

/* Whether a call in `parent` uses a node that is not its own: a recursive one's, or that of many; counts one. */
Bool context_is_lumped(UInt parent, UInt child);
void context_count_lumped(UInt child);

struct context_node {
    UInt parent, thread;
    Addr call;
    UInt depth; /* of the root: 0 */
    UInt kind;  /* enum raw_node_kind */
    Addr loop;  /* mode memory: the header of the innermost loop around the call, in its function; 0: none */
};
const struct context_node *context_node_of(UInt node);
UInt context_node_count(void);

enum { CONTEXT_HANDLES_MAX = 3 << 24 }; /* SHADOW_SPLIT */

/* The meaning of a handle. */
struct context_location {
    const struct context_slot *slot;
    UInt node, thread;
};
extern struct context_location *context_locations; /* [handle] */
UInt context_handle_count(void);                   /* the highest handle */

/* The handle of a function's first instruction in a node, created if needed. `entry` must stay. */
UInt context_entry(UInt node, const struct context_slot *entry);

/* The index in context_stamps of the loop with this header in the node, created if needed; beyond 16 million loops they
 * share the last. */
UInt context_stamp(UInt node, Addr header);

UInt context_stamp_count(void); /* the highest index */

/* When the loop with this header was last passed in the node; 0: never. */
UInt context_loop_time(UInt node, Addr header);

#endif
