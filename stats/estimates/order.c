#include "stats/estimates/order.h"

#include <math.h>
#include <stdlib.h>

static int order_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

bool order_all_finite(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

void order_sort(double *x, size_t n)
{
    if (n > 1)
        qsort(x, n, sizeof *x, order_compare);
}

enum stats_status order_quantile(const double *sorted, size_t n, double share, double *value)
{
    if (n < 1)
        return STATS_TOO_FEW;
    if (!(share >= 0 && share <= 1))
        return STATS_DOMAIN;
    long double rank = (long double)(n - 1) * share;
    size_t below = (size_t)rank;
    long double part = rank - (long double)below;
    if (part == 0) /* the last value has no neighbour above */
        *value = sorted[below];
    else
        *value = (double)(sorted[below] * (1 - part) + sorted[below + 1] * part);
    return STATS_OK;
}
