/* fit_cases.h - fits of data as text, and their expected results. */
#ifndef ASSAY_TESTS_FIT_CASES_H
#define ASSAY_TESTS_FIT_CASES_H

#include "stats/fits/fit.h"

#include "tests/stats/series_of.h"
#include "tests/tap.h"

enum { FIT_CASE_COLUMNS = 3 };

static const struct fit_options line = {.degree = 1, .confidence = 0.95};
static const struct fit_options through_origin = {.degree = 1, .no_intercept = true, .confidence = 0.95};

/* y on x[columns], all as text. */
static inline enum stats_status fit_text(const char *y, const char *const *x, size_t columns,
                                         struct fit_options options, struct fit *fit, size_t *dependent)
{
    struct series series[FIT_CASE_COLUMNS], response = series_of(y);
    const struct series *pointers[FIT_CASE_COLUMNS];
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

static inline bool fits(const char *y, const char *const *x, size_t columns, struct fit_options options,
                        struct fit *fit)
{
    size_t dependent;
    enum stats_status status = fit_text(y, x, columns, options, fit, &dependent);
    return ok(!status, "it has a fit (%s)", stats_status_text(status));
}

/* A status is returned, with fit and dependent unchanged. */
static inline void refuses(const char *y, const char *const *x, size_t columns, struct fit_options options,
                           enum stats_status expected, const char *what)
{
    struct fit fit = {.n = 42};
    size_t dependent = 42;
    enum stats_status status = fit_text(y, x, columns, options, &fit, &dependent);
    ok(status == expected && fit.n == 42 && dependent == 42, "%s: %s", what, stats_status_text(status));
}

#endif
