#include "collect/exact/tool/maps.h"

#include <valgrind/pub_tool_aspacemgr.h>
#include <valgrind/pub_tool_debuginfo.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_machine.h>
#include <valgrind/pub_tool_vki.h>
#include <valgrind/pub_tool_vkiscnums.h>

#include "collect/exact/tool/state/heap.h"
#include "collect/exact/tool/state/objects.h"

/* Of mmap's flags, as in Linux. */
enum { FOR_STACKS = 0x20000 | 0x100 /* MAP_STACK, MAP_GROWSDOWN */ };

enum { PAGE = 4096, GRANULE = 16 };

static SizeT in_pages(UWord bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* ld-linux-x86-64.so.2 and its kin, which map libraries by a system call of their own. */
static Bool is_loader(Addr place)
{
    const DebugInfo *info = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), place);
    const HChar *name = info ? VG_(DebugInfo_get_soname)(info) : NULL;
    return name && (VG_(strncmp)(name, "ld-", 3) == 0 || VG_(strncmp)(name, "ld.", 3) == 0);
}

static void mapped(ThreadId tid, const UWord *arguments, Addr start, UInt node)
{
    UWord protection = arguments[2], flags = arguments[3];
    if (!(protection & VKI_PROT_EXEC) && !(flags & FOR_STACKS) && !heap_is_called(tid) && !is_loader(VG_(get_IP)(tid)))
        objects_map(start, in_pages(arguments[1]), node);
}

static void resized(const UWord *arguments, Addr start)
{
    SizeT before = in_pages(arguments[1]), after = in_pages(arguments[2]);
    if (before && after > before)
        objects_grow(start + before, after - before);
}

static void alternate_stack(const vki_stack_t *stack)
{
    Addr start = (Addr)stack->ss_sp, end = start + stack->ss_size;
    if (!(stack->ss_flags & VKI_SS_DISABLE))
        objects_stack(start, start / GRANULE * GRANULE, (end + GRANULE - 1) / GRANULE * GRANULE);
}

void maps_called(ThreadId tid, UInt number, const UWord *arguments, UWord result, UInt node)
{
    if (number == __NR_mmap)
        mapped(tid, arguments, result, node);
    else if (number == __NR_mremap)
        resized(arguments, result);
    else if (number == __NR_sigaltstack && arguments[0])
        alternate_stack((const vki_stack_t *)arguments[0]);
}

/* Its stack is at least what has the same protection around the stack pointer. */
void maps_thread_begins(ThreadId tid)
{
    Addr sp = VG_(get_SP)(tid);
    const NSegment *segment = VG_(am_find_nsegment)(sp);
    if (segment)
        objects_stack(sp, segment->start, segment->end + 1);
}
