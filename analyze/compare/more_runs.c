#include "analyze/compare/more_runs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "stats/estimates/interval.h"
#include "stats/estimates/runs_needed.h"

uint64_t more_runs(const struct comparison *found, const struct comparison_request *request, uint64_t n,
                   uint64_t n_baseline)
{
    const struct ratio *ratio = &found->ratio;
    const uint64_t sides = comparison_is_of_pairs(request->method) ? 1 : 2, runs = sides == 1 ? n : n + n_baseline;
    const double bound = log(1 + request->margin), at = log(ratio->ratio);
    const bool within = fabs(at) < bound, upper = within ? at >= 0 : at < 0; /* the closer bound is above the ratio */
    const double half = upper ? log(ratio->high) - at : at - log(ratio->low);
    const double alpha = 1 - request->confidence, wanted = fabs(fabs(at) - bound);
    const bool exists = !found->no_interval || found->no_interval == STATS_TOO_FEW || n < 2 || n_baseline < 2 ||
                        (request->method == COMPARISON_WELCH && found->center_baseline > 0);
    double q;
    struct runs_expected needed;
    if (!exists || found->no_test == STATS_CONSTANT || !(ratio->ratio > 0))
        return 0;
    if (found->no_interval || !(half > 0) || !isfinite(half) || n < 2 || n_baseline < 2 ||
        interval_quantile(INTERVAL_T, (double)(runs - 1), request->confidence, &q) != STATS_OK)
        return MORE_RUNS_UNKNOWN;
    const struct runs_pilot pilot = {runs, half * sqrt((double)runs) / q};
    if (!(wanted > 0) || runs_expected(pilot, wanted, INTERVAL_T, within ? 1 - 2 * alpha : request->confidence,
                                       request->confidence, &needed) != STATS_OK)
        return MORE_RUNS_MOST;
    uint64_t lacking = needed.n > runs ? (needed.n - runs - 1) / sides + 1 : 1;
    return lacking < MORE_RUNS_MOST ? lacking : MORE_RUNS_MOST;
}

const char *more_runs_text(const char *verdict, uint64_t runs, char text[MORE_RUNS_TEXT_MAX])
{
    if (!verdict || runs == 0)
        return verdict;
    if (runs == MORE_RUNS_UNKNOWN)
        snprintf(text, MORE_RUNS_TEXT_MAX, "%s: too few runs", verdict);
    else if (runs >= MORE_RUNS_MOST)
        snprintf(text, MORE_RUNS_TEXT_MAX, "%s: at the margin", verdict);
    else
        snprintf(text, MORE_RUNS_TEXT_MAX, "%s: %" PRIu64 " more run%s", verdict, runs, runs == 1 ? "" : "s");
    return text;
}
