/*
 * more_runs.h - how many more runs are expected to decide between equivalence and a difference beyond a margin?
 *
 * Quantity: the runs that each side lacks until the interval of the ratio no longer contains the closer bound of the
 * margin, if ratio and spread stay as they are. The half-width met, of ln(ratio) on the side of that bound, gives the
 * spread; the half-width needed is the distance from ln(ratio) to it. The rest is runs_expected()
 * (stats/estimates/runs_needed.h), with the runs of both sides, or the pairs, as one sample of as many degrees of
 * freedom. Equivalence is decided by two one-sided tests, and so by the interval of confidence 1 − 2·(1 − confidence).
 * If the ratio stays as it is, half of all series of so many runs decide; others need more.
 */
#ifndef ASSAY_COMPARE_MORE_RUNS_H
#define ASSAY_COMPARE_MORE_RUNS_H

#include "analyze/compare/comparison.h"

/* A number of runs that nothing can be said about, as there are too few of them for an interval. */
#define MORE_RUNS_UNKNOWN UINT64_MAX
enum { MORE_RUNS_MOST = 1000000 }; /* from here on, the ratio lies on the bound: no number of runs decides */

/* Per side, 1 … MORE_RUNS_MOST, or MORE_RUNS_UNKNOWN; 0: more runs do not help by themselves, since differences do not
 * vary, or there is no ratio above 0. `n`, `n_baseline`: the runs that there are. About 1 ms. */
uint64_t more_runs(const struct comparison *found, const struct comparison_request *request, uint64_t n,
                   uint64_t n_baseline);

enum { MORE_RUNS_TEXT_MAX = 64 };
/* "undecided: 12 more runs", "undecided: too few runs", "undecided: at the margin"; other verdicts as they are, with 0
 * runs. NULL for NULL. Returns `text` or `verdict`. */
const char *more_runs_text(const char *verdict, uint64_t runs, char text[MORE_RUNS_TEXT_MAX]);

#endif
