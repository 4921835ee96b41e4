/* Timers that start a thread each time (SIGEV_THREAD): the C library waits for them with a signal of its own in a
 * hidden thread, and each must come once, with its value. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>

#include "burn.h"

static sem_t arrived;
static volatile int count, sum;

static void expire(union sigval value)
{
    burn(0.002);
    count++;
    sum += value.sival_int;
    sem_post(&arrived);
}

int main(void)
{
    sem_init(&arrived, 0, 0);
    for (int i = 0; i < 20; i++) {
        timer_t timer;
        struct sigevent event = {
            .sigev_notify = SIGEV_THREAD, .sigev_notify_function = expire, .sigev_value.sival_int = i};
        struct itimerspec once = {{0, 0}, {0, 2000000}};
        if (timer_create(CLOCK_MONOTONIC, &event, &timer))
            perror("timer_create");
        timer_settime(timer, 0, &once, NULL);
        burn(0.003);
        while (sem_wait(&arrived))
            puts("interrupted");
        timer_delete(timer);
    }
    printf("count %d, sum %d\n", count, sum);
    return 0;
}
