#include "collect/exact/tool/tool.h"

#include <valgrind/pub_tool_aspacemgr.h>
#include <valgrind/pub_tool_debuginfo.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_libcproc.h>
#include <valgrind/pub_tool_machine.h>
#include <valgrind/pub_tool_tooliface.h>
#include <valgrind/pub_tool_vki.h>
#include <valgrind/pub_tool_vkiscnums.h>

#include "collect/exact/tool/instances/functions.h"
#include "collect/exact/tool/instances/instances.h"
#include "collect/exact/tool/kinds/access.h"
#include "collect/exact/tool/kinds/burst.h"
#include "collect/exact/tool/memory/memory.h"
#include "collect/exact/tool/counters/simulate.h"
#include "collect/exact/tool/state/core.h"
#include "collect/exact/tool/state/config.h"
#include "collect/exact/tool/state/frames.h"
#include "collect/exact/tool/state/heap.h"
#include "collect/exact/tool/state/modules.h"
#include "collect/exact/tool/state/objects.h"
#include "collect/exact/tool/state/raw_writer.h"
#include "collect/exact/tool/state/scope.h"
#include "collect/exact/tool/state/shadow_memory.h"
#include "collect/exact/tool/state/times.h"

/* KERNEL_MOST: the maximum transfer of one call, whatever is requested. */
enum { TIDS_MAX = 1 << 16, PAGE_BYTES = 4096, KERNEL_MOST = 0x7ffff000 };

UInt system_context, system_status;
Bool system_exited;
static UInt contexts[TIDS_MAX]; /* of a thread's system call while others run */
static Bool exits[TIDS_MAX];    /* the thread's last system call is exit(2) */
static UInt exit_status;        /* of the last thread that called it */
static Bool exited_together;    /* exit_group(2) was called */

static void system_switch_thread(ThreadId tid)
{
    frames_switch(tid);
    if (config_get()->calls) {
        simulate_switch(tid, 0);
        instances_switch(tid);
    }
}

/* A new thread's stack is at least what has the same protection around the stack pointer. */
static void system_start_code(ThreadId tid, ULong blocks)
{
    const NSegment *stack = frames_number(tid) == 0 ? VG_(am_find_nsegment)(VG_(get_SP)(tid)) : NULL;
    (void)blocks;
    if (stack)
        objects_stack(VG_(get_SP)(tid), stack->start, stack->end + 1);
    system_switch_thread(tid);
    raw_writer_flush_due();
    times_check();
}

static void system_pre_syscall(ThreadId tid, UInt number, UWord *arguments, UInt count)
{
    (void)count;
    contexts[tid] = system_context;
    if (number == __NR_exit_group) {
        system_exited = exited_together = True;
        system_status = arguments[0] & 0xff;
    }
    exits[tid] = number == __NR_exit;
    if (exits[tid])
        exit_status = arguments[0] & 0xff;
    if (number != __NR_execve && number != __NR_execveat)
        return;
    if (config_get()->calls)
        instances_report();
    memory_report_gap();
    raw_writer_flush();
    raw_writer_end(RAW_EXEC, 0);
}

/*
 * The last thread has ended the process, by exit(2), or it was killed. All are checked, since the last one is unknown;
 * the core lets no other thread run between a thread's exit(2) and this.
 */
static void system_end_thread(ThreadId tid)
{
    instances_forget(tid);
    frames_forget(tid);
    if (exited_together)
        return;
    system_exited = exits[tid];
    system_status = exits[tid] ? exit_status : 0;
    exits[tid] = False;
}

/*
 * The mappings that the program makes itself are data objects; not the allocator's (its blocks are objects), nor the
 * loader's (whose static objects have symbols), nor stacks, nor code.
 */
static void system_post_syscall(ThreadId tid, UInt number, UWord *arguments, UInt count, SysRes result)
{
    enum { FOR_STACKS = 0x20000 | 0x100 /* MAP_STACK, MAP_GROWSDOWN, as Linux defines them */, ALIGNED = 16 };
    (void)count;
    if (number == __NR_execve || number == __NR_execveat) {
        raw_writer_resume();
    } else if (!contexts[tid] || sr_isError(result)) {
        return;
    } else if (number == __NR_mmap) {
        UWord protection = arguments[2], flags = arguments[3];
        if ((protection & VKI_PROT_EXEC) || (flags & FOR_STACKS) || heap_is_called(tid))
            return;
        /* ld-linux-x86-64.so.2 and its kin map libraries by a system call of their own. */
        const DebugInfo *info = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), VG_(get_IP)(tid));
        const HChar *name = info ? VG_(DebugInfo_get_soname)(info) : NULL;
        if (!name || (VG_(strncmp)(name, "ld-", 3) != 0 && VG_(strncmp)(name, "ld.", 3) != 0))
            objects_map(sr_Res(result), VG_PGROUNDUP(arguments[1]), context_locations[contexts[tid]].node);
    } else if (number == __NR_mremap) {
        SizeT before = VG_PGROUNDUP(arguments[1]), after = VG_PGROUNDUP(arguments[2]);
        if (before && after > before)
            objects_grow(sr_Res(result) + before, after - before);
    } else if (number == __NR_sigaltstack && arguments[0]) {
        const vki_stack_t *stack = (const vki_stack_t *)arguments[0];
        Addr start = (Addr)stack->ss_sp, end = start + stack->ss_size;
        if (!(stack->ss_flags & VKI_SS_DISABLE))
            objects_stack(start, start / ALIGNED * ALIGNED, (end + ALIGNED - 1) / ALIGNED * ALIGNED);
    }
}

static void system_kernel_reads(CorePart part, ThreadId tid, const HChar *what, Addr a, SizeT size)
{
    (void)tid, (void)what;
    if (part == Vg_CoreSysCall)
        shadow_read(a, size < KERNEL_MOST ? size : KERNEL_MOST);
}

/* A text from the program, with its NUL, as far as it can be read. */
static void system_kernel_reads_text(CorePart part, ThreadId tid, const HChar *what, Addr a)
{
    (void)tid, (void)what;
    if (part != Vg_CoreSysCall)
        return;
    Addr end = a;
    while ((end != a && end % PAGE_BYTES != 0) || VG_(am_is_valid_for_client)(end, 1, VKI_PROT_READ))
        if (*(const HChar *)end++ == '\0')
            break;
    shadow_read(a, end - a);
}

static void system_kernel_writes(CorePart part, ThreadId tid, Addr a, SizeT size)
{
    if (part == Vg_CoreSysCall)
        access_system_write(a, size, contexts[tid]);
}

/* A compiler may write its code through another mapping of the same file, which the core takes for one that does not
 * change: from now on it checks all code. */
static void system_expect_changes(Addr a)
{
    static const HChar MEMORY[] = "/memfd:", SHARED[] = "/dev/shm/";
    const NSegment *segment = VG_(am_find_nsegment)(a);
    const HChar *name = segment && segment->kind == SkFileC ? VG_(am_get_filename)(segment) : NULL;
    if (name && (VG_(strncmp)(name, MEMORY, sizeof MEMORY - 1) == 0 || VG_(strstr)(name, " (deleted)") ||
                 VG_(strncmp)(name, SHARED, sizeof SHARED - 1) == 0))
        VG_(clo_smc_check) = CORE_CHECK_ALL;
}

static void system_map(Addr a, SizeT size, Bool r, Bool w, Bool x, ULong handle)
{
    (void)r, (void)w, (void)handle;
    shadow_clear(a, size);
    objects_unmap(a, size);
    if (x) {
        functions_forget(a, size);
        scope_forget(a, size);
        system_expect_changes(a);
    }
}

static void system_protect(Addr a, SizeT size, Bool r, Bool w, Bool x)
{
    (void)r, (void)w;
    if (x) {
        system_expect_changes(a);
        objects_unmap(a, size);
    }
}

/* A library that may be unmapped by the next flush has its name written now. */
static void system_unmap(Addr a, SizeT size)
{
    modules_report();
    functions_forget(a, size);
    shadow_clear(a, size);
    objects_unmap(a, size);
}

static void system_grow_heap(Addr a, SizeT size, ThreadId tid)
{
    (void)tid;
    shadow_clear(a, size);
}

static void system_move(Addr from, Addr to, SizeT size)
{
    shadow_move(from, to, size);
    objects_copy(from, to, size);
}

static void system_start_signal(ThreadId tid, Int number, Bool alternate)
{
    (void)number;
    system_switch_thread(tid);
    if (config_get()->memory)
        memory_interrupt(VG_(get_IP)(tid));
    frames_signal(tid, VG_(get_SP)(tid), VG_(get_IP)(tid), alternate);
}

static void system_end_signal(ThreadId tid, Int number)
{
    (void)number;
    system_switch_thread(tid);
    frames_signal_end();
}

/* The other threads do not exist. */
static void system_in_child(ThreadId tid)
{
    instances_open_child(tid);
    frames_forget_others(tid);
    raw_writer_open_child();
    if (config_get()->memory)
        memory_open_child();
}

static void system_before_fork(ThreadId tid)
{
    (void)tid;
    burst_flush();
    memory_report_gap();
    raw_writer_flush();
}

void system_init(void)
{
    VG_(needs_syscall_wrapper)(system_pre_syscall, system_post_syscall);
    VG_(track_start_client_code)(system_start_code);
    VG_(track_pre_thread_ll_exit)(system_end_thread);
    VG_(track_pre_mem_read)(system_kernel_reads);
    VG_(track_pre_mem_read_asciiz)(system_kernel_reads_text);
    VG_(track_post_mem_write)(system_kernel_writes);
    VG_(track_new_mem_mmap)(system_map);
    VG_(track_change_mem_mprotect)(system_protect);
    VG_(track_new_mem_brk)(system_grow_heap);
    VG_(track_copy_mem_remap)(system_move);
    VG_(track_die_mem_munmap)(system_unmap);
    VG_(track_die_mem_brk)(shadow_clear);
    VG_(track_die_mem_stack_signal)(shadow_clear);
    VG_(track_pre_deliver_signal)(system_start_signal);
    VG_(track_post_deliver_signal)(system_end_signal);
    VG_(atfork)(system_before_fork, NULL, system_in_child);
}
