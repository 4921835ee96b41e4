#include "analyze/causality/answer.h"

#include <errno.h>
#include <stdlib.h>

static enum stats_status judge_method(const struct points_method *method, const struct judge_options *how,
                                      struct judgement *found)
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
    enum stats_status status = judge(sums, count, how, found);
    free(sums);
    return status;
}

int answer(const struct points *points, struct show *show, bool share)
{
    int error = show_begin(show, share) ? 0 : ENOMEM;
    for (size_t m = 0; !error && m < points->count; m++) {
        struct judgement found;
        if (judge_method(&points->methods[m], show->how, &found) != STATS_OK)
            error = ENOMEM;
        else
            show_method(show, &points->methods[m], &found);
    }
    if (!error)
        show_end(show);
    return error;
}
