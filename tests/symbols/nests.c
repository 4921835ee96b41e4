/*
 * nests - loops for loops.t. A loop's line is marked with its level in its function. A `for` over several lines may
 * have the line of its condition or step where no code of its first line is in the loop; a `do` has that of its
 * `while`.
 */
#include <stddef.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
#define EACH(i, n) for (size_t i = 0; i < (n); i++)

struct item {
    struct item *next;
    int value;
};
static int a[4096];
volatile int kept; /* so that no compiler removes a loop */

NOINLINE int two(int n, int rounds)
{
    int sum = 0;
    for (int r = 0; r < rounds; r++) /* LOOP 1 */
        for (int i = 0; i < n; i++)  /* LOOP 2 */
            sum += a[i];
    return sum;
}

NOINLINE int three(int n, int rounds)
{
    int sum = 0;
    for (int r = 0; r < rounds; r++) { /* LOOP 1 */
        const int *p = a + r;
        for (int k = 0; k < 8; k++) {   /* LOOP 2 */
            for (int i = 0; i < n; i++) /* LOOP 3 */
                sum += p[i];
            p++;
        }
        kept = sum;
    }
    return sum;
}

/* The header of the caller's loop begins with instructions of this function. */
static inline int pass(const int *p, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) /* LOOP 1 */
        sum += p[i];
    return sum;
}

NOINLINE int passes(int n, int rounds)
{
    int sum = 0;
    for (int r = 0; r < rounds; r++) /* LOOP 1 */
        sum ^= pass(a, n);
    return sum;
}

static inline int step(int *left)
{
    return --*left > 0;
}

/* The condition is inlined. clang gives the branch of the inner loop, if it is vectorized, the line of the load. */
NOINLINE int while_nest(int n, int rounds)
{
    int sum = 0;
    while (step(&rounds)) { /* LOOP 1 */
        int i = n;
        while (i-- > 0)  /* LOOP 2 */
            sum += a[i]; /* LOOP 2 */
        sum *= 3;
    }
    return sum;
}

NOINLINE int do_nest(int n, int rounds)
{
    int sum = 0;
    do {
        int i = 0;
        do {
            sum += a[i];    /* LOOP 2, for the same reason */
        } while (++i < n);  /* LOOP 2 */
    } while (--rounds > 0); /* LOOP 1 */
    return sum;
}

/* `for (;;)` has no code. */
NOINLINE int forever(int n, int rounds)
{
    int sum = 0;
    for (;;) {             /* LOOP 1 */
        if (rounds-- == 0) /* LOOP 1 */
            break;
        for (int i = 0; i < n; i++) { /* LOOP 2 */
            if (a[i] < 0)
                continue;
            sum += a[i];
        }
    }
    return sum;
}

NOINLINE int by_macro(int n, int rounds)
{
    int sum = 0;
    EACH(r, (size_t)rounds) /* LOOP 1 */
    EACH(i, (size_t)n)      /* LOOP 2 */
    sum += a[i];
    return sum;
}

/* clang-format off */
NOINLINE int one_line(int n, int rounds)
{
    int sum = 0;
    for (int r = 0; r < rounds; r++) for (int i = 0; i < n; i++) sum += a[i]; /* LOOP any */
    return sum;
}

NOINLINE int many_lines(int n, int rounds)
{
    int sum = 0;
    for (int r = 0; /* LOOP 1 */
         r < rounds; /* LOOP 1 */
         r++) { /* LOOP 1 */
        for (int i = 0; /* LOOP 2 */
             i < n; /* LOOP 2 */
             i++) /* LOOP 2 */
            sum += a[i];
        if (sum == 12345)
            return 1;
    }
    return sum;
}
/* clang-format on */

NOINLINE int list(const struct item *head, int rounds)
{
    int sum = 0;
    for (int r = 0; r < rounds; r++)                              /* LOOP 1 */
        for (const struct item *i = head; i != NULL; i = i->next) /* LOOP 2 */
            sum += i->value;
    return sum;
}

NOINLINE void stores(int n, int rounds)
{
    for (int r = 0; r < rounds; r++) /* LOOP 1 */
        for (int i = 0; i < n; i++)  /* LOOP 2 */
            a[i] = i & 7;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100;
    struct item item = {NULL, n};
    stores(n, argc);
    kept = two(n, argc) + three(n, argc) + passes(n, argc) + while_nest(n, argc) + do_nest(n, argc) + forever(n, argc) +
           by_macro(n, argc) + one_line(n, argc) + many_lines(n, argc) + list(&item, argc);
    return kept == 12345;
}
