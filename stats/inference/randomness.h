/*
 * randomness.h - are the intervals of a sampling clock random?
 *
 * Two things must hold: an interval says nothing about a later one (autocorrelation, Ljung-Box), and the intervals
 * differ enough that samples can't stay in step with something that the program does at regular times.
 *
 * Spread is judged by the densest quarter of the intervals (quantile_spread()) and not by sd: delays can inflate sd
 * arbitrarily. A fixed 10 ms clock on a busy machine had cv 0.22, more than a good random clock's 0.17. And a clock
 * that waits 10 ms and then for a safepoint has a minimum where its intervals cluster, and arbitrary delays above it:
 * cv 0.15 to 0.8, IQR/median 0.01 to 0.4 on twelve Java programs, but this measure 0.02 to 0.1. For intervals uniform
 * in t ± r the measure is r/t. Relative to an activity of period t the samples lose their phase by a factor
 * sin(2πr/t)/(2πr/t) per sample: 0.50 at the usual r/t = 0.3, so that n samples are worth n/3; 0.94 at r/t = 0.1, worth
 * n/30; 0.98 at 0.05, worth n/120.
 *
 * Correlation is judged on intervals capped at a fixed value (twice the nominal period, beyond which no clock draws, is
 * a good one). Uncapped, stalls do two kinds of harm: they hide the correlation of all other intervals, since they hold
 * most of the variance; and they spoil the distribution of Ljung-Box (see autocorrelation.h). A fixed cap keeps
 * independent intervals independent. If more than half of the intervals exceed the cap, this is not a stall but how the
 * clock behaves, and they are judged uncapped.
 */
#ifndef ASSAY_STATS_INFERENCE_RANDOMNESS_H
#define ASSAY_STATS_INFERENCE_RANDOMNESS_H

#include <stddef.h>
#include <stdint.h>

#include "stats/autocorrelation/autocorrelation.h"
#include "stats/status.h"

struct randomness; /* of one series; mergeable: any split gives the same bits */

/* An empty series, for lags 1 … lags, in any unit; cap 0: none. Errors and memory as autocorrelation_new(). */
enum stats_status randomness_new(size_t lags, uint64_t cap, struct randomness **out);
void randomness_free(struct randomness *series); /* NULL is fine */

/* Appends n intervals below 2^63 (else STATS_DOMAIN); STATS_NO_MEMORY. After a failure the series can only be freed. */
enum stats_status randomness_add(struct randomness *series, const int64_t *intervals, size_t n);

/* Appends all of other (another series). STATS_DOMAIN if lags or caps differ; otherwise as randomness_add(). */
enum stats_status randomness_merge(struct randomness *series, struct randomness *other);

/* n, mean, sd, smallest and largest of the uncapped intervals. */
const struct moments *randomness_moments(const struct randomness *series);

/* The intervals in which correlation is judged: capped, unless more than half exceed the cap. Owned by series. */
struct autocorrelation *randomness_judged(struct randomness *series);

/* The number of intervals that the cap changes in randomness_judged(). */
uint64_t randomness_capped(const struct randomness *series);

enum randomness_verdict {
    RANDOMNESS_RANDOM,     /* no evidence against randomness */
    RANDOMNESS_CORRELATED, /* Ljung-Box rejects at alpha */
    RANDOMNESS_PERIODIC,   /* too little spread, whatever the correlation */
    RANDOMNESS_TOO_FEW,    /* intervals for either verdict */
    RANDOMNESS_TOO_LARGE   /* intervals for exact sums */
};

struct randomness_rules {
    uint64_t least_n;    /* ≥ 2; autocorrelations become meaningful at about 50 (Box and Jenkins 1970, §2.1.6) */
    double least_spread; /* quantile_spread() below which intervals are periodic */
    double alpha;        /* in (0, 1) */
    size_t lags;         /* at most the series' */
};

struct randomness_result {
    enum randomness_verdict verdict;
    double spread;                /* quantile_spread(); 0 if the median is 0 */
    enum stats_status correlated; /* STATS_OK if lag1 and test exist; STATS_CONSTANT, STATS_TOO_FEW, STATS_OVERFLOW */
    double lag1;
    struct ljung_box test; /* on autocorrelation_lags_for(n, lags) lags */
};

/* STATS_TOO_FEW for n < 2, STATS_DOMAIN for rules out of range, STATS_NO_MEMORY. O(lags). */
enum stats_status randomness_judge(struct randomness *series, const struct randomness_rules *rules,
                                   struct randomness_result *out);

/* Converts the series to words, to save it, and back; as in autocorrelation.h. */
size_t randomness_word_count(struct randomness *series);
void randomness_to_words(struct randomness *series, uint64_t *words);
enum stats_status randomness_from_words(const uint64_t *words, size_t count, struct randomness **out);

#endif
