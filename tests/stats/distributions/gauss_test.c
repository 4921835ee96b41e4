#include "stats/distributions/gauss.h"

#include "tests/tap.h"

static long double power(long double x, const void *parameters)
{
    return powl(x, *(const int *)parameters);
}

static long double exponential(long double x, const void *parameters)
{
    return expl(*(const long double *)parameters * x);
}

/* ∫ x^k from −1 to 1 is 2/(k+1) or 0: exact up to degree 31, and no further. */
static void test_degree(void)
{
    int good = 0;
    for (int k = 0; k <= 31; k++) {
        long double expected = k % 2 == 0 ? 2.0L / (k + 1) : 0;
        good += fabsl(gauss_integrate(power, &k, -1, 1, 1) - expected) < 3e-19L;
    }
    is_u64((uint64_t)good, 32, "polynomials up to degree 31 are exact");
    int k = 32;
    /* DLMF 3.5(v): the remainder of x^(2n) is 2^(2n+1)·(n!)^4/((2n+1)·((2n)!)^2), for n = 16 7.20461533238862e-10 */
    long double missing = 2.0L / 33 - gauss_integrate(power, &k, -1, 1, 1);
    is_real((double)missing, 7.20461533238862e-10, 1e-8, "degree 32 misses what the rule must miss");
}

static void test_panels(void)
{
    long double rate = 12;
    long double expected = expm1l(48) / 12;
    long double got = gauss_integrate(exponential, &rate, 0, 4, 4);
    ok(fabsl(got / expected - 1) < 1e-18L, "e^12 a panel");
    ok(gauss_integrate(exponential, &rate, 4, 0, 4) == -got, "the sign turns with the limits");
    ok(fabsl(gauss_integrate(exponential, &rate, -3, 1, 4) * expl(36) / expected - 1) < 1e-17L, "any interval");
    ok(gauss_integrate(exponential, &rate, 2, 2, 1) == 0, "an empty interval");
}

int main(void)
{
    test_degree();
    test_panels();
    return done_testing();
}
