#include "stats/distributions/noncentral_t.h"

#include <gsl/gsl_integration.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "stats/distributions/deviance.h"

/* The integrand at these parameters; its derivative by δ has φ in place of Φ. */
struct noncentral {
    double t, dof, noncentrality;
    long double log_factor; /* of the density of S */
    bool derivative;
};

enum { PIECES_OF_S = 12, PIECES_MAX = PIECES_OF_S + 8 };

static double noncentral_t_integrand(double s, void *parameters)
{
    const struct noncentral *at = parameters;
    if (!(s > 0))
        return 0;
    long double excess = ((long double)s - 1) * ((long double)s + 1); /* of s² over 1 */
    double log_density =
        (double)(at->log_factor - (long double)at->dof / 2 * deviance_log((long double)s * s, excess) - logl(s));
    double z = at->noncentrality - at->t * s;
    if (at->derivative)
        return exp(log_density - z * z / 2) / sqrt(2 * M_PI);
    return exp(log_density) * erfc(-z * M_SQRT1_2) / 2;
}

static int noncentral_t_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Ends of pieces, in order: S is within 1 ± 10/√ν but for 1e-20 of its distribution, and Φ changes near δ/t. */
static size_t noncentral_t_cut(const struct noncentral *at, double cuts[PIECES_MAX + 1])
{
    static const double steps[] = {-10, -5, -2, 0, 2, 5, 10};
    size_t count = 0;
    double low = fmax(0, 1 - 10 / sqrt(at->dof)), high = 1 + 10 / sqrt(at->dof);
    for (int i = 0; i <= PIECES_OF_S; i++)
        cuts[count++] = low + (high - low) * i / PIECES_OF_S;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && at->t != 0; i++) {
        double cut = (at->noncentrality + steps[i]) / at->t;
        if (cut > low && cut < high)
            cuts[count++] = cut;
    }
    qsort(cuts, count, sizeof *cuts, noncentral_t_compare);
    return count - 1;
}

static double noncentral_t_integrate(struct noncentral *at, bool derivative)
{
    double cuts[PIECES_MAX + 1], sum = 0, value, unused;
    size_t pieces = noncentral_t_cut(at, cuts);
    at->derivative = derivative;
    for (size_t i = 0; i < pieces; i++) {
        if (cuts[i] == cuts[i + 1])
            continue;
        gsl_integration_qk61(&(gsl_function){noncentral_t_integrand, at}, cuts[i], cuts[i + 1], &value, &unused,
                             &unused, &unused);
        sum += value;
    }
    return sum;
}

static bool noncentral_t_init(struct noncentral *at, double t, double dof, double noncentrality)
{
    if (!isfinite(t) || !isfinite(noncentrality) || !(dof >= 1) || isinf(dof))
        return false;
    /* 2·(ν/2)^(ν/2)·e^(−ν/2)/Γ(ν/2) */
    long double a = (long double)dof / 2;
    *at = (struct noncentral){.t = t, .dof = dof, .noncentrality = noncentrality};
    at->log_factor = logl(2) + (logl(a) - logl(2 * acosl(-1))) / 2 - deviance_stirling(a);
    return true;
}

enum stats_status noncentral_t_tail(double t, double dof, double noncentrality, double *p)
{
    struct noncentral at;
    if (!noncentral_t_init(&at, t, dof, noncentrality))
        return STATS_DOMAIN;
    *p = fmin(noncentral_t_integrate(&at, false), 1);
    return STATS_OK;
}

/* log P grows with δ and is concave, so that Newton's steps come from below after the first, and converge. */
enum stats_status noncentral_t_limit(double t, double dof, double p, double *noncentrality)
{
    struct noncentral at;
    if (!noncentral_t_init(&at, t, dof, t) || !(p >= 1e-9 && p <= 1 - 1e-9))
        return STATS_DOMAIN;
    for (int i = 0; i < 200; i++) {
        double tail = noncentral_t_integrate(&at, false), slope = noncentral_t_integrate(&at, true);
        double step = log(p / tail) * tail / slope, scale = fmax(1, fabs(at.noncentrality));
        if (!isfinite(step)) /* so far off that the tail is 0: nearer to t it is not */
            step = (t - at.noncentrality) / 2;
        at.noncentrality += step;
        if (fabs(step) <= 1e-13 * scale)
            break;
    }
    *noncentrality = at.noncentrality;
    return STATS_OK;
}

/* By Stirling's errors, as the logarithms of the Γs would cancel. */
enum stats_status noncentral_t_correction(double dof, double *correction)
{
    if (!(dof > 1) || isinf(dof))
        return STATS_DOMAIN;
    long double a = (long double)dof / 2;
    *correction = (double)expl(-(a - 1) * log1pl(-1 / (long double)dof) - 0.5L + deviance_stirling(a) -
                               deviance_stirling(a - 0.5L));
    return STATS_OK;
}
