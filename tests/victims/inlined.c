/*
 * inlined ROUNDS - spends its CPU time in work(), which the compiler has inlined into middle(), and that into outer().
 * tests/symbols/resolve.t knows the line numbers.
 */
#include <stdlib.h>

static volatile unsigned sink;

__attribute__((always_inline)) static inline void work(void)
{
    for (unsigned i = 0; i < 1000; i++)
        sink += i;
}

__attribute__((always_inline)) static inline void middle(void)
{
    for (unsigned i = 0; i < 1000; i++)
        work();
}

__attribute__((noinline)) static void outer(unsigned rounds)
{
    while (rounds-- > 0)
        middle();
}

int main(int argc, char **argv)
{
    outer(argc > 1 ? (unsigned)atoi(argv[1]) : 200);
    return 0;
}
