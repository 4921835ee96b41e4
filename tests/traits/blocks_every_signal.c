/* Blocks every signal and burns: nothing may become pending, and the mask that is read back must be that which was set,
 * by the library's function and by the system call.
 * todo: a raw system call and /proc show that the signal of the clocks is open */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"

static void tell(void)
{
    sigset_t mask, pending;
    unsigned long raw_mask = 0, raw_pending = 0;
    int blocked = 0, waiting = 0;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    sigpending(&pending);
    for (int number = 1; number < 65; number++) {
        blocked += sigismember(&mask, number) == 1;
        waiting += sigismember(&pending, number) == 1;
    }
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &raw_mask, 8);
    syscall(SYS_rt_sigpending, &raw_pending, 8);
    printf("blocked %d, pending %d; by the calls %lx, %lx\n", blocked, waiting, raw_mask, raw_pending);
}

int main(void)
{
    sigset_t all, none, old;
    sigfillset(&all);
    sigemptyset(&none);
    tell();
    burn(0.02);
    sigprocmask(SIG_SETMASK, &all, &old);
    printf("blocked before: %d\n", sigismember(&old, SIGURG) + sigismember(&old, SIGPROF));
    burn(0.05);
    tell();
    sigprocmask(SIG_SETMASK, &none, &old);
    burn(0.02);
    tell();
    unsigned long raw = ~0UL;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &raw, NULL, 8);
    burn(0.05);
    tell();
    return 0;
}
