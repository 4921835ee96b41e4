#include "stats/estimates/levels.h"

#include <math.h>
#include <stdbool.h>

#include "stats/estimates/interval.h"

enum stats_status levels_estimate(const struct levels_pilot *pilot, struct levels_variances *out)
{
    if (pilot->processes < 2 || pilot->values <= pilot->processes)
        return STATS_TOO_FEW;
    double within = pilot->deviations / (double)(pilot->values - pilot->processes);
    double between = pilot->sd_means * pilot->sd_means - within * pilot->inverse / (double)pilot->processes;
    if (!(within >= 0) || !isfinite(within) || !isfinite(between))
        return STATS_DOMAIN;
    *out = (struct levels_variances){between, within};
    return STATS_OK;
}

double levels_correlation(const struct levels_variances *variances)
{
    double between = fmax(variances->between, 0);
    return between / (between + variances->within);
}

/* The iterations that `processes` need; infinite if no number is enough. */
static double levels_find_iterations(const struct levels_variances *variances, double processes, double half,
                                     double confidence)
{
    double t;
    if (interval_quantile(INTERVAL_T, processes - 1, confidence, &t) != STATS_OK)
        return INFINITY;
    double left = processes * (half / t) * (half / t) - fmax(variances->between, 0);
    if (variances->within == 0)
        return left >= 0 ? 1 : INFINITY;
    return left > 0 ? fmax(ceil(variances->within / left), 1) : INFINITY;
}

enum stats_status levels_make_plan(const struct levels_variances *variances, const struct levels_cost *cost,
                                   double half, double confidence, struct levels_plan *plan)
{
    static const double MOST = 0x1p53;
    double z, best = INFINITY, between = fmax(variances->between, 0);
    if (!(half > 0) || isinf(half) || !(cost->process >= 0) || !(cost->iteration > 0) ||
        isinf(cost->process + cost->iteration) || !(variances->within >= 0) || isinf(between + variances->within))
        return STATS_DOMAIN;
    enum stats_status status = interval_quantile(INTERVAL_Z, 0, confidence, &z);
    if (status)
        return status;
    /* No fewer processes are enough with any number of iterations, since t exceeds z. */
    double processes = fmax(2, floor(between * (z / half) * (z / half)));
    /* One more process costs this at least, and so ends the search. */
    double least = cost->process + cost->iteration;
    for (; processes < MOST && processes * least < best; processes += 1 + floor(processes / 1000)) {
        double iterations = levels_find_iterations(variances, processes, half, confidence);
        double total = processes * (cost->process + iterations * cost->iteration);
        if (!(iterations < MOST) || !(total < best))
            continue;
        best = total;
        *plan = (struct levels_plan){(uint64_t)processes, (uint64_t)iterations};
    }
    return isinf(best) ? STATS_OVERFLOW : STATS_OK;
}
