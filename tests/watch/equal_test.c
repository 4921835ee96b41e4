/* Values that are the same. Expected by definition: integers by all bits, floating point within the tolerance. */
#include "collect/watch/equal.h"

#include <math.h>
#include <stdint.h>

#include "collect/x86/x86.h"
#include "tests/tap.h"

#define SAME(a, b, real, tolerance) equal_values(&(a), &(b), sizeof(a), real, tolerance)

static void test_reals(void)
{
    double hundred = 100, near = 100.9, edge = 101, far = 101.1, zero = 0, minus = -0.0, none = NAN;
    float single = 8, close = 8.05f;
    long double extended = 100, within = 99.5L;
    ok(SAME(hundred, near, X86_REAL_DOUBLE, 0.01) && SAME(hundred, edge, X86_REAL_DOUBLE, 0.01), "100, 100.9 and 101");
    ok(!SAME(hundred, far, X86_REAL_DOUBLE, 0.01) && SAME(hundred, far, X86_REAL_DOUBLE, 0.02),
       "101.1 within 2 percent alone");
    ok(!SAME(hundred, near, X86_REAL_NONE, 0.01), "integers are compared by their bits");
    ok(!SAME(hundred, near, X86_REAL_DOUBLE, 0), "no tolerance");
    ok(SAME(zero, minus, X86_REAL_DOUBLE, 0) && !SAME(zero, near, X86_REAL_DOUBLE, 0.9), "zero");
    ok(SAME(none, none, X86_REAL_DOUBLE, 0.01) && !SAME(none, near, X86_REAL_DOUBLE, 0.01) &&
           !SAME(near, none, X86_REAL_DOUBLE, 0.01),
       "not a number");
    ok(SAME(single, close, X86_REAL_FLOAT, 0.01), "float");
    ok(equal_values(&extended, &within, 10, X86_REAL_EXTENDED, 0.01), "x87");
}

static void test_lanes(void)
{
    const double old[] = {1, 2, 3, 4}, near[] = {1.005, 2, 3.01, 3.99}, one_off[] = {1, 2, 3.5, 4};
    ok(equal_values(old, near, sizeof old, X86_REAL_DOUBLE, 0.01), "all lanes are near");
    ok(!equal_values(old, one_off, sizeof old, X86_REAL_DOUBLE, 0.01), "one lane is not");
    ok(!equal_is_approximate(X86_REAL_DOUBLE, 12) && equal_is_approximate(X86_REAL_FLOAT, 12) &&
           !equal_is_approximate(X86_REAL_NONE, 8) && !equal_is_approximate(X86_REAL_UNTYPED, 255),
       "what is compared with a tolerance");
}

int main(void)
{
    test_reals();
    test_lanes();
    return done_testing();
}
