/* A profiler of its own that begins and ends: a tick that came before its timer stopped must not find the default
 * action. */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#include "burn.h"

static volatile int ticks;

static void on_tick(int number)
{
    (void)number;
    ticks++;
}

static void set_timer(long us)
{
    const struct itimerval timer = {{0, us}, {0, us}};
    setitimer(ITIMER_PROF, &timer, NULL);
}

int main(void)
{
    for (int i = 0; i < 20; i++) {
        struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART}, before;
        sigaction(SIGPROF, &action, &before);
        set_timer(10000);
        burn(0.03);
        set_timer(0);
        sigaction(SIGPROF, &before, NULL);
    }
    printf("%s\n", ticks > 0 ? "ticks" : "none");
    return 0;
}
