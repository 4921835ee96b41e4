/*
 * wide_access.h - accesses of more than 8 bytes, and those of the core's helpers: their values are read from the
 * program's memory. `where` is as in access.h, with the size.
 */
#ifndef ASSAY_EXACT_TOOL_KINDS_WIDE_ACCESS_H
#define ASSAY_EXACT_TOOL_KINDS_WIDE_ACCESS_H

#include <valgrind/pub_tool_basics.h>

void wide_load(Addr a, ULong where);
/* Before a wide store: saves the old contents (the memory must be readable: a fault here is the program's). */
void wide_keep(Addr a, ULong where);
/* After it. */
void wide_store(Addr a, ULong where);

/* 16 bytes with a given value, or old value; a store has already happened. */
void wide_load_halves(Addr a, ULong low, ULong high, ULong where);
void wide_store_halves(Addr a, ULong low, ULong high, ULong where);

#endif
