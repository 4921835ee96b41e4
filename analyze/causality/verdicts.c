#include "analyze/causality/verdicts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static enum stats_status verdicts_decide_method(const struct points_method *method, const struct verdict_options *how,
                                                struct slope_verdict *found)
{
    struct slope_sums *sums = malloc((method->run_count + 1) * sizeof *sums);
    size_t count = 0;
    if (!sums)
        return STATS_NO_MEMORY;
    for (size_t r = 0; r < method->run_count; r++) {
        const struct points_run *run = &method->runs[r];
        count += slope_sums(how->instrument ? run->amount : run->real, run->real, run->reported, run->n,
                            &sums[count]) == STATS_OK;
    }
    enum stats_status status = verdict_decide(sums, count, how, found);
    free(sums);
    return status;
}

/* ------------------------------------------------------------------------------------------- families -- */

static bool verdicts_is_open(const struct slope_verdict *found)
{
    return found->verdict == VERDICT_UNDECIDED && isfinite(found->lo) && isfinite(found->hi) &&
           found->reason != VERDICT_WEAK;
}

/* A step: those without a verdict are judged as ones of so many as their family had in the last step, and those that
 * get one leave it. True in *any if some did. */
static enum stats_status verdicts_decide_step(const struct points *points, const struct verdict_options *how,
                                              struct slope_verdict *found, const uint64_t *sizes, uint64_t *left,
                                              bool *any)
{
    enum stats_status status = STATS_OK;
    *any = false;
    for (size_t m = 0; !status && m < points->count; m++) {
        struct verdict_options one_of = *how;
        uint32_t family = points->methods[m].family;
        if (!verdicts_is_open(&found[m]))
            continue;
        one_of.family = sizes[family];
        status = verdicts_decide_method(&points->methods[m], &one_of, &found[m]);
        if (!status && found[m].verdict != VERDICT_UNDECIDED) {
            left[family]--;
            *any = true;
        }
    }
    return status;
}

/*
 * Holm's method: of m methods those that decide at α/m do, of the k that are left those that decide at α/k, and so on
 * until none does. Each method can be judged wrongly in one way only. It needs no independence where verdicts are all
 * of one step; of several steps it needs that the runs of one method are independent of another's, as each method has
 * runs of its own. Source: Holm 1979, Scandinavian Journal of Statistics 6, p. 65; with several wrong directions:
 * Shaffer 1980, Annals of Statistics 8, p. 1342.
 */
static enum stats_status verdicts_decide_families(const struct points *points, const struct verdict_options *how,
                                                  struct slope_verdict *found, uint64_t *largest)
{
    size_t families = points->families.count;
    uint64_t *sizes = calloc(2 * families + 1, sizeof *sizes), *left = sizes ? sizes + families : NULL;
    enum stats_status status = sizes ? STATS_OK : STATS_NO_MEMORY;
    bool any = !status;
    for (size_t m = 0; !status && m < points->count; m++) /* methods that can have a verdict */
        sizes[points->methods[m].family] += verdicts_is_open(&found[m]) || found[m].verdict != VERDICT_UNDECIDED;
    for (size_t f = 0; !status && f < families; f++) {
        left[f] = sizes[f];
        *largest = sizes[f] > *largest ? sizes[f] : *largest;
    }
    for (size_t m = 0; !status && m < points->count; m++)
        if (found[m].verdict != VERDICT_UNDECIDED && sizes[points->methods[m].family] > 1)
            found[m].verdict = VERDICT_UNDECIDED; /* alone: not yet as one of its family */
    while (!status && any) {
        status = verdicts_decide_step(points, how, found, sizes, left, &any);
        for (size_t f = 0; f < families; f++)
            sizes[f] = left[f];
    }
    free(sizes);
    return status;
}

int verdicts_report(const struct points *points, struct show *show, bool share)
{
    struct slope_verdict *found = calloc(points->count + 1, sizeof *found);
    int error = found && show_begin(show, share) ? 0 : ENOMEM;
    for (size_t m = 0; !error && m < points->count; m++)
        error = verdicts_decide_method(&points->methods[m], show->how, &found[m]) == STATS_OK ? 0 : ENOMEM;
    if (!error && show->how->family == 0)
        error = verdicts_decide_families(points, show->how, found, &show->family) == STATS_OK ? 0 : ENOMEM;
    for (size_t m = 0; !error && m < points->count; m++)
        show_method(show, &points->methods[m], &found[m]);
    if (!error)
        show_end(show);
    free(found);
    return error;
}
