/*
 * rank.h - do groups differ? Tests on ranks, which assume no distribution and ignore how far an outlier lies.
 *
 * All values of all groups are ranked together, equal ones sharing the mean of their ranks. Values are doubles; values
 * that differ only beyond a double's digits are equal here.
 */
#ifndef ASSAY_STATS_INFERENCE_RANK_H
#define ASSAY_STATS_INFERENCE_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/distributions/tail.h"
#include "stats/status.h"

/* A group: x[n], in any order, all finite. */
struct rank_group {
    const double *x;
    size_t n;
};

/* Values to be ranked together. */
#define RANK_N_MAX ((uint64_t)1 << 40)

struct kruskal_wallis {
    double h;
    double dof; /* k−1 */
    double p;   /* 0 where it is below the smallest double */
    double log10_p;
    size_t groups;
    uint64_t n;
    bool ties;
};

/*
 * H = 12/(N(N+1)) Σ n_i (R̄_i − (N+1)/2)² / (1 − Σ(t³−t)/(N³−N)), where R̄_i are the groups' mean ranks and t the lengths
 * of runs of ties; p from chi-square with k−1 degrees of freedom, which holds for n_i of about 5 and more.
 * Source: Kruskal and Wallis 1952, DOI 10.1080/01621459.1952.10483441; R: kruskal.test().
 * STATS_TOO_FEW: less than two groups, or one without values. STATS_DOMAIN: a value that is not finite. STATS_CONSTANT:
 * all values are equal. STATS_OVERFLOW: more than RANK_N_MAX values. STATS_NO_MEMORY. O(N log N), 16 bytes per value.
 */
enum stats_status rank_kruskal_wallis(const struct rank_group *groups, size_t count, struct kruskal_wallis *out);

struct rank_dunn_pair {
    size_t first, second; /* the two groups, first < second */
    double difference;    /* mean rank of second − mean rank of first */
    double z;
    struct tail p; /* two-sided, of this pair alone */
};

/*
 * Dunn's test of all k(k−1)/2 pairs after rank_kruskal_wallis(), in the order (0,1), (0,2) … (k−2,k−1), by the ranks
 * among all groups: z = difference / √((N(N+1)/12 − Σ(t³−t)/(12(N−1)))·(1/n_i + 1/n_j)). p are those of each pair
 * alone; family.h adjusts them. Source: Dunn 1964, DOI 10.1080/00401706.1964.10490181; R: FSA's dunnTest(); dunn.test()
 * has one-sided p unless altp = TRUE, and the sign of first − second. free(*pairs) releases the pairs. Errors and cost
 * as rank_kruskal_wallis().
 */
enum stats_status rank_dunn(const struct rank_group *groups, size_t count, struct rank_dunn_pair **pairs);

/* The exact distribution is used up to this many pairs n_x·n_y: 50 values against 50, 25 against 100, 10 against 250.
 */
enum { RANK_EXACT_PAIRS = 2500 };
enum rank_method { RANK_EXACT, RANK_NORMAL };

struct mann_whitney {
    double u;           /* pairs (x, y) with x > y, those with x = y counting 1/2; R's W */
    double superiority; /* u / (n_x·n_y), 0 … 1: how often x is the larger one; 1/2 if they don't differ */
    double p;           /* two-sided */
    double log10_p;
    struct tail less, greater; /* one-sided: P(U ≤ u), small if x tends to be less than y, and P(U ≥ u) */
    enum rank_method method;   /* which p these are */
    bool ties;
};

/*
 * Mann and Whitney's (Wilcoxon's rank sum) test. RANK_EXACT: p = 2·min(P(U ≤ u), P(U ≥ u)), at most 1, over all
 * (n_x+n_y choose n_x) arrangements of the given values, including ties, counted exactly (rank_exact.h).
 * RANK_NORMAL: from z = (|u − n_x·n_y/2| − 1/2) / √(n_x·n_y/12·(N+1 − Σ(t³−t)/(N(N−1)))), 0 if u is n_x·n_y/2,
 * corrected for ties and for continuity (one-sided too). If all values are equal, p = 1. Source: Mann and Whitney 1947,
 * DOI 10.1214/aoms/1177730491; R: wilcox.test(x, y), exact there below 50 values without ties. Errors and cost as
 * rank_kruskal_wallis() except for STATS_CONSTANT, and the steps of rank_exact() where it is exact. One value in each
 * is enough (p = 1).
 */
enum stats_status rank_mann_whitney(const struct rank_group *x, const struct rank_group *y, struct mann_whitney *out);

/*
 * By which factor do x and y differ? The interval of all factors f for which Mann and Whitney's test does not
 * distinguish x from f·y: from the k-th smallest of the n_x·n_y ratios x_i/y_j to the k-th largest, k by the exact
 * distribution without ties up to RANK_EXACT_PAIRS pairs, else by the normal one. All values > 0 and 0 < confidence < 1
 * (STATS_DOMAIN). STATS_TOO_FEW: so few values that no interval reaches the confidence (3 and 3 for 95 %). Other errors
 * as above; STATS_OVERFLOW also for a ratio that is not a finite double. Source: Hollander and Wolfe, Nonparametric
 * Statistical Methods, 2nd ed., 1999, §4.3 (of the logarithms); R: exp(wilcox.test(log(x), log(y), conf.int =
 * TRUE)$conf.int). O(N log N) and at most 128 passes, 8 bytes per value.
 */
enum stats_status rank_ratio_interval(const struct rank_group *x, const struct rank_group *y, double confidence,
                                      double *low, double *high);

#endif
