/* equal_test.c - which values count as equal. By definition integers do if all bits are equal, floating-point values if
 * they differ by no more than the tolerance. */
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
    ok(SAME(hundred, near, X86_REAL_DOUBLE, 0.01) && SAME(hundred, edge, X86_REAL_DOUBLE, 0.01),
       "100.9 and 101 are within 1 percent of 100");
    ok(!SAME(hundred, far, X86_REAL_DOUBLE, 0.01) && SAME(hundred, far, X86_REAL_DOUBLE, 0.02),
       "101.1 is within 2 percent only");
    ok(!SAME(hundred, near, X86_REAL_NONE, 0.01), "integers are compared by their bits");
    ok(!SAME(hundred, near, X86_REAL_DOUBLE, 0), "with a tolerance of 0, 100.9 is not 100");
    ok(SAME(zero, minus, X86_REAL_DOUBLE, 0) && !SAME(zero, near, X86_REAL_DOUBLE, 0.9), "zero equals minus zero only");
    ok(SAME(none, none, X86_REAL_DOUBLE, 0.01) && !SAME(none, near, X86_REAL_DOUBLE, 0.01) &&
           !SAME(near, none, X86_REAL_DOUBLE, 0.01),
       "NaN equals the same NaN, but no number");
    ok(SAME(single, close, X86_REAL_FLOAT, 0.01), "8.05F is within 1 percent of 8");
    ok(equal_values(&extended, &within, 10, X86_REAL_EXTENDED, 0.01), "99.5L is within 1 percent of 100");
}

static void test_lanes(void)
{
    const double old[] = {1, 2, 3, 4}, near[] = {1.005, 2, 3.01, 3.99}, one_off[] = {1, 2, 3.5, 4};
    ok(equal_values(old, near, sizeof old, X86_REAL_DOUBLE, 0.01), "vectors are equal if all lanes are");
    ok(!equal_values(old, one_off, sizeof old, X86_REAL_DOUBLE, 0.01), "  and not if one lane differs");
    ok(!equal_is_approximate(X86_REAL_DOUBLE, 12) && equal_is_approximate(X86_REAL_FLOAT, 12) &&
           !equal_is_approximate(X86_REAL_NONE, 8) && !equal_is_approximate(X86_REAL_UNTYPED, 255),
       "only whole lanes of a floating-point type are compared with a tolerance");
}

int main(void)
{
    test_reals();
    test_lanes();
    return done_testing();
}
