/* burn.h - CPU time for a sampler to find, by amount of work or by the thread's clock. */
#ifndef TRAITS_BURN_H
#define TRAITS_BURN_H

#include <time.h>

static volatile unsigned long burn_sink;

__attribute__((noinline)) static void burn_rounds(long rounds)
{
    for (long i = 0; i < rounds; i++)
        burn_sink = burn_sink * 31 + (unsigned long)i;
}

static double burn_cpu(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* CPU seconds of the calling thread. */
__attribute__((noinline)) static void burn(double seconds)
{
    for (double end = burn_cpu() + seconds; burn_cpu() < end;)
        burn_rounds(20000);
}

#endif
