#include "analyze/causality/verdict.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "stats/estimates/runs_needed.h"

double verdict_confidence(const struct verdict_options *how, uint64_t look)
{
    return look > 0 ? 1 - ldexp(1 - how->confidence, -(int)look) : how->confidence;
}

static double verdict_family_confidence(const struct verdict_options *how, double confidence)
{
    return how->family > 1 ? 1 - (1 - confidence) / (double)how->family : confidence;
}

/* What least squares may have taken from the slope: it lies between itself and itself/r². 1: nothing. */
static double verdict_attenuation(const struct verdict_options *options, const struct slope_verdict *found)
{
    return !options->instrument && found->r2 > 0 ? found->r2 : 1;
}

/* The verdict by an interval; without one, how many more runs would narrow the interval around the slope enough on both
 * sides, at the next look if there are several. */
static void verdict_decide_by_interval(const double *slopes, const struct verdict_options *options,
                                       struct slope_verdict *found)
{
    double least = 1 - options->tolerance, most = 1 + options->tolerance, kept = verdict_attenuation(options, found);
    double high = found->hi > 0 ? found->hi / kept : found->hi;
    /* the half width at which an interval around the slope would decide; not positive: no interval would */
    double half = found->slope < least  ? kept * least - found->slope
                  : found->slope > most ? found->slope - most
                                        : fmin(found->slope - least, kept * most - found->slope);
    if (found->lo >= least && high <= most) {
        found->verdict = VERDICT_ACTIONABLE;
    } else if (found->lo > most || high < least) {
        found->verdict = VERDICT_NOT_ACTIONABLE;
    } else if (half <= 0 && found->slope != least && found->slope != most) {
        found->reason = VERDICT_ATTENUATED;
    } else if (!found->of_one_run) {
        long double squares = 0;
        size_t runs = found->runs;
        for (size_t i = 0; i < runs; i++)
            squares += ((long double)slopes[i] - found->slope) * ((long double)slopes[i] - found->slope);
        double sd = (double)sqrtl(squares / (long double)(runs - 1));
        double confidence =
            verdict_family_confidence(options, verdict_confidence(options, options->look > 0 ? options->look + 1 : 0));
        struct runs_expected needed;
        if (runs_expected((struct runs_pilot){runs, sd}, half, options->use_z ? INTERVAL_Z : INTERVAL_T, confidence,
                          options->confidence, &needed) != STATS_OK)
            return;
        uint64_t *const more[] = {&found->more_runs, &found->more_runs_lo, &found->more_runs_hi};
        const uint64_t all[] = {needed.n, needed.low, needed.high};
        for (size_t i = 0; i < 3; i++)
            *more[i] = all[i] == UINT64_MAX ? UINT64_MAX : all[i] > runs ? all[i] - runs : 1;
    }
}

/* Interval and slope of runs, of which there is one at least. `slopes` become, for all runs together, what each run
 * adds to their slope, as slopes around it: how much runs scatter. */
static enum stats_status verdict_estimate(const struct slope_sums *runs, double *slopes,
                                          const struct verdict_options *options, double confidence,
                                          struct slope_verdict *found, struct interval *interval)
{
    assert(found->runs > 0);
    found->of_one_run = found->runs == 1;
    long double sum = 0, zx = 0;
    for (size_t i = 0; i < found->runs; i++) {
        sum += slopes[i];
        zx += runs[i].zx;
    }
    found->slope = (double)(sum / (long double)found->runs);
    if (found->of_one_run)
        return slope_interval(&runs[0], confidence, interval);
    if (!options->instrument)
        return interval_mean(slopes, found->runs, options->use_z ? INTERVAL_Z : INTERVAL_T, confidence, interval);
    enum stats_status status = slope_together(runs, found->runs, options->use_z, confidence, interval);
    if (status)
        return status;
    double slope = found->slope = interval->mean;
    for (size_t i = 0; i < found->runs; i++)
        slopes[i] = (double)(slope + fma(-slope, runs[i].zx, runs[i].zy) / (zx / (long double)found->runs));
    return STATS_OK;
}

/* By the method's own interval, and as one of the family by a wider one. Without an end it decides nothing. */
static void verdict_decide_selected(const struct slope_sums *runs, double *slopes,
                                    const struct verdict_options *options, struct slope_verdict *found)
{
    struct interval interval;
    double strength, xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < found->runs; i++) {
        found->points += runs[i].n;
        xx += runs[i].xx, yy += runs[i].yy, xy += runs[i].xy;
    }
    found->r2 = xx > 0 && yy > 0 ? fmin(xy / xx * (xy / yy), 1) : NAN;
    double confidence = verdict_confidence(options, options->look);
    enum stats_status status = verdict_estimate(runs, slopes, options, confidence, found, &interval);
    found->reason = status == STATS_CONSTANT ? VERDICT_WEAK : VERDICT_NO_INTERVAL;
    if (status)
        return;
    found->lo = interval.low;
    found->hi = interval.high;
    found->reason = VERDICT_BY_INTERVAL;
    if (options->instrument && slope_strength(runs, found->runs, &strength) == STATS_OK &&
        strength < (double)VERDICT_STRENGTH_LEAST) {
        found->reason = VERDICT_WEAK;
        return;
    }
    struct slope_verdict alone = *found, together = *found;
    verdict_decide_by_interval(slopes, options, &alone);
    if (options->family <= 1) {
        together = alone;
    } else {
        confidence = verdict_family_confidence(options, confidence);
        if (verdict_estimate(runs, slopes, options, confidence, &together, &interval) == STATS_OK) {
            together.lo = interval.low;
            together.hi = interval.high;
            verdict_decide_by_interval(slopes, options, &together);
        }
        if (together.verdict != alone.verdict)
            together.reason = VERDICT_FAMILY;
    }
    found->verdict = together.verdict;
    found->reason = together.reason;
    found->more_runs = together.more_runs;
    found->more_runs_lo = together.more_runs_lo;
    found->more_runs_hi = together.more_runs_hi;
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
