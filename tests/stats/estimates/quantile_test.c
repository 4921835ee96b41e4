#include "stats/estimates/quantile.h"

#include <stdlib.h>

#include "tests/tap.h"

/* 7000000 + MINSTD mod 6000001: the series of autocorrelation_test.c, also generated in R. */
static void fill(uint64_t *x, size_t n)
{
    uint64_t seed = 1;
    for (size_t i = 0; i < n; i++)
        x[i] = 7000000 + (seed = seed * 16807 % 2147483647) % 6000001;
}

static struct quantile of(const uint64_t *x, size_t n)
{
    struct quantile quantile = {0};
    for (size_t i = 0; i < n; i++)
        quantile_add(&quantile, x[i]);
    return quantile;
}

static bool same(const struct quantile *a, const struct quantile *b)
{
    size_t count = quantile_word_count(a);
    if (count != quantile_word_count(b))
        return false;
    uint64_t *words = malloc(2 * count * sizeof *words);
    quantile_to_words(a, words);
    quantile_to_words(b, words + count);
    bool equal = memcmp(words, words + count, count * sizeof *words) == 0;
    free(words);
    return equal;
}

static void test_invalid(void)
{
    struct quantile quantile = {0};
    double value = 42;
    ok(quantile_at(&quantile, 0.5, &value) == STATS_TOO_FEW, "no values have no median");
    quantile_add(&quantile, 0);
    ok(quantile_at(&quantile, -0.1, &value) == STATS_DOMAIN, "a share below 0 is refused");
    ok(quantile_at(&quantile, NAN, &value) == STATS_DOMAIN, "a share of NaN is refused");
    ok(quantile_spread(&quantile, &value) == STATS_TOO_FEW, "one value has no spread");
    quantile_add(&quantile, 0);
    ok(quantile_spread(&quantile, &value) == STATS_DOMAIN, "a median of 0 has no relative spread");
    ok(value == 42, "  and no error writes a result");
    struct quantile loaded;
    ok(quantile_from_words((uint64_t[]){0, 1, 0}, 3, &loaded) == STATS_DOMAIN, "an odd number of words is refused");
    ok(quantile_from_words((uint64_t[]){5, 5, 6, 1}, 4, &loaded) == STATS_DOMAIN,
       "a bucket beyond the greatest value is refused");
    ok(quantile_from_words((uint64_t[]){0, UINT64_MAX, 1u << 20, 1}, 4, &loaded) == STATS_DOMAIN,
       "a bucket that does not exist is refused");
    quantile_free(&quantile);
}

static void test_known(void)
{
    static uint64_t x[1000];
    fill(x, 1000);
    struct quantile quantile = of(x, 1000);
    /* R 4.2: quantile(v, q, type = 7) of the same series. */
    static const double known[][2] = {{0.1, 7561970.8}, {0.25, 8460320.25}, {0.5, 9797041.5}, {0.9, 12275198.2}};
    for (size_t i = 0; i < 4; i++) {
        double value = NAN;
        char what[96];
        quantile_at(&quantile, known[i][0], &value);
        snprintf(what, sizeof what, "quantile %g is right to 2^-8", known[i][0]);
        is_real(value, known[i][1], 0x1p-8, what);
    }
    double spread = NAN;
    quantile_spread(&quantile, &spread);
    /* Python: min(v[i + 250] - v[i]) and min(v[i + 249] - v[i]) of the sorted series, doubled, over its median. */
    ok(fabs(spread - 0.2666) < 0x1p-6, "the spread of a thousand intervals of 10 ± 3 ms: %g", spread);
    quantile_free(&quantile);
}

static void test_edges(void)
{
    uint64_t small[501];
    for (uint64_t i = 0; i <= 500; i++)
        small[i] = i;
    struct quantile quantile = of(small, 501);
    double value;
    quantile_at(&quantile, 0.25, &value);
    is_real(value, 125, 1e-15, "below 512 quantiles are exact");
    quantile_free(&quantile);

    quantile = of((uint64_t[]){9999999, 9999999, 9999999}, 3);
    quantile_at(&quantile, 0.3, &value);
    is_real(value, 9999999, 0, "the quantiles of equal values are exact");
    quantile_spread(&quantile, &value);
    ok(value == 0, "  and their spread is 0");
    quantile_free(&quantile);

    int good = 0;
    for (unsigned bit = 0; bit < 64; bit++)
        for (int side = -1; side <= 1; side++) {
            uint64_t x = ((uint64_t)1 << bit) + (uint64_t)side;
            quantile = of((uint64_t[]){0, x, UINT64_MAX}, 3);
            quantile_at(&quantile, 0.5, &value);
            good += fabs(value - (double)x) <= 0x1p-8 * (double)x;
            quantile_free(&quantile);
        }
    is_u64((uint64_t)good, 192, "the quantiles of values of the whole range of 64 bits are right to 2^-8");
}

static void test_merge(void)
{
    static uint64_t x[1000];
    fill(x, 1000);
    x[3] = 0;
    x[900] = UINT64_MAX;
    struct quantile whole = of(x, 1000);
    int equal = 0, swapped = 0;
    for (size_t split = 0; split <= 1000; split += 50) {
        struct quantile a = of(x, split), b = of(x + split, 1000 - split), c = of(x, split);
        quantile_merge(&a, &b);
        quantile_merge(&b, &c);
        equal += same(&a, &whole);
        swapped += same(&b, &whole);
        quantile_free(&a);
        quantile_free(&b);
        quantile_free(&c);
    }
    is_u64((uint64_t)equal, 21, "values that are split anywhere and merged give the same bits");
    is_u64((uint64_t)swapped, 21, "  in either order");
    uint64_t words[4096];
    struct quantile loaded = {0};
    quantile_to_words(&whole, words);
    ok(!quantile_from_words(words, quantile_word_count(&whole), &loaded) && same(&loaded, &whole) && loaded.n == 1000,
       "words that are written and read are the same");
    quantile_free(&loaded);
    quantile_free(&whole);
}

int main(void)
{
    test_invalid();
    test_known();
    test_edges();
    test_merge();
    return done_testing();
}
