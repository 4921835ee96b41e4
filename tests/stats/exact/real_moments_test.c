#include "stats/exact/real_moments.h"

#include <quadmath.h>

#include "tests/stats/rng.h"
#include "tests/tap.h"

static struct real_moments of(const struct decimal *values, size_t n)
{
    struct real_moments moments = {0};
    real_moments_add(&moments, values, n);
    return moments;
}

static bool same_fixed(const struct real_moments *a, const struct real_moments *b)
{
    const struct moments *x = &a->fixed, *y = &b->fixed;
    return !a->wide && !b->wide && a->exponent == b->exponent && x->n == y->n && x->sum == y->sum &&
           x->squares_low == y->squares_low && x->squares_high == y->squares_high && x->min == y->min &&
           x->max == y->max;
}

static void test_invalid(void)
{
    struct real_moments none = {0}, full = {.fixed = {.n = MOMENTS_N_MAX}},
                        full_wide = {.wide = true, .n = MOMENTS_N_MAX};
    struct decimal seven = {7, 0};
    struct real_moments one = of(&seven, 1);
    double value = 42;
    __float128 mean = 42, deviations = 42;
    ok(real_moments_mean(&none, &value) == STATS_TOO_FEW && value == 42, "no values have no mean");
    ok(real_moments_quad(&none, &mean, &deviations) == STATS_TOO_FEW && mean == 42, "  nor one in 113 bits");
    ok(real_moments_sd(&none, &value) == STATS_TOO_FEW && value == 42, "  nor an sd");
    ok(real_moments_sd(&one, &value) == STATS_TOO_FEW && value == 42, "one value has no sd");
    ok(real_moments_merge(&one, &full) == STATS_OVERFLOW && real_moments_n(&one) == 1, "too many values are refused");
    ok(real_moments_merge(&one, &full_wide) == STATS_OVERFLOW && !one.wide, "  also in 113 bits");
    ok(real_moments_add(&full, &seven, 1) == STATS_OVERFLOW && full.fixed.n == MOMENTS_N_MAX,
       "one value too many is refused");
    ok(real_moments_add(&one, &seven, 0) == STATS_OK && real_moments_n(&one) == 1,
       "adding a value zero times changes nothing");
    ok(real_moments_merge(&one, &none) == STATS_OK && real_moments_n(&one) == 1, "merging no values changes nothing");
    /* ± 9e307 have a mean, and their sd is beyond the range of doubles; an sd below it is not taken for 0 either. */
    struct real_moments ends = of((struct decimal[]){{17, 307}, {-17, 307}}, 2);
    ok(!real_moments_mean(&ends, &value) && value == 0, "the mean of ±1.7e308 is 0");
    value = 42;
    ok(real_moments_sd(&ends, &value) == STATS_OVERFLOW && value == 42,
       "their sd is above the largest double: an overflow");
    struct real_moments near = of((struct decimal[]){{100000000000000000, -324}, {100000000000000001, -324}}, 2);
    ok(real_moments_sd(&near, &value) == STATS_OVERFLOW && value == 42,
       "an sd of 7e-325 is below the smallest one: an overflow, and not 0");
}

/* By hand. */
static void test_known(void)
{
    double mean, sd;
    __float128 exact, deviations;
    struct real_moments moments =
        of((struct decimal[]){{10000000000004, -1}, {10000000000006, -1}, {10000000000005, -1}}, 3);
    ok(!real_moments_mean(&moments, &mean) && mean == 1000000000000.5, "the mean of 1000000000000.4, .5, .6 is right");
    ok(!real_moments_sd(&moments, &sd) && sd == 0.1, "  and their sd is 0.1");
    ok(!real_moments_quad(&moments, &exact, &deviations) && deviations == 0.02Q,
       "  the sum of their squared deviations is 0.02");
    moments = of((struct decimal[]){{15, -1}, {150, -2}, {1500, -3}}, 3);
    ok(!real_moments_sd(&moments, &sd) && sd == 0 && !moments.wide && moments.exponent == -1,
       "1.5, 1.50 and 1.500 are equal");
    moments = of((struct decimal[]){{0, 0}, {0, -10}, {1, 25}, {3, 25}, {0, 3}}, 5);
    ok(!moments.wide && moments.exponent == 25 && !real_moments_mean(&moments, &mean) && mean == 8e24,
       "zeros leave the exponent unchanged");
    moments = of((struct decimal[]){{1, 300}, {1, -300}}, 2);
    ok(moments.wide && !real_moments_mean(&moments, &mean) && mean == 5e299, "the mean of 1e300 and 1e-300 is right");
    ok(!real_moments_sd(&moments, &sd) && sd == 7.0710678118654752e299, "  and their sd is 1e300/√2");
    /* Each of these can be written in two ways, which a careless conversion to 113 bits rounds differently. */
    struct real_moments equal = {.wide = true};
    for (int32_t i = 0; i < 300; i++)
        real_moments_add(&equal, (struct decimal[]){{7, -60}, {70000, -64}, {7000000000000, -72}}, 3);
    ok(equal.wide && !real_moments_quad(&equal, &exact, &deviations) && deviations == 0,
       "equal values in 113 bits do not deviate");
}

/* Values of a generator that was also run in Python: digits below 10^17, exponents too far apart for integers. */
static void make_wide(struct decimal *values, size_t n)
{
    uint64_t seed = 1;
    for (size_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        values[i] =
            (struct decimal){(int64_t)(seed >> 8) % 100000000000000000 - 30000000000000000, -(int32_t)(i * 7 % 25)};
    }
}

static void test_wide(void)
{
    static struct decimal values[1000];
    make_wide(values, 1000);
    double mean = NAN, sd = NAN;
    struct real_moments moments = of(values, 1000);
    ok(moments.wide, "values that don't fit get 113 bits");
    real_moments_mean(&moments, &mean);
    real_moments_sd(&moments, &sd);
    /* Python's fractions, rounded by float(), and mpmath's root of 50 digits. */
    is_real(mean, 372594218013052.3, 0, "  their mean is right to the last bit");
    is_real(sd, 4224764616367606.5, 0, "  and so is their sd");
    __float128 exact_mean, exact, got_mean, got;
    real_moments_quad(&moments, &exact_mean, &exact);
    unsigned close = 0;
    for (size_t split = 0; split <= 1000; split++) {
        struct real_moments left = of(values, split), right = of(values + split, 1000 - split);
        real_moments_merge(&left, &right);
        real_moments_quad(&left, &got_mean, &got);
        close += fabsq(got - exact) <= 1e-30Q * exact && fabsq(got_mean - exact_mean) <= 1e-30Q * fabsq(exact_mean);
    }
    is_u64(close, 1001, "  values that are split anywhere and merged agree to 30 digits");
}

/* With exponents that are small enough for integers, the bits are the same however values are grouped and ordered. */
static void test_merge(void)
{
    struct decimal values[200];
    for (size_t i = 0; i < 200; i++)
        values[i] = (struct decimal){(int64_t)(2e6 * rng_uniform()) - 1000000, (int32_t)(i * 5 % 9) - 4};
    struct real_moments whole = of(values, 200);
    unsigned same = 0, swapped = 0, single = 0;
    for (size_t split = 0; split <= 200; split++) {
        struct real_moments a = of(values, split), b = of(values + split, 200 - split), c = b;
        real_moments_merge(&c, &a);
        real_moments_merge(&a, &b);
        same += same_fixed(&a, &whole);
        swapped += same_fixed(&c, &whole);
    }
    for (size_t start = 0; start < 200; start++) {
        struct real_moments one_by_one = {0};
        for (size_t i = 0; i < 200; i++)
            real_moments_add(&one_by_one, &values[(start + 77 * i) % 200], 1);
        single += same_fixed(&one_by_one, &whole);
    }
    is_u64(same, 201, "values that are split anywhere and merged give the same bits");
    is_u64(swapped, 201, "  in either order");
    is_u64(single, 200, "  and one by one in any order");
}

/* One value that no longer fits switches the sums to 113 bits, wherever it comes; the results don't change. */
static void test_widening(void)
{
    struct decimal values[64];
    double expected_mean, expected_sd, mean, sd;
    for (size_t i = 0; i < 64; i++)
        values[i] = (struct decimal){(int64_t)(1e15 * rng_uniform()), -6};
    values[63] = (struct decimal){5, -30};
    struct real_moments last = of(values, 64);
    real_moments_mean(&last, &expected_mean);
    real_moments_sd(&last, &expected_sd);
    unsigned same = 0;
    for (size_t at = 0; at < 63; at++) {
        struct decimal kept = values[at];
        values[at] = values[63];
        values[63] = kept;
        struct real_moments moments = of(values, 64);
        values[63] = values[at];
        values[at] = kept;
        same += moments.wide && !real_moments_mean(&moments, &mean) && mean == expected_mean &&
                !real_moments_sd(&moments, &sd) && sd == expected_sd;
    }
    ok(last.wide, "5e-30 among values of 1e9 doesn't fit");
    is_u64(same, 63, "  and the results are the same wherever it comes");
}

int main(void)
{
    test_invalid();
    test_known();
    test_wide();
    test_merge();
    test_widening();
    return done_testing();
}
