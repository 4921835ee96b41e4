/* The program's own POSIX timers, of real time and of its CPU time, by two signals: expirations and overruns must be
 * about as many as are due. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>

#include "burn.h"

static volatile int counts[2], strange;
static timer_t timers[2];

static void expire(int number, siginfo_t *info, void *context)
{
    (void)context;
    int which = info->si_value.sival_int;
    strange += info->si_code != SI_TIMER || number != (which ? SIGPROF : SIGRTMIN);
    counts[which] += 1 + timer_getoverrun(timers[which]);
}

static const char *verdict(int got, int due)
{
    return got < due / 2 ? "too few" : got > 2 * due ? "too many" : "about right";
}

int main(void)
{
    clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_THREAD_CPUTIME_ID};
    int numbers[] = {SIGRTMIN, SIGPROF};
    struct itimerspec every = {{0, 10000000}, {0, 10000000}};
    struct sigaction action = {.sa_sigaction = expire, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct timespec start, now;
    for (int i = 0; i < 2; i++) {
        struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = numbers[i], .sigev_value.sival_int = i};
        sigaction(numbers[i], &action, NULL);
        printf("timer_create: %d\n", timer_create(clocks[i], &event, &timers[i]));
        timer_settime(timers[i], 0, &every, NULL);
    }
    clock_gettime(CLOCK_MONOTONIC, &start);
    burn(0.2);
    int real = counts[0], cpu = counts[1];
    clock_gettime(CLOCK_MONOTONIC, &now);
    int due = (int)((now.tv_sec - start.tv_sec) * 100 + (now.tv_nsec - start.tv_nsec) / 10000000);
    printf("real %s, cpu %s, strange %d\n", verdict(real, due), verdict(cpu, 20), strange);
    return 0;
}
