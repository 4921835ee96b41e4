#include "collect/sample/chain.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#include "base/signals.h"

enum { CANCEL = __SIGRTMIN }; /* glibc's SIGCANCEL */

/* Two copies of the action, so that a handler never sees a partly written one. */
struct chain {
    struct sigaction actions[2];
    _Atomic unsigned at;
    struct signals_action kernel; /* with the sampler's handler */
    _Atomic bool installed;
};

static struct chain chains[_NSIG];

static const struct sigaction *chain_action(int signal)
{
    return &chains[signal].actions[atomic_load(&chains[signal].at)];
}

static bool chain_is_handler(const struct sigaction *action)
{
    return action->sa_flags & SA_SIGINFO || (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

int chain_install(int signal, int flags, chain_handler *handler)
{
    struct chain *chain = &chains[signal];
    if (chain->installed)
        return 0;
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART | flags};
    /* A handler of the program that jumped out of ours would leave a record incomplete. */
    sigfillset(&action.sa_mask);
    const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        sigdelset(&action.sa_mask, faults[i]);
    if (sigaction(signal, &action, &chain->actions[0]) != 0)
        return errno;
    signals_exchange(signal, NULL, &chain->kernel);
    /* The C library's own signal, by which it cancels threads, is in no set that it fills. Where a thread allows that
     * at any time, it would end in our handler, and not give back what that holds, even if the handler has disabled
     * cancellation a moment after another thread has requested it. */
    chain->kernel.mask |= 1UL << (CANCEL - 1);
    signals_exchange(signal, &chain->kernel, NULL);
    atomic_store(&chain->installed, true);
    return 0;
}

bool chain_is_installed(int signal)
{
    return signal > 0 && signal < _NSIG && atomic_load(&chains[signal].installed);
}

bool chain_has_handler(int signal)
{
    return chain_is_handler(chain_action(signal));
}

void chain_exchange(int signal, const struct sigaction *action, struct sigaction *before)
{
    struct chain *chain = &chains[signal];
    unsigned at = atomic_load(&chain->at);
    struct sigaction known = chain->actions[at];
    if (action) {
        chain->actions[!at] = *action;
        atomic_store(&chain->at, !at);
        /* System calls that the signal interrupts begin anew if the program wants it. */
        chain->kernel.flags |= SA_RESTART;
        if (chain_is_handler(action) && !(action->sa_flags & SA_RESTART))
            chain->kernel.flags &= ~(unsigned long)SA_RESTART;
        signals_exchange(signal, &chain->kernel, NULL);
    }
    if (before)
        *before = known;
}

unsigned long chain_close(void)
{
    struct signals_action ignored = {.handler = (uintptr_t)SIG_IGN};
    unsigned long closed = 0;
    for (int signal = 1; signal < _NSIG; signal++)
        if (chain_is_installed(signal) && chain_action(signal)->sa_handler == SIG_IGN &&
            signals_exchange(signal, &ignored, NULL))
            closed |= 1UL << (signal - 1);
    return closed;
}

void chain_open(unsigned long closed)
{
    for (int signal = 1; signal < _NSIG; signal++)
        if (closed >> (signal - 1) & 1)
            signals_exchange(signal, &chains[signal].kernel, NULL);
}

void chain_forget(int signal)
{
    atomic_store(&chains[signal].installed, false);
}

bool chain_pass_on(int signal, siginfo_t *info, void *context)
{
    const struct sigaction *action = chain_action(signal);
    if (action->sa_flags & SA_SIGINFO)
        action->sa_sigaction(signal, info, context);
    else if (action->sa_handler == SIG_DFL)
        return false;
    else if (action->sa_handler != SIG_IGN)
        action->sa_handler(signal);
    return true;
}
