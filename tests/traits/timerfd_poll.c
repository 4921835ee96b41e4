/* A timer that is read from a descriptor, in an event loop with an eventfd: the sum of expirations is that which time
 * allows, and no wait is interrupted. */
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "burn.h"

int main(void)
{
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK), event = eventfd(0, 0), failed = 0, posts = 0;
    struct itimerspec every = {{0, 5000000}, {0, 5000000}};
    struct timespec start, now;
    uint64_t expirations = 0, one = 1, got;
    clock_gettime(CLOCK_MONOTONIC, &start);
    timerfd_settime(timer, 0, &every, NULL);
    while (expirations < 60) {
        struct pollfd both[] = {{.fd = timer, .events = POLLIN}, {.fd = event, .events = POLLIN}};
        failed += poll(both, 2, -1) < 1;
        if (both[0].revents && read(timer, &got, sizeof got) == sizeof got) {
            expirations += got;
            write(event, &one, sizeof one);
        }
        if (both[1].revents && read(event, &got, sizeof got) == sizeof got)
            posts++;
        burn(0.002);
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    double seconds = (double)(now.tv_sec - start.tv_sec) + (double)(now.tv_nsec - start.tv_nsec) * 1e-9;
    printf("not too early: %d, failed %d, posts: %d\n", seconds >= (double)expirations * 0.005 - 0.001, failed,
           posts > 0);
    return 0;
}
