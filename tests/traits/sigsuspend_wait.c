/* pause and sigsuspend return only after a signal that the program handles: a tick in the waiting thread would end the
 * wait too early. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "burn.h"

static volatile int handled, turn = -1;
static pthread_t waiting;

static void handler(int number)
{
    (void)number;
    handled++;
}

static void *wake(void *nothing)
{
    for (int i = 0; i < 20; i++) {
        burn(0.005);
        while (turn < i)
            usleep(500);
        usleep(5000);
        pthread_kill(waiting, i % 2 ? SIGUSR1 : SIGURG);
    }
    return nothing;
}

int main(void)
{
    pthread_t waker;
    sigset_t blocked, open;
    int early = 0;
    alarm(20); /* rather than wait for ever */
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGURG, &action, NULL);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigaddset(&blocked, SIGURG);
    burn(0.02);
    pthread_sigmask(SIG_BLOCK, &blocked, &open);
    waiting = pthread_self();
    pthread_create(&waker, NULL, wake, NULL);
    for (int i = 0; i < 20; i++) {
        turn = i; /* the next signal stays pending until the wait */
        sigsuspend(&open);
        early += handled != i + 1;
        burn(0.002);
    }
    pthread_join(waker, NULL);
    printf("handled %d, early %d\n", handled, early);
    return 0;
}
