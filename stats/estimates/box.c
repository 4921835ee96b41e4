#include "stats/estimates/box.h"

#include <math.h>
#include <stdbool.h>

#include "stats/estimates/order.h"

enum stats_status box_tukey(const double *x, size_t n, struct box *box)
{
    if (n < 1)
        return STATS_TOO_FEW;
    if (!order_all_finite(x, n))
        return STATS_DOMAIN;
    struct box fresh = {.n = n};
    order_quantile(x, n, 0.25, &fresh.low);
    order_quantile(x, n, 0.5, &fresh.middle);
    order_quantile(x, n, 0.75, &fresh.high);
    long double reach = 1.5L * ((long double)fresh.high - fresh.low);
    size_t first = 0, last = n - 1;
    while (x[first] < fresh.low - reach)
        first++;
    while (x[last] > fresh.high + reach)
        last--;
    /* A quartile lies between two values: with few of them the nearest one within reach may be inside the box. */
    fresh.whisker_low = fmin(x[first], fresh.low);
    fresh.whisker_high = fmax(x[last], fresh.high);
    *box = fresh;
    return STATS_OK;
}

enum stats_status box_sd(const double *x, size_t n, struct box *box)
{
    if (n < 2)
        return STATS_TOO_FEW;
    if (!order_all_finite(x, n))
        return STATS_DOMAIN;
    long double count = (long double)n, shift = x[0], sum = 0, squares = 0, rest = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] - shift; /* equal values: exactly 0 */
    long double offset = sum / count;
    for (size_t i = 0; i < n; i++) {
        long double deviation = x[i] - shift - offset;
        squares += deviation * deviation;
        rest += deviation;
    }
    squares -= rest * rest / count; /* what the rounding of the mean added (Chan, Golub, LeVeque 1983) */
    long double mean = shift + offset + rest / count, sd = sqrtl(squares > 0 ? squares / (count - 1) : 0);
    struct box fresh = {.n = n, .middle = (double)mean, .low = (double)(mean - sd), .high = (double)(mean + sd)};
    if (!isfinite(fresh.low) || !isfinite(fresh.high))
        return STATS_OVERFLOW;
    fresh.whisker_low = fresh.low;
    fresh.whisker_high = fresh.high;
    *box = fresh;
    return STATS_OK;
}
