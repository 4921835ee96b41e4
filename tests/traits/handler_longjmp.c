/* A SIGALRM handler that leaves by siglongjmp, the old way to time something out: the mask must be as it was, and a
 * recorder's signal may be blocked for ever or its handler's frame be skipped. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#include "burn.h"

static sigjmp_buf home;
static volatile int timeouts;

static void expired(int number)
{
    (void)number;
    siglongjmp(home, 1);
}

__attribute__((noinline)) static void work_for_ever(void)
{
    for (;;)
        burn_rounds(100);
}

int main(void)
{
    struct itimerval once = {{0, 0}, {0, 3000}};
    signal(SIGALRM, expired);
    for (volatile int i = 0; i < 50; i++) {
        if (sigsetjmp(home, 1)) {
            timeouts++;
            continue;
        }
        setitimer(ITIMER_REAL, &once, NULL);
        work_for_ever();
    }
    sigset_t mask;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    int blocked = 0;
    for (int number = 1; number <= 64; number++)
        blocked += sigismember(&mask, number) == 1;
    printf("timeouts %d, blocked %d\n", timeouts, blocked);
    return 0;
}
