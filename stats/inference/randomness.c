#include "stats/inference/randomness.h"

#include <math.h>
#include <stdlib.h>

#include "stats/estimates/quantile.h"

struct randomness {
    uint64_t cap, over;             /* over: intervals above the cap */
    struct autocorrelation *raw;    /* uncapped */
    struct autocorrelation *capped; /* NULL while over is 0: it would be the same as raw */
    struct quantile quantile;
};

enum stats_status randomness_new(size_t lags, uint64_t cap, struct randomness **out)
{
    struct randomness *series = calloc(1, sizeof *series);
    if (!series)
        return STATS_NO_MEMORY;
    series->cap = cap;
    enum stats_status status = autocorrelation_new(lags, &series->raw);
    if (status)
        free(series);
    else
        *out = series;
    return status;
}

void randomness_free(struct randomness *series)
{
    if (!series)
        return;
    autocorrelation_free(series->raw);
    autocorrelation_free(series->capped);
    quantile_free(&series->quantile);
    free(series);
}

/* When the first interval exceeds the cap, raw and capped values part. */
static enum stats_status randomness_split_capped(struct randomness *series)
{
    return series->capped ? STATS_OK : autocorrelation_copy(series->raw, &series->capped);
}

enum stats_status randomness_add(struct randomness *series, const int64_t *intervals, size_t n)
{
    bool over = false;
    for (size_t i = 0; i < n; i++) {
        enum stats_status status =
            intervals[i] < 0 ? STATS_DOMAIN : quantile_add(&series->quantile, (uint64_t)intervals[i]);
        if (status)
            return status;
        over |= series->cap > 0 && (uint64_t)intervals[i] > series->cap;
    }
    if (!over && !series->capped) {
        autocorrelation_add(series->raw, intervals, n);
        return STATS_OK;
    }
    for (size_t i = 0; i < n; i++) {
        int64_t interval = intervals[i];
        bool above = (uint64_t)interval > series->cap;
        enum stats_status status = above ? randomness_split_capped(series) : STATS_OK;
        if (status)
            return status;
        series->over += above;
        autocorrelation_add(series->raw, &interval, 1);
        if (series->capped)
            autocorrelation_add(series->capped, above ? &(int64_t){(int64_t)series->cap} : &interval, 1);
    }
    return STATS_OK;
}

enum stats_status randomness_merge(struct randomness *series, struct randomness *other)
{
    if (series->cap != other->cap)
        return STATS_DOMAIN;
    enum stats_status status = other->capped ? randomness_split_capped(series) : STATS_OK;
    if (!status && series->capped)
        status = autocorrelation_merge(series->capped, other->capped ? other->capped : other->raw);
    if (!status)
        status = autocorrelation_merge(series->raw, other->raw);
    if (!status)
        status = quantile_merge(&series->quantile, &other->quantile);
    if (!status)
        series->over += other->over;
    return status;
}

const struct moments *randomness_moments(const struct randomness *series)
{
    return autocorrelation_moments(series->raw);
}

uint64_t randomness_capped(const struct randomness *series)
{
    return series->over > series->quantile.n / 2 ? 0 : series->over;
}

struct autocorrelation *randomness_judged(struct randomness *series)
{
    return randomness_capped(series) > 0 ? series->capped : series->raw;
}

static enum randomness_verdict randomness_decide(const struct randomness_result *result, uint64_t n,
                                                 const struct randomness_rules *rules)
{
    if (n < rules->least_n)
        return RANDOMNESS_TOO_FEW;
    if (result->spread < rules->least_spread || result->correlated == STATS_CONSTANT)
        return RANDOMNESS_PERIODIC;
    if (result->correlated)
        return RANDOMNESS_TOO_LARGE;
    return result->test.log10_p < log10(rules->alpha) ? RANDOMNESS_CORRELATED : RANDOMNESS_RANDOM;
}

enum stats_status randomness_judge(struct randomness *series, const struct randomness_rules *rules,
                                   struct randomness_result *out)
{
    struct randomness_result result = {0};
    uint64_t n = series->quantile.n;
    if (n < 2)
        return STATS_TOO_FEW;
    if (!(rules->alpha > 0 && rules->alpha < 1) || !(rules->least_spread >= 0) || rules->lags < 1 ||
        rules->lags > autocorrelation_lags(series->raw))
        return STATS_DOMAIN;
    if (quantile_spread(&series->quantile, &result.spread))
        result.spread = 0; /* more than half of the intervals are 0 */
    size_t wanted = rules->lags;
    struct autocorrelation *judged = randomness_judged(series);
    size_t lags = autocorrelation_lags_for(series->quantile.n, wanted);
    enum stats_status status = autocorrelation_r(judged, 1, &result.lag1);
    result.correlated = status ? status : autocorrelation_ljung_box(judged, lags, &result.test);
    if (result.correlated == STATS_NO_MEMORY)
        return STATS_NO_MEMORY;
    result.verdict = randomness_decide(&result, n, rules);
    *out = result;
    return STATS_OK;
}

/* Words: cap, over, the number of words of each part, the parts. */
enum { HEAD_WORDS = 5 };

static void randomness_count_words(struct randomness *series, uint64_t counts[3])
{
    counts[0] = autocorrelation_word_count(series->raw);
    counts[1] = series->capped ? autocorrelation_word_count(series->capped) : 0;
    counts[2] = quantile_word_count(&series->quantile);
}

size_t randomness_word_count(struct randomness *series)
{
    uint64_t counts[3];
    randomness_count_words(series, counts);
    return HEAD_WORDS + counts[0] + counts[1] + counts[2];
}

void randomness_to_words(struct randomness *series, uint64_t *words)
{
    words[0] = series->cap;
    words[1] = series->over;
    randomness_count_words(series, words + 2);
    uint64_t *part = words + HEAD_WORDS;
    autocorrelation_to_words(series->raw, part);
    part += words[2];
    if (series->capped)
        autocorrelation_to_words(series->capped, part);
    quantile_to_words(&series->quantile, part + words[3]);
}

static bool randomness_is_consistent(const struct randomness *series)
{
    uint64_t n = series->quantile.n;
    if (randomness_moments(series)->n != n || series->over > n || (series->over > 0) != (series->capped != NULL))
        return false;
    return !series->capped || (autocorrelation_moments(series->capped)->n == n &&
                               autocorrelation_lags(series->capped) == autocorrelation_lags(series->raw));
}

enum stats_status randomness_from_words(const uint64_t *words, size_t count, struct randomness **out)
{
    if (count < HEAD_WORDS || words[2] > count || words[3] > count || words[4] > count ||
        HEAD_WORDS + words[2] + words[3] + words[4] != count)
        return STATS_DOMAIN;
    struct randomness *series = calloc(1, sizeof *series);
    if (!series)
        return STATS_NO_MEMORY;
    series->cap = words[0];
    series->over = words[1];
    const uint64_t *part = words + HEAD_WORDS;
    enum stats_status status = autocorrelation_from_words(part, words[2], &series->raw);
    if (!status && words[3] > 0)
        status = autocorrelation_from_words(part + words[2], words[3], &series->capped);
    if (!status)
        status = quantile_from_words(part + words[2] + words[3], words[4], &series->quantile);
    if (!status && !randomness_is_consistent(series))
        status = STATS_DOMAIN;
    if (status)
        randomness_free(series);
    else
        *out = series;
    return status;
}
