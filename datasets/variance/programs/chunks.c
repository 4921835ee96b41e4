/* As in AMG2006: the rows of a loop are dealt to threads in chunks of equal length, but some rows take more. After:
 * chunks of a fifth, which threads take as they become free. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS_MAX = 16, ROWS = 3840, SWEEPS = 40 };

static atomic_int next;
static int chunk, scale, count; /* count: threads */
static _Atomic uint64_t total;
static pthread_barrier_t barrier;

/* Later rows have more neighbours, and some do three times as much. */
__attribute__((noinline)) uint64_t traverse(int row)
{
    uint64_t sum = (uint64_t)row;
    int rounds = (row % 7 == 0 ? 3 : 1) * (20 + 10 * row / ROWS) * scale / 2;
    for (int i = 0; i < rounds; i++)
        sum = sum * 6364136223846793005u + 1;
    return sum;
}

__attribute__((noinline)) uint64_t relax(int first, int last)
{
    uint64_t sum = 0;
    for (int row = first; row < last; row++)
        sum += traverse(row);
    return sum;
}

static void *work(void *user)
{
    int own = (int)(intptr_t)user, part = ROWS / count;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        uint64_t sum = 0;
        if (chunk == part)
            sum = relax(own * part, (own + 1) * part);
        else
            for (int first; (first = atomic_fetch_add(&next, chunk)) < ROWS;)
                sum += relax(first, first + chunk);
        atomic_fetch_add(&total, sum);
        pthread_barrier_wait(&barrier);
        if (own == 0)
            next = 0;
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS_MAX];
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    count = processors < 2 ? 2 : processors > THREADS_MAX ? THREADS_MAX : (int)processors;
    scale = argc > 2 ? atoi(argv[2]) : 100;
    chunk = ROWS / count / (argc > 1 && strcmp(argv[1], "after") == 0 ? 5 : 1);
    pthread_barrier_init(&barrier, NULL, (unsigned)count);
    for (intptr_t t = 0; t < count; t++)
        pthread_create(&threads[t], NULL, work, (void *)t);
    for (int t = 0; t < count; t++)
        pthread_join(threads[t], NULL);
    printf("%lu\n", (unsigned long)total);
    return 0;
}
