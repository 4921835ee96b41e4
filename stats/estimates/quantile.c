#include "stats/estimates/quantile.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static unsigned quantile_bucket_shift(unsigned power)
{
    return power > 0 ? power - 1 : 0;
}

static uint64_t quantile_bucket_low(unsigned power, unsigned bucket)
{
    return (uint64_t)(bucket + (power > 0 ? QUANTILE_BUCKETS : 0)) << quantile_bucket_shift(power);
}

static enum stats_status quantile_reserve_power(struct quantile *quantile, unsigned power)
{
    if (!quantile->counts[power])
        quantile->counts[power] = calloc(QUANTILE_BUCKETS, sizeof **quantile->counts);
    return quantile->counts[power] ? STATS_OK : STATS_NO_MEMORY;
}

static void quantile_widen_range(struct quantile *quantile, uint64_t min, uint64_t max)
{
    if (quantile->n == 0 || min < quantile->min)
        quantile->min = min;
    if (quantile->n == 0 || max > quantile->max)
        quantile->max = max;
}

enum stats_status quantile_add(struct quantile *quantile, uint64_t x)
{
    /* The power 0 holds 0 … 255, the power p > 0 holds 2^(p+7) … 2^(p+8)−1 in steps of 2^(p−1). */
    unsigned power = x < QUANTILE_BUCKETS ? 0 : 64 - QUANTILE_BITS - (unsigned)__builtin_clzll(x);
    if (quantile_reserve_power(quantile, power))
        return STATS_NO_MEMORY;
    quantile_widen_range(quantile, x, x);
    quantile->counts[power][(x >> quantile_bucket_shift(power)) & (QUANTILE_BUCKETS - 1)]++;
    quantile->n++;
    return STATS_OK;
}

enum stats_status quantile_merge(struct quantile *quantile, const struct quantile *other)
{
    if (other->n == 0)
        return STATS_OK;
    if (other->n > INT64_MAX || quantile->n > INT64_MAX - other->n)
        return STATS_OVERFLOW;
    for (unsigned power = 0; power < QUANTILE_POWERS; power++)
        if (other->counts[power] && quantile_reserve_power(quantile, power))
            return STATS_NO_MEMORY;
    quantile_widen_range(quantile, other->min, other->max);
    for (unsigned power = 0; power < QUANTILE_POWERS; power++)
        for (unsigned i = 0; other->counts[power] && i < QUANTILE_BUCKETS; i++)
            quantile->counts[power][i] += other->counts[power][i];
    quantile->n += other->n;
    return STATS_OK;
}

void quantile_free(struct quantile *quantile)
{
    for (unsigned power = 0; power < QUANTILE_POWERS; power++)
        free(quantile->counts[power]);
    *quantile = (struct quantile){0};
}

/* The value of 0-based rank, as if those of a bucket were spread evenly over it. */
static double quantile_value_at_rank(const struct quantile *quantile, uint64_t rank)
{
    if (rank == 0 || rank >= quantile->n - 1)
        return (double)(rank == 0 ? quantile->min : quantile->max);
    for (unsigned power = 0; power < QUANTILE_POWERS; power++) {
        for (unsigned i = 0; quantile->counts[power] && i < QUANTILE_BUCKETS; i++) {
            uint64_t count = quantile->counts[power][i], width = (uint64_t)1 << quantile_bucket_shift(power);
            if (rank < count) {
                double position = ((double)rank + 0.5) / (double)count;
                double value = (double)quantile_bucket_low(power, i) + (double)(width - 1) * position;
                double min = (double)quantile->min, max = (double)quantile->max;
                return value < min ? min : value > max ? max : value;
            }
            rank -= count;
        }
    }
    return (double)quantile->max;
}

enum stats_status quantile_at(const struct quantile *quantile, double share, double *value)
{
    if (!(share >= 0 && share <= 1))
        return STATS_DOMAIN;
    if (quantile->n < 1)
        return STATS_TOO_FEW;
    double position = (double)(quantile->n - 1) * share;
    uint64_t rank = (uint64_t)position;
    double low = quantile_value_at_rank(quantile, rank), high = quantile_value_at_rank(quantile, rank + 1);
    *value = low + (position - (double)rank) * (high - low);
    return STATS_OK;
}

/* A bucket that is not empty. */
struct cursor {
    unsigned power, bucket;
    double low, width;
    uint64_t count;
};

/* Advances to the next one; to the first if count is 0. False if there is none. */
static bool quantile_cursor_advance(const struct quantile *quantile, struct cursor *at)
{
    unsigned bucket = at->count ? at->bucket + 1 : 0;
    for (unsigned power = at->power; power < QUANTILE_POWERS; power++, bucket = 0)
        for (unsigned i = bucket; quantile->counts[power] && i < QUANTILE_BUCKETS; i++)
            if (quantile->counts[power][i] > 0) {
                *at =
                    (struct cursor){power, i, (double)quantile_bucket_low(power, i),
                                    (double)((uint64_t)1 << quantile_bucket_shift(power)), quantile->counts[power][i]};
                return true;
            }
    return false;
}

/* The length of the shortest span that begins with a bucket and holds `wanted` values, as if those of a bucket were
 * spread evenly over it. */
static double quantile_shortest_span(const struct quantile *quantile, double wanted)
{
    struct cursor first = {0}, last = {0};
    double inside = 0, shortest = INFINITY; /* inside: from first to last, both completely */
    if (!quantile_cursor_advance(quantile, &first) || !quantile_cursor_advance(quantile, &last))
        return 0;
    inside = (double)last.count;
    for (bool more = true; more; more = quantile_cursor_advance(quantile, &first)) {
        while (inside < wanted && quantile_cursor_advance(quantile, &last))
            inside += (double)last.count;
        if (inside < wanted)
            break;
        double unused = (inside - wanted) / (double)last.count * last.width;
        double span = last.low + last.width - unused - first.low;
        shortest = span < shortest ? span : shortest;
        inside -= (double)first.count;
    }
    return shortest;
}

enum stats_status quantile_spread(const struct quantile *quantile, double *spread)
{
    double median = 0;
    if (quantile->n < 2)
        return STATS_TOO_FEW;
    quantile_at(quantile, 0.50, &median);
    if (!(median > 0))
        return STATS_DOMAIN;
    *spread =
        quantile->min == quantile->max ? 0 : 2 * quantile_shortest_span(quantile, (double)quantile->n / 4) / median;
    return STATS_OK;
}

size_t quantile_word_count(const struct quantile *quantile)
{
    size_t used = 0;
    for (unsigned power = 0; power < QUANTILE_POWERS; power++)
        for (unsigned i = 0; quantile->counts[power] && i < QUANTILE_BUCKETS; i++)
            used += quantile->counts[power][i] > 0;
    return 2 + 2 * used;
}

void quantile_to_words(const struct quantile *quantile, uint64_t *words)
{
    *words++ = quantile->min;
    *words++ = quantile->max;
    for (unsigned power = 0; power < QUANTILE_POWERS; power++) {
        for (unsigned i = 0; quantile->counts[power] && i < QUANTILE_BUCKETS; i++) {
            if (quantile->counts[power][i] == 0)
                continue;
            *words++ = (uint64_t)power * QUANTILE_BUCKETS + i;
            *words++ = quantile->counts[power][i];
        }
    }
}

static enum stats_status quantile_load_bucket(struct quantile *quantile, uint64_t index, uint64_t count)
{
    if (index / QUANTILE_BUCKETS >= QUANTILE_POWERS || count == 0 || count > INT64_MAX - quantile->n)
        return STATS_DOMAIN;
    unsigned power = (unsigned)(index / QUANTILE_BUCKETS), bucket = (unsigned)(index % QUANTILE_BUCKETS);
    uint64_t low = quantile_bucket_low(power, bucket), high = low + (((uint64_t)1 << quantile_bucket_shift(power)) - 1);
    if (high < quantile->min || low > quantile->max)
        return STATS_DOMAIN;
    if (quantile_reserve_power(quantile, power))
        return STATS_NO_MEMORY;
    quantile->counts[power][bucket] += count;
    quantile->n += count;
    return STATS_OK;
}

enum stats_status quantile_from_words(const uint64_t *words, size_t count, struct quantile *out)
{
    if (count < 2 || count % 2 != 0)
        return STATS_DOMAIN;
    struct quantile loaded = {.min = words[0], .max = words[1]};
    if (loaded.min > loaded.max || (count == 2 && loaded.max != 0))
        return STATS_DOMAIN;
    for (size_t i = 2; i < count; i += 2) {
        enum stats_status status = quantile_load_bucket(&loaded, words[i], words[i + 1]);
        if (status) {
            quantile_free(&loaded);
            return status;
        }
    }
    *out = loaded;
    return STATS_OK;
}
