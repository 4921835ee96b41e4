/*
 * exchange.h - does the order of values mean anything? Permutation tests, exact for every distribution, even with ties.
 *
 * If values are exchangeable (independent random values of anything, or a list in no order), each of their orders is as
 * likely as the given one. The statistic of the series is compared with those of EXCHANGE_PERMUTATIONS random orders: p
 * = (1 + orders with at least that much) / (1 + EXCHANGE_PERMUTATIONS) is below α in a share of at most α of such
 * series, whatever n is. Source: Phipson and Smyth 2010, DOI 10.2202/1544-6115.1585. The orders come from a fixed
 * sequence (SplitMix64): the same values give the same answer. (gsl_ran_shuffle() takes 7 to 9 times as long.)
 */
#ifndef ASSAY_STATS_INFERENCE_EXCHANGE_H
#define ASSAY_STATS_INFERENCE_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/status.h"

enum { EXCHANGE_PERMUTATIONS = 999 };

/*
 * Is p ≤ alpha for x[n]? Finite, n ≥ 2 (STATS_TOO_FEW), 0 < alpha < 1 (STATS_DOMAIN); STATS_NO_MEMORY. It ends as soon
 * as the answer is known: after few permutations if there is no effect, otherwise after all of them (at n = 2000 a few
 * ms per lag).
 *
 * exchange_level(): max over k of (Σ of the first k values minus their expectation)² / (k(n−k)/n), from the third value
 * to the third last one: one change of level at any position (CUSUM; Page 1954, DOI 10.2307/2333009). exchange_lags():
 * Ljung and Box's Q on lags 1 … lags, 1 ≤ lags < n.
 */
enum stats_status exchange_level(const double *x, size_t n, double alpha, bool *found);
enum stats_status exchange_lags(const double *x, size_t n, size_t lags, double alpha, bool *found);

#endif
