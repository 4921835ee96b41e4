/* A verdict and the interval beside it never contradict each other: the interval excludes 1 exactly where p is below
 * the level, in every simulated comparison. Arguments: how many comparisons of each kind (a few, so that the test is
 * fast). */
#include "analyze/compare/comparison.h"

#include <math.h>
#include <stdlib.h>

#include "stats/exact/decimal.h"
#include "tests/tap.h"

enum { VALUES_MAX = 40 };

static uint64_t state = 20240229;

/* xorshift64*, in (0, 1) */
static double uniform(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return ((double)(state * UINT64_C(2685821657736338717) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    double radius = sqrt(-2 * log(uniform()));
    return radius * cos(6.283185307179586 * uniform());
}

/* Times of a run: about 1, with this spread, and the skew that real ones have. */
static void draw(double *x, size_t n, double mean, double spread, bool skewed)
{
    for (size_t i = 0; i < n; i++)
        x[i] = skewed ? mean * exp(spread * normal()) : fmax(mean * (1 + spread * normal()), 1e-3);
}

static bool make_side(struct comparison_side *side, const double *x, size_t n)
{
    struct decimal decimals[VALUES_MAX];
    struct series series = {0};
    bool good = true;
    for (size_t i = 0; i < n; i++)
        good &= decimal_of_double(x[i], &decimals[i]) == STATS_OK;
    good = good && series_append(&series, decimals, n) == STATS_OK && comparison_side_init(side, &series) == STATS_OK;
    series_free(&series);
    return good;
}

/* How many of these comparisons have a verdict that their interval contradicts; *judged: how many have both. */
static size_t contradictions(enum comparison_method method, size_t count, size_t least, size_t most, size_t *judged)
{
    const struct comparison_request request = {.method = method, .question = COMPARISON_DIFFERS, .confidence = 0.95};
    size_t wrong = 0;
    for (size_t i = *judged = 0; i < count; i++) {
        double x[VALUES_MAX], y[VALUES_MAX];
        struct comparison_side a, b;
        struct comparison found;
        size_t n = least + (size_t)(uniform() * (double)(most - least + 1)), m = n;
        if (uniform() < 0.5)
            m = least + (size_t)(uniform() * (double)(most - least + 1));
        double spread = 0.01 * pow(30, uniform()), shift = 1 + 3 * spread * uniform() / sqrt((double)n);
        draw(x, n, shift, spread, i % 2);
        draw(y, m, 1, spread * (i % 3 ? 1 : 4), i % 2);
        if (!make_side(&a, x, n) || !make_side(&b, y, m) || comparison_make(&a, &b, &request, &found) != STATS_OK)
            return SIZE_MAX;
        if (!found.no_interval && !found.no_test) {
            bool outside = found.ratio.low > 1 || found.ratio.high < 1;
            wrong += outside != (found.p < 0.05);
            ++*judged;
        }
        comparison_side_free(&a);
        comparison_side_free(&b);
    }
    return wrong;
}

static void test(const char *name, enum comparison_method method, size_t count, size_t least, size_t most)
{
    size_t judged, wrong = contradictions(method, count, least, most, &judged);
    ok(wrong == 0 && judged > count / 2, "%s, %zu to %zu values: the interval contradicts %zu of %zu verdicts", name,
       least, most, wrong, judged);
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    test("Welch's test and Fieller's interval", COMPARISON_WELCH, count, 2, 5);
    test("Welch's test and Fieller's interval", COMPARISON_WELCH, count, 5, 30);
    test("Mann and Whitney, exact", COMPARISON_MANN_WHITNEY, count, 4, 9);
    test("Mann and Whitney, normal", COMPARISON_MANN_WHITNEY, count, 20, VALUES_MAX);
    test("bootstrap", COMPARISON_BOOTSTRAP, count / 4, 5, 20);
    return done_testing();
}
