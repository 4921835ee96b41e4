/* 2000 real-time signals with values, of two numbers, queued from a thread to the burning main thread: all must arrive,
 * in order, with their values, though one of the numbers is the highest there is.
 * todo: mode exact: signal 64 is Valgrind's */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

#include "burn.h"

enum { EACH = 1000 };

static volatile int arrived[2], disordered;
static pthread_t receiver;

static void arrive(int number, siginfo_t *info, void *context)
{
    (void)context;
    int which = number == SIGRTMAX;
    disordered += info->si_value.sival_int != arrived[which] || info->si_code != SI_QUEUE;
    arrived[which]++;
}

static void *send(void *nothing)
{
    for (int i = 0; i < EACH; i++) {
        union sigval value = {.sival_int = i};
        while (pthread_sigqueue(receiver, SIGRTMIN + 3, value))
            ;
        while (pthread_sigqueue(receiver, SIGRTMAX, value))
            ;
    }
    return nothing;
}

int main(void)
{
    pthread_t sender;
    struct sigaction action = {.sa_sigaction = arrive, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigaction(SIGRTMIN + 3, &action, NULL);
    sigaction(SIGRTMAX, &action, NULL);
    receiver = pthread_self();
    burn(0.02);
    pthread_create(&sender, NULL, send, NULL);
    for (double end = burn_cpu() + 20; arrived[0] + arrived[1] < 2 * EACH && burn_cpu() < end;)
        burn_rounds(10000);
    pthread_join(sender, NULL);
    burn(0.05);
    printf("arrived %d and %d, disordered %d\n", arrived[0], arrived[1], disordered);
    return 0;
}
