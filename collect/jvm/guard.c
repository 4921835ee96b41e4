/*
 * guard.c - HotSpot walks a stack that may be incomplete, and has faulted doing so. A SIGSEGV or SIGBUS that comes
 * while the calling thread walks ends the walk; every other one goes to the handler that was there before, which
 * HotSpot needs (null checks, stack banging, safepoint polls).
 */
#include "collect/jvm/agent.h"

#include <signal.h>

_Thread_local sigjmp_buf *guard_jump GUARD_TLS;

static struct sigaction guard_before[2]; /* SIGSEGV, SIGBUS */

static void guard_fault(int signal, siginfo_t *info, void *ucontext)
{
    if (guard_jump)
        siglongjmp(*guard_jump, 1);
    const struct sigaction *before = &guard_before[signal == SIGBUS];
    if (before->sa_flags & SA_SIGINFO) {
        before->sa_sigaction(signal, info, ucontext);
    } else if (before->sa_handler == SIG_DFL || before->sa_handler == SIG_IGN) {
        sigaction(signal, before, NULL); /* the access is repeated and takes its default course */
    } else {
        before->sa_handler(signal);
    }
}

static void guard_install(int signal)
{
    struct sigaction *before = &guard_before[signal == SIGBUS];
    if (sigaction(signal, NULL, before) != 0)
        return;
    struct sigaction action = *before;
    action.sa_sigaction = guard_fault;
    action.sa_flags |= SA_SIGINFO;
    sigaction(signal, &action, NULL);
}

void guard_init(void)
{
    guard_install(SIGSEGV);
    guard_install(SIGBUS);
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
