/*
 * Waits that end with any handler, and take a mask for as long as they last: no tick ends them, since none can come.
 * The thread does not run meanwhile; a tick that waits comes when it does again.
 */
#include "collect/native/native.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

#include "base/signals.h"

/* The mask of the wait; `set` NULL: that of the thread. */
static const sigset_t *without_ticks(const sigset_t *set, sigset_t *out)
{
    unsigned long ticks = mask_ticks();
    if (ticks == 0)
        return set;
    if (set) {
        *out = *set;
    } else {
        sigemptyset(out);
        signals_mask(SIG_BLOCK, NULL, out);
    }
    *(unsigned long *)(void *)out |= ticks;
    return out;
}

EXPORT int sigsuspend(const sigset_t *set)
{
    sigset_t wanted;
    return ((int (*)(const sigset_t *))interpose_next("sigsuspend"))(without_ticks(set, &wanted));
}

EXPORT int pause(void)
{
    sigset_t wanted;
    const sigset_t *mask = without_ticks(NULL, &wanted);
    if (mask)
        return ((int (*)(const sigset_t *))interpose_next("sigsuspend"))(mask);
    return ((int (*)(void))interpose_next("pause"))();
}

EXPORT int ppoll(struct pollfd *files, nfds_t count, const struct timespec *timeout, const sigset_t *set)
{
    sigset_t wanted;
    return ((int (*)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *))interpose_next("ppoll"))(
        files, count, timeout, without_ticks(set, &wanted));
}

EXPORT int pselect(int count, fd_set *readable, fd_set *writable, fd_set *exceptional, const struct timespec *timeout,
                   const sigset_t *set)
{
    sigset_t wanted;
    return ((int (*)(int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *))interpose_next(
        "pselect"))(count, readable, writable, exceptional, timeout, without_ticks(set, &wanted));
}

EXPORT int epoll_pwait(int file, struct epoll_event *events, int most, int timeout, const sigset_t *set)
{
    sigset_t wanted;
    return ((int (*)(int, struct epoll_event *, int, int, const sigset_t *))interpose_next("epoll_pwait"))(
        file, events, most, timeout, without_ticks(set, &wanted));
}
