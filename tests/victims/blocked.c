/*
 * blocked - burns CPU time with SIGPROF blocked, then as much again with it unblocked.
 *   blocked MILLISECONDS-OF-CPU
 */
#include <signal.h>
#include <stdlib.h>
#include <time.h>

static volatile unsigned sink;

static double cpu_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void burn(double ms)
{
    for (double until = cpu_ms() + ms; cpu_ms() < until;)
        for (unsigned i = 0; i < 10000; i++)
            sink += i;
}

int main(int argc, char **argv)
{
    double ms = argc > 1 ? atof(argv[1]) : 200;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPROF);
    sigprocmask(SIG_BLOCK, &set, NULL);
    burn(ms);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    burn(ms);
    return 0;
}
