#include "collect/exact/tool/maps.h"

#include <valgrind/pub_tool_aspacemgr.h>
#include <valgrind/pub_tool_debuginfo.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_machine.h>
#include <valgrind/pub_tool_vki.h>
#include <valgrind/pub_tool_vkiscnums.h>

#include "collect/exact/tool/state/heap.h"
#include "collect/exact/tool/state/objects.h"

/* Flags of mmap, as Linux defines them. */
enum { FOR_STACKS = 0x20000 | 0x100 /* MAP_STACK, MAP_GROWSDOWN */ };

enum { PAGE = 4096, GRANULE = 16 };

static SizeT maps_round_to_pages(UWord bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* ld-linux-x86-64.so.2 and its kin, which map libraries by a system call of their own. */
static Bool maps_is_loader(Addr address)
{
    const DebugInfo *info = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), address);
    const HChar *name = info ? VG_(DebugInfo_get_soname)(info) : NULL;
    return name && (VG_(strncmp)(name, "ld-", 3) == 0 || VG_(strncmp)(name, "ld.", 3) == 0);
}

static void maps_add_mapping(ThreadId tid, const UWord *arguments, Addr start, UInt node)
{
    UWord protection = arguments[2], flags = arguments[3];
    if (!(protection & VKI_PROT_EXEC) && !(flags & FOR_STACKS) && !heap_is_called(tid) &&
        !maps_is_loader(VG_(get_IP)(tid)))
        objects_map(start, maps_round_to_pages(arguments[1]), node);
}

static void maps_grow_mapping(const UWord *arguments, Addr start)
{
    SizeT before = maps_round_to_pages(arguments[1]), after = maps_round_to_pages(arguments[2]);
    if (before && after > before)
        objects_grow(start + before, after - before);
}

static void maps_add_alternate_stack(const vki_stack_t *stack)
{
    Addr start = (Addr)stack->ss_sp, end = start + stack->ss_size;
    if (!(stack->ss_flags & VKI_SS_DISABLE))
        objects_stack(start, start / GRANULE * GRANULE, (end + GRANULE - 1) / GRANULE * GRANULE);
}

void maps_called(ThreadId tid, UInt number, const UWord *arguments, UWord result, UInt node)
{
    if (number == __NR_mmap)
        maps_add_mapping(tid, arguments, result, node);
    else if (number == __NR_mremap)
        maps_grow_mapping(arguments, result);
    else if (number == __NR_sigaltstack && arguments[0])
        maps_add_alternate_stack((const vki_stack_t *)arguments[0]);
}

/* Its stack is at least what has the same protection around the stack pointer. */
void maps_thread_begins(ThreadId tid)
{
    Addr sp = VG_(get_SP)(tid);
    const NSegment *segment = VG_(am_find_nsegment)(sp);
    if (segment)
        objects_stack(sp, segment->start, segment->end + 1);
}
