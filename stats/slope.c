#include "stats/slope.h"

#include <math.h>
#include <stdbool.h>

/* Mean less the first value: exactly 0 for a constant. */
static long double mean_from_first(const double *x, size_t n)
{
    long double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (long double)x[i] - x[0];
    return sum / (long double)n;
}

static bool all_finite(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

enum stats_status slope_sums(const double *z, const double *x, const double *y, size_t n, struct slope_sums *sums)
{
    if (n < 2)
        return STATS_TOO_FEW;
    if (!all_finite(z, n) || !all_finite(x, n) || !all_finite(y, n))
        return STATS_DOMAIN;
    long double mz = mean_from_first(z, n), mx = mean_from_first(x, n), my = mean_from_first(y, n);
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

enum stats_status slope_strength(const struct slope_sums *sums, size_t count, double *f)
{
    double rest = 0, dof = 0, explained = 0;
    for (size_t i = 0; i < count; i++) {
        double moved = sums[i].zz > 0 ? sums[i].zx / sums[i].zz * sums[i].zx : 0;
        rest += fmax(sums[i].xx - moved, 0);
        dof += (double)sums[i].n - 2;
        explained += moved;
    }
    if (!(dof > 0))
        return STATS_TOO_FEW;
    *f = explained == 0 ? 0 : rest > 0 ? explained / (double)count / (rest / dof) : INFINITY;
    return STATS_OK;
}
