/*
 * split MILLISECONDS - spends 70 % of its CPU time in seventy() and 30 % in thirty(), with the same work, so the split
 * is exact in instructions. It makes a system call only every few milliseconds: a signal from another thread may take
 * tens of microseconds to arrive, and a system call before that would draw its delivery to itself.
 */
#include <stdlib.h>
#include <time.h>

static volatile unsigned sink;

__attribute__((noinline)) static void work(unsigned rounds)
{
    for (unsigned i = 0; i < rounds * 1000; i++)
        sink += i;
}

/* These are no tail calls, so both stay on the stack. */
__attribute__((noinline)) static void seventy(void)
{
    work(7);
    sink++;
}

__attribute__((noinline)) static void thirty(void)
{
    work(3);
    sink++;
}

static double cpu_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
    double end = cpu_ms() + (argc > 1 ? atof(argv[1]) : 1000);
    while (cpu_ms() < end)
        for (int i = 0; i < 300; i++) {
            seventy();
            thirty();
        }
    return 0;
}
