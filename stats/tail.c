#include "stats/tail.h"

#include <float.h>
#include <math.h>

#define LN_10 2.302585092994045684017991454684364208L
#define TWO_PI 6.283185307179586476925286766559005768L

/* log Γ(a+1) − [(a+½)·log a − a + ½·log 2π]: Stirling's error. */
static long double stirling_error(long double a)
{
    if (a < 30)
        return lgammal(a + 1) - ((a + 0.5L) * logl(a) - a + 0.5L * logl(TWO_PI));
    static const long double coefficient[] = {1 / 12.0L,   -1 / 360.0L,      1 / 1260.0L, -1 / 1680.0L,
                                              1 / 1188.0L, -691 / 360360.0L, 1 / 156.0L,  -3617 / 122400.0L};
    long double sum = 0, square = 1 / (a * a);
    for (int i = 7; i >= 0; i--)
        sum = sum * square + coefficient[i];
    return sum / a;
}

/* t − log(1+t), t = x/a − 1, without cancellation near t = 0 and t = −1. */
static long double deviance(long double a, long double x)
{
    long double t = (x - a) / a;
    if (fabsl(t) > 0.1L)
        return t - logl(x / a);
    /* log(1+t) = 2·artanh(s), s = t/(2+t); and t − 2s = t·s. */
    long double s = t / (2 + t), square = s * s, power = s * square, sum = 0;
    for (int i = 3; power != 0 && fabsl(power / i) > LDBL_EPSILON * fabsl(sum); i += 2, power *= square)
        sum += power / i;
    return t * s - 2 * sum;
}

/* log of x^a·e^−x/Γ(a+1). */
static long double log_factor(long double a, long double x)
{
    return -0.5L * logl(TWO_PI * a) - stirling_error(a) - a * deviance(a, x);
}

/* Σ x^i/((a+1)…(a+i)): P(a,x) = factor · sum (DLMF 8.7.1). */
static long double lower_sum(long double a, long double x)
{
    long double term = 1, sum = 1;
    for (long double i = 1; term > sum * LDBL_EPSILON / 4; i++) {
        term *= x / (a + i);
        sum += term;
    }
    return sum;
}

/* Γ(a,x)/(x^a·e^−x) by Lentz's evaluation of the even part of DLMF 8.9.2; x > a+1, so every denominator is positive. */
static long double upper_fraction(long double a, long double x)
{
    long double b = x + 1 - a, c = HUGE_VALL, d = 1 / b, value = d;
    for (long double i = 1;; i++) {
        long double numerator = i * (a - i);
        b += 2;
        d = 1 / (b + numerator * d);
        c = b + numerator / c;
        long double change = c * d;
        value *= change;
        if (fabsl(change - 1) < 2 * LDBL_EPSILON)
            return value;
    }
}

/* log Q(a,x), x > 0. */
static long double log_upper(long double a, long double x)
{
    long double factor = log_factor(a, x);
    if (x > a + 1)
        return factor + logl(a * upper_fraction(a, x));
    return log1pl(-expl(factor) * lower_sum(a, x));
}

enum stats_status tail_chi_square(double x, double dof, struct tail *out)
{
    if (!(x >= 0) || !(dof >= 1 && dof <= 1e12))
        return STATS_DOMAIN;
    long double log_p = x == 0 ? 0 : isinf(x) ? -HUGE_VALL : log_upper(dof / 2.0L, x / 2.0L);
    out->p = (double)expl(log_p);
    out->log10_p = (double)(log_p / LN_10);
    return STATS_OK;
}
