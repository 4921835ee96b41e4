#include "collect/sample/restart.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/signals.h"
#include "collect/sample/chain.h"

enum { CALL_BYTES = 2, NUMBER_BYTES = 5, CLEAR_BYTES = 2, PAGE = 4096 };

/* The number of the call that ended before this place, if the code sets it directly before; else −1. The kernel does
 * not keep it for handlers. */
static long restart_call_number(const uint8_t *next)
{
    static const uint8_t CALL[CALL_BYTES] = {0x0f, 0x05}, SET_EAX = 0xb8, CLEAR_EAX[CLEAR_BYTES] = {0x31, 0xc0};
    const uint8_t *set = next - CALL_BYTES - NUMBER_BYTES;
    int32_t number;
    if (((uintptr_t)next & (PAGE - 1)) < CALL_BYTES + NUMBER_BYTES) /* there may be nothing before the page */
        return -1;
    if (memcmp(next - CALL_BYTES, CALL, CALL_BYTES) != 0)
        return -1;
    if (memcmp(next - CALL_BYTES - CLEAR_BYTES, CLEAR_EAX, CLEAR_BYTES) == 0)
        return 0;
    if (*set != SET_EAX)
        return -1;
    memcpy(&number, set + 1, sizeof number);
    return number;
}

/* Those that fail after any handler, SA_RESTART or not. */
static bool restart_is_never(long number)
{
    switch (number) {
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6:
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_pause:
    case SYS_rt_sigsuspend:
    case SYS_rt_sigtimedwait:
    case SYS_semop:
    case SYS_semtimedop:
    case SYS_msgrcv:
    case SYS_msgsnd:
    case SYS_io_getevents:
    case SYS_io_pgetevents:
    case SYS_futex:
    /* With a time limit (SO_RCVTIMEO, SO_SNDTIMEO); without, the kernel makes them again. */
    case SYS_read:
    case SYS_readv:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg:
    case SYS_write:
    case SYS_writev:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
    case SYS_accept:
    case SYS_accept4:
    case SYS_connect:
        return true;
    default:
        return false;
    }
}

/* Not faults, what ends the process, and what the C library keeps for itself. */
bool restart_ends_calls(int signal)
{
    enum { LIBRARY_FIRST = 32, LIBRARY_LAST = 33 };
    return signal != SIGSEGV && signal != SIGBUS && signal != SIGFPE && signal != SIGILL && signal != SIGTRAP &&
           signal != SIGABRT && signal != SIGSYS && (signal < LIBRARY_FIRST || signal > LIBRARY_LAST);
}

bool restart_program_handles_signals(unsigned long blocked)
{
    struct signals_action known;
    for (int signal = 1; signal < _NSIG; signal++) {
        if (!restart_ends_calls(signal) || !signals_exchange(signal, NULL, &known) ||
            known.handler == (uintptr_t)SIG_DFL || known.handler == (uintptr_t)SIG_IGN ||
            (blocked && !(known.mask & blocked)))
            continue;
        if (!chain_is_installed(signal) || chain_has_handler(signal))
            return true;
    }
    return false;
}

static _Thread_local unsigned cuts __attribute__((tls_model("initial-exec")));

unsigned restart_cuts(void)
{
    return cuts;
}

/* Whether the next signal that a thread with this mask takes has a handler of the program that ends calls. */
static bool restart_ending_signal_waits(const sigset_t *mask)
{
    uint64_t pending = 0, blocked;
    memcpy(&blocked, mask, sizeof blocked);
    syscall(SYS_rt_sigpending, &pending, sizeof pending);
    for (pending &= ~blocked; pending != 0; pending &= pending - 1) {
        int signal = __builtin_ctzll(pending) + 1;
        struct signals_action known;
        if ((chain_is_installed(signal) && !chain_has_handler(signal)) || !signals_exchange(signal, NULL, &known) ||
            known.handler == (uintptr_t)SIG_DFL || known.handler == (uintptr_t)SIG_IGN)
            continue;
        return !(known.flags & SA_RESTART);
    }
    return false;
}

void restart_call(void *ucontext)
{
    static const uint8_t CALL[CALL_BYTES] = {0x0f, 0x05};
    ucontext_t *context = ucontext;
    greg_t *registers = context->uc_mcontext.gregs;
    if (registers[REG_RCX] == registers[REG_RIP] + CALL_BYTES) {
        /* A signal of the program often wakes the thread just when a tick is due. The kernel lets the thread take the
         * tick first and prepares the call to begin anew, so the program's handler would run before the call instead of
         * ending it. */
        /* These the kernel begins anew even if the handler lacks SA_RESTART. */
        greg_t call = registers[REG_RAX];
        bool forks = call == SYS_clone || call == SYS_clone3 || call == SYS_fork || call == SYS_vfork;
        if (memcmp((const void *)(uintptr_t)registers[REG_RIP], CALL, CALL_BYTES) == 0 && !forks &&
            restart_ending_signal_waits(&context->uc_sigmask)) {
            registers[REG_RIP] += CALL_BYTES;
            registers[REG_RAX] = -EINTR;
        }
        return;
    }
    /* A call leaves the address of what follows in RCX. */
    if (registers[REG_RCX] != registers[REG_RIP])
        return;
    if (registers[REG_RAX] > 0)
        cuts++;
    if (registers[REG_RAX] != -EINTR)
        return;
    long number = restart_call_number((const uint8_t *)(uintptr_t)registers[REG_RIP]);
    if (!restart_is_never(number) || restart_program_handles_signals(0))
        return;
    registers[REG_RAX] = number;
    registers[REG_RIP] -= CALL_BYTES;
}
