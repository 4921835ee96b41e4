/* Waits with a time limit by syscall(), in a program without handlers: none fails with EINTR. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "burn.h"

enum { ROUNDS = 3000 };

int main(void)
{
    static int word;
    int epoll = epoll_create1(0), interrupted[4] = {0};
    for (int i = 0; i < ROUNDS; i++) {
        struct timespec time = {0, 100000};
        struct epoll_event event;
        burn_rounds(i % 7 * 6000);
        interrupted[0] += syscall(SYS_futex, &word, FUTEX_WAIT, 0, &time, NULL, 0) < 0 && errno == EINTR;
        interrupted[1] += syscall(SYS_nanosleep, &time, NULL) < 0;
        interrupted[2] += syscall(SYS_ppoll, NULL, 0, &time, NULL, 0L) < 0;
        interrupted[3] += syscall(SYS_epoll_wait, epoll, &event, 1, 1) < 0;
    }
    printf("%d %d %d %d\n", interrupted[0], interrupted[1], interrupted[2], interrupted[3]);
    return 0;
}
