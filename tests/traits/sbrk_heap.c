/* A heap that grows by sbrk alone and must be contiguous, as old allocators need it: memory that a recorder takes there
 * tears it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "burn.h"

static void *work(void *nothing)
{
    burn(0.02);
    return nothing;
}

int main(void)
{
    pthread_t thread;
    int gaps = 0;
    long sum = 0;
    setvbuf(stdout, NULL, _IONBF, 0);
    /* A thread's first allocation moves the heap's end. */
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    burn(0.02);
    char *start = sbrk(0), *end = start;
    for (int i = 0; i < 100; i++) {
        char *block = sbrk(8192);
        gaps += block != end;
        end = block + 8192;
        memset(block, i, 8192);
        burn(0.001);
        if (i % 50 == 25) {
            pthread_create(&thread, NULL, work, NULL);
            pthread_join(thread, NULL);
        }
    }
    for (char *byte = start; byte < end; byte += 64)
        sum += *byte;
    printf("gaps %d, sum %ld\n", gaps, sum);
    return 0;
}
