/*
 * sequential.h - where does the level of a series change, if each new value is another look at it?
 *
 * Quantity: the changes of level that looks at the series find, one after each value. A
 * look tests the values since the last change, at most SEQUENTIAL_WINDOW of them, for one change that lasts until now.
 * Its statistic is the largest, over k, of the squared standardized difference between the mean of the last k values
 * and the mean of all; k is 3, 4, 5, 6 and then grows by a third up to 90, and 5 to 8 weigh most. A permutation test
 * gives it p: if no value differs from the others except by chance, all orders are equally likely, whatever the
 * distribution. A look with p ≤ SEQUENTIAL_LOOK·alpha is an alarm. The changed value is then the one that explains the
 * values best, and the next look begins with it. So a result never depends on later values, except that the change
 * between two segments is located again once both are complete.
 *
 * Outliers: values further than three times 1.4826·MAD from the window's median are moved to that distance, so neither
 * one nor two values can raise an alarm. Autocorrelation: the values are replaced by x_t − ρ·x_(t−1), and a step by its
 * effect on these; ρ is the larger of two estimates from the values before the last eight, each 0 unless it is
 * significantly positive (one-sided, 2.5 %): around the levels, less its bias, and from differences between values one
 * and two apart. Among the first thirty values, which can't show it, ρ is taken as 0.3. Drifting noise: the
 * differences between neighbours show how much the spread has grown, by their trend (one-sided, 2.5 %) and by the last
 * twenty beside those before (1 %); if it has by more than chance, the statistic is divided by the square of that
 * ratio.
 *
 * SEQUENTIAL_LOOK is measured: successive looks see nearly the same values, so alarms are rarer than p ≤ alpha would
 * make them (docs/measurements/history.md). Source: change-point models with a constant rate of false alarms: Hawkins,
 * Qiu and Kang 2003, DOI 10.1080/00224065.2003.11980233; window-limited likelihood ratios: Lai 1995,
 * DOI 10.1111/j.2517-6161.1995.tb02052.x; permutation p: Phipson and Smyth 2010, DOI 10.2202/1544-6115.1585.
 * Suspects: the likelihood ratio of a change's location, whose limit has the distribution (1 − e^(−x/2))²: Hansen 2000,
 * DOI 10.1111/1468-0262.00124.
 */
#ifndef ASSAY_STATS_INFERENCE_SEQUENTIAL_H
#define ASSAY_STATS_INFERENCE_SEQUENTIAL_H

#include <stddef.h>

#include "stats/status.h"

#define SEQUENTIAL_LOOK 1.6
enum {
    SEQUENTIAL_WINDOW = 250,
    SEQUENTIAL_BEFORE_MIN = 5, /* values before a change, since the last one */
    SEQUENTIAL_AFTER_MIN = 3   /* values after it */
};

struct sequential_change {
    size_t at;          /* the first value at the new level, 1 … n−1 */
    size_t found;       /* the value with which the alarm was raised, ≥ at */
    size_t first, last; /* the values at which the change may have happened, first ≤ at ≤ last */
    double p;           /* of the look, 0 … 1; at least 1/(permutations + 1) */
};

struct sequential {
    struct sequential_change *changes; /* [count], ascending; to be freed by free() */
    size_t count;
    double rho; /* autocorrelation at lag 1 as the last look used it; 0 … 0.95 */
};

/*
 * x[n], finite, 0 < alpha ≤ 0.1: the expected number of false alarms a value; 0 < confidence < 1, of the suspects
 * (STATS_DOMAIN). n ≥ 1 (STATS_TOO_FEW). STATS_NO_MEMORY. Fewer than eight values have no change. Random orders come
 * from a fixed sequence, so the same values give the same result. About 20 µs a value at an alpha of 0.001.
 */
enum stats_status sequential_find(const double *x, size_t n, double alpha, double confidence, struct sequential *out);

/* Σ over x[n] clipped as above, divided by n; and the standard deviation (divisor n − 1) of the clipped values, 0 if n
 * is 1. n ≥ 1. STATS_NO_MEMORY. O(n log n). */
struct sequential_level {
    double mean, sd;
};
enum stats_status sequential_level(const double *x, size_t n, struct sequential_level *out);

#endif
