#include "collect/exact/tool/state/heap.h"

#include <valgrind/pub_tool_debuginfo.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_mallocfree.h>

#include "collect/exact/tool/state/context.h"
#include "collect/exact/tool/state/objects.h"
#include "collect/exact/tool/state/shadow_memory.h"

enum { TIDS_MAX = 1 << 16 };

/* An allocator's function that has not returned; its own calls of allocator functions are ignored. */
struct call {
    enum heap_call kind;
    Addr returned; /* stack pointer after its return */
    ULong a, b, c;
};

struct block {
    Addr start; /* 0: the slot is empty */
    SizeT size;
    UInt object; /* objects.h */
};

Addr heap_pending;

static struct call calls[TIDS_MAX], *now = &calls[0];
static struct block *blocks; /* by linear probing; at most half of the slots are in use */
static ULong mask, used;

void heap_init(void)
{
    mask = (1 << 12) - 1;
    blocks = VG_(calloc)("assay.blocks", mask + 1, sizeof *blocks);
}

void heap_switch(ThreadId tid)
{
    now = &calls[tid];
    heap_pending = now->returned;
}

void heap_forget(ThreadId tid)
{
    calls[tid] = (struct call){0};
}

Bool heap_is_called(ThreadId tid)
{
    return calls[tid].kind != HEAP_NONE;
}

/* ---------------------------------------------------------------------------- blocks by address -- */

static ULong heap_hash(Addr start)
{
    ULong mixed = (start >> 4) * 0x9e3779b97f4a7c15ULL;
    return mixed ^ mixed >> 32;
}

static struct block *heap_find_block(Addr start)
{
    ULong i = heap_hash(start) & mask;
    while (blocks[i].start && blocks[i].start != start)
        i = (i + 1) & mask;
    return &blocks[i];
}

static void heap_add_block(Addr start, SizeT size)
{
    if (!start)
        return;
    if (used >= mask / 2) {
        struct block *old = blocks;
        ULong old_mask = mask;
        mask = mask * 4 + 3;
        blocks = VG_(calloc)("assay.blocks", mask + 1, sizeof *blocks);
        for (ULong i = 0; i <= old_mask; i++)
            if (old[i].start)
                *heap_find_block(old[i].start) = old[i];
        VG_(free)(old);
    }
    struct block *block = heap_find_block(start);
    used += block->start == 0;
    *block = (struct block){start, size, objects_heap(start, size, context_node)};
}

/* The size of a freed block; 0: unknown. */
static SizeT heap_take_block(Addr start)
{
    struct block *block = heap_find_block(start);
    if (!start || block->start != start)
        return 0;
    struct block gone = *block;
    /* Programs free and allocate the same place over and over: a mark in its slot would make its search longer each
     * time, so what could not be found beyond an empty slot moves into it instead (Knuth, TAOCP 3, §6.4, algorithm R).
     */
    ULong hole = (ULong)(block - blocks);
    for (ULong i = (hole + 1) & mask; blocks[i].start; i = (i + 1) & mask) {
        ULong home = heap_hash(blocks[i].start) & mask;
        if (((i - home) & mask) < ((i - hole) & mask))
            continue;
        blocks[hole] = blocks[i];
        hole = i;
    }
    blocks[hole].start = 0;
    used--;
    objects_gone(start, gone.size, gone.object);
    return gone.size;
}

/* ---------------------------------------------------------------------------- calls -- */

static const struct {
    const HChar *name;
    enum heap_call call;
} NAMES[] = {{"malloc", HEAP_MALLOC},
             {"calloc", HEAP_CALLOC},
             {"realloc", HEAP_REALLOC},
             {"reallocarray", HEAP_REALLOCARRAY},
             {"free", HEAP_FREE},
             {"cfree", HEAP_FREE},
             {"memalign", HEAP_MEMALIGN},
             {"aligned_alloc", HEAP_MEMALIGN},
             {"posix_memalign", HEAP_POSIX_MEMALIGN},
             {"valloc", HEAP_MALLOC},
             {"pvalloc", HEAP_MALLOC}};

static Bool heap_skip_prefix(const HChar **name, const HChar *prefix)
{
    SizeT length = VG_(strlen)(prefix);
    if (VG_(strncmp)(*name, prefix, length) != 0)
        return False;
    *name += length;
    return True;
}

enum heap_call heap_call_at(Addr entry)
{
    const HChar *name;
    if (!VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), entry, &name))
        return HEAP_NONE;
    heap_skip_prefix(&name, "__GI_");
    heap_skip_prefix(&name, "__libc_");
    heap_skip_prefix(&name, "__rtld_");
    for (UInt i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (VG_STREQ(name, NAMES[i].name))
            return NAMES[i].call;
    return HEAP_NONE;
}

void heap_enter(ULong call, Addr sp, ULong a, ULong b, ULong c)
{
    /* A call whose return address is below the stack pointer was left by a longjmp. */
    if (now->kind != HEAP_NONE && sp < now->returned)
        return;
    *now = (struct call){(enum heap_call)call, sp + sizeof(Addr), a, b, c};
    heap_pending = now->returned;
    if (call == HEAP_FREE)
        shadow_clear(a, heap_take_block(a));
}

static void heap_move_block(Addr old, Addr start, SizeT size)
{
    SizeT before = old ? heap_take_block(old) : 0;
    if (!start) { /* it failed, or the size was 0 */
        if (before && size)
            heap_add_block(old, before);
        else
            shadow_clear(old, before);
        return;
    }
    if (start != old)
        shadow_clear(old, before);
    if (size > before)
        shadow_clear(start + before, size - before);
    else if (start == old)
        shadow_clear(start + size, before - size);
    heap_add_block(start, size);
}

static void heap_new_block(Addr start, SizeT size)
{
    shadow_clear(start, start ? size : 0);
    heap_add_block(start, size);
}

void heap_return(ULong result)
{
    struct call call = *now;
    now->kind = HEAP_NONE;
    now->returned = heap_pending = 0;
    switch (call.kind) {
    case HEAP_MALLOC:
        heap_new_block(result, call.a);
        break;
    case HEAP_CALLOC:
        heap_new_block(result, call.a * call.b);
        break;
    case HEAP_REALLOC:
        heap_move_block(call.a, result, call.b);
        break;
    case HEAP_REALLOCARRAY:
        heap_move_block(call.a, result, call.b * call.c);
        break;
    case HEAP_MEMALIGN:
        heap_new_block(result, call.b);
        break;
    case HEAP_POSIX_MEMALIGN:
        if (result == 0)
            heap_new_block(*(const Addr *)call.a, call.c);
        break;
    case HEAP_FREE:
    case HEAP_NONE:
        break;
    }
}
