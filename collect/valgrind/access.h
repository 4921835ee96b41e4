/*
 * access.h - what happens at a memory access: its pair with the access before is counted, and it is the last one from
 * now on.
 */
#ifndef ASSAY_VALGRIND_ACCESS_H
#define ASSAY_VALGRIND_ACCESS_H

#include <valgrind/pub_tool_basics.h>

#include "collect/valgrind/context.h"

/* Chooses what this mode does. */
void access_init(void);

/* Looks at a record of the stream, whose node is block->node. What has happened in it is set to 0 by the caller. */
void access_record(const struct context_block *block, const ULong *record);

/*
 * From translated code, for what a helper of the core's reads or writes, up to SLOW_BYTES_MAX bytes: before it reads;
 * before it writes (the memory must be readable: a fault here is the program's), and after that.
 */
void access_load_now(Addr a, struct context_block *block, ULong slot);
void access_keep(Addr a, struct context_block *block, ULong slot);
void access_store_now(Addr a, struct context_block *block, ULong slot);

/* The kernel has written there, in the context of a system call. */
void access_system_write(Addr a, SizeT size, UInt context);

#endif
