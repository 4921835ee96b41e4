/*
 * guard.c - HotSpot walks a stack that may be incomplete, and has faulted doing so. A SIGSEGV or SIGBUS that comes
 * while the calling thread walks ends the walk; every other one goes to the handler that was there before, which
 * HotSpot needs (null checks, stack banging, safepoint polls).
 */
#include "collect/agents/jvm/agent.h"

#include <signal.h>

#include "base/signals.h"
#include "collect/sample/chain.h"

_Thread_local sigjmp_buf *guard_jump GUARD_TLS;

static void guard_on_fault(int signal, siginfo_t *info, void *ucontext)
{
    if (guard_jump)
        siglongjmp(*guard_jump, 1);
    if (chain_has_handler(signal))
        chain_pass_on(signal, info, ucontext);
    else /* the access is repeated and takes its default course */
        signals_exchange(signal, &(struct signals_action){0}, NULL);
}

static void guard_install_handler(int signal)
{
    struct sigaction before;
    if (sigaction(signal, NULL, &before) == 0)
        chain_install(signal, before.sa_flags & SA_ONSTACK, guard_on_fault);
}

void guard_init(void)
{
    guard_install_handler(SIGSEGV);
    guard_install_handler(SIGBUS);
}

void guard_caught(void)
{
    guard_jump = NULL;
    /* Saving the mask with every jump buffer would cost a system call per sample; faults are rare. */
    sigset_t faults;
    sigemptyset(&faults);
    sigaddset(&faults, SIGSEGV);
    sigaddset(&faults, SIGBUS);
    pthread_sigmask(SIG_UNBLOCK, &faults, NULL);
}
