/*
 * A thread may block every signal, or wait for every signal, but not those of the sampler (collect/sample/mask.h).
 */
#include "collect/native/native.h"

#include <errno.h>
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
        int signal = next(set, &here);
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

static struct timespec less(struct timespec a, const struct timespec *b)
{
    a.tv_sec -= b->tv_sec;
    a.tv_nsec -= b->tv_nsec;
    if (a.tv_nsec < 0) {
        a.tv_sec--;
        a.tv_nsec += 1000000000;
    }
    return a;
}

/* Returns the rest of a time that began at `begin`; 0 if it is over. */
static struct timespec left_of(const struct timespec *timeout, const struct timespec *begin)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    now = less(now, begin);
    now = less(*timeout, &now);
    return now.tv_sec < 0 ? (struct timespec){0} : now;
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
        int signal = next(set, &here, &left);
        if (signal > 0 && mask_is_own(&here)) {
            left = left_of(timeout, &begin);
            continue;
        }
        if (signal > 0 && info)
            *info = here;
        return signal;
    }
}
