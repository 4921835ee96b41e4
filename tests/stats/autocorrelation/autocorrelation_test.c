#include "stats/autocorrelation/autocorrelation.h"

#include <stdlib.h>

#include "tests/stats/strd.h"
#include "tests/tap.h"

/* 7000000 + MINSTD mod 6000001, also generated in R: s <- (s * 16807) %% 2147483647, s = 1. */
static void fill(int64_t *x, size_t n)
{
    uint64_t seed = 1;
    for (size_t i = 0; i < n; i++)
        x[i] = 7000000 + (int64_t)((seed = seed * 16807 % 2147483647) % 6000001);
}

static struct autocorrelation *of(const int64_t *x, size_t n, size_t lags)
{
    struct autocorrelation *state = NULL;
    autocorrelation_new(lags, &state);
    autocorrelation_add(state, x, n);
    return state;
}

static uint64_t *words_of(struct autocorrelation *state, size_t *count)
{
    *count = autocorrelation_word_count(state);
    uint64_t *words = malloc(*count * sizeof *words);
    autocorrelation_to_words(state, words);
    return words;
}

static bool same(struct autocorrelation *a, struct autocorrelation *b)
{
    size_t count, other;
    uint64_t *words = words_of(a, &count), *others = words_of(b, &other);
    bool equal = count == other && memcmp(words, others, count * sizeof *words) == 0;
    free(words);
    free(others);
    return equal;
}

static void test_invalid(void)
{
    struct autocorrelation *state = NULL, *other = NULL;
    double r[3] = {42, 42, 42};
    struct ljung_box box = {.q = 42};
    ok(autocorrelation_new(0, &state) == STATS_DOMAIN && !state, "no lags are refused");
    ok(autocorrelation_new(SIZE_MAX, &state) == STATS_DOMAIN && !state, "too many lags are refused");
    state = of((int64_t[]){1, 2, 3}, 3, 3);
    ok(autocorrelation_r(state, 4, r) == STATS_DOMAIN, "more lags than the state has are refused");
    ok(autocorrelation_r(state, 0, r) == STATS_DOMAIN, "no lags are refused");
    ok(autocorrelation_r(state, 3, r) == STATS_TOO_FEW, "n values have only n−1 lags");
    ok(autocorrelation_ljung_box(state, 3, &box) == STATS_TOO_FEW, "  also in the test");
    autocorrelation_new(4, &other);
    ok(autocorrelation_merge(state, other) == STATS_DOMAIN, "states of different lags don't merge");
    autocorrelation_free(other);
    autocorrelation_free(state);
    state = of((int64_t[]){5, 5, 5, 5}, 4, 2);
    ok(autocorrelation_r(state, 1, r) == STATS_CONSTANT, "a constant series is reported as constant");
    ok(autocorrelation_ljung_box(state, 1, &box) == STATS_CONSTANT, "  also in the test");
    autocorrelation_free(state);
    state = of((int64_t[]){INT64_MIN, INT64_MAX, 1}, 3, 1);
    ok(autocorrelation_r(state, 1, r) == STATS_OVERFLOW, "sums beyond 128 bits are reported");
    autocorrelation_free(state);
    ok(r[0] == 42 && box.q == 42, "  and no error writes a result");
    ok(autocorrelation_ljung_box_of((double[]){NAN}, 1, 9, &box) == STATS_DOMAIN, "an r of NaN is refused");
    ok(autocorrelation_from_words((uint64_t[]){1}, 1, &state) == STATS_DOMAIN,
       "words that are not a state are refused");
    autocorrelation_free(NULL);
}

/* R 4.2: acf(x, plot = FALSE)$acf and Box.test(x, lag, type = "Ljung"); log p by pchisq(log.p = TRUE)/log(10). */
static void test_known(void)
{
    static int64_t x[1000], sums[998];
    double r[100];
    struct ljung_box box;
    fill(x, 1000);
    struct autocorrelation *state = of(x, 1000, 100);
    autocorrelation_r(state, 100, r);
    is_real(r[0], -0.016118660580114751, 1e-13, "r_1");
    is_real(r[6], 0.05044852944377011, 1e-13, "r_7");
    is_real(r[99], -0.022301032546425407, 1e-13, "r_100");
    static const double tests[][4] = {{1, 0.26059143276750663, 0.60971412348707399, -0.21487374481495136},
                                      {20, 17.909709743617977, 0.59335614453722707, -0.22668455591153672},
                                      {100, 114.9911490229081, 0.14505888346959328, -0.83845566966250273}};
    for (size_t i = 0; i < 3; i++) {
        char what[96];
        autocorrelation_ljung_box(state, (size_t)tests[i][0], &box);
        snprintf(what, sizeof what, "Q, p and log p of %zu lags are R's", box.dof);
        is_real(box.q, tests[i][1], 1e-13, what);
        is_real(box.p, tests[i][2], 1e-13, what);
        is_real(box.log10_p, tests[i][3], 1e-13, what);
    }
    autocorrelation_free(state);
    for (size_t i = 0; i < 998; i++)
        sums[i] = x[i] + x[i + 1] + x[i + 2];
    state = of(sums, 998, 19);
    autocorrelation_ljung_box(state, 19, &box);
    is_real(box.q, 591.37613797369795, 1e-13, "Q of moving sums is R's");
    is_real(box.log10_p, -112.47759944871859, 1e-13, "  and so is log10 p");
    autocorrelation_free(state);
}

static void test_short(void)
{
    /* R: acf(c(3,1,4,1,5,9,2,6), lag.max = 7) */
    static const double known[] = {-0.17523640661938533, 0.044326241134751768, 0.14568557919621747,
                                   -0.41725768321512996, 0.022163120567375884, -0.08451536643026003,
                                   -0.035165484633569735};
    double r[7];
    struct autocorrelation *state = of((int64_t[]){3, 1, 4, 1, 5, 9, 2, 6}, 8, 100);
    ok(!autocorrelation_r(state, 7, r), "a series may be shorter than the lags");
    int good = 0;
    for (size_t k = 0; k < 7; k++)
        good += fabs(r[k] - known[k]) < 1e-15;
    is_u64((uint64_t)good, 7, "  and has R's first n−1");
    autocorrelation_free(state);
}

static void test_strd(void)
{
    static int64_t x[STRD_MAX];
    static struct strd data;
    for (size_t i = 0; i < STRD_NAMES; i++) {
        char what[96];
        double r = NAN;
        if (!strd_there(strd_names[i]))
            continue;
        ok(strd_read(strd_names[i], &data), "NIST %s: the whole file is read", strd_names[i]);
        strd_integers(&data, x);
        struct autocorrelation *state = of(x, data.n, 1);
        autocorrelation_r(state, 1, &r);
        autocorrelation_free(state);
        snprintf(what, sizeof what, "NIST %s: r_1", strd_names[i]);
        is_real(r, data.r1, 2e-15 / fabs(data.r1) + 1e-15, what);
    }
}

/* Large values: shifting by 2^40 must not change anything, since r is exact until its last rounding. */
static void test_shift_and_scale(void)
{
    static int64_t x[1000], shifted[1000], scaled[1000];
    double r[20], other[20];
    fill(x, 1000);
    for (size_t i = 0; i < 1000; i++) {
        shifted[i] = x[i] + ((int64_t)1 << 40);
        scaled[i] = x[i] * -65537;
    }
    struct autocorrelation *state = of(x, 1000, 20), *moved = of(shifted, 1000, 20), *wider = of(scaled, 1000, 20);
    autocorrelation_r(state, 20, r);
    autocorrelation_r(moved, 20, other);
    ok(memcmp(r, other, sizeof r) == 0, "a shift by 2^40 gives the same bits");
    autocorrelation_r(wider, 20, other);
    ok(memcmp(r, other, sizeof r) == 0, "a factor of −65537 gives the same bits");
    autocorrelation_free(state);
    autocorrelation_free(moved);
    autocorrelation_free(wider);
}

static void test_splits(void)
{
    static int64_t x[700];
    fill(x, 700);
    x[300] = (int64_t)1 << 40; /* one block on the wide path */
    x[301] = -5;
    int good = 0;
    for (size_t n = 0; n <= 700; n += 7) {
        struct autocorrelation *whole = of(x, n, 60);
        for (size_t split = 0; split <= n; split += n < 150 ? 1 : 23) {
            struct autocorrelation *a = of(x, split, 60), *b = of(x + split, n - split, 60);
            bool merged = autocorrelation_merge(a, b) == STATS_OK && same(a, whole);
            good += !merged;
            autocorrelation_free(a);
            autocorrelation_free(b);
        }
        autocorrelation_free(whole);
    }
    is_u64((uint64_t)good, 0, "series of any length, split anywhere and merged, give the same bits");
    struct autocorrelation *joined = of(x, 0, 60), *whole = of(x, 700, 60);
    for (size_t i = 0; i < 700; i += 10) {
        struct autocorrelation *part = of(x + i, 10, 60);
        autocorrelation_merge(joined, part);
        autocorrelation_free(part);
    }
    ok(same(joined, whole), "many parts shorter than the lags give the same bits");
    autocorrelation_add(joined, x, 300);
    autocorrelation_add(whole, x, 300);
    ok(same(joined, whole), "  and a merged state takes more values");
    autocorrelation_free(joined);
    autocorrelation_free(whole);
}

static void test_words(void)
{
    static int64_t x[300];
    fill(x, 300);
    for (size_t n = 5; n <= 300; n += 295) {
        size_t count;
        struct autocorrelation *state = of(x, n, 10), *loaded = NULL, *copy = NULL;
        uint64_t *words = words_of(state, &count);
        ok(!autocorrelation_from_words(words, count, &loaded) && same(state, loaded), "words of %zu values are read",
           n);
        ok(autocorrelation_from_words(words, count - 1, &copy) == STATS_DOMAIN, "  but not if one is missing");
        ok(!autocorrelation_copy(state, &copy) && same(state, copy), "a copy is the same");
        free(words);
        autocorrelation_free(state);
        autocorrelation_free(loaded);
        autocorrelation_free(copy);
    }
}

int main(void)
{
    test_invalid();
    test_known();
    test_short();
    test_strd();
    test_shift_and_scale();
    test_splits();
    test_words();
    return done_testing();
}
