/*
 * A program that handles one of the sampler's signals itself gets its own but not the sampler's. It sees none of this
 * library's handlers: where one of them is installed, the program's action is the default. While a handler of the
 * program runs on an alternate stack, which may be small, ticks wait: they are blocked there in a way that the program
 * does not see either.
 */
#include "collect/agents/native/native.h"

#include <errno.h>
#include <stdatomic.h>

#include "collect/sample/restart.h"

typedef int sigaction_function(int, const struct sigaction *, struct sigaction *);

/* The sampler's signals that the mask of the program's handler of a signal blocks only because of this library. */
static _Atomic unsigned long put_off[_NSIG];

static _Atomic bool handles_signals;

bool interpose_handles_signals(void)
{
    return atomic_load(&handles_signals);
}

void interpose_look_at_handler(int number, sighandler_t handler)
{
    if (handler != SIG_DFL && handler != SIG_IGN && restart_ends_calls(number))
        atomic_store(&handles_signals, true);
}

/* All signals below 65: a bit each. */
static unsigned long *signal_set_bits(const sigset_t *set)
{
    return (unsigned long *)(void *)(uintptr_t)set;
}

EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    static sigaction_function *_Atomic next;
    bool by_program = action && !agent_has_handler((uintptr_t)action->sa_sigaction);
    if (by_program)
        interpose_look_at_handler(number, action->sa_handler);
    if (agent_chain(number, action, before))
        return 0;
    if (!next)
        next = (sigaction_function *)interpose_next("sigaction");
    bool known = number > 0 && number < _NSIG;
    unsigned long added = known ? atomic_load(&put_off[number]) : 0;
    struct sigaction changed, found;
    if (known && by_program) {
        /* A handler that may be entered again, or is left by a jump, would leave ticks blocked. */
        changed = *action;
        bool delays = action->sa_flags & SA_ONSTACK && !(action->sa_flags & SA_NODEFER);
        unsigned long adds = delays ? sampler_signals() & ~*signal_set_bits(&action->sa_mask) : 0;
        *signal_set_bits(&changed.sa_mask) |= adds;
        atomic_store(&put_off[number], adds);
        action = &changed;
    }
    int result = next(number, action, before ? &found : NULL);
    if (result == 0 && before) {
        if (agent_has_handler((uintptr_t)found.sa_sigaction))
            found = (struct sigaction){.sa_handler = SIG_DFL};
        *signal_set_bits(&found.sa_mask) &= ~added;
        *before = found;
    }
    return result;
}

EXPORT int __sigaction(int number, const struct sigaction *action, struct sigaction *before);
EXPORT int __sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    return sigaction(number, action, before);
}

typedef sighandler_t signal_function(int, sighandler_t);

/* Looked up beforehand, since handlers call them. */
static struct {
    const char *name;
    signal_function *next;
} older[] = {{"signal", NULL},      {"bsd_signal", NULL},    {"ssignal", NULL},
             {"sysv_signal", NULL}, {"__sysv_signal", NULL}, {"sigset", NULL}};
enum older { SIGNAL, BSD_SIGNAL, SSIGNAL, SYSV_SIGNAL, SYSV_SIGNAL_ALIAS, SIGSET };

void interpose_find_signals(void)
{
    for (size_t i = 0; i < sizeof older / sizeof *older; i++)
        older[i].next = (signal_function *)interpose_next(older[i].name);
}

/* Calls the C library's function, which remembers things of its own, except for the sampler's signals. */
static sighandler_t signal_change_handler(enum older function, int number, sighandler_t handler, int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, before;
    interpose_look_at_handler(number, handler);
    if (handler != SIG_ERR && handler != SIG_HOLD && agent_chain(number, &action, &before))
        return before.sa_flags & SA_SIGINFO ? (sighandler_t)(void (*)(void))before.sa_sigaction : before.sa_handler;
    if (!older[function].next)
        interpose_find_signals();
    sighandler_t found = older[function].next(number, handler);
    return agent_has_handler((uintptr_t)found) ? SIG_DFL : found;
}

EXPORT sighandler_t signal(int number, sighandler_t handler)
{
    return signal_change_handler(SIGNAL, number, handler, SA_RESTART);
}

EXPORT sighandler_t bsd_signal(int number, sighandler_t handler);
EXPORT sighandler_t bsd_signal(int number, sighandler_t handler)
{
    return signal_change_handler(BSD_SIGNAL, number, handler, SA_RESTART);
}

EXPORT sighandler_t ssignal(int number, sighandler_t handler)
{
    return signal_change_handler(SSIGNAL, number, handler, SA_RESTART);
}

EXPORT sighandler_t sysv_signal(int number, sighandler_t handler)
{
    return signal_change_handler(SYSV_SIGNAL, number, handler, (int)SA_RESETHAND | SA_NODEFER);
}

EXPORT sighandler_t __sysv_signal(int number, sighandler_t handler)
{
    return signal_change_handler(SYSV_SIGNAL_ALIAS, number, handler, (int)SA_RESETHAND | SA_NODEFER);
}

EXPORT sighandler_t sigset(int number, sighandler_t handler)
{
    return signal_change_handler(SIGSET, number, handler, 0);
}

EXPORT int sigaltstack(const stack_t *stack, stack_t *before)
{
    return sampler_alternate_stack(stack, before);
}
