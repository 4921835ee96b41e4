/*
 * Ends of a process that run no destructors.
 */
#include "collect/native/native.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

EXPORT _Noreturn void _exit(int status)
{
    agent_end();
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
    agent_end();
    next(status);
    abort();
}
