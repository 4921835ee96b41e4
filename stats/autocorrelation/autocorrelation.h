/*
 * autocorrelation.h - autocorrelation of a series of integers, streaming, exact and mergeable.
 *
 * Quantity: r_k = Σ_{i=1}^{n−k} (x_i − x̄)(x_{i+k} − x̄) / Σ_{i=1}^{n} (x_i − x̄)², k = 1 … K, as R's acf(); and the
 * Ljung-Box test that all of them are 0: Q = n(n+2) Σ r_k²/(n−k), chi-square with as many degrees of freedom as lags.
 * Source: Ljung and Box 1978, DOI 10.1093/biomet/65.2.297.
 *
 * The state is the sums of x_i and of x_i·x_{i+k}, uncentred, as 128-bit integers, with the first and the last K
 * values, from which every centred sum follows exactly: r_k is rounded once. So state(A) merged with state(B) has the
 * same bits as state(A‖B) wherever the series is split. No centring is needed: values up to 2^40 leave capacity for
 * 2^46 of them. Sums are kept modulo 2^128, and n·max|x|² < 2^127 is checked when a result is requested: since that
 * bounds every sum, nothing has been lost if it holds, and overflow doesn't depend on the order of merging either.
 */
#ifndef ASSAY_STATS_AUTOCORRELATION_AUTOCORRELATION_H
#define ASSAY_STATS_AUTOCORRELATION_AUTOCORRELATION_H

#include <stddef.h>
#include <stdint.h>

#include "stats/exact/moments.h"
#include "stats/status.h"

enum { AUTOCORRELATION_LAGS_MAX = 1 << 20 };
#define AUTOCORRELATION_N_MAX ((uint64_t)1 << 42)

struct autocorrelation;

/* An empty state for lags 1 … lags (≤ AUTOCORRELATION_LAGS_MAX, else STATS_DOMAIN). 32 bytes per lag. */
enum stats_status autocorrelation_new(size_t lags, struct autocorrelation **out);
enum stats_status autocorrelation_copy(struct autocorrelation *from, struct autocorrelation **out);
void autocorrelation_free(struct autocorrelation *state); /* NULL is fine */

/* Appends x[n] to the series. Cost n·lags multiplications: 0.1 to 0.4 ns each where 0 ≤ x < 2^28, 1.4 ns elsewhere
 * (dot.h). */
void autocorrelation_add(struct autocorrelation *state, const int64_t *x, size_t n);

/*
 * Appends the whole series of `other` (another state, unchanged except for its buffer) to that of state. STATS_DOMAIN
 * if their lags differ, STATS_OVERFLOW if the counts overflow; state is then as before. O(lags²).
 */
enum stats_status autocorrelation_merge(struct autocorrelation *state, struct autocorrelation *other);

size_t autocorrelation_lags(const struct autocorrelation *state);

/* n, mean, sd, smallest and largest value of the series. */
const struct moments *autocorrelation_moments(const struct autocorrelation *state);

/*
 * r[0 … lags−1] = r_1 … r_lags, each −1 … 1, rounded to double once. lags ≥ 1 and at most the state's (STATS_DOMAIN);
 * n > lags (STATS_TOO_FEW); values not all equal (STATS_CONSTANT); n ≤ AUTOCORRELATION_N_MAX and n·max|x|² < 2^127
 * (STATS_OVERFLOW). O(lags).
 */
enum stats_status autocorrelation_r(struct autocorrelation *state, size_t lags, double *r);

struct ljung_box {
    double q;
    size_t dof;     /* the lags used */
    double p;       /* 0 where it is below the smallest double */
    double log10_p; /* always finite */
};

/* The test on lags 1 … lags. Errors as autocorrelation_r(), or STATS_NO_MEMORY. */
enum stats_status autocorrelation_ljung_box(struct autocorrelation *state, size_t lags, struct ljung_box *out);

/* The same from r[lags] of a series of n > lags ≥ 1 values (else STATS_TOO_FEW); r finite, |r| ≤ 1 (STATS_DOMAIN). */
enum stats_status autocorrelation_ljung_box_of(const double *r, size_t lags, uint64_t n, struct ljung_box *out);

/*
 * The number of `wanted` lags that Ljung-Box may use on a series of n values: min(wanted, n/5), at least 1.
 *
 * The statistic is chi-square only for n much larger than the number of lags; far out in its tail, where a test of many
 * series must decide, it rejects good series more often than alpha says. At alpha = 0.0001 uniform series are rejected
 * at 0.002 to 0.003 (n from 50 to 500, n/5 lags; with more lags up to 0.009), 0.0018 (n = 600, 100 lags), 0.0006
 * (1000), 0.0003 (2000). tests/stats/autocorrelation/ljung_box_rate_test simulates it.
 *
 * This holds for bounded values. A few far outliers spoil it at any n. Cap them first (a fixed cap keeps independent
 * values independent); then the rate is the same as without them.
 */
size_t autocorrelation_lags_for(uint64_t n, size_t wanted);

/*
 * Converts the state to words, to save or compare it: states of the same series have the same words. to_words() writes
 * word_count() words. from_words() checks what it can: STATS_DOMAIN if they are not a state, STATS_NO_MEMORY.
 */
size_t autocorrelation_word_count(struct autocorrelation *state);
void autocorrelation_to_words(struct autocorrelation *state, uint64_t *words);
enum stats_status autocorrelation_from_words(const uint64_t *words, size_t count, struct autocorrelation **out);

#endif
