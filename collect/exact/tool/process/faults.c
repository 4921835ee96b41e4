/*
 * faults.c - signals that an instruction of the program raises, and the core sends in the place of the kernel.
 */
#include <valgrind/pub_tool_basics.h>
#include <valgrind/pub_tool_vki.h>

#include "collect/exact/tool/state/core.h"

enum { OF_KERNEL = 0x80, BAD_OPCODE = 1, BAD_OPERAND = 2 }; /* values of si_code */

/* The core asks its debugger before it sends one; here it has filled it in. int3 is a signal of the kernel's own, which
 * has no address, and an instruction that there is not is a bad operand on x86. */
Bool __wrap_vgPlain_gdbserver_report_signal(vki_siginfo_t *info, ThreadId tid)
{
    if (info->si_signo == VKI_SIGTRAP && info->si_code == VKI_TRAP_BRKPT)
        info->si_code = OF_KERNEL;
    else if (info->si_signo == VKI_SIGILL && info->si_code == BAD_OPCODE)
        info->si_code = BAD_OPERAND;
    return __real_vgPlain_gdbserver_report_signal(info, tid);
}
