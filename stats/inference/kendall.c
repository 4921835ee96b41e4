#include "stats/inference/kendall.h"

#include <math.h>

static int kendall_compare(double a, double b)
{
    return (a > b) - (a < b);
}

enum stats_status kendall_tau(const double *x, const double *y, size_t n, double *tau)
{
    double concordant = 0, by_x = 0, by_y = 0;
    if (n < 2)
        return STATS_TOO_FEW;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]) || !isfinite(y[i]))
            return STATS_DOMAIN;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            int a = kendall_compare(x[i], x[j]), b = kendall_compare(y[i], y[j]);
            concordant += a * b;
            by_x += a != 0;
            by_y += b != 0;
        }
    if (by_x == 0 || by_y == 0)
        return STATS_CONSTANT;
    *tau = concordant / sqrt(by_x * by_y);
    return STATS_OK;
}
