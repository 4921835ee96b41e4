#include "analyze/phases/sums/spread.h"

#include <math.h>
#include <stdlib.h>

#include "stats/exact/double_bits.h"

enum { CAPACITY_FIRST = 16, BITS = 64, MANTISSA_BITS = 52 };

/* The start of the search for a key: by the upper bits, since the lower ones of a double with an integer value are 0.
 */
static struct spread_bucket *spread_home_bucket(const struct spread *spread, uint64_t key)
{
    uint32_t upper = (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
    return &spread->buckets[upper >> __builtin_clz(spread->capacity - 1)];
}

/* The slot of a key, or the free one where it belongs. */
static struct spread_bucket *spread_find_bucket(const struct spread *spread, uint64_t key)
{
    struct spread_bucket *bucket = spread_home_bucket(spread, key), *end = spread->buckets + spread->capacity;
    while (bucket->count && bucket->key != key)
        bucket = bucket + 1 < end ? bucket + 1 : spread->buckets;
    return bucket;
}

/* Moves all buckets to a new table of this capacity, with this many bits dropped. */
static bool spread_rebuild(struct spread *spread, uint32_t capacity, uint32_t dropped)
{
    struct spread old = *spread;
    struct spread_bucket *buckets = calloc(capacity, sizeof *buckets);
    if (!buckets)
        return false;
    spread->buckets = buckets;
    spread->capacity = capacity;
    spread->used = 0;
    for (uint32_t i = 0; i < old.capacity; i++)
        if (old.buckets[i].count) {
            struct spread_bucket *bucket = spread_find_bucket(spread, old.buckets[i].key >> (dropped - old.dropped));
            spread->used += bucket->count == 0;
            bucket->key = old.buckets[i].key >> (dropped - old.dropped);
            bucket->count += old.buckets[i].count;
        }
    spread->dropped = dropped;
    free(old.buckets);
    return true;
}

static int spread_compare_keys(const void *a, const void *b)
{
    uint64_t x = ((const struct spread_bucket *)a)->key, y = ((const struct spread_bucket *)b)->key;
    return x < y ? -1 : x > y;
}

/* The used buckets by key, to free(). */
static struct spread_bucket *spread_sorted_buckets(const struct spread *spread)
{
    struct spread_bucket *sorted = malloc((spread->used + 1) * sizeof *sorted);
    uint32_t used = 0;
    for (uint32_t i = 0; sorted && i < spread->capacity; i++)
        if (spread->buckets[i].count)
            sorted[used++] = spread->buckets[i];
    if (sorted)
        qsort(sorted, used, sizeof *sorted, spread_compare_keys);
    return sorted;
}

static bool spread_reserve(struct spread *spread)
{
    if (spread->used <= spread->limit)
        return 2 * (spread->used + 1) <= spread->capacity ||
               spread_rebuild(spread, spread->capacity ? 2 * spread->capacity : CAPACITY_FIRST, spread->dropped);

    /* Drops as many bits as necessary, and no more. Two buckets are joined only after a bit in which they differ is
     * dropped. */
    const struct spread_bucket *first = spread->buckets;
    uint64_t differ = 0;
    while (!first->count)
        first++;
    for (const struct spread_bucket *bucket = first; bucket < spread->buckets + spread->capacity; bucket++)
        differ |= bucket->count ? bucket->key ^ first->key : 0;
    uint32_t drop = differ ? (uint32_t)__builtin_ctzll(differ) : 0;
    bool good = true;
    while (good && spread->used > spread->limit) {
        good = spread_rebuild(spread, spread->capacity, spread->dropped + drop + 1);
        drop = 0;
    }
    return good;
}

static bool spread_add_key(struct spread *spread, uint64_t key, uint64_t count)
{
    struct spread_bucket *bucket = spread_find_bucket(spread, key);
    bool is_new = bucket->count == 0;
    bucket->key = key;
    bucket->count += count;
    spread->n += count;
    spread->used += is_new;
    return !is_new || spread_reserve(spread);
}

bool spread_flush(struct spread *spread)
{
    if (!spread->capacity && !spread_reserve(spread))
        return false;
    bool good = true;
    for (uint32_t i = 0; i < spread->waiting_count; i++)
        __builtin_prefetch(spread_home_bucket(spread, double_to_bits(spread->waiting[i]) >> spread->dropped), 1);
    for (uint32_t i = 0; good && i < spread->waiting_count; i++)
        good = spread_add_key(spread, double_to_bits(spread->waiting[i]) >> spread->dropped, 1);
    spread->waiting_count = 0;
    return good;
}

bool spread_add(struct spread *spread, double x)
{
    spread->waiting[spread->waiting_count++] = x;
    return spread->waiting_count < SPREAD_WAITING || spread_flush(spread);
}

bool spread_merge(struct spread *spread, const struct spread *other)
{
    if (other->used == 0)
        return true;
    if (!spread->capacity && !spread_reserve(spread))
        return false;
    if (other->dropped > spread->dropped && !spread_rebuild(spread, spread->capacity, other->dropped))
        return false;
    for (uint32_t i = 0; i < other->capacity; i++)
        if (other->buckets[i].count &&
            !spread_add_key(spread, other->buckets[i].key >> (spread->dropped - other->dropped),
                            other->buckets[i].count))
            return false;
    return true;
}

void spread_free(struct spread *spread)
{
    free(spread->buckets);
    *spread = (struct spread){.limit = spread->limit};
}

/* ------------------------------------------------------------------------------------------ reading it out -- */

struct rank_value *spread_sorted(const struct spread *spread)
{
    struct spread_bucket *sorted = spread->used ? spread_sorted_buckets(spread) : NULL;
    struct rank_value *values = sorted ? malloc(spread->used * sizeof *values) : NULL;
    uint64_t middle = spread->dropped ? UINT64_C(1) << (spread->dropped - 1) : 0;
    for (uint32_t i = 0; values && i < spread->used; i++) {
        uint64_t bits = sorted[i].key << spread->dropped;
        values[i] = (struct rank_value){double_of_bits(bits ? bits | middle : 0), sorted[i].count};
    }
    free(sorted);
    return values;
}

double spread_error(const struct spread *spread)
{
    return spread->dropped ? ldexp(1, (int)spread->dropped - MANTISSA_BITS - 1) : 0;
}

/* The value of this rank, from 0. */
static double spread_value_at_rank(const struct rank_value *values, size_t count, uint64_t rank)
{
    size_t i = 0;
    for (uint64_t before = 0; i + 1 < count && before + values[i].count <= rank; i++)
        before += values[i].count;
    return values[i].value;
}

double spread_quantile(const struct rank_value *values, size_t count, double share)
{
    uint64_t n = 0;
    for (size_t i = 0; i < count; i++)
        n += values[i].count;
    long double rank = (long double)(n - 1) * (long double)share, whole = floorl(rank);
    double low = spread_value_at_rank(values, count, (uint64_t)whole);
    double high = rank > whole ? spread_value_at_rank(values, count, (uint64_t)whole + 1) : low;
    return (double)((long double)low + (rank - whole) * ((long double)high - (long double)low));
}

/* ------------------------------------------------------------------------------------------ saved -- */

json_t *spread_save(const struct spread *spread)
{
    struct spread_bucket *sorted = spread_sorted_buckets(spread);
    json_t *saved = sorted ? json_array() : NULL;
    if (saved)
        json_array_append_new(saved, json_integer(spread->dropped));
    for (uint32_t i = 0; saved && i < spread->used; i++) {
        json_array_append_new(saved, json_integer((json_int_t)sorted[i].key));
        json_array_append_new(saved, json_integer((json_int_t)sorted[i].count));
    }
    free(sorted);
    return saved;
}

bool spread_load(const json_t *saved, struct spread *spread)
{
    size_t size = json_array_size(saved);
    json_int_t dropped = json_integer_value(json_array_get(saved, 0));
    if (size % 2 != 1 || size / 2 > spread->limit || dropped < 0 || dropped >= BITS - 1 || !spread_reserve(spread))
        return false;
    spread->dropped = (uint32_t)dropped;
    for (size_t i = 1; i < size; i += 2) {
        json_int_t key = json_integer_value(json_array_get(saved, i)),
                   n = json_integer_value(json_array_get(saved, i + 1));
        bool finite = key >= 0 && (uint64_t)key <= double_to_bits(HUGE_VAL) >> dropped;
        if (!finite || n < 1 || !spread_add_key(spread, (uint64_t)key, (uint64_t)n))
            return false;
    }
    return true;
}
