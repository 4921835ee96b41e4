/* A program whose own timer cuts its writes and waits short, while a thread burns: each must end when the timer fires,
 * with what was written or EINTR, and not go on. Its handlers block no other signal, or all of them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

#include "burn.h"

static char bytes[1 << 20];
static volatile int fired;

static void fire(int number)
{
    (void)number;
    fired++;
    burn(0.004);
}

int main(void)
{
    int wrong = 0;
    long capacity = 0;
    for (int round = 0; round < 60; round++) {
        struct sigaction action = {.sa_handler = fire};
        if (round % 2)
            sigfillset(&action.sa_mask);
        struct itimerval timer = {.it_value = {0, 8000}};
        int ends[2], before = fired;
        sigaction(SIGALRM, &action, NULL);
        pipe(ends);
        burn(0.003);
        setitimer(ITIMER_REAL, &timer, NULL);
        if (round % 3 == 0) {
            ssize_t written = write(ends[1], bytes, sizeof bytes);
            capacity = written;
            wrong += written != 65536;
        } else if (round % 3 == 1) {
            wrong += poll(NULL, 0, 20000) != -1 || errno != EINTR;
        } else {
            struct timespec wait = {20, 0}, left = {0};
            wrong += nanosleep(&wait, &left) != -1 || errno != EINTR || left.tv_sec < 10;
        }
        wrong += fired != before + 1;
        close(ends[0]);
        close(ends[1]);
    }
    printf("fired %d, capacity %ld, wrong %d\n", fired, capacity, wrong);
    return 0;
}
