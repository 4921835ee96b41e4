#include "base/signals.h"

#include <errno.h>
#include <sys/syscall.h>

#include "base/system_call.h"

enum { KERNEL_BYTES = 8, LIBRARY_FIRST = 32, LIBRARY_LAST = 33 };

bool signals_exchange(int signal, const struct signals_action *action, struct signals_action *before)
{
    return system_call(SYS_rt_sigaction, signal, (long)action, (long)before, KERNEL_BYTES, 0, 0) == 0;
}

int signals_mask(int how, const sigset_t *set, sigset_t *before)
{
    unsigned long kernel;
    if (set) {
        /* The C library's sigdelset() refuses its own signals. */
        kernel = *(const unsigned long *)(const void *)set;
        for (int signal = LIBRARY_FIRST; signal <= LIBRARY_LAST; signal++)
            kernel &= ~(1UL << (signal - 1));
    }
    long result = system_call(SYS_rt_sigprocmask, how, (long)(set ? &kernel : NULL), (long)before, KERNEL_BYTES, 0, 0);
    if (result < 0)
        errno = (int)-result;
    return result < 0 ? -1 : 0;
}

/* The library's signals stay as they are, blocked in a handler that must not be left by a cancellation. */
void signals_block(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    signals_mask(SIG_BLOCK, &all, before);
}

void signals_restore(const sigset_t *before)
{
    system_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)before, 0, KERNEL_BYTES, 0, 0);
}
