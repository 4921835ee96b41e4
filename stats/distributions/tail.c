#include "stats/distributions/tail.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "stats/distributions/beta.h"
#include "stats/distributions/gamma.h"
#include "stats/distributions/studentized_range.h"

#define LN_2 0.693147180559945309417232121458176568L
#define LN_10 2.302585092994045684017991454684364208L

#define LEAST_DOF 0.001 /* below it 1 − P of a shape near 0 loses the promised digits */

/* Rounding may put log p of a p near 1 above 0; and + 0.0 turns −0 into 0. */
static enum stats_status tail_set_result(long double log_p, struct tail *out)
{
    log_p = log_p > 0 ? 0 : log_p;
    out->p = (double)expl(log_p);
    out->log10_p = (double)(log_p / LN_10) + 0.0;
    return STATS_OK;
}

static bool tail_is_dof(double dof)
{
    return dof > 0;
}

enum stats_status tail_chi_square(double x, double dof, struct tail *out)
{
    if (!(x >= 0) || !(dof >= LEAST_DOF && isfinite(dof)))
        return STATS_DOMAIN;
    if (x == 0 || isinf(x))
        return tail_set_result(x == 0 ? 0 : -HUGE_VALL, out);
    return tail_set_result(gamma_log_upper(dof / 2.0L, x / 2.0L, ((long double)x - dof) / 2, NULL), out);
}

/* log P(F ≥ f). */
static long double tail_log_f(long double f, long double dof_between, long double dof_within)
{
    long double a = dof_within / 2, b = dof_between / 2;
    if (f == 0 || isinf(f))
        return f == 0 ? 0 : -HUGE_VALL;
    return isinf(a) ? gamma_log_upper(b, b * f, b * (f - 1), NULL) : beta_log_lower(a, b, f, NULL);
}

enum stats_status tail_f(double f, double dof_between, double dof_within, struct tail *out)
{
    if (!(f >= 0) || !(dof_between >= LEAST_DOF && isfinite(dof_between)) || !tail_is_dof(dof_within))
        return STATS_DOMAIN;
    return tail_set_result(tail_log_f(f, dof_between, dof_within), out);
}

/* log P(|T| ≥ |t|). */
static long double tail_log_two_sided(long double t, long double dof)
{
    return tail_log_f(t * t, 1, dof);
}

static long double tail_log_one_sided(long double t, long double dof)
{
    long double log_both = tail_log_two_sided(t, dof);
    return t > 0 ? log_both - LN_2 : log1pl(-expl(log_both) / 2);
}

enum stats_status tail_t(double t, double dof, struct tail *out)
{
    return isnan(t) || !tail_is_dof(dof) ? STATS_DOMAIN : tail_set_result(tail_log_one_sided(t, dof), out);
}

enum stats_status tail_t_two_sided(double t, double dof, struct tail *out)
{
    return isnan(t) || !tail_is_dof(dof) ? STATS_DOMAIN : tail_set_result(tail_log_two_sided(t, dof), out);
}

enum stats_status tail_normal(double z, struct tail *out)
{
    return tail_t(z, INFINITY, out);
}

enum stats_status tail_normal_two_sided(double z, struct tail *out)
{
    return tail_t_two_sided(z, INFINITY, out);
}

enum stats_status tail_studentized_range(double q, double groups, double dof, struct tail *out)
{
    if (!(q >= 0) || !(groups >= 2 && groups <= STUDENTIZED_RANGE_GROUPS_MAX) || !(dof >= 1))
        return STATS_DOMAIN;
    if (groups == 2)
        return tail_set_result(tail_log_two_sided(q / sqrtl(2), dof), out);
    if (q == 0 || isinf(q))
        return tail_set_result(q == 0 ? 0 : -HUGE_VALL, out);
    return tail_set_result(studentized_range_log_upper(q, groups, dof), out);
}
