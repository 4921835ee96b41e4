/*
 * Three threads in the same loop, each on its own third of an array of 3000 numbers of 8 bytes: the stride is that
 * of each thread, however they take turns.
 * EXPECT line=@third loop=@third_loop kind=inter stride=8 majority=0.999..1
 *
 * The function with the loads is called from a loop: they belong to it.
 * EXPECT line=@called loop=@calling_loop kind=inter stride=8 majority=1..1 executions=1000
 */
#include "strides.h"
#include <pthread.h>

enum { THREADS = 3, COUNT = 1000 };

static long numbers[THREADS * COUNT];

VICTIM static long victim_third(const long *at)
{
    long sum = 0;
    for (int i = 0; i < COUNT; i++) /* @third_loop */
        sum += at[i];               /* @third */
    return sum;
}

VICTIM static long victim_called(const long *at)
{
    return *at; /* @called */
}

VICTIM static long victim_calling(const long *at)
{
    long sum = 0;
    for (int i = 0; i < COUNT; i++) /* @calling_loop */
        sum += victim_called(&at[i]);
    return sum;
}

static void *work(void *at)
{
    return (void *)victim_third(at);
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    long sum = 0;
    (void)argv;
    for (int i = 0; i < THREADS * COUNT; i++)
        numbers[i] = i;
    SHOW(numbers, argc);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, &numbers[i * COUNT]) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++) {
        void *part;
        pthread_join(threads[i], &part);
        sum += (long)part;
    }
    printf("%ld\n", sum + victim_calling(numbers));
    return 0;
}
