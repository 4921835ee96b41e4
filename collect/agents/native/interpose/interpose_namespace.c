/*
 * Only a process with one thread can change some namespaces and some of what a process shares. The sampler's threads
 * must not prevent that: if the kernel refuses and the program itself has one thread, the sampler ends, and nothing
 * more is recorded until the process executes another program.
 */
#include "collect/agents/native/native.h"

#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int namespace_change(long number, long first, long second)
{
    enum { TRIES = 100 };
    int result = (int)syscall(number, first, second), error = errno;
    if (result == 0 || error != EINVAL || !sampler_has_one_thread()) {
        errno = error;
        return result;
    }
    agent_end();
    result = (int)syscall(number, first, second);
    /* A thread that has been joined remains part of the process for a moment. */
    for (unsigned i = 0; i < TRIES && result != 0 && errno == EINVAL; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        result = (int)syscall(number, first, second);
    }
    return result;
}

EXPORT int unshare(int what)
{
    const int alone = CLONE_NEWUSER | CLONE_VM | CLONE_SIGHAND | CLONE_THREAD;
    return what & alone ? namespace_change(SYS_unshare, what, 0) : (int)syscall(SYS_unshare, what);
}

EXPORT int setns(int fd, int kind)
{
    return namespace_change(SYS_setns, fd, kind);
}
