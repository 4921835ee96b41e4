#include "stats/critical.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "stats/beta.h"
#include "stats/gamma.h"
#include "stats/studentized_range.h"

#define LN_2 0.693147180559945309417232121458176568L
#define LEAST_DOF 0.001
#define LOG_T_MAX 5000 /* t² is still a long double; far above the largest double */

/* One side of |T|, as function of log t. */
struct side {
    long double dof;
    bool upper;
};

static long double log_probability(const struct side *side, long double log_t)
{
    long double f = expl(2 * log_t), a = side->dof / 2;
    if (isinf(a))
        return (side->upper ? gamma_log_upper : gamma_log_lower)(0.5L, f / 2, (f - 1) / 2);
    return (side->upper ? beta_log_lower : beta_log_upper)(a, 0.5L, f);
}

/* |d log probability/d log t|. */
static long double slope(const struct side *side, long double log_t, long double log_p)
{
    long double f = expl(2 * log_t), a = side->dof / 2;
    long double log_density = isinf(a) ? gamma_log_density(0.5L, f / 2, (f - 1) / 2) : beta_log_density(a, 0.5L, f);
    return 2 * expl(log_density - log_p);
}

/* Where the far tail, about (1 + t²/dof)^(−dof/2), or the middle, about t, has its probability. */
static long double start(const struct side *side, long double log_p)
{
    if (!side->upper)
        return log_p;
    long double square = isinf(side->dof) ? -2 * log_p : side->dof * expm1l(-2 * log_p / side->dof);
    return fminl(logl(square) / 2, LOG_T_MAX);
}

static long double solve(const struct side *side, long double log_p)
{
    long double log_t = start(side, log_p), step = 1;
    for (int i = 0; i < 100 && fabsl(step) > 1e-11L; i++) {
        long double log_here = log_probability(side, log_t);
        step = (log_here - log_p) / slope(side, log_t, log_here);
        step = side->upper ? step : -step;
        log_t = fminl(log_t + step, LOG_T_MAX);
    }
    return log_t;
}

static enum stats_status give(long double log_value, double *out)
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
    return give(solve(&side, side.upper ? log1pl(-(long double)confidence) : logl(confidence)), t);
}

/* By secants from the right, where all pairs together have p: log P is a concave function of log q. */
static long double solve_range(double p, double groups, double dof)
{
    struct side pair = {dof, true};
    long double log_p = logl(p), log_pairs = logl((long double)groups * (groups - 1) / 2);
    long double log_t = solve(&pair, log_p - log_pairs), log_q = log_t + LN_2 / 2, before = -HUGE_VALL, step = 1;
    long double steepness = slope(&pair, log_t, log_p - log_pairs);
    for (int i = 0; groups > 2 && i < 60 && log_q < logl(DBL_MAX) && fabsl(step) > 1e-13L; i++) {
        long double excess = studentized_range_log_upper((double)expl(log_q), groups, dof) - log_p;
        if (isfinite(before) && before != excess)
            steepness = (before - excess) / step;
        step = excess / steepness;
        before = excess;
        log_q += step;
    }
    return log_q;
}

enum stats_status critical_studentized_range(double p, double groups, double dof, double *q)
{
    if (!(p > 0 && p < 1) || !(groups >= 2 && groups <= STUDENTIZED_RANGE_GROUPS_MAX) || !(dof >= 1))
        return STATS_DOMAIN;
    return give(solve_range(p, groups, dof), q);
}
