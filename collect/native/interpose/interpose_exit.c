/*
 * Ends of a process that run no destructors. Programs may call them in signal handlers, which may have interrupted
 * anything: no lock, no allocation, no joining here.
 */
#include "collect/native/native.h"

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
