#include "collect/exact/tool/process/calls.h"

#include <stddef.h>
#include <valgrind/libvex_guest_amd64.h>
#include <valgrind/libvex_trc_values.h>
#include <valgrind/pub_tool_aspacemgr.h>
#include <valgrind/pub_tool_libcsignal.h>
#include <valgrind/pub_tool_machine.h>
#include <valgrind/pub_tool_vki.h>
#include <valgrind/pub_tool_vkiscnums.h>

#include "collect/exact/tool/state/core.h"
#include "collect/exact/tool/process/execute.h"
#include "collect/exact/tool/process/filters.h"
#include "collect/exact/tool/process/limits.h"

enum { LAST_SIGNAL = 63 }; /* 64 is the core's */

#define REGISTER(name) offsetof(VexGuestAMD64State, guest_##name)

static UWord calls_get_register(ThreadId tid, PtrdiffT offset)
{
    UWord value;
    VG_(get_shadow_regs_area)(tid, (UChar *)&value, 0, offset, sizeof value);
    return value;
}

static void calls_set_register(ThreadId tid, PtrdiffT offset, UWord value)
{
    VG_(set_shadow_regs_area)(tid, 0, offset, sizeof value, (const UChar *)&value);
}

/* Those that two calls of different numbers may have in different places. */
static void calls_set_arguments(ThreadId tid, const struct call *call)
{
    calls_set_register(tid, REGISTER(RDI), call->arguments[0]);
    calls_set_register(tid, REGISTER(RSI), call->arguments[1]);
    calls_set_register(tid, REGISTER(RDX), call->arguments[2]);
}

void calls_set_result(ThreadId tid, Long result)
{
    calls_set_register(tid, REGISTER(RAX), (UWord)result);
}

void calls_replace(ThreadId tid, UInt trc, UWord number, UWord first)
{
    calls_set_register(tid, REGISTER(RAX), number);
    calls_set_register(tid, REGISTER(RDI), first);
    __real_vgPlain_client_syscall(tid, trc);
}

Bool calls_take_signals(ThreadId tid, const struct call *call, Int most)
{
    UWord again = call->next - CALLS_INSTRUCTION_BYTES;
    vki_sigset_t pending, blocked;
    Int number = 1;
    VG_(do_syscall)(__NR_rt_sigpending, (UWord)&pending, sizeof pending, 0, 0, 0, 0, 0, 0);
    VG_(do_sys_sigprocmask)(tid, VKI_SIG_BLOCK, NULL, &blocked);
    while (number <= most &&
           (number == VKI_SIGSYS || !VG_(sigismember)(&pending, number) || VG_(sigismember)(&blocked, number)))
        number++;
    if (number > most)
        return False;
    calls_set_register(tid, REGISTER(RIP), again);
    VG_(poll_signals)(tid);
    if (calls_get_register(tid, REGISTER(RIP)) != again)
        return True;
    calls_set_register(tid, REGISTER(RIP), call->next); /* no handler has begun: it was ignored, or is the core's own */
    return False;
}

/* Calls after which a signal that came before them would be another one: without its handler, blocked, or not expected
 * any more. The last timer expiry of a profiler would end the program. */
static Bool calls_changes_signals(UWord number)
{
    switch (number) {
    case __NR_rt_sigaction:
    case __NR_rt_sigprocmask:
    case __NR_setitimer:
    case __NR_timer_settime:
    case __NR_timer_delete:
    case __NR_execve:
    case __NR_execveat:
    case __NR_exit_group:
        return True;
    default:
        return False;
    }
}

void __wrap_vgPlain_client_syscall(ThreadId tid, UInt trc)
{
    if (trc != VEX_TRC_JMP_SYS_SYSCALL) {
        __real_vgPlain_client_syscall(tid, trc);
        return;
    }
    struct call call = {
        .number = calls_get_register(tid, REGISTER(RAX)),
        .arguments = {calls_get_register(tid, REGISTER(RDI)), calls_get_register(tid, REGISTER(RSI)),
                      calls_get_register(tid, REGISTER(RDX)), calls_get_register(tid, REGISTER(R10)),
                      calls_get_register(tid, REGISTER(R8)), calls_get_register(tid, REGISTER(R9))},
        .next = calls_get_register(tid, REGISTER(RIP)),
    };
    if (calls_changes_signals(call.number) && calls_take_signals(tid, &call, LAST_SIGNAL))
        return;
    if (filters_handle(tid, trc, &call) || limits_handle(tid, &call))
        return;
    struct call rewritten = call;
    if (execute_rewrite(&rewritten)) {
        calls_set_register(tid, REGISTER(RAX), rewritten.number);
        calls_set_arguments(tid, &rewritten);
        __real_vgPlain_client_syscall(tid, trc);
        calls_set_arguments(tid, &call);
        execute_returned();
        return;
    }
    __real_vgPlain_client_syscall(tid, trc);
    if (call.number != __NR_sigaltstack)
        return;
    /* Where there is no alternate stack the kernel reports the address 0, and the core one of its own. */
    enum { DISABLED = 2 };
    vki_stack_t *old = (vki_stack_t *)call.arguments[1];
    if (old && VG_(am_is_valid_for_client)((Addr)old, sizeof *old, VKI_PROT_WRITE) && old->ss_flags == DISABLED)
        old->ss_sp = NULL;
}
