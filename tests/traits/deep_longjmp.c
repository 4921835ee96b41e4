/* Long jumps out of deep calls, over many frames and out of callbacks of the C library: what a recorder keeps about the
 * stack must not grow with them, nor hold a return address for later. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "burn.h"

static jmp_buf levels[8];
static volatile long visits;

__attribute__((noinline)) static int descend(int depth, int level)
{
    visits++;
    burn_rounds(300);
    if (depth == 0)
        longjmp(levels[level], 1);
    return descend(depth - 1, level) + 1;
}

__attribute__((noinline)) static int stop_at(int level, int wanted)
{
    if (setjmp(levels[level]))
        return level;
    int below = level < 7 ? stop_at(level + 1, wanted) : descend(100, wanted);
    return below + 100;
}

static int compare(const void *a, const void *b)
{
    if (++visits % 5000 == 0)
        longjmp(levels[0], 1);
    return *(const int *)a - *(const int *)b;
}

int main(void)
{
    volatile long sum = 0, sorts = 0;
    int numbers[100];
    for (int i = 0; i < 2000; i++)
        sum += stop_at(0, i % 8);
    for (volatile int i = 0; i < 500; i++) {
        for (int k = 0; k < 100; k++)
            numbers[k] = k * 7919 % 101;
        if (setjmp(levels[0]) == 0) {
            qsort(numbers, 100, sizeof *numbers, compare);
            sorts++;
        }
    }
    printf("sum %ld, visited: %d, cut: %d\n", sum, visits > 202000, sorts < 500);
    return 0;
}
