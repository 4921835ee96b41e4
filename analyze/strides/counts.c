#include "analyze/strides/counts.h"

#include <errno.h>

/* Both are arrays of uint64_t by their declaration. */
_Static_assert(sizeof(struct cache_counts) % sizeof(uint64_t) == 0, "counts are words");
_Static_assert(sizeof(struct cache_prefetches) % sizeof(uint64_t) == 0, "counts are words");
enum {
    COUNT_WORDS = sizeof(struct cache_counts) / sizeof(uint64_t),
    PREFETCH_WORDS = sizeof(struct cache_prefetches) / sizeof(uint64_t)
};

static void counts_add_words(uint64_t *words, const uint64_t *more, size_t count)
{
    for (size_t i = 0; i < count; i++)
        words[i] += more[i];
}

static json_t *counts_save_words(const uint64_t *words, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_integer((json_int_t)words[i]));
    if (json_array_size(list) == count)
        return list;
    json_decref(list);
    return NULL;
}

static int counts_load_words(uint64_t *words, size_t count, const json_t *saved)
{
    if (json_array_size(saved) != count)
        return EINVAL;
    for (size_t i = 0; i < count; i++) {
        if (!json_is_integer(json_array_get(saved, i)))
            return EINVAL;
        words[i] = (uint64_t)json_integer_value(json_array_get(saved, i));
    }
    return 0;
}

void counts_add(struct cache_counts *counts, const struct cache_counts *more)
{
    counts_add_words((uint64_t *)counts, (const uint64_t *)more, COUNT_WORDS);
}

void counts_add_prefetches(struct cache_prefetches *prefetches, const struct cache_prefetches *more)
{
    counts_add_words((uint64_t *)prefetches, (const uint64_t *)more, PREFETCH_WORDS);
}

json_t *counts_save(const struct cache_counts *counts)
{
    return counts_save_words((const uint64_t *)counts, COUNT_WORDS);
}

int counts_load(struct cache_counts *counts, const json_t *saved)
{
    return counts_load_words((uint64_t *)counts, COUNT_WORDS, saved);
}

json_t *counts_save_prefetches(const struct cache_prefetches *prefetches)
{
    return counts_save_words((const uint64_t *)prefetches, PREFETCH_WORDS);
}

int counts_load_prefetches(struct cache_prefetches *prefetches, const json_t *saved)
{
    return counts_load_words((uint64_t *)prefetches, PREFETCH_WORDS, saved);
}
