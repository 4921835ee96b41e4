/*
 * objects.h - spatial redundancy: the data object that a load is from, and the object's previous load.
 *
 * Static objects are known by their symbols, blocks of the heap by the call that allocated them; the stack is no object.
 * Source: Su, dissertation 2020, Definition 2, §3.4.2. Used in mode spatial-load alone; the other calls cost nothing then.
 */
#ifndef ASSAY_VALGRIND_OBJECTS_H
#define ASSAY_VALGRIND_OBJECTS_H

#include <valgrind/pub_tool_basics.h>

void objects_init(Bool wanted);

/* The heap gives and takes back a block; `node` has called the allocator. */
void objects_heap(Addr start, SizeT size, UInt node);
void objects_gone(Addr start, SizeT size);

/*
 * The object that the bytes a … a+size−1 belong to (its id, 0: none), with the value of its previous load, if that had the
 * same size, in old[size], and its context in *first (0: none). The load is the object's previous one from now on.
 */
UInt objects_load(Addr a, const UChar *value, UInt size, UChar *old, UInt *first, UInt context);

#endif
