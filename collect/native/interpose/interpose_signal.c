/*
 * A program that handles SIGPROF or SIGTRAP itself gets its own signals but not the sampler's, and does not see the
 * guard.
 */
#include "collect/native/native.h"

#include <errno.h>

typedef int sigaction_function(int, const struct sigaction *, struct sigaction *);

EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    static sigaction_function *_Atomic next;
    if (sampler_chain(number, action, before))
        return 0;
    if (!next)
        next = (sigaction_function *)interpose_next("sigaction");
    int result = next(number, action, before);
    if (result == 0 && before)
        guard_hide(before);
    return result;
}

EXPORT sighandler_t signal(int number, sighandler_t handler)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, before;
    static sighandler_t (*_Atomic next)(int, sighandler_t);
    if (handler != SIG_ERR && sampler_chain(number, &action, &before))
        return before.sa_flags & SA_SIGINFO ? (sighandler_t)(void (*)(void))before.sa_sigaction : before.sa_handler;
    if (!next)
        next = (sighandler_t(*)(int, sighandler_t))interpose_next("signal");
    return guard_hidden(next(number, handler));
}
