/*
 * Expected values, unless said otherwise: exact rational least squares (the normal equations in Python 3 fractions.Fraction)
 * and p-values and quantiles from mpmath.betainc with 60 digits.
 */
#include "stats/fit.h"

#include "tests/stats/series_of.h"
#include "tests/tap.h"

enum { COLUMNS = 3 };

static const struct fit_options line = {.degree = 1, .confidence = 0.95};
static const struct fit_options through_origin = {.degree = 1, .no_intercept = true, .confidence = 0.95};

/* y on x[columns], all of them as text. */
static enum stats_status fit_text(const char *y, const char *const *x, size_t columns, struct fit_options options,
                                  struct fit *fit, size_t *dependent)
{
    struct series series[COLUMNS], response = series_of(y);
    const struct series *pointers[COLUMNS];
    for (size_t i = 0; i < columns; i++) {
        series[i] = series_of(x[i]);
        pointers[i] = &series[i];
    }
    enum stats_status status = fit_least_squares(&response, pointers, columns, options, fit, dependent);
    for (size_t i = 0; i < columns; i++)
        series_free(&series[i]);
    series_free(&response);
    return status;
}

static bool fits(const char *y, const char *const *x, size_t columns, struct fit_options options, struct fit *fit)
{
    size_t dependent;
    enum stats_status status = fit_text(y, x, columns, options, fit, &dependent);
    return ok(!status, "it has a fit (%s)", stats_status_text(status));
}

/* A status is returned, with fit and dependent as they were. */
static void refuses(const char *y, const char *const *x, size_t columns, struct fit_options options,
                    enum stats_status expected, const char *what)
{
    struct fit fit = {.n = 42};
    size_t dependent = 42;
    enum stats_status status = fit_text(y, x, columns, options, &fit, &dependent);
    ok(status == expected && fit.n == 42 && dependent == 42, "%s: %s", what, stats_status_text(status));
}

static void is_dependent(const char *y, const char *const *x, size_t columns, struct fit_options options, size_t term,
                         const char *what)
{
    struct fit fit = {.n = 42};
    size_t dependent = 42;
    enum stats_status status = fit_text(y, x, columns, options, &fit, &dependent);
    ok(status == STATS_DEPENDENT && fit.n == 42, "%s: %s", what, stats_status_text(status));
    is_u64(dependent, term, "it is that term");
}

static void test_invalid(void)
{
    const char *x[] = {"1 2 3 5", "1 4 9 16", "1 2 3"};
    const char *y = "3 1 4 1";
    struct fit_options options = line;
    refuses(y, x, 0, line, STATS_DOMAIN, "no column");
    options.degree = 0;
    refuses(y, x, 1, options, STATS_DOMAIN, "degree 0");
    options.degree = FIT_DEGREE_MAX + 1;
    refuses(y, x, 1, options, STATS_DOMAIN, "too high a degree");
    options.degree = 2;
    refuses(y, x, 2, options, STATS_DOMAIN, "powers of two columns");
    refuses(y, x + 2, 1, line, STATS_DOMAIN, "columns of different lengths");
    static const double confidences[] = {0, 1, -0.5, 95, NAN, INFINITY};
    for (size_t i = 0; i < sizeof confidences / sizeof *confidences; i++) {
        options = line;
        options.confidence = confidences[i];
        refuses(y, x, 1, options, STATS_DOMAIN, "a confidence out of range");
    }
    refuses("", (const char *[]){""}, 1, line, STATS_TOO_FEW, "no rows");
    refuses("1 2", (const char *[]){"1 2"}, 1, line, STATS_TOO_FEW, "as many rows as terms");
    refuses("1", (const char *[]){"1"}, 1, through_origin, STATS_TOO_FEW, "one row and one term");
    options.confidence = 0.95;
    options.degree = 3;
    refuses(y, x, 1, options, STATS_TOO_FEW, "four rows and a cubic");
    refuses("7 7 7 7", x, 1, line, STATS_CONSTANT, "a constant y");
    refuses("0 0 0 0", x, 1, through_origin, STATS_CONSTANT, "a y of 0 through the origin");
    refuses("1e300 2e300 4e300", (const char *[]){"1e-300 2e-300 3e-300"}, 1, line, STATS_OVERFLOW, "a slope of 1e600");
    refuses("1e-300 2e-300 4e-300", (const char *[]){"1e300 2e300 3e300"}, 1, line, STATS_OVERFLOW, "a slope of 1e-600");
}

static void test_dependent(void)
{
    const char *y = "3 1 4 1 5 9";
    is_dependent(y, (const char *[]){"5 5 5 5 5 5"}, 1, line, 1, "a constant column");
    is_dependent(y, (const char *[]){"0 0 0 0 0 0"}, 1, through_origin, 0, "a column of 0");
    is_dependent(y, (const char *[]){"1 2 3 4 5 7", "2 4 6 8 10 14"}, 2, line, 2, "a column twice");
    is_dependent(y, (const char *[]){"1.1 2 3 4 5 7", "1 0 2 0 3 0", "-10.1 -13 -21 -27 -32 -48"}, 3, line, 3,
                 "z = 1 − 7x − 3.4w + …: no, x and w"); 
    is_dependent("7 7 7 7 7 7", (const char *[]){"5 5 5 5 5 5"}, 1, line, 1, "both constant: x is told");
    struct fit_options quadratic = {.degree = 2, .confidence = 0.95};
    is_dependent(y, (const char *[]){"1 2 1 2 1 2"}, 1, quadratic, 2, "a parabola through two places");
    /* Values that take more than 62 bits, and thirds of them. */
    is_dependent(y, (const char *[]){"1e12 2.3e-13 3e5 4.4 5.1e-3 1e9", "3e12 6.9e-13 9e5 13.2 15.3e-3 3e9"}, 2, line, 2,
                 "three times a column of 113 bits");
}
