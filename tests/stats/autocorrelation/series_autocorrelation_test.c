#include "stats/autocorrelation/series_autocorrelation.h"

#include <stdlib.h>

#include "stats/autocorrelation/autocorrelation.h"

#include "tests/stats/rng.h"
#include "tests/tap.h"

static void append(struct series *series, int64_t digits, int32_t exponent)
{
    series_append(series, &(struct decimal){digits, exponent}, 1);
}

static struct series random_series(size_t n, int bits, int64_t shift)
{
    struct series series = {0};
    append(&series, shift, 0);
    append(&series, shift + ((int64_t)1 << bits) - 1, 0); /* so that all bits are needed */
    for (size_t i = 2; i < n; i++)
        append(&series, shift + (int64_t)ldexp(rng_uniform() * rng_uniform(), bits), 0);
    return series;
}

static void test_invalid(void)
{
    struct series series = {0};
    double r[4] = {42, 42, 42, 42};
    ok(series_autocorrelation(&series, 1, 1, r) == STATS_TOO_FEW, "an empty series is too short");
    for (int i = 0; i < 3; i++)
        append(&series, 5, 0);
    ok(series_autocorrelation(&series, 1, 1, r) == STATS_CONSTANT, "equal values have no autocorrelation");
    append(&series, 51, -1);
    ok(series_autocorrelation(&series, 0, 1, r) == STATS_DOMAIN, "no lags are refused");
    ok(series_autocorrelation(&series, AUTOCORRELATION_LAGS_MAX + 1, 1, r) == STATS_DOMAIN,
       "too many lags are refused");
    ok(series_autocorrelation(&series, 4, 1, r) == STATS_TOO_FEW, "as many lags as values are too many");
    ok(r[0] == 42, "  and no error writes a result");
    ok(!series_autocorrelation(&series, 3, 0, r), "no threads count as one");
    series_free(&series);
}

/* By hand: 1, 2, 4 have deviations −4/3, −1/3, 5/3; squares sum to 42/9, products to −1/9 and −20/9. */
static void test_known(void)
{
    static const struct {
        struct decimal values[3];
        const char *what;
    } known[] = {{{{1, 0}, {2, 0}, {4, 0}}, "1, 2, 4"},
                 {{{100000000000001, -1}, {100000000000002, -1}, {100000000000004, -1}}, "1e13 more, in tenths"},
                 {{{-1, 17}, {-2, 17}, {-4, 17}}, "times -1e17"},
                 {{{10, -320}, {20, -320}, {40, -320}}, "times 1e-319"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct series series = {0};
        double r[2];
        series_append(&series, known[i].values, 3);
        ok(!series_autocorrelation(&series, 2, 1, r) && r[0] == -1.0 / 42 && r[1] == -20.0 / 42,
           "the autocorrelation of %s by hand", known[i].what);
        series_free(&series);
    }
}

/* R 4.2: acf(lh, lag.max = 5, plot = FALSE)$acf, printed to 17 digits; lh is one of its data sets (Diggle 1990). */
static void test_r(void)
{
    static const int lh[] = {24, 24, 24, 22, 21, 15, 23, 23, 25, 20, 19, 17, 22, 18, 32, 32,
                             27, 22, 22, 19, 19, 18, 27, 30, 23, 20, 20, 29, 29, 27, 27, 23,
                             26, 24, 18, 17, 15, 14, 21, 33, 35, 35, 31, 26, 21, 34, 30, 29};
    static const double expected[] = {0.5755244755244755, 0.18181818181818182, -0.14475524475524471,
                                      -0.17482517482517487, -0.14965034965034971};
    struct series series = {0};
    double r[5] = {NAN, NAN, NAN, NAN, NAN};
    for (size_t i = 0; i < sizeof lh / sizeof *lh; i++)
        append(&series, lh[i], -1);
    series_autocorrelation(&series, 5, 1, r);
    for (size_t k = 0; k < 5; k++) {
        char what[96];
        snprintf(what, sizeof what, "R's acf(lh), lag %zu", k + 1);
        is_real(r[k], expected[k], 1e-14, what);
    }
    series_free(&series);
}

/* By definition, in 113 bits: two passes, term by term. */
static double by_definition(const struct series *series, size_t lag)
{
    __float128 sum = 0, squares = 0, products = 0;
    for (size_t i = 0; i < series->n; i++)
        sum += series_quad(series, i);
    __float128 mean = sum / (__float128)series->n;
    for (size_t i = 0; i < series->n; i++) {
        __float128 x = series_quad(series, i) - mean;
        squares += x * x;
        if (i >= lag)
            products += x * (series_quad(series, i - lag) - mean);
    }
    return (double)(products / squares);
}

static void compare(const struct series *series, double tolerance, const char *what)
{
    enum { LAGS = 20 };
    double r[LAGS];
    size_t lags = series->n > LAGS ? LAGS : series->n - 1, good = 0;
    series_autocorrelation(series, lags, 1, r);
    for (size_t k = 1; k <= lags; k++)
        good += fabs(r[k - 1] - by_definition(series, k)) <= tolerance;
    is_u64(good, lags, what);
}

/* Sizes around every change of method and around whole blocks, with every remainder. */
static void test_methods(void)
{
    static const int bits[] = {1, 10, 27, 28, 29, 30, 40, 55, 56, 57, 59};
    static const size_t sizes[] = {3, 4, 5, 21, 255, 256, 257, 4096, 4099};
    for (size_t b = 0; b < sizeof bits / sizeof *bits; b++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            struct series series = random_series(sizes[s], bits[b], b % 2 ? -1000000000000 : 3000);
            char what[96];
            snprintf(what, sizeof what, "%zu values of %d bits", sizes[s], bits[b]);
            compare(&series, bits[b] <= 56 ? 0 : 0x1p-51, what); /* exact up to 56 bits */
            series_free(&series);
        }
    struct series longer = random_series(1000, 58, 0);
    append(&longer, 1, -1);
    compare(&longer, 0x1p-51, "the largest integers, of 62 bits");
    ok(!longer.wide && longer.magnitude > (int64_t)1 << 61, "  they are that large");
    series_free(&longer);
    /* The largest sums: all limbs full. */
    struct series full = {0};
    for (int64_t i = 0; i < 5000; i++)
        append(&full, i % 2000 < 1000 ? ((int64_t)1 << 56) - 1 : i == 1500 ? 0 : ((int64_t)1 << 56) - 2 - i, 0);
    compare(&full, 0, "limbs that are all full");
    series_free(&full);
}

static void test_wide(void)
{
    struct series series = {0};
    for (int i = 0; i < 1000; i++)
        append(&series, (int64_t)(1e17 * (rng_uniform() - 0.5)), -17 - i % 5);
    ok(series.wide != NULL, "values from 1e-300 to 1e300 are kept in 113 bits");
    compare(&series, 0x1p-53 * 6, "their autocorrelation");
    append(&series, -1, 300);
    append(&series, 5, 299);
    compare(&series, 0x1p-53 * 6, "  and with a value of -1e300 among them");
    series_free(&series);
}

/* An independent way: the streaming state of autocorrelation.h, with uncentred sums in one piece. */
static void test_against_state(void)
{
    enum { N = 30000, LAGS = 700 };
    static double r[LAGS], expected[LAGS];
    for (int bits = 20; bits <= 36; bits += 16) {
        struct series series = random_series(N, bits, 12345);
        struct autocorrelation *state = NULL;
        autocorrelation_new(LAGS, &state);
        autocorrelation_add(state, series.fixed, N);
        ok(!autocorrelation_r(state, LAGS, expected) && !series_autocorrelation(&series, LAGS, 2, r) &&
               memcmp(r, expected, sizeof r) == 0,
           "700 lags of 30000 values of %d bits are those of the streaming state", bits);
        autocorrelation_free(state);
        series_free(&series);
    }
}

static void test_threads(void)
{
    enum { N = 300000, LAGS = 7 };
    double one[LAGS], many[LAGS];
    for (int bits = 19; bits <= 59; bits += 20) {
        struct series series = random_series(N, bits, -77);
        unsigned same = 0;
        series_autocorrelation(&series, LAGS, 1, one);
        for (unsigned jobs = 2; jobs <= 9; jobs++)
            same += !series_autocorrelation(&series, LAGS, jobs, many) && memcmp(one, many, sizeof one) == 0;
        is_u64(same, 8, "two to nine threads give the same bits");
        series_free(&series);
    }
}

int main(void)
{
    test_invalid();
    test_known();
    test_r();
    test_methods();
    test_wide();
    test_against_state();
    test_threads();
    return done_testing();
}
