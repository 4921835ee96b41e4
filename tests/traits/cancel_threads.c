/* Threads are cancelled while they burn, at once and at the next test: cleanup handlers run, and a tick must neither
 * hold the cancellation up nor be cut by it. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

#include "burn.h"

static sem_t started;
static volatile int cleaned;

static void cleanup(void *nothing)
{
    (void)nothing;
    cleaned++;
}

__attribute__((noinline)) static void run(int type)
{
    for (;;) {
        burn_rounds(1000);
        if (type == PTHREAD_CANCEL_DEFERRED)
            pthread_testcancel();
    }
}

static void *work(void *given)
{
    int type = *(int *)given;
    pthread_cleanup_push(cleanup, NULL);
    pthread_setcanceltype(type, NULL);
    sem_post(&started);
    run(type);
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void)
{
    int types[] = {PTHREAD_CANCEL_ASYNCHRONOUS, PTHREAD_CANCEL_DEFERRED}, cancelled = 0;
    sem_init(&started, 0, 0);
    for (int i = 0; i < 40; i++) {
        pthread_t thread;
        void *result = NULL;
        pthread_create(&thread, NULL, work, &types[i % 2]);
        sem_wait(&started);
        burn(0.003);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        cancelled += result == PTHREAD_CANCELED;
    }
    printf("cancelled %d, cleaned %d\n", cancelled, cleaned);
    return 0;
}
