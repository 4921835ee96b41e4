#include "collect/exact/tool/process/calls.h"

#include <stddef.h>
#include <valgrind/libvex_guest_amd64.h>
#include <valgrind/libvex_trc_values.h>
#include <valgrind/pub_tool_aspacemgr.h>
#include <valgrind/pub_tool_machine.h>
#include <valgrind/pub_tool_vki.h>
#include <valgrind/pub_tool_vkiscnums.h>

#include "collect/exact/tool/state/core.h"
#include "collect/exact/tool/process/execute.h"
#include "collect/exact/tool/process/filters.h"
#include "collect/exact/tool/process/limits.h"

#define REGISTER(name) offsetof(VexGuestAMD64State, guest_##name)

static UWord get_register(ThreadId tid, PtrdiffT offset)
{
    UWord value;
    VG_(get_shadow_regs_area)(tid, (UChar *)&value, 0, offset, sizeof value);
    return value;
}

static void set_register(ThreadId tid, PtrdiffT offset, UWord value)
{
    VG_(set_shadow_regs_area)(tid, 0, offset, sizeof value, (const UChar *)&value);
}

static struct call call_of(ThreadId tid)
{
    return (struct call){.number = get_register(tid, REGISTER(RAX)),
                         .arguments = {get_register(tid, REGISTER(RDI)), get_register(tid, REGISTER(RSI)),
                                       get_register(tid, REGISTER(RDX)), get_register(tid, REGISTER(R10)),
                                       get_register(tid, REGISTER(R8)), get_register(tid, REGISTER(R9))},
                         .next = get_register(tid, REGISTER(RIP))};
}

void calls_answer(ThreadId tid, Long result)
{
    set_register(tid, REGISTER(RAX), (UWord)result);
}

void calls_replace(ThreadId tid, UInt trc, UWord number, UWord first)
{
    set_register(tid, REGISTER(RAX), number);
    set_register(tid, REGISTER(RDI), first);
    __real_vgPlain_client_syscall(tid, trc);
}

void calls_repeat(ThreadId tid, const struct call *call)
{
    set_register(tid, REGISTER(RIP), call->next - CALLS_INSTRUCTION_BYTES);
}

/* Where there is no alternate stack the kernel reports the address 0, and the core one of its own. */
static void correct_stack(const struct call *call)
{
    enum { DISABLED = 2 };
    vki_stack_t *old = (vki_stack_t *)call->arguments[1];
    if (old && VG_(am_is_valid_for_client)((Addr)old, sizeof *old, VKI_PROT_WRITE) && old->ss_flags == DISABLED)
        old->ss_sp = NULL;
}

void __wrap_vgPlain_client_syscall(ThreadId tid, UInt trc)
{
    if (trc != VEX_TRC_JMP_SYS_SYSCALL) {
        __real_vgPlain_client_syscall(tid, trc);
        return;
    }
    struct call call = call_of(tid);
    if (filters_handle(tid, trc, &call) || limits_handle(tid, &call))
        return;
    Addr path = execute_path(&call);
    if (path)
        set_register(tid, REGISTER(RDI), path);
    __real_vgPlain_client_syscall(tid, trc);
    if (path)
        set_register(tid, REGISTER(RDI), call.arguments[0]);
    if (call.number == __NR_sigaltstack)
        correct_stack(&call);
}
