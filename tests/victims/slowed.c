/*
 * slowed N - the program that an audit of a profiler slows down: cold() does little more than call hot(), which does
 * the work, and other() does as much work again. Compiled with -finstrument-functions.
 */
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned sink;

static __attribute__((noinline)) void hot(unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++)
        sink += i;
}

static __attribute__((noinline)) void cold(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        hot(1000);
}

static __attribute__((noinline)) void other(unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++)
        sink ^= i;
}

int main(int argc, char **argv)
{
    unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;
    for (unsigned n = 0; n < count; n++) {
        cold(10);
        other(10000);
    }
    printf("%u\n", sink);
    return 0;
}
