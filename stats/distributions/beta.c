#include "stats/distributions/beta.h"

#include <assert.h>
#include <float.h>
#include <gsl/gsl_integration.h>
#include <math.h>
#include <stdbool.h>

#include "stats/distributions/deviance.h"

#define TWO_PI 6.283185307179586476925286766559005768L
#define LARGE 10000 /* from here on 61 nodes cost less than √m terms */
#define REACH 50    /* e^−50 is below the rounding of 1 */

struct point {
    long double a, b, x, y; /* y = 1 − x */
    long double lambda;     /* a − (a+b)·x */
};

/* log of x^a·y^b/B(a,b), the same for 1 − X, whose distribution has a and b swapped. */
static long double beta_log_factor(long double a, long double b, long double ratio)
{
    long double n = a + b, sum = a + b * ratio;
    long double errors = deviance_stirling(n) - deviance_stirling(a) - deviance_stirling(b);
    long double of_x = a * deviance_log(n / sum, b * (1 - ratio) / sum);
    long double of_y = b * deviance_log(n * ratio / sum, a * (ratio - 1) / sum);
    return 0.5L * logl(a / n * b / TWO_PI) + errors - of_x - of_y;
}

/* I_x(a,b)/density; x left of the mean or little beyond it, so every denominator is positive. */
static long double beta_continued_fraction(const struct point *at)
{
    long double a = at->a, b = at->b, first = at->lambda + 1;
    long double c = HUGE_VALL, d = (a + 1) / (a * first), value = d, change, i = 1;
    do {
        long double odd = a + 2 * i - 1, step = i * (b - i) * at->x / odd;
        long double numerator = (a + i - 1) / odd * (a + b + i - 1) * step * at->x;
        long double denominator = i + step + (a + i) / (odd + 2) * (first + i * (1 + at->y));
        d = 1 / (denominator + numerator * d);
        c = denominator + numerator / c;
        change = c * d;
        value *= change;
        i++;
    } while (fabsl(change - 1) > 4 * LDBL_EPSILON);
    return value;
}

/* Outwards from x, at t/(1−t) = x/y·e^−s, the density of log t/(1−t) falls as e^−(λ·s + n·(log(y + x·e^−s) + x·s)). */
static double beta_relative_density(double s, void *parameters)
{
    const struct point *at = parameters;
    bool low = at->x <= at->y; /* the log's two forms: cancellation costs a factor of 2 at most */
    long double p = low ? at->x : at->y, signed_s = low ? -s : s, shift = p * expm1l(signed_s);
    long double bend = p * deviance_exp(signed_s) - deviance_log(1 + shift, shift);
    return (double)expl(-at->lambda * s - (at->a + at->b) * bend);
}

static long double beta_integrate_tail(struct point *at)
{
    long double curvature = (at->a + at->b) * at->x * at->y;
    /* where λ·s + curvature·s²/2 = REACH */
    long double end = 2 * REACH / (at->lambda + sqrtl(at->lambda * at->lambda + 2 * REACH * curvature));
    double value, unused;
    gsl_integration_qk61(&(gsl_function){beta_relative_density, at}, 0, (double)end, &value, &unused, &unused, &unused);
    return value;
}

static long double beta_log_tail(long double a, long double b, long double ratio, bool upper, long double *log_density)
{
    long double sum = a + b * ratio;
    struct point at = (struct point){a, b, a / sum, b * ratio / sum, a / sum * b * (ratio - 1)};
    assert(a > 0 && b > 0 && ratio > 0);
    bool small_upper = at.x * (b + 1) >= at.y * (a + 1); /* the smaller tail, or nearly so */
    if (small_upper) {
        /* The same point of 1 − X, whose distribution has a and b swapped. */
        at = (struct point){at.b, at.a, at.y, at.x, -at.lambda};
    }
    long double part = a / (a + b) * b > LARGE ? beta_integrate_tail(&at) : beta_continued_fraction(&at),
                log_factor = beta_log_factor(a, b, ratio);
    if (log_density)
        *log_density = log_factor;
    long double log_small = log_factor + logl(part);
    return upper == small_upper ? log_small : log1pl(-expl(log_small));
}

long double beta_log_lower(long double a, long double b, long double ratio, long double *log_density)
{
    return beta_log_tail(a, b, ratio, false, log_density);
}

long double beta_log_upper(long double a, long double b, long double ratio, long double *log_density)
{
    return beta_log_tail(a, b, ratio, true, log_density);
}
