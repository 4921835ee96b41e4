/*
 * tails.h - shared by the tests of tails: compares a tail with its reference to 15 digits of both p and log10 p.
 */
#ifndef ASSAY_TESTS_STATS_TAILS_H
#define ASSAY_TESTS_STATS_TAILS_H

#include "stats/distributions/tail.h"
#include "tests/tap.h"

/* A p of 0 stands for one below 1e-307, where a double has fewer digits. */
static inline bool is_tail(enum stats_status status, struct tail got, double p, double log10_p, double tolerance,
                           const char *what)
{
    bool p_good = p == 0 ? got.p >= 0 && got.p < 1.01e-307 : fabs(got.p - p) <= tolerance * p;
    bool good = !status && p_good && fabs(got.log10_p - log10_p) <= tolerance * fabs(log10_p);
    ok(good, "%s", what);
    if (!good)
        printf("# status %d, p %.17g (expected %.17g), log10 p %.17g (expected %.17g)\n", (int)status, got.p, p,
               got.log10_p, log10_p);
    return good;
}

/* The statistic is so extreme that p is 0 or 1. */
static inline bool is_limit(enum stats_status status, struct tail got, double p, const char *what)
{
    return ok(!status && got.p == p && got.log10_p == (p == 0 ? -INFINITY : 0) && !(p == 1 && signbit(got.log10_p)),
              "%s", what);
}

#endif
