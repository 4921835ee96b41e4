/*
 * spin - a program whose profile is known: 70 % of its CPU time in seventy(), 30 % in thirty().
 *
 * It works in rounds of 7 and 3 loops of the same work, so the split is exact in instructions. The rounds are far
 * shorter than a sampling interval.
 *   spin MILLISECONDS-OF-CPU [THREADS]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "burn.h"

static volatile unsigned sink;

#define WORK                                                                                                           \
    for (unsigned i = 0; i < 1000; i++)                                                                                \
    sink += i

__attribute__((noinline)) static void seventy(void)
{
    for (unsigned n = 0; n < 7; n++)
        WORK;
}

__attribute__((noinline)) static void thirty(void)
{
    for (unsigned n = 0; n < 3; n++)
        WORK;
}

static void *spin(void *argument)
{
    double limit = *(double *)argument;
    struct burn burn;
    for (burn_begin(&burn); burn_lasts(&burn, limit); burn_look(&burn)) {
        for (int i = 0; i < 5; i++) {
            seventy();
            thirty();
        }
    }
    burn_end(&burn);
    return NULL;
}

int main(int argc, char **argv)
{
    double limit = argc > 1 ? atof(argv[1]) : 1000;
    int threads = argc > 2 ? atoi(argv[2]) : 0;
    pthread_t *ids = calloc((size_t)threads + 1, sizeof *ids);
    for (int i = 0; i < threads; i++)
        if (pthread_create(&ids[i], NULL, spin, &limit) != 0)
            return 1;
    if (threads == 0)
        spin(&limit);
    for (int i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
    free(ids);
    return 0;
}
