/*
 * heap.h - the program's own allocator, whatever it is: its functions are known by their names, and observed from
 * outside. A block starts afresh when it is allocated and when it is freed.
 */
#ifndef ASSAY_EXACT_TOOL_STATE_HEAP_H
#define ASSAY_EXACT_TOOL_STATE_HEAP_H

#include <valgrind/pub_tool_basics.h>

enum heap_call {
    HEAP_NONE,
    HEAP_MALLOC,
    HEAP_CALLOC,
    HEAP_REALLOC,
    HEAP_FREE,
    HEAP_MEMALIGN,
    HEAP_POSIX_MEMALIGN,
    HEAP_REALLOCARRAY
};

/* Which function begins at this address. */
enum heap_call heap_call_at(Addr entry);

/* From translated code, at its first instruction: stack pointer and first three arguments. */
void heap_enter(ULong call, Addr sp, ULong a, ULong b, ULong c);

/* The stack pointer after the pending call returns; 0: none. frames_return() compares and calls heap_return(). */
extern Addr heap_pending;
void heap_return(ULong result);

void heap_switch(ThreadId tid);
void heap_forget(ThreadId tid); /* it has ended */

/* Whether the thread is in a function of the allocator. */
Bool heap_is_called(ThreadId tid);

void heap_init(void);

#endif
