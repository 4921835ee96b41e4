#include "analyze/causality/verdict.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "stats/estimates/runs_needed.h"

static double verdict_squared_correlation(const struct slope_sums *runs, size_t count)
{
    double xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < count; i++)
        xx += runs[i].xx, yy += runs[i].yy, xy += runs[i].xy;
    return xx > 0 && yy > 0 ? fmin(xy / xx * (xy / yy), 1) : NAN;
}

double verdict_confidence(const struct verdict_options *how, uint64_t look)
{
    return look > 0 ? 1 - ldexp(1 - how->confidence, -(int)look) : how->confidence;
}

static double verdict_family_confidence(const struct verdict_options *how, double confidence)
{
    return how->family > 1 ? 1 - (1 - confidence) / (double)how->family : confidence;
}

static uint64_t verdict_runs_beyond(uint64_t needed, size_t runs)
{
    return needed == UINT64_MAX ? UINT64_MAX : needed > runs ? needed - runs : 1;
}

/* What least squares may have taken from the slope: it lies between itself and itself/r². 1: nothing. */
static double verdict_attenuation(const struct verdict_options *options, const struct slope_verdict *found)
{
    return !options->instrument && found->r2 > 0 ? found->r2 : 1;
}

/* The half width at which an interval around the slope would decide; not positive: no interval would. */
static double verdict_deciding_half(const struct verdict_options *options, const struct slope_verdict *found)
{
    double least = 1 - options->tolerance, most = 1 + options->tolerance, kept = verdict_attenuation(options, found);
    if (found->slope < least)
        return kept * least - found->slope;
    if (found->slope > most)
        return found->slope - most;
    return fmin(found->slope - least, kept * most - found->slope);
}

/* How many more runs would narrow the interval to `half` on both sides, at the next look if there are several. */
static void verdict_find_more_runs(const double *slopes, size_t runs, double half,
                                   const struct verdict_options *options, struct slope_verdict *found)
{
    long double squares = 0;
    for (size_t i = 0; i < runs; i++)
        squares += ((long double)slopes[i] - found->slope) * ((long double)slopes[i] - found->slope);
    double sd = (double)sqrtl(squares / (long double)(runs - 1));
    double confidence =
        verdict_family_confidence(options, verdict_confidence(options, options->look > 0 ? options->look + 1 : 0));
    struct runs_expected needed;
    if (runs_expected((struct runs_pilot){runs, sd}, half, options->use_z ? INTERVAL_Z : INTERVAL_T, confidence,
                      options->confidence, &needed) != STATS_OK)
        return;
    found->more_runs = verdict_runs_beyond(needed.n, runs);
    found->more_runs_lo = verdict_runs_beyond(needed.low, runs);
    found->more_runs_hi = verdict_runs_beyond(needed.high, runs);
}

static void verdict_decide_by_interval(const double *slopes, const struct verdict_options *options,
                                       struct slope_verdict *found)
{
    double least = 1 - options->tolerance, most = 1 + options->tolerance;
    double high = found->hi > 0 ? found->hi / verdict_attenuation(options, found) : found->hi;
    double half = verdict_deciding_half(options, found);
    if (found->lo >= least && high <= most)
        found->verdict = VERDICT_ACTIONABLE;
    else if (found->lo > most || high < least)
        found->verdict = VERDICT_NOT_ACTIONABLE;
    else if (half <= 0 && found->slope != least && found->slope != most)
        found->reason = VERDICT_ATTENUATED;
    else if (!found->of_one_run)
        verdict_find_more_runs(slopes, found->runs, half, options, found);
}

/* What each run adds to the slope of all together, as slopes around it: how much runs scatter. */
static void verdict_scatter(const struct slope_sums *runs, size_t count, double slope, double *slopes)
{
    long double zx = 0;
    for (size_t i = 0; i < count; i++)
        zx += runs[i].zx;
    for (size_t i = 0; i < count; i++)
        slopes[i] = (double)(slope + fma(-slope, runs[i].zx, runs[i].zy) / (zx / (long double)count));
}

/* Interval and slope of runs, of which there is one at least. */
static enum stats_status verdict_estimate(const struct slope_sums *runs, double *slopes,
                                          const struct verdict_options *options, double confidence,
                                          struct slope_verdict *found, struct interval *interval)
{
    assert(found->runs > 0);
    found->of_one_run = found->runs == 1;
    long double sum = 0;
    for (size_t i = 0; i < found->runs; i++)
        sum += slopes[i];
    found->slope = (double)(sum / (long double)found->runs);
    if (found->of_one_run)
        return slope_interval(&runs[0], confidence, interval);
    if (!options->instrument)
        return interval_mean(slopes, found->runs, options->use_z ? INTERVAL_Z : INTERVAL_T, confidence, interval);
    enum stats_status status = slope_together(runs, found->runs, options->use_z, confidence, interval);
    if (!status) {
        found->slope = interval->mean;
        verdict_scatter(runs, found->runs, found->slope, slopes);
    }
    return status;
}

/* The verdict as one of the family, by a wider interval than the method's own. Without an end it decides nothing. */
static void verdict_decide_in_family(const struct slope_sums *runs, double *slopes,
                                     const struct verdict_options *options, struct slope_verdict *found)
{
    struct slope_verdict alone = *found, together = *found;
    struct interval interval;
    double confidence = verdict_family_confidence(options, verdict_confidence(options, options->look));
    verdict_decide_by_interval(slopes, options, &alone);
    if (options->family > 1) {
        if (verdict_estimate(runs, slopes, options, confidence, &together, &interval) == STATS_OK) {
            together.lo = interval.low;
            together.hi = interval.high;
            verdict_decide_by_interval(slopes, options, &together);
        }
        if (together.verdict != alone.verdict)
            together.reason = VERDICT_FAMILY;
    } else {
        together = alone;
    }
    found->verdict = together.verdict;
    found->reason = together.reason;
    found->more_runs = together.more_runs;
    found->more_runs_lo = together.more_runs_lo;
    found->more_runs_hi = together.more_runs_hi;
}

static void verdict_decide_selected(const struct slope_sums *runs, double *slopes,
                                    const struct verdict_options *options, struct slope_verdict *found)
{
    struct interval interval;
    double strength;
    for (size_t i = 0; i < found->runs; i++)
        found->points += runs[i].n;
    found->r2 = verdict_squared_correlation(runs, found->runs);
    double confidence = verdict_confidence(options, options->look);
    enum stats_status status = verdict_estimate(runs, slopes, options, confidence, found, &interval);
    found->reason = status == STATS_CONSTANT ? VERDICT_WEAK : VERDICT_NO_INTERVAL;
    if (status)
        return;
    found->lo = interval.low;
    found->hi = interval.high;
    found->reason = VERDICT_BY_INTERVAL;
    if (options->instrument && slope_strength(runs, found->runs, &strength) == STATS_OK &&
        strength < (double)VERDICT_STRENGTH_LEAST)
        found->reason = VERDICT_WEAK;
    else
        verdict_decide_in_family(runs, slopes, options, found);
}

enum stats_status verdict_decide(const struct slope_sums *runs, size_t count, const struct verdict_options *options,
                                 struct slope_verdict *out)
{
    struct slope_verdict found = {.slope = NAN, .lo = NAN, .hi = NAN, .r2 = NAN};
    struct slope_sums *kept = malloc((count + 1) * sizeof *kept);
    double *slopes = malloc((count + 1) * sizeof *slopes);
    enum stats_status status = kept && slopes ? STATS_OK : STATS_NO_MEMORY;
    found.verdict = VERDICT_UNDECIDED;
    found.reason = VERDICT_NO_SLOPE;
    for (size_t i = 0; !status && i < count; i++)
        if (slope_of(&runs[i], &slopes[found.runs]) == STATS_OK)
            kept[found.runs++] = runs[i];
    if (!status && found.runs > 0)
        verdict_decide_selected(kept, slopes, options, &found);
    if (!status)
        *out = found;
    free(kept);
    free(slopes);
    return status;
}
