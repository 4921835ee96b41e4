#include "stats/estimates/windows.h"

#include <math.h>
#include <stddef.h>

#include "stats/estimates/interval.h"

void windows_add(struct windows *windows, const double one[WINDOWS_SUMS])
{
    double all = one[WINDOWS_ALL], least = one[WINDOWS_MARKED], most = least + one[WINDOWS_UNSEEN];
    windows->n++;
    for (size_t i = 0; i < WINDOWS_SUMS; i++)
        windows->sums[i] += one[i];
    windows->products[WINDOWS_ALL_ALL] += all * all;
    windows->products[WINDOWS_ALL_LEAST] += all * least;
    windows->products[WINDOWS_LEAST_LEAST] += least * least;
    windows->products[WINDOWS_ALL_MOST] += all * most;
    windows->products[WINDOWS_MOST_MOST] += most * most;
}

void windows_join(struct windows *into, const struct windows *from)
{
    into->n += from->n;
    for (size_t i = 0; i < WINDOWS_SUMS; i++)
        into->sums[i] += from->sums[i];
    for (size_t i = 0; i < WINDOWS_PRODUCTS; i++)
        into->products[i] += from->products[i];
}

/* Half the width of the interval of r = part / all, from the sums of all², all · part and part² over the windows. */
static double windows_half_width(const struct windows *windows, double r, double all_part, double part_part, double t)
{
    double residuals = part_part - 2 * r * all_part + r * r * windows->products[WINDOWS_ALL_ALL];
    double n = windows->n;
    return t * sqrt(n / (n - 1) * fmax(0, residuals)) / windows->sums[WINDOWS_ALL];
}

static int windows_are_possible(const double *sums)
{
    for (size_t i = 0; i < WINDOWS_SUMS; i++)
        if (!(sums[i] >= 0))
            return 0;
    return sums[WINDOWS_CROSSING] + sums[WINDOWS_UNSEEN] <= sums[WINDOWS_ALL] &&
           sums[WINDOWS_CROSSING_MARKED] <= sums[WINDOWS_CROSSING];
}

enum stats_status windows_share(const struct windows *windows, double confidence, struct windows_share *out)
{
    const double *sums = windows->sums, *products = windows->products;
    double all = sums[WINDOWS_ALL], marked = sums[WINDOWS_MARKED], unseen = sums[WINDOWS_UNSEEN], t = NAN;
    if (!(confidence > 0 && confidence < 1) || !windows_are_possible(sums))
        return STATS_DOMAIN;
    if (all == 0)
        return STATS_TOO_FEW;
    if (unseen == all) {
        *out = (struct windows_share){.share = NAN, .unseen = 1, .q = NAN, .low = 0, .high = 1};
        return STATS_OK;
    }
    *out = (struct windows_share){.unseen = unseen / all, .low = NAN, .high = NAN};
    out->q =
        sums[WINDOWS_CROSSING] > 0 ? sums[WINDOWS_CROSSING_MARKED] / sums[WINDOWS_CROSSING] : marked / (all - unseen);
    out->q = fmin(1, out->q);
    out->share = fmin(1, (marked + out->q * unseen) / all);
    /* As many windows of one size would have that sum of squares. */
    double effective = all * all / products[WINDOWS_ALL_ALL];
    if (windows->n < 2 || interval_quantile(INTERVAL_T, effective - 1, confidence, &t) != STATS_OK)
        return STATS_OK;
    double least = fmin(1, marked / all), most = fmin(1, (marked + unseen) / all);
    double below = windows_half_width(windows, least, products[WINDOWS_ALL_LEAST], products[WINDOWS_LEAST_LEAST], t);
    double above = windows_half_width(windows, most, products[WINDOWS_ALL_MOST], products[WINDOWS_MOST_MOST], t);
    out->low = fmax(0, least - below - least / (effective + 1));
    out->high = fmin(1, most + above + (1 - most) / (effective + 1));
    return STATS_OK;
}
