/*
 * verdict.h - does a profiler report the change of a method when the method changes?
 *
 * Quantity: the slope of the time reported for a method against the time of the program, over points where the method
 * was made slower by some amount: 1 if every second that the program lost is reported as that method's. With the amount
 * as an instrument it is that of all runs together, with Fieller's interval over runs (slope_together()); by least
 * squares one slope per run, and their mean with its interval by Student's t.
 *
 * Looks: whoever adds runs until there is a verdict has more than one chance of a wrong one. Look k takes intervals of
 * confidence 1 − α/2^k, so that all looks together, however many and whenever, are wrong with probability α at most
 * (Bonferroni's inequality: Σ α/2^k = α, and nothing is assumed of how the looks depend on each other).
 *
 * Families: of many methods some are judged wrongly by chance alone. A verdict as one of a family of m methods is that
 * of the interval of confidence 1 − α/m, so that all m together are wrong with probability α at most (Bonferroni
 * again); the interval that is shown stays the method's own.
 *
 * Source: Mytkowicz, Diwan, Hauswirth, Sweeney, PLDI 2010, §5.2, Fig. 6, Tables 2 and 3; spending of α: Lan and DeMets
 * 1983, DOI 10.1093/biomet/70.3.659.
 */
#ifndef ASSAY_CAUSALITY_VERDICT_H
#define ASSAY_CAUSALITY_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/fits/slope.h"

enum { VERDICT_LOOKS_MAX = 30, VERDICT_FAMILY_MAX = 1000000 };

/* The least strength of an instrument, see slope_strength(): a slope that is a ratio of noisy sums is off by about its
 * part 1/F. */
enum { VERDICT_STRENGTH_LEAST = 30 };

enum verdict_kind {
    VERDICT_ACTIONABLE,     /* the whole interval is within 1 ∓ tolerance */
    VERDICT_NOT_ACTIONABLE, /* the whole interval is outside */
    VERDICT_UNDECIDED
};

/* Why a verdict is not what the interval alone would say, or why there is none. */
enum verdict_reason {
    VERDICT_BY_INTERVAL,
    VERDICT_NO_SLOPE,    /* no run has a slope: fewer than two valid points, or a program whose time doesn't change */
    VERDICT_NO_INTERVAL, /* one run of two points */
    VERDICT_WEAK,        /* the program's time can't be seen to follow the amount */
    VERDICT_FAMILY,      /* the method's own interval would decide, but not that of one in a family */
    VERDICT_ATTENUATED   /* least squares: noise in the program's time leaves it open, with any number of runs */
};

struct verdict_options {
    double confidence, tolerance; /* 0.95; 0.15 */
    bool instrument;              /* the sums are by amount, not least squares */
    bool use_z;                   /* intervals by the normal quantile instead of Student's t */
    uint64_t look;                /* 1 to VERDICT_LOOKS_MAX: see above; 0: the only one, at `confidence` itself */
    uint64_t family;              /* methods that are judged together; 0: this one alone */
};

/* The confidence of the method's own interval at the k-th look; (how, 0): at the only look. */
double verdict_confidence(const struct verdict_options *how, uint64_t look);

/* The option --look, 1 to VERDICT_LOOKS_MAX. */
#define VERDICT_LOOK_HELP                                                                                              \
    "this is the K-th time that these runs, with more of them each time, are judged: the intervals are so wide that "  \
    "all looks together keep --confidence"

/* The option --family, 1 to VERDICT_FAMILY_MAX. */
#define VERDICT_FAMILY_HELP                                                                                            \
    "verdicts are those of one in M methods that are judged together (default: as many as there are; 1: each alone)"

struct slope_verdict {
    size_t points, runs; /* those used: runs with a slope */
    double slope;        /* NaN: none */
    double lo, hi;       /* NaN: none */
    double r2;       /* squared correlation of reported and real time around the means of their runs; NaN: constant */
    bool of_one_run; /* the interval is that of its points around the line */
    enum verdict_kind verdict;
    enum verdict_reason reason;
    /* Runs that are expected to decide if slope and scatter stay (runs_expected()), and as many if the scatter is at
     * the ends of its own interval; UINT64_MAX: more than 2^53. 0: decided, or no number decides. */
    uint64_t more_runs, more_runs_lo, more_runs_hi;
};

/* From the sums of the points of each run, those without a slope left out. Numbers that don't exist are NaN. 0, or
 * STATS_NO_MEMORY. O(runs). */
enum stats_status verdict_decide(const struct slope_sums *runs, size_t count, const struct verdict_options *options,
                                 struct slope_verdict *out);

#endif
