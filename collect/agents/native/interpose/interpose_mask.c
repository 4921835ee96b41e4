/*
 * A thread may block every signal, or wait for every signal, but not those of the sampler (collect/sample/mask.h).
 */
#include "collect/agents/native/native.h"

#include <errno.h>
#include <stdint.h>
#include <sys/signalfd.h>
#include <time.h>

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
    return mask_change(how, set, before);
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *before)
{
    int error = mask_change(how, set, before);
    if (error)
        errno = error;
    return error ? -1 : 0;
}

EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
    static int (*_Atomic next)(const sigset_t *, siginfo_t *);
    siginfo_t here;
    if (!next)
        next = (int (*)(const sigset_t *, siginfo_t *))interpose_next("sigwaitinfo");
    for (;;) {
        unsigned long held = interpose_handles_signals() ? interpose_hold_ticks() : 0;
        int signal = next(set, &here);
        interpose_let_ticks(held);
        if (signal > 0 && mask_is_own(&here))
            continue;
        if (signal > 0 && info)
            *info = here;
        return signal;
    }
}

EXPORT int sigwait(const sigset_t *set, int *signal)
{
    int got;
    do
        got = sigwaitinfo(set, NULL);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return errno;
    *signal = got;
    return 0;
}

static struct timespec timespec_subtract(struct timespec a, const struct timespec *b)
{
    a.tv_sec -= b->tv_sec;
    a.tv_nsec -= b->tv_nsec;
    if (a.tv_nsec < 0) {
        a.tv_sec--;
        a.tv_nsec += 1000000000;
    }
    return a;
}

EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
    static int (*_Atomic next)(const sigset_t *, siginfo_t *, const struct timespec *);
    if (!timeout)
        return sigwaitinfo(set, info);
    if (!next)
        next = (int (*)(const sigset_t *, siginfo_t *, const struct timespec *))interpose_next("sigtimedwait");
    struct timespec begin, left = *timeout;
    siginfo_t here;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (;;) {
        unsigned long held = interpose_handles_signals() ? interpose_hold_ticks() : 0;
        int signal = next(set, &here, &left);
        interpose_let_ticks(held);
        if (signal > 0 && mask_is_own(&here)) {
            struct timespec now;
            clock_gettime(CLOCK_MONOTONIC, &now);
            now = timespec_subtract(now, &begin);
            left = timespec_subtract(*timeout, &now);
            if (left.tv_sec < 0)
                left = (struct timespec){0};
            continue;
        }
        if (signal > 0 && info)
            *info = here;
        return signal;
    }
}

/* ---------------------------------------------------------------------------- older functions, of 32 signals -- */

static int interpose_change_old_mask(int how, int mask)
{
    sigset_t set, before;
    sigemptyset(&set);
    *(unsigned long *)(void *)&set = (unsigned)mask;
    return sigprocmask(how, &set, &before) == 0 ? (int)*(const unsigned long *)(const void *)&before : -1;
}

EXPORT int sigblock(int mask);
EXPORT int sigblock(int mask)
{
    return interpose_change_old_mask(SIG_BLOCK, mask);
}

EXPORT int sigsetmask(int mask);
EXPORT int sigsetmask(int mask)
{
    return interpose_change_old_mask(SIG_SETMASK, mask);
}

EXPORT int siggetmask(void)
{
    return interpose_change_old_mask(SIG_BLOCK, 0);
}

static int interpose_change_one_signal(int how, int signal)
{
    sigset_t set;
    sigemptyset(&set);
    return sigaddset(&set, signal) == 0 ? sigprocmask(how, &set, NULL) : -1;
}

EXPORT int sighold(int signal);
EXPORT int sighold(int signal)
{
    return interpose_change_one_signal(SIG_BLOCK, signal);
}

EXPORT int sigrelse(int signal);
EXPORT int sigrelse(int signal)
{
    return interpose_change_one_signal(SIG_UNBLOCK, signal);
}

/* ---------------------------------------------------------------------------- signals as files -- */

/* A file of signals must not hold the clocks'. One that is changed keeps its number. */
EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
    static int (*_Atomic next)(int, const sigset_t *, int);
    if (!next)
        next = (int (*)(int, const sigset_t *, int))interpose_next("signalfd");
    static const sigset_t none;
    uintptr_t address = (uintptr_t)set; /* an invalid one is the kernel's business */
    unsigned long wanted = *(const unsigned long *)(address ? address : (uintptr_t)&none);
    for (int signal = 1; signal < _NSIG; signal++)
        if (wanted & sampler_signals() & 1UL << (signal - 1))
            sampler_yield_signal(signal, wanted);
    return next(fd, set, flags);
}
