#include "stats/exact/dot.h"

#include "tests/stats/rng.h"
#include "tests/tap.h"

static void test_narrow(void)
{
    int64_t x[3] = {0, ((int64_t)1 << 28) - 1, 5};
    ok(dot_is_narrow(x, 3), "0 and 2^28-1 are narrow");
    x[2] = (int64_t)1 << 28;
    ok(!dot_is_narrow(x, 3), "  2^28 is not");
    x[2] = -1;
    ok(!dot_is_narrow(x, 3), "  a negative value is not");
    ok(dot_is_narrow(x, 0), "  no values are");
}

/* The largest sum: 256·(2^28−1)² = 2^64 − 2^37 + 2^8. */
static void test_largest(void)
{
    int64_t x[DOT_NARROW_N];
    for (size_t i = 0; i < DOT_NARROW_N; i++)
        x[i] = ((int64_t)1 << 28) - 1;
    is_u64(dot_narrow(x, x, DOT_NARROW_N), -((uint64_t)1 << 37) + 256, "the largest sum fits");
}

static void test_same(void)
{
    int64_t a[DOT_NARROW_N], b[DOT_NARROW_N];
    unsigned same = 0;
    for (size_t i = 0; i < DOT_NARROW_N; i++) {
        a[i] = (int64_t)(0x1p28 * rng_uniform());
        b[i] = (int64_t)(0x1p28 * rng_uniform());
    }
    for (size_t n = 0; n <= DOT_NARROW_N; n++)
        same += dot_narrow(a, b, n) == dot_wide(a, b, n);
    is_u64(same, DOT_NARROW_N + 1, "the narrow and the wide sum are the same for every length");
    is_u64((uint64_t)(dot_wide((int64_t[]){INT64_MIN, -3}, (int64_t[]){2, 5}, 2) + ((wide_u128)1 << 64)), (uint64_t)-15,
           "the wide sum takes negative values");
}

enum { SPLIT_ROOM = DOT_NARROW_N + DOT_SPLIT_LAGS };
#define SPLIT_MAX (((uint64_t)1 << DOT_SPLIT_BITS) - 1)

/* Products of values in limbs are compared with those of whole values, for every length and lag. */
static void test_split(void)
{
    static uint64_t limbs[SPLIT_ROOM];
    static int64_t apart[SPLIT_ROOM], x[SPLIT_ROOM];
    static const uint64_t kinds[] = {SPLIT_MAX, 1, ((uint64_t)1 << 28) - 1, SPLIT_MAX - (((uint64_t)1 << 28) - 1)};
    struct dot_split vector = {limbs, apart};
    const size_t at = DOT_SPLIT_LAGS - 1;
    unsigned same = 0, tried = 0;
    for (unsigned round = 0; round < 20; round++) {
        for (size_t i = 0; i < SPLIT_ROOM; i++) {
            x[i] = (int64_t)(round < 4 ? kinds[round] : (uint64_t)(0x1p56 * rng_uniform()) >> round);
            dot_split_set(vector, i, (uint64_t)x[i]);
        }
        for (size_t n = 0; n <= DOT_NARROW_N; n += 4) {
            wide_u128 sums[DOT_SPLIT_LAGS];
            dot_split(vector, at, at, n, sums);
            for (size_t lag = 0; lag < DOT_SPLIT_LAGS; lag++, tried++)
                same += sums[lag] == dot_wide(x + at, x + at - lag, n);
        }
    }
    is_u64(same, tried, "products of values in limbs are right for every length and lag, with full and empty limbs");
}

int main(void)
{
    test_narrow();
    test_largest();
    test_same();
    test_split();
    return done_testing();
}
