/*
 * history_changes.h - the changes of a history, each with its size.
 */
#ifndef ASSAY_HISTORY_HISTORY_CHANGES_H
#define ASSAY_HISTORY_HISTORY_CHANGES_H

#include "analyze/history/histories.h"
#include "stats/status.h"

struct history_change {
    size_t at;                  /* the first commit at the new level */
    size_t found, first, last;  /* as in stats/inference/sequential.h; all are `at` in an exact history */
    double p;                   /* NaN in an exact history */
    double before, after;       /* the levels on both sides, up to the next change */
    uint64_t n_before, n_after; /* their commits */
    double size, low, high;     /* after / before − 1 and its interval; NaN if it does not exist */
};

struct history_changes {
    struct history_change *items; /* [count], oldest first */
    size_t count;
    bool exact;
    double level; /* before the first change */
    double rho;   /* autocorrelation around the levels, as far as it counted */
};

/*
 * An exact history repeats its values: no commit has runs that differ, at least half of the commits have the value of
 * the one before, and at most one in a hundred (at least one) returns to a value that an earlier level had. Each of its
 * changes is a change, without a test. In any other history sequential_find() finds them.
 *
 * `known_exact`: the file says that values don't vary. alpha and confidence as for sequential_find(). The interval of
 * the size is Fieller's, from the clipped values (sequential_level()) with a common standard deviation, widened for
 * autocorrelation by (1 + ρ)/(1 − ρ). Source: Fieller 1954, DOI 10.1111/j.2517-6161.1954.tb00159.x. Returns as
 * sequential_find(). A history without commits has no changes.
 */
enum stats_status history_changes_find(const struct history *history, bool known_exact, double alpha, double confidence,
                                       struct history_changes *out);
void history_changes_free(struct history_changes *changes);

#endif
