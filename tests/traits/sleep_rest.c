/* sleep, usleep, nanosleep and clock_nanosleep while another thread burns: nothing is left of them when they return,
 * and they take as long as they should. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "burn.h"

static void *work(void *nothing)
{
    (void)nothing;
    burn(0.4);
    return NULL;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int main(void)
{
    pthread_t other;
    struct timespec wait = {0, 50000000}, rest = {7, 7};
    pthread_create(&other, NULL, work, NULL);
    burn(0.02);
    double start = now();
    printf("sleep leaves %u, ", sleep(1));
    printf("in time: %d\n", now() - start >= 1);
    burn(0.01);
    start = now();
    printf("nanosleep %d, ", nanosleep(&wait, &rest));
    printf("rest %ld %ld, in time: %d\n", (long)rest.tv_sec, rest.tv_nsec, now() - start >= 0.05);
    burn(0.01);
    printf("clock_nanosleep %d, ", clock_nanosleep(CLOCK_MONOTONIC, 0, &wait, &rest));
    printf("rest %ld %ld\n", (long)rest.tv_sec, rest.tv_nsec);
    printf("usleep %d\n", usleep(20000));
    pthread_join(other, NULL);
    return 0;
}
