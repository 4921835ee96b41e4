/*
 * waste_baseline_change.h - by how much a quantity changed from the runs of one version to the runs of another.
 *
 * Quantity: the mean over the new runs minus that over the old ones, in the unit of the values. Its interval is
 * Welch's (stats/inference/compare.h), or with --method z by the normal quantile, if both sides have two runs or more.
 * If no value of either side varies, it is the difference alone. The ratio new / old has Fieller's interval
 * (stats/estimates/ratio.h), by Student's t in either case.
 */
#ifndef ASSAY_WASTE_WASTE_BASELINE_CHANGE_H
#define ASSAY_WASTE_WASTE_BASELINE_CHANGE_H

#include "analyze/driver/analyzer.h"
#include "analyze/waste/sums/waste_rows.h"
#include "stats/estimates/ratio.h"

struct waste_change {
    double old, new;          /* means over runs; NaN: there are none */
    double change, low, high; /* new - old; its interval, NaN if there is none */
    struct ratio ratio;       /* new / old; NaN if old is 0, and an interval if waste_change_add_ratio() found none */
    uint64_t runs_old, runs_new;
    bool parted; /* one side has 0 in all runs, the other in none */
};

/* From old[n] and new[m], finite values ≥ 0, one for each run; n and m may be 0. O(n + m). */
void waste_change_of_runs(const double *old, size_t n, const double *new, size_t m,
                          const struct analysis_options *options, struct waste_change *change);

/* Adds the interval of the ratio, from the same values. About 0.2 ms. */
void waste_change_add_ratio(const double *old, size_t n, const double *new, size_t m, double confidence,
                            struct waste_change *change);

/* From one run of each side whose estimates have intervals of their own: d - √((x̂ - l)² + (u' - x̂')²) and likewise
 * upwards, if both have one. Source: limits recovered by squaring and adding, Zou and Donner 2008,
 * DOI 10.1002/sim.3095. O(1). */
void waste_change_add_interval(const struct waste_mean *old, const struct waste_mean *new, struct waste_change *change);

/* Whether it is more than nothing: the interval does not contain 0, or, if there is none, the means differ; or all runs
 * of one side have 0, and none of the other. */
#define WASTE_CLEAR 0.05
bool waste_change_is_shown(const struct waste_change *change);

enum waste_status {
    WASTE_GONE,
    WASTE_LESS,
    WASTE_SAME,
    WASTE_MORE,
    WASTE_NEW,
    WASTE_MOVED,
    WASTE_UNCLEAR,
    WASTE_STATUSES
};
extern const char *const waste_status_names[WASTE_STATUSES];

/* Whether no change is shown. */
static inline bool waste_status_is_quiet(enum waste_status status)
{
    return status == WASTE_SAME || status == WASTE_UNCLEAR;
}

/* WASTE_UNCLEAR if no change is shown, but the means differ, and its interval has changes of more than WASTE_CLEAR of
 * the larger one; else
 * WASTE_SAME unless the change is shown; else gone and new are those without any value above 0 on one side. Never
 * WASTE_MOVED. */
enum waste_status waste_change_status(const struct waste_change *change);

#endif
