/*
 * objects.h - spatial redundancy: the data object that a load is from, and the object's previous load.
 *
 * Static objects are known by their symbols, blocks of the heap by the call that allocated them, mappings by the call
 * that made them; the stack is not an object. A block of the heap in a mapping is the object of its addresses while it
 * exists. Source: Su, dissertation 2020, Definition 2, §3.4.2. Used only in mode spatial-load; in other modes the calls
 * cost nothing.
 */
#ifndef ASSAY_EXACT_TOOL_STATE_OBJECTS_H
#define ASSAY_EXACT_TOOL_STATE_OBJECTS_H

#include <valgrind/pub_tool_basics.h>

void objects_init(Bool wanted);

/* Forgets the previous loads of all objects. */
void objects_forget(void);

/* The heap allocates a block, whose object is returned (0: none), and frees it; `node` has called the allocator. */
UInt objects_heap(Addr start, SizeT size, UInt node);
void objects_gone(Addr start, SizeT size, UInt object);

/* The program makes a mapping, where there is none; `node` has made the system call. */
void objects_map(Addr start, SizeT size, UInt node);

/* These addresses belong to no mapping any more, nor to a library that was there. */
void objects_unmap(Addr start, SizeT size);

/* What is mapped there is now mapped elsewhere, too, as the same object. */
void objects_copy(Addr from, Addr to, SizeT size);

/* The mapping that ends there has grown. */
void objects_grow(Addr end, SizeT size);

/* The mapping around the address is a stack from `start` to `end`, as far as it extends: that part is not an object. */
void objects_stack(Addr a, Addr start, Addr end);

/* Replaces the time of each previous load by another. */
void objects_renumber(UInt (*renumbered)(UInt time));

/* An object's previous load. */
struct objects_previous {
    UInt object;    /* id of the object; 0: the address belongs to none */
    UInt context;   /* 0: there was none before */
    UInt size;      /* the value is in old[size] */
    UInt time;      /* context_time then; without one: when the object began */
    Bool forgotten; /* there may have been one, before objects_forget() */
};

/*
 * The object that a load is from, and its previous load, whose value (up to OBJECTS_VALUE_MAX bytes) goes to old[].
 * This load becomes the previous one.
 */
enum { OBJECTS_VALUE_MAX = 64 };
struct objects_previous objects_load(Addr a, const UChar *value, UInt size, UInt context, UChar *old);

#endif
