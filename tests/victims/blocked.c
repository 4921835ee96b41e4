/*
 * blocked MILLISECONDS-OF-CPU - burns CPU time (burn.h) with SIGURG blocked by the system call, where nothing can
 * intercept it, then as much again with the signal unblocked.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"

int main(int argc, char **argv)
{
    double ms = argc > 1 ? atof(argv[1]) : 200;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGURG);
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &set, NULL, 8);
    burn_for(ms);
    syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, NULL, 8);
    burn_for(ms);
    return 0;
}
