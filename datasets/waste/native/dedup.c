/*
 * hashtable_search() of PARSEC's dedup, hashtable.c (dissertation, Listing 3.5): the hash is the sum of a digest's
 * bytes, so that 2 % of the buckets hold all entries, in long lists. After: the position of a byte counts, too.
 */
#include "case.h"

#include <string.h>

enum { BUCKETS = 1 << 16, ENTRIES = 8000, DIGEST = 20 };

struct dedup_entry {
    struct dedup_entry *next;
    uint32_t hash;
    uint8_t digest[DIGEST];
};

static struct dedup_entry entries[ENTRIES], *buckets[BUCKETS];

CASE_NAMED static uint32_t dedup_hash_sum(const uint8_t *digest)
{
    uint32_t sum = 0;
    for (int i = 0; i < DIGEST; i++)
        sum += digest[i];
    return sum;
}

CASE_NAMED static uint32_t dedup_hash_all(const uint8_t *digest)
{
    uint32_t hash = 0;
    for (int i = 0; i < DIGEST; i++)
        hash = hash * 31 + digest[i];
    return hash;
}

CASE_EXTERNAL static int dedup_equal(const uint8_t *a, const uint8_t *b)
{
    return memcmp(a, b, DIGEST) == 0;
}

CASE_NAMED static const struct dedup_entry *dedup_search(const uint8_t *digest, uint32_t hash)
{
    const struct dedup_entry *entry = buckets[hash % BUCKETS];
    while (entry != NULL) {                                            /* @blamed */
        if (hash == entry->hash && dedup_equal(digest, entry->digest)) /* @blamed */
            return entry;
        entry = entry->next; /* @blamed */
    }
    return NULL;
}

static double dedup_run(size_t steps, uint32_t (*hash)(const uint8_t *))
{
    uint64_t seed = 13;
    double sum = 0;
    for (int i = 0; i < ENTRIES; i++) {
        for (int k = 0; k < DIGEST; k++)
            entries[i].digest[k] = (uint8_t)(case_random(&seed) >> 8);
        entries[i].hash = hash(entries[i].digest);
        entries[i].next = buckets[entries[i].hash % BUCKETS];
        buckets[entries[i].hash % BUCKETS] = &entries[i];
    }
    for (size_t step = 0; step < steps; step++)
        for (int i = 0; i < ENTRIES; i++) {
            const uint8_t *digest = entries[(size_t)i * 3 % ENTRIES].digest;
            sum += (double)(dedup_search(digest, hash(digest)) - entries);
        }
    return sum;
}

static double dedup_before(size_t steps)
{
    return dedup_run(steps, dedup_hash_sum);
}

static double dedup_after(size_t steps)
{
    return dedup_run(steps, dedup_hash_all);
}

const struct waste_case waste_case = {dedup_before, dedup_after};
