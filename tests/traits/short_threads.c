/* 500 short threads, joined and detached, that hardly live for a tick: what a recorder starts for each must be gone
 * with it. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

#include "burn.h"

static sem_t detached;

static void *work(void *number)
{
    burn_rounds(50000);
    if ((long)number % 5 == 0)
        sem_post(&detached);
    return number;
}

int main(void)
{
    long sum = 0;
    int failed = 0;
    sem_init(&detached, 0, 0);
    for (long i = 0; i < 500; i++) {
        pthread_t thread;
        void *result = NULL;
        if (pthread_create(&thread, NULL, work, (void *)i)) {
            failed++;
            continue;
        }
        if (i % 5 == 0) {
            pthread_detach(thread);
            sem_wait(&detached);
        } else {
            pthread_join(thread, &result);
            sum += (long)result;
        }
    }
    printf("sum %ld, failed %d\n", sum, failed);
    return 0;
}
