/*
 * calls N [THREADS] - for methods.bench: calls a leaf N times from a loop in each thread, and prints the threads' CPU
 * time per call in ns. Compiled with and without probes.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PLAIN __attribute__((no_instrument_function, patchable_function_entry(0)))

static volatile long sink[64 * 8];

__attribute__((noinline)) static void leaf(long which)
{
    sink[which * 8]++;
}

static long calls;
static double used[64];

static PLAIN double cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static PLAIN void *run(void *which)
{
    double begin = cpu_ns();
    for (long i = 0; i < calls; i++)
        leaf((long)which);
    used[(long)which] = cpu_ns() - begin;
    return NULL;
}

PLAIN int main(int count, char **arguments)
{
    pthread_t threads[64];
    long wanted = count > 2 ? atol(arguments[2]) : 1;
    double ns = 0;
    calls = atol(arguments[1]);
    for (long i = 0; i < wanted; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    for (long i = 0; i < wanted; i++) {
        pthread_join(threads[i], NULL);
        ns += used[i];
    }
    printf("%.2f\n", ns / (double)(calls * wanted));
}
