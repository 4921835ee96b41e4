/* All signals are blocked and a thread waits for every one of them, as servers do: it must get the five that are sent,
 * and no ticks. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "burn.h"

static sem_t received;

static void *wait_for_all(void *nothing)
{
    (void)nothing;
    sigset_t all;
    sigfillset(&all);
    for (int number = 0; number != SIGTERM;) {
        burn(0.02);
        if (sigwait(&all, &number))
            printf("sigwait failed\n");
        const char *name = sigabbrev_np(number);
        printf("received %s\n", name ? name : number == SIGRTMIN + 1 ? "RTMIN+1" : "another");
        sem_post(&received);
    }
    return NULL;
}

int main(void)
{
    static const int sent[] = {SIGUSR1, SIGHUP, SIGURG, 0, SIGTERM};
    pthread_t waiter;
    sigset_t all;
    sem_init(&received, 0, 0);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    pthread_create(&waiter, NULL, wait_for_all, NULL);
    for (int i = 0; i < 5; i++) {
        burn(0.02);
        kill(getpid(), sent[i] ? sent[i] : SIGRTMIN + 1);
        struct timespec until = {time(NULL) + 10, 0};
        if (sem_timedwait(&received, &until)) {
            printf("lost the signal %d\n", i);
            return 1;
        }
    }
    pthread_join(waiter, NULL);
    return 0;
}
