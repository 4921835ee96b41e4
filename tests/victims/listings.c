/*
 * Listings of the papers in C, as the compiler translates them: bytes are known, the numbers of accesses and the loops'
 * addresses depend on the compiler.
 *
 * Listing 3.1 of the dissertation: A[64] and B[64] are loaded in n passes; t and delta stay in registers: no store. The
 * compiler may load a constant in every pass.
 * pair silent-load~ @sum @sum - 1024*(n-1) all
 * maybe silent-load~ any any
 *
 * Listing 3.10: B[i] in the inner loop, eight elements, n times each.
 * pair silent-load @listing_10 @listing_10 8*(n-1) 32*(n-1) all in @listing_10_inner
 *
 * Listing 3.11: A[k] in the inner loop, eight elements, n passes.
 * pair silent-load @listing_11 @listing_11 8*(n-1) 32*(n-1) all in @listing_11_outer
 *
 * Listing 2 of JXPerf: 10,000 elements, summed twice.
 * pair silent-load @sum_1 @sum_2 - 40000 all
 */
#include "victim.h"

static double A[64], B[64];
static int array[10000];
static int b[8], a[8];

VICTIM static double victim_listing_3_1(const double *first, const double *second, uint64_t n)
{
    double t = 0, delta = 1;
    for (uint64_t pass = 0; t < 1 && pass < n; pass++) {
        t = 0;
        for (int i = 0; i < 64; i++)
            t += first[i] + second[i] * delta; /* @sum */
        delta -= 0.1 * t;
    }
    return delta;
}

VICTIM static int victim_listing_3_10(const volatile int *p, uint64_t n)
{
    int t = 0;
    for (int i = 0; i < 8; i++) {
        for (uint64_t k = 0; k < n; k++) /* @listing_10_inner */
            t += p[i];                   /* @listing_10 */
    }
    return t;
}

VICTIM static int victim_listing_3_11(const volatile int *p, uint64_t n)
{
    int t = 0;
    for (uint64_t i = 0; i < n; i++) { /* @listing_11_outer */
        for (int k = 0; k < 8; k++)    /* @listing_11_inner */
            t += p[k];                 /* @listing_11 */
    }
    return t;
}

VICTIM static int victim_listing_2(const int *p)
{
    int sum_1 = 0, sum_2 = 0;
    for (int i = 0; i < 10000; i++)
        sum_1 += p[i]; /* @sum_1 */
    __asm__ volatile("" ::: "memory");
    for (int j = 0; j < 10000; j++)
        sum_2 += p[j]; /* @sum_2 */
    return sum_1 + sum_2;
}

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    double delta = victim_listing_3_1(A, B, n);
    int sum = victim_listing_3_10(b, n) + victim_listing_3_11(a, n) + victim_listing_2(array);
    return delta + sum == 1 ? 0 : 1;
}
