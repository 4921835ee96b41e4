/*
 * sort ROUNDS - ROUNDS times, four threads sort a quarter of 200,000 numbers each, meet at a barrier, and one merges.
 * For measuring what a tool costs a program with threads.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, NUMBERS = 200000, PART = NUMBERS / THREADS };

static uint32_t numbers[NUMBERS], merged[NUMBERS];
static uint64_t checksum;
static long rounds;
static pthread_barrier_t barrier;

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void fill(uint32_t *part, uint32_t seed)
{
    for (size_t i = 0; i < PART; i++)
        part[i] = seed = seed * 1664525U + 1013904223U;
}

static void merge(void)
{
    size_t next[THREADS] = {0};
    for (size_t i = 0; i < NUMBERS; i++) {
        size_t least = THREADS;
        for (size_t k = 0; k < THREADS; k++)
            if (next[k] < PART &&
                (least == THREADS || numbers[k * PART + next[k]] < numbers[least * PART + next[least]]))
                least = k;
        merged[i] = numbers[least * PART + next[least]++];
    }
    for (size_t i = 0; i < NUMBERS; i++)
        checksum = checksum * 31 + merged[i];
}

static void *work(void *argument)
{
    size_t k = (size_t)(uintptr_t)argument;
    for (long round = 0; round < rounds; round++) {
        fill(numbers + k * PART, (uint32_t)(round * THREADS) + (uint32_t)k);
        qsort(numbers + k * PART, PART, sizeof numbers[0], compare);
        pthread_barrier_wait(&barrier);
        if (k == 0)
            merge();
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    rounds = argc > 1 ? atol(argv[1]) : 1;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (uintptr_t k = 0; k < THREADS; k++)
        if (pthread_create(&threads[k], NULL, work, (void *)k) != 0)
            return 1;
    for (size_t k = 0; k < THREADS; k++)
        pthread_join(threads[k], NULL);
    printf("sort: checksum %lx\n", checksum);
    return 0;
}
