/*
 * injected N - functions to which assay inject adds work, with -finstrument-functions: `find` is called N times, `sort`
 * half as often, `tiny` is inlined into that, and `never` is not called.
 */
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned sink;

__attribute__((noinline)) static void find(unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++)
        sink += i;
}

static inline __attribute__((always_inline)) void tiny(unsigned i)
{
    sink ^= i;
}

__attribute__((noinline)) void sort(unsigned rounds)
{
    tiny(rounds);
    for (unsigned i = 0; i < rounds; i++)
        sink ^= i;
}

__attribute__((noinline)) void never(void)
{
    sink = 0;
}

int main(int argc, char **argv)
{
    unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;
    for (unsigned n = 0; n < count; n++) {
        find(200);
        if (n % 2)
            sort(200);
    }
    if (argc > 2)
        never();
    printf("%u\n", sink);
    return 0;
}
