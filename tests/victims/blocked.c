/*
 * blocked - burns CPU time (burn.h) with SIGPROF blocked by the system call, where nobody can stand in front of it,
 * then as much again with it unblocked. blocked MILLISECONDS-OF-CPU
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"

static volatile unsigned sink;

static void burn(double ms)
{
    struct burn burn;
    for (burn_begin(&burn); burn_lasts(&burn, ms); burn_look(&burn))
        for (unsigned i = 0; i < 10000; i++)
            sink += i;
    burn_end(&burn);
}

int main(int argc, char **argv)
{
    double ms = argc > 1 ? atof(argv[1]) : 200;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPROF);
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &set, NULL, 8);
    burn(ms);
    syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, NULL, 8);
    burn(ms);
    return 0;
}
