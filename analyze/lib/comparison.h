/*
 * comparison.h - two groups of values: the ratio of their means with its interval, and a test.
 */
#ifndef ASSAY_COMPARISON_H
#define ASSAY_COMPARISON_H

#include <stdbool.h>

#include "stats/group.h"
#include "stats/ratio.h"
#include "stats/series.h"

/* A group, as the methods want it. comparison_side_free() is right after a failure too. */
struct comparison_side {
    struct group group;
    double *x;
    size_t n;
    double mean, sd;
};

enum stats_status comparison_side_init(struct comparison_side *side, const struct series *series);
void comparison_side_free(struct comparison_side *side);

struct comparison {
    struct ratio ratio;   /* of the means, rounded once from 113 bits: the same by every method */
    struct ratio speedup; /* its inverse, or, of rates, itself; high is NaN where the interval has no end */
    double p, log10_p;    /* NaN if constant */
    const char *method;   /* of test and interval, for people */
    bool constant;        /* both groups are: there is no test */
};

/*
 * a compared with b. method: "welch" (Welch's t, delta method), "bootstrap" (Welch's t, BCa) or "mann-whitney" (that
 * test, BCa); rates: more is better. Status as of stats/ratio.h, stats/compare.h and stats/rank.h.
 */
enum stats_status comparison_make(const struct comparison_side *a, const struct comparison_side *b, const char *method,
                                  bool rates, double confidence, struct comparison *out);

#endif
