/*
 * Functions that end a process without running destructors. Programs may call them in signal handlers, which may have
 * interrupted anything, so these take no lock, allocate nothing and join no thread.
 */
#include "collect/agents/native/native.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PATIENCE_MS = 5000 };

EXPORT _Noreturn void _exit(int status)
{
    agent_end_from_handler(PATIENCE_MS);
    for (;;)
        syscall(SYS_exit_group, status);
}

EXPORT _Noreturn void _Exit(int status)
{
    _exit(status);
}

EXPORT _Noreturn void quick_exit(int status)
{
    static void (*_Atomic next)(int);
    next = (void (*)(int))interpose_next("quick_exit");
    agent_end_from_handler(PATIENCE_MS);
    next(status);
    abort();
}
