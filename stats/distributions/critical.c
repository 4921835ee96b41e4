#include "stats/distributions/critical.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "stats/distributions/beta.h"
#include "stats/distributions/gamma.h"
#include "stats/distributions/studentized_range.h"

#define LN_2 0.693147180559945309417232121458176568L
#define LEAST_DOF 0.001
#define LOG_T_MAX 5000 /* t² is still a long double; far above the largest double */

/* One side of |T|, as function of log t. */
struct side {
    long double dof;
    bool upper;
};

/* log P and how it changes with log t. */
struct point {
    long double log_p;
    long double slope; /* |d log P/d log t| */
    long double bend;  /* d log slope/d log t */
};

static struct point critical_evaluate(const struct side *side, long double log_t)
{
    long double square = expl(2 * log_t), a = side->dof / 2, log_density, growth;
    struct point at;
    assert(side->dof >= LEAST_DOF);
    if (isinf(a)) {
        at.log_p = (side->upper ? gamma_log_upper : gamma_log_lower)(0.5L, square / 2, (square - 1) / 2, &log_density);
        growth = 1 - square;
    } else {
        at.log_p = (side->upper ? beta_log_lower : beta_log_upper)(a, 0.5L, square, &log_density);
        growth = (1 - square) / (1 + square / side->dof);
    }
    at.slope = 2 * expl(log_density - at.log_p); /* of log t², half as dense */
    at.bend = growth + (side->upper ? at.slope : -at.slope);
    return at;
}

/* Halley's method: a step leaves an error of about its cube. */
static long double critical_solve_t(const struct side *side, long double log_p)
{
    long double log_t = log_p, step = 1; /* from the middle, about t, */
    if (side->upper) {                   /* or from the far tail, about (1 + t²/dof)^(−dof/2) */
        long double square = isinf(side->dof) ? -2 * log_p : side->dof * expm1l(-2 * log_p / side->dof);
        log_t = fminl(logl(square) / 2, LOG_T_MAX);
    }
    for (int i = 0; i < 100 && fabsl(step) > 1e-6L; i++) {
        struct point at = critical_evaluate(side, log_t);
        step = (side->upper ? at.log_p - log_p : log_p - at.log_p) / at.slope;
        step /= fmaxl(1 + step * at.bend / 2, 0.5L);
        log_t = fminl(log_t + step, LOG_T_MAX);
    }
    return log_t;
}

static enum stats_status critical_set_result(long double log_value, double *out)
{
    double value = (double)expl(log_value);
    if (isinf(value))
        return STATS_OVERFLOW;
    *out = value;
    return STATS_OK;
}

enum stats_status critical_t(double confidence, double dof, double *t)
{
    if (!(confidence > 0 && confidence < 1) || !(dof >= LEAST_DOF))
        return STATS_DOMAIN;
    struct side side = {dof, confidence > 0.5};
    return critical_set_result(
        critical_solve_t(&side, side.upper ? log1pl(-(long double)confidence) : logl(confidence)), t);
}

enum stats_status critical_studentized_range(double p, double groups, double dof, double *q)
{
    if (!(p > 0 && p < 1) || !(groups >= 2 && groups <= STUDENTIZED_RANGE_GROUPS_MAX) || !(dof >= 1))
        return STATS_DOMAIN;
    /* By secants from the right, where all pairs together have p: log P is a concave function of log q. */
    struct side pair = {dof, true};
    long double log_p = logl(p), log_pairs = logl((long double)groups * (groups - 1) / 2);
    long double log_t = critical_solve_t(&pair, log_p - log_pairs), log_q = log_t + LN_2 / 2, before = -HUGE_VALL,
                step = 1;
    long double steepness = critical_evaluate(&pair, log_t).slope;
    for (int i = 0; groups > 2 && i < 60 && log_q < logl(DBL_MAX) && fabsl(step) > 1e-13L; i++) {
        long double excess = studentized_range_log_upper((double)expl(log_q), groups, dof) - log_p;
        if (isfinite(before) && before != excess)
            steepness = (before - excess) / step;
        step = excess / steepness;
        before = excess;
        log_q += step;
    }
    return critical_set_result(log_q, q);
}
