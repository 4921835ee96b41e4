#include "stats/distributions/gamma.h"

#include <assert.h>
#include <float.h>
#include <gsl/gsl_integration.h>
#include <math.h>
#include <stdbool.h>

#include "stats/distributions/deviance.h"

#define TWO_PI 6.283185307179586476925286766559005768L
#define LARGE 10000 /* from here on 61 nodes cost less than √a terms */
#define REACH 50    /* e^−50 is below the rounding of 1 */

/* Σ x^i/(a·(a+1)…(a+i)) = P(a,x)/density (DLMF 8.7.1). */
static long double gamma_series(long double a, long double x)
{
    long double term = 1, sum = 1;
    for (long double i = 1; term > sum * LDBL_EPSILON / 4; i++) {
        term *= x / (a + i);
        sum += term;
    }
    return sum / a;
}

/* Q(a,x)/density by Lentz's evaluation of the even part of DLMF 8.9.2; x > a+1, so every denominator is positive. */
static long double gamma_continued_fraction(long double a, long double x)
{
    long double b = x + 1 - a, c = HUGE_VALL, d = 1 / b, value = d, change;
    long double i = 1;
    do {
        long double numerator = i * (a - i);
        b += 2;
        d = 1 / (b + numerator * d);
        c = b + numerator / c;
        change = c * d;
        value *= change;
        i++;
    } while (fabsl(change - 1) > 2 * LDBL_EPSILON);
    return value;
}

/* Outwards from x, at t = x·e^±s, the density of log t falls as e^−(x·(e^±s − 1 ∓ s) + |x−a|·s). */
struct fall {
    long double x, slope;
    bool upper;
};

static double gamma_relative_density(double s, void *parameters)
{
    const struct fall *fall = parameters;
    return (double)expl(-fall->x * deviance_exp(fall->upper ? s : -s) - fall->slope * s);
}

static long double gamma_integrate_tail(long double x, long double excess, bool upper)
{
    struct fall fall = {x, upper ? excess : -excess, upper};
    /* where slope·s + x·s²/2 = REACH */
    long double end = 2 * REACH / (fall.slope + sqrtl(fall.slope * fall.slope + 2 * REACH * x));
    double value, unused;
    gsl_integration_qk61(&(gsl_function){gamma_relative_density, &fall}, 0, (double)end, &value, &unused, &unused,
                         &unused);
    return value;
}

static long double gamma_log_tail(long double a, long double x, long double excess, bool upper,
                                  long double *log_density)
{
    assert(a > 0 && x >= 0);
    bool small_upper = excess > 1; /* the smaller tail, or nearly so */
    long double part = a > LARGE     ? gamma_integrate_tail(x, excess, small_upper)
                       : small_upper ? gamma_continued_fraction(a, x)
                                     : gamma_series(a, x);
    /* log of x^a·e^−x/Γ(a). */
    long double log_factor = 0.5L * logl(a / TWO_PI) - deviance_stirling(a) - a * deviance_log(x / a, excess / a),
                log_small = log_factor + logl(part);
    if (log_density)
        *log_density = log_factor;
    return upper == small_upper ? log_small : log1pl(-expl(log_small));
}

long double gamma_log_lower(long double a, long double x, long double excess, long double *log_density)
{
    return gamma_log_tail(a, x, excess, false, log_density);
}

long double gamma_log_upper(long double a, long double x, long double excess, long double *log_density)
{
    return gamma_log_tail(a, x, excess, true, log_density);
}
