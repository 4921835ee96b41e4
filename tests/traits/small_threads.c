/* Threads with the smallest stack the system allows, which burn: a signal's frame, a recorder's handler and its
 * thread-local data must fit in what they leave. */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "burn.h"

enum { THREADS = 8 };

static void *work(void *nothing)
{
    volatile char room[2048];
    memset((char *)room, 1, sizeof room);
    burn(0.02);
    (void)nothing;
    return (void *)(long)room[100];
}

int main(void)
{
    pthread_t threads[THREADS];
    pthread_attr_t attributes;
    long done = 0, smallest = sysconf(_SC_THREAD_STACK_MIN);
    pthread_attr_init(&attributes);
    printf("set: %d\n", pthread_attr_setstacksize(&attributes, (size_t)smallest));
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], &attributes, work, NULL)) {
            puts("not created");
            return 1;
        }
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        done += (long)result;
    }
    printf("done %ld\n", done);
    return 0;
}
