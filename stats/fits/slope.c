#include "stats/fits/slope.h"

#include <assert.h>
#include <math.h>

#include "stats/estimates/order.h"

/* Mean minus the first value: exactly 0 for a constant. */
static long double slope_mean_from_first(const double *x, size_t n)
{
    long double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (long double)x[i] - x[0];
    return sum / (long double)n;
}

enum stats_status slope_sums(const double *z, const double *x, const double *y, size_t n, struct slope_sums *sums)
{
    if (n < 2)
        return STATS_TOO_FEW;
    if (!order_all_finite(z, n) || !order_all_finite(x, n) || !order_all_finite(y, n))
        return STATS_DOMAIN;
    long double mz = slope_mean_from_first(z, n), mx = slope_mean_from_first(x, n), my = slope_mean_from_first(y, n);
    long double zz = 0, xx = 0, yy = 0, zx = 0, zy = 0, xy = 0;
    for (size_t i = 0; i < n; i++) {
        long double dz = (long double)z[i] - z[0] - mz, dx = (long double)x[i] - x[0] - mx;
        long double dy = (long double)y[i] - y[0] - my;
        zz += dz * dz, xx += dx * dx, yy += dy * dy;
        zx += dz * dx, zy += dz * dy, xy += dx * dy;
    }
    const struct slope_sums made = {n,          (double)(x[0] + mx), (double)(y[0] + my), (double)zz, (double)xx,
                                    (double)yy, (double)zx,          (double)zy,          (double)xy};
    if (!isfinite(made.zz) || !isfinite(made.xx) || !isfinite(made.yy))
        return STATS_OVERFLOW;
    *sums = made;
    return STATS_OK;
}

enum stats_status slope_of(const struct slope_sums *sums, double *slope)
{
    if (sums->zx == 0)
        return STATS_CONSTANT;
    double found = sums->zy / sums->zx;
    if (!isfinite(found))
        return STATS_OVERFLOW;
    *slope = found;
    return STATS_OK;
}

enum stats_status slope_interval(const struct slope_sums *sums, double confidence, struct interval *out)
{
    double slope, q;
    if (sums->n < 3)
        return STATS_TOO_FEW;
    enum stats_status status = slope_of(sums, &slope);
    if (!status)
        status = interval_quantile(INTERVAL_T, (double)(sums->n - 2), confidence, &q);
    if (status)
        return status;
    double rest = fma(slope, fma(slope, sums->xx, -2 * sums->xy), sums->yy); /* may round to below 0 */
    double half = q * sqrt(fmax(rest, 0) / (double)(sums->n - 2)) * sqrt(sums->zz) / fabs(sums->zx);
    if (!isfinite(half))
        return STATS_OVERFLOW;
    *out = (struct interval){slope, slope - half, slope + half, half};
    return STATS_OK;
}

/* Means of S_zx and S_zy over series. */
static void slope_mean_sums(const struct slope_sums *sums, size_t count, double *zx, double *zy)
{
    long double x = 0, y = 0;
    assert(count >= 2);
    for (size_t i = 0; i < count; i++)
        x += sums[i].zx, y += sums[i].zy;
    *zx = (double)(x / (long double)count);
    *zy = (double)(y / (long double)count);
}

enum stats_status slope_together(const struct slope_sums *sums, size_t count, bool use_z, double confidence,
                                 struct interval *out)
{
    double q, zx, zy;
    if (count < 2)
        return STATS_TOO_FEW;
    slope_mean_sums(sums, count, &zx, &zy);
    double slope = zy / zx;
    enum stats_status status = interval_quantile(use_z ? INTERVAL_Z : INTERVAL_T, (double)(count - 1), confidence, &q);
    if (!status && zx == 0)
        status = STATS_CONSTANT;
    if (!status && !isfinite(slope))
        status = STATS_OVERFLOW;
    if (status)
        return status;
    /*
     * With e = S_zy − β·S_zx around the slope β, δ the distance from it, v variances of means: (x̄·δ)² = q²(v_ee −
     * 2δ·v_ex + δ²·v_xx). Written in δ, it is exactly 0 where all series have the same slope.
     */
    long double ee = 0, ex = 0, xx = 0;
    for (size_t i = 0; i < count; i++) {
        long double e = fma(-slope, sums[i].zx, sums[i].zy), x = (long double)sums[i].zx - zx;
        ee += e * e, ex += e * x, xx += x * x;
    }
    long double part = (long double)q * q / ((long double)count * (long double)(count - 1));
    long double a = (long double)zx * zx - part * xx, b = part * ex, c = part * ee;
    if (!(a > 0))
        return STATS_CONSTANT;
    long double root = sqrtl(b * b + a * c);
    double low = (double)(slope + (-b - root) / a), high = (double)(slope + (-b + root) / a);
    if (!isfinite(low) || !isfinite(high))
        return STATS_OVERFLOW;
    *out = (struct interval){slope, low, high, (high - low) / 2};
    return STATS_OK;
}

enum stats_status slope_strength(const struct slope_sums *sums, size_t count, double *f)
{
    double mean, unused;
    long double squares = 0;
    if (count == 0)
        return STATS_TOO_FEW;
    if (count == 1) {
        double explained = sums->zz > 0 ? sums->zx / sums->zz * sums->zx : 0, rest = fmax(sums->xx - explained, 0);
        if (sums->n < 3)
            return STATS_TOO_FEW;
        *f = explained == 0 ? 0 : rest > 0 ? explained / (rest / (double)(sums->n - 2)) : INFINITY;
        return STATS_OK;
    }
    slope_mean_sums(sums, count, &mean, &unused);
    for (size_t i = 0; i < count; i++)
        squares += ((long double)sums[i].zx - mean) * ((long double)sums[i].zx - mean);
    double variance = (double)(squares / ((long double)count * (long double)(count - 1)));
    *f = mean == 0 ? 0 : variance > 0 ? mean / variance * mean : INFINITY;
    return STATS_OK;
}
