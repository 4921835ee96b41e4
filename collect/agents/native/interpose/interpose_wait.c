/*
 * Waits that any handler ends. Those that take a mask block ticks for as long as they last. The others are made again
 * after a tick (collect/sample/restart.h), unless the program handles signals: then one that comes before that would be
 * missed, so ticks are blocked there, too. The thread does not run meanwhile; a tick that waits comes when it does
 * again.
 */
#include "collect/agents/native/native.h"

#include <aio.h>
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "base/signals.h"

/* ---------------------------------------------------------------------------- the next definitions -- */

#define WAITS(each)                                                                                                    \
    each(sigsuspend) each(pause) each(ppoll) each(pselect) each(epoll_pwait) each(epoll_pwait2) each(poll)             \
        each(epoll_wait) each(select) each(nanosleep) each(clock_nanosleep) each(usleep) each(sleep) each(thrd_sleep)  \
            each(sem_timedwait) each(sem_clockwait) each(semop) each(semtimedop) each(msgrcv) each(msgsnd)             \
                each(aio_suspend) each(__poll_chk) each(__ppoll_chk)

/* As _FORTIFY_SOURCE has them: `space` is that for `files`, in bytes. */
EXPORT int __poll_chk(struct pollfd *files, nfds_t count, int timeout, size_t space);
EXPORT int __ppoll_chk(struct pollfd *files, nfds_t count, const struct timespec *timeout, const sigset_t *set,
                       size_t space);

#define POINTER(name) __typeof__(name) *next_##name;
static struct {
    WAITS(POINTER)
    _Atomic bool found;
} next;

#define FIND(name) next.next_##name = (__typeof__(name) *)interpose_next(#name);
void interpose_find_waits(void)
{
    WAITS(FIND)
    atomic_store(&next.found, true);
}

#define NEXT(name) (atomic_load(&next.found) ? (void)0 : interpose_find_waits(), next.next_##name)

/* ---------------------------------------------------------------------------- with a mask -- */

/* The mask of the wait; `set` NULL: that of the thread. */
static const sigset_t *wait_mask_samples(const sigset_t *set, sigset_t *out)
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
    return NEXT(sigsuspend)(wait_mask_samples(set, &wanted));
}

EXPORT int pause(void)
{
    sigset_t wanted;
    const sigset_t *mask = wait_mask_samples(NULL, &wanted);
    if (mask)
        return NEXT(sigsuspend)(mask);
    return NEXT(pause)();
}

EXPORT int ppoll(struct pollfd *files, nfds_t count, const struct timespec *timeout, const sigset_t *set)
{
    sigset_t wanted;
    return NEXT(ppoll)(files, count, timeout, wait_mask_samples(set, &wanted));
}

EXPORT int pselect(int count, fd_set *readable, fd_set *writable, fd_set *exceptional, const struct timespec *timeout,
                   const sigset_t *set)
{
    sigset_t wanted;
    return NEXT(pselect)(count, readable, writable, exceptional, timeout, wait_mask_samples(set, &wanted));
}

EXPORT int epoll_pwait(int file, struct epoll_event *events, int most, int timeout, const sigset_t *set)
{
    sigset_t wanted;
    return NEXT(epoll_pwait)(file, events, most, timeout, wait_mask_samples(set, &wanted));
}

EXPORT int epoll_pwait2(int file, struct epoll_event *events, int most, const struct timespec *timeout,
                        const sigset_t *set)
{
    sigset_t wanted;
    return NEXT(epoll_pwait2)(file, events, most, timeout, wait_mask_samples(set, &wanted));
}

/* ---------------------------------------------------------------------------- without -- */

unsigned long interpose_hold_ticks(void)
{
    sigset_t ticks, before;
    unsigned long *bits = (unsigned long *)(void *)&ticks;
    sigemptyset(&ticks);
    *bits = mask_ticks();
    if (*bits == 0 || signals_mask(SIG_BLOCK, &ticks, &before) != 0)
        return 0;
    return *bits & ~*(const unsigned long *)(const void *)&before;
}

void interpose_let_ticks(unsigned long held)
{
    sigset_t ticks;
    int saved = errno;
    if (held == 0)
        return;
    sigemptyset(&ticks);
    *(unsigned long *)(void *)&ticks = held;
    signals_mask(SIG_UNBLOCK, &ticks, NULL);
    errno = saved;
}

/* The result of a call, during which ticks are blocked in a program that handles signals. */
#define HELD(call)                                                                                                     \
    ({                                                                                                                 \
        unsigned long held = interpose_handles_signals() ? interpose_hold_ticks() : 0;                                 \
        __typeof__(call) result = call;                                                                                \
        interpose_let_ticks(held);                                                                                     \
        result;                                                                                                        \
    })

/* Where no tick can come the program's own call is made: its filter of system calls may allow no other. */
static bool wait_has_samples_to_hold(void)
{
    return interpose_handles_signals() && mask_ticks() != 0;
}

EXPORT int poll(struct pollfd *files, nfds_t count, int timeout)
{
    enum { MS = 1000, NS_OF_MS = 1000000 };
    const struct timespec time = {timeout / MS, timeout % MS * NS_OF_MS};
    if (!wait_has_samples_to_hold() || timeout == 0)
        return NEXT(poll)(files, count, timeout);
    return ppoll(files, count, timeout < 0 ? NULL : &time, NULL);
}

EXPORT int epoll_wait(int file, struct epoll_event *events, int most, int timeout)
{
    if (!wait_has_samples_to_hold() || timeout == 0)
        return NEXT(epoll_wait)(file, events, most, timeout);
    return epoll_pwait(file, events, most, timeout, NULL);
}

EXPORT int select(int count, fd_set *readable, fd_set *writable, fd_set *exceptional, struct timeval *timeout)
{
    return HELD(NEXT(select)(count, readable, writable, exceptional, timeout));
}

EXPORT int nanosleep(const struct timespec *time, struct timespec *left)
{
    return HELD(NEXT(nanosleep)(time, left));
}

EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left)
{
    return HELD(NEXT(clock_nanosleep)(clock, flags, time, left));
}

EXPORT int usleep(useconds_t time)
{
    return HELD(NEXT(usleep)(time));
}

EXPORT unsigned sleep(unsigned seconds)
{
    return HELD(NEXT(sleep)(seconds));
}

EXPORT int sem_timedwait(sem_t *semaphore, const struct timespec *until)
{
    return HELD(NEXT(sem_timedwait)(semaphore, until));
}

EXPORT int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until)
{
    return HELD(NEXT(sem_clockwait)(semaphore, clock, until));
}

EXPORT int semop(int set, struct sembuf *operations, size_t count)
{
    return HELD(NEXT(semop)(set, operations, count));
}

EXPORT int semtimedop(int set, struct sembuf *operations, size_t count, const struct timespec *timeout)
{
    return HELD(NEXT(semtimedop)(set, operations, count, timeout));
}

EXPORT ssize_t msgrcv(int queue, void *message, size_t bytes, long type, int flags)
{
    return HELD(NEXT(msgrcv)(queue, message, bytes, type, flags));
}

EXPORT int msgsnd(int queue, const void *message, size_t bytes, int flags)
{
    return HELD(NEXT(msgsnd)(queue, message, bytes, flags));
}

EXPORT int thrd_sleep(const struct timespec *time, struct timespec *left)
{
    return HELD(NEXT(thrd_sleep)(time, left));
}

EXPORT int aio_suspend(const struct aiocb *const requests[], int count, const struct timespec *timeout)
{
    return HELD(NEXT(aio_suspend)(requests, count, timeout));
}

EXPORT int __poll_chk(struct pollfd *files, nfds_t count, int timeout, size_t space)
{
    return space / sizeof *files < count ? NEXT(__poll_chk)(files, count, timeout, space) : poll(files, count, timeout);
}

EXPORT int __ppoll_chk(struct pollfd *files, nfds_t count, const struct timespec *timeout, const sigset_t *set,
                       size_t space)
{
    return space / sizeof *files < count ? NEXT(__ppoll_chk)(files, count, timeout, set, space)
                                         : ppoll(files, count, timeout, set);
}
