/*
 * access.h - handling a memory access: called from translated code, right after it.
 *
 * `where` is the context's handle, with bytes of a floating-point lane in bits 32-39 (0: values are compared exactly)
 * and, where the helper doesn't know it, the size in bits 40-63. Scalars up to 8 bytes come as values, zero-extended;
 * wide ones are read from the program's memory.
 */
#ifndef ASSAY_EXACT_TOOL_KINDS_ACCESS_H
#define ASSAY_EXACT_TOOL_KINDS_ACCESS_H

#include <valgrind/pub_tool_basics.h>

/* A helper has the usual case in itself, and other cases in functions, so that it need not save registers for them. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define NEVER_INLINE static __attribute__((noinline))

enum { ACCESS_LANE_SHIFT = 32, ACCESS_SIZE_SHIFT = 40 };

static inline UInt access_handle(ULong where)
{
    return (UInt)where;
}

static inline UInt access_lane(ULong where)
{
    return where >> ACCESS_LANE_SHIFT & 0xff;
}

static inline UInt access_size(ULong where)
{
    return (UInt)(where >> ACCESS_SIZE_SHIFT);
}

/* The helper for an access of 1, 2, 4 or 8 bytes under this configuration: (Addr, ULong value, ULong where). */
struct access_helper {
    const HChar *name;
    void *function;
};
struct access_helper access_load_helper(UInt size, Bool approximate);

/* After a store: (Addr, ULong old ^ new, ULong where); approximate: (Addr, ULong old, ULong where, ULong new). */
struct access_helper access_store_helper(UInt size, Bool approximate);

/*
 * Eight loads (stores) of one byte each, from the first of eight aligned bytes on, with all values at once. False: make
 * them one by one; nothing is counted yet.
 */
Bool access_load_eight(Addr a, ULong value, ULong where);
Bool access_store_eight(Addr a, ULong change, ULong where);

/* The kernel has written there, in the context of a system call. */
void access_system_write(Addr a, SizeT size, UInt context);

/* --- wide_access.c: accesses of more than 8 bytes, and those of the core's helpers, by their values in the program's
 * memory; `where` holds the size --- */

void wide_load(Addr a, ULong where);
void wide_read(Addr a, ULong where); /* a load in a mode that compares no loads */
/* Before a wide store: saves the old contents (the memory must be readable: a fault here is the program's). */
void wide_keep(Addr a, ULong where);
/* After it. */
void wide_store(Addr a, ULong where);

/* 16 bytes with a given value, or old value; a store has already happened. */
void wide_load_halves(Addr a, ULong low, ULong high, ULong where);
void wide_store_halves(Addr a, ULong low, ULong high, ULong where);

#endif
