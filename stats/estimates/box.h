/*
 * box.h - the elements of a boxplot of n values, in their unit.
 *
 * Tukey's box: the median, the quartiles (Hyndman and Fan's type 7, as R's quantile()), and as whiskers the last values
 * within 1.5 box lengths of the box. Box of the standard deviation: the mean, and one sample standard deviation
 * (divisor n−1) on either side; it has no whiskers. The caller draws values outside the whiskers separately. Sources:
 * Tukey, Exploratory Data Analysis, 1977, §2D; Hyndman and Fan 1996, DOI 10.1080/00031305.1996.10473566; the box of the
 * standard deviation: Georges et al., Method-level phase behavior in Java workloads, OOPSLA 2004, §5.2, Fig. 6.
 */
#ifndef ASSAY_STATS_ESTIMATES_BOX_H
#define ASSAY_STATS_ESTIMATES_BOX_H

#include <stddef.h>

#include "stats/status.h"

struct box {
    size_t n;
    double middle, low, high;         /* low ≤ middle ≤ high */
    double whisker_low, whisker_high; /* of the sd's box: low and high */
};

/* x[n] in ascending order, n ≥ 1 (STATS_TOO_FEW), finite (STATS_DOMAIN). O(n). */
enum stats_status box_tukey(const double *x, size_t n, struct box *box);

/*
 * x[n] in any order, n ≥ 2 (STATS_TOO_FEW), finite (STATS_DOMAIN). Equal values have a box of length 0 at exactly that
 * value. STATS_OVERFLOW if an edge is not a finite double. Two passes of extended precision. O(n).
 */
enum stats_status box_sd(const double *x, size_t n, struct box *box);

#endif
