#include "stats/exact/moments.h"

#include "tests/stats/strd.h"
#include "tests/tap.h"

static struct moments of(const int64_t *x, size_t n)
{
    struct moments moments = {0};
    for (size_t i = 0; i < n; i++)
        moments_add_signed(&moments, x[i]);
    return moments;
}

static void test_invalid(void)
{
    struct moments none = {0}, one = {0}, full = {.n = MOMENTS_N_MAX};
    double value = 42;
    ok(moments_mean(&none, &value) == STATS_TOO_FEW && value == 42, "no values have no mean");
    moments_add_signed(&one, 7);
    ok(moments_sd(&one, &value) == STATS_TOO_FEW && value == 42, "one value has no sd");
    ok(moments_merge(&one, &full) == STATS_OVERFLOW && one.n == 1, "too many values are refused, and nothing changes");
    uint64_t words[MOMENTS_WORDS] = {1, 5};
    ok(moments_from_words(words, &none) == STATS_DOMAIN,
       "a sum that contradicts its least and greatest value is refused");
    struct moments odd = one;
    odd.max = 8;
    moments_to_words(&odd, words);
    ok(moments_from_words(words, &none) == STATS_DOMAIN, "different values without a variance are refused");
}

static void test_known(void)
{
    double value;
    /* By hand: deviations −1, 0, 1. */
    struct moments moments = of((int64_t[]){INT64_MAX - 2, INT64_MAX - 1, INT64_MAX}, 3);
    ok(!moments_sd(&moments, &value) && value == 1, "the sd of 2^63−3, 2^63−2, 2^63−1 is exactly 1");
    moments = of((int64_t[]){INT64_MIN, INT64_MAX}, 2);
    ok(!moments_mean(&moments, &value) && value == -0.5, "the mean of both ends of int64_t is -0.5");
    /* (2^64−1)/√2 */
    ok(!moments_sd(&moments, &value) && value == 13043817825332782212.0, "  and their sd is right");
    moments = (struct moments){0};
    moments_add_unsigned(&moments, UINT64_MAX);
    moments_add_unsigned(&moments, UINT64_MAX - 2);
    ok(!moments_sd(&moments, &value) && value == 1.4142135623730951, "unsigned values of 64 bits have the right sd");
    moments = of((int64_t[]){5, 5, 5, 5}, 4);
    ok(!moments_sd(&moments, &value) && value == 0, "the sd of equal values is exactly 0");
}

static void test_strd(void)
{
    static int64_t x[STRD_MAX];
    static struct strd data;
    for (size_t i = 0; i < STRD_NAMES; i++) {
        char what[96];
        double mean = NAN, sd = NAN;
        if (!strd_there(strd_names[i]))
            continue;
        ok(strd_read(strd_names[i], &data), "NIST %s: the whole file is read", strd_names[i]);
        double scale = strd_integers(&data, x);
        struct moments moments = of(x, data.n);
        snprintf(what, sizeof what, "NIST %s: mean", strd_names[i]);
        moments_mean(&moments, &mean);
        is_real(mean / scale, data.mean, 2e-16, what);
        snprintf(what, sizeof what, "NIST %s: sd", strd_names[i]);
        moments_sd(&moments, &sd);
        is_real(sd / scale, data.sd, 2e-15, what);
    }
}

static void test_merge(void)
{
    int64_t x[100];
    uint64_t seed = 1, whole_words[MOMENTS_WORDS], words[MOMENTS_WORDS];
    for (size_t i = 0; i < 100; i++)
        x[i] = (int64_t)(seed = seed * 6364136223846793005u + 1442695040888963407u);
    struct moments whole = of(x, 100);
    moments_to_words(&whole, whole_words);
    int same = 0, swapped = 0;
    for (size_t split = 0; split <= 100; split++) {
        struct moments a = of(x, split), b = of(x + split, 100 - split), c = b;
        moments_merge(&c, &a);
        moments_merge(&a, &b);
        moments_to_words(&a, words);
        same += memcmp(words, whole_words, sizeof words) == 0;
        moments_to_words(&c, words);
        swapped += memcmp(words, whole_words, sizeof words) == 0;
    }
    is_u64((uint64_t)same, 101, "values that are split anywhere and merged give the same bits");
    is_u64((uint64_t)swapped, 101, "  in either order");
    struct moments loaded;
    ok(!moments_from_words(whole_words, &loaded), "words are read");
    moments_to_words(&loaded, words);
    ok(memcmp(words, whole_words, sizeof words) == 0, "  and written unchanged");
}

int main(void)
{
    test_invalid();
    test_known();
    test_strd();
    test_merge();
    return done_testing();
}
