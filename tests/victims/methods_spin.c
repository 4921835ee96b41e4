/*
 * For -finstrument-functions: ten short calls every 20 us for 1.3 s of CPU time, from a hundred long ones. Prints
 * "leaf N", where N is the number of short calls.
 */
#include <stdio.h>
#include <time.h>

static volatile int sink;

__attribute__((noinline)) static void leaf(void)
{
    sink++;
}

__attribute__((noinline, no_instrument_function)) static long us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

__attribute__((noinline)) static long stretch(long until)
{
    long calls = 0;
    for (long now = us(); now < until; calls += 10) {
        for (int i = 0; i < 10; i++)
            leaf();
        for (long next = now + 20; now < next;)
            now = us();
    }
    return calls;
}

int main(void)
{
    long calls = 0;
    for (long until = 13000; until <= 1300000; until += 13000)
        calls += stretch(until);
    printf("leaf %ld\n", calls);
}
