/*
 * Functions that gcc copies at -O3 (constprop, isra) or splits (part): main 1, constant 200,
 * scalar 100, part 200, all exits.
 */
#include <stdlib.h>

static volatile int sink;

struct pair {
    int first, second;
};

static __attribute__((noinline)) int constant(int n, int factor)
{
    for (int i = 0; i < n; i++)
        sink += factor;
    return sink;
}

static __attribute__((noinline)) int scalar(struct pair *pair)
{
    for (int i = 0; i < 3; i++)
        sink += pair->first;
    return pair->first;
}

static int part(int n)
{
    if (n & 1)
        return 0;
    for (int i = 0; i < n; i++) {
        sink += i;
        if (sink == -7)
            abort();
    }
    for (int i = 0; i < n; i++) {
        sink ^= i;
        if (sink == -7)
            abort();
    }
    return sink;
}

int main(void)
{
    for (int i = 0; i < 100; i++) {
        struct pair pair = {i, 2};
        sink += constant(i, 3) + constant(5, 3);
        sink += scalar(&pair);
        sink += part(i) + part(i + 1);
    }
    return 0;
}
