/* Threads are cancelled while they burn, at once and at the next test: cleanup handlers run, and a tick must neither
 * hold the cancellation up nor be cut by it. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

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

/* A thread is cancelled by a signal that is queued. Where other processes of the user have used up all that the user
 * may have queued, pthread_cancel() fails and the thread never ends: a timer, which takes one too, tells when there are
 * some. */
static void wait_for_queue(void)
{
    struct sigevent none = {.sigev_notify = SIGEV_NONE};
    timer_t timer;
    while (timer_create(CLOCK_MONOTONIC, &none, &timer) != 0)
        usleep(1000);
    timer_delete(timer);
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
        wait_for_queue();
        pthread_cancel(thread);
        pthread_join(thread, &result);
        cancelled += result == PTHREAD_CANCELED;
    }
    printf("cancelled %d, cleaned %d\n", cancelled, cleaned);
    return 0;
}
