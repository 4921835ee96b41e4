/*
 * array.h - one set-associative array of lines: a level of a cache, or a TLB, whose lines are pages.
 */
#ifndef ASSAY_CACHE_ARRAY_H
#define ASSAY_CACHE_ARRAY_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/cache/machine.h"

/* Addresses are taken modulo 2^56: no program has others, and the upper bits of a key are an epoch. */
enum { CACHE_ADDRESS_BITS = 56 };

/* 24 bytes. All zero: empty. */
struct cache_line {
    uint64_t key;     /* the epoch in which the line was filled, and its block: its address divided by its size */
    uint64_t arrival; /* cycles: when a prefetched line has arrived */
    uint32_t mark;    /* whose prefetch filled the line, which has not been accessed since; 0: nobody's */
    bool dirty;       /* it was stored to */
};

struct cache_array {
    struct cache_line *lines; /* [set × ways + way]; with LRU the most recently used one first */
    uint64_t *trees;          /* [set], with tree PLRU */
    uint64_t sets, epoch;
    unsigned ways, shift; /* shift: log2 of the size of a line */
    bool masked;          /* the number of sets is a power of two */
    enum cache_replacement replacement;
};

/* 0 or ENOMEM; then there is nothing to free. The numbers are those of a valid machine. */
int cache_array_init(struct cache_array *array, uint64_t sets, unsigned ways, unsigned line_bytes,
                     enum cache_replacement replacement);
void cache_array_free(struct cache_array *array);

/* Empties the array. Usually O(1). */
void cache_array_clear(struct cache_array *array);

/* The block of an address. */
static inline uint64_t cache_array_block(const struct cache_array *array, uint64_t address)
{
    return (address & ((UINT64_C(1) << CACHE_ADDRESS_BITS) - 1)) >> array->shift;
}

static inline uint64_t cache_array_key(const struct cache_array *array, uint64_t block)
{
    return array->epoch | block;
}

/* The lines of the set that may have this block. */
static inline struct cache_line *cache_array_set(const struct cache_array *array, uint64_t block)
{
    uint64_t set = array->masked ? block & (array->sets - 1) : block % array->sets;
    return array->lines + set * array->ways;
}

/* The line of the block, as it is; NULL: the array does not have it. O(ways). */
struct cache_line *cache_array_peek(const struct cache_array *array, uint64_t block);

/* The line of the block, which becomes the most recently used one; NULL: the array does not have it. O(ways). The
 * pointer is valid until the next call that uses or fills a line. cache_array_search() does it wherever the line is. */
struct cache_line *cache_array_search(struct cache_array *array, uint64_t block);
static inline struct cache_line *cache_array_use(struct cache_array *array, uint64_t block)
{
    struct cache_line *lines = cache_array_set(array, block);
    bool first = lines[0].key == cache_array_key(array, block) && array->replacement == CACHE_LRU;
    return first ? lines : cache_array_search(array, block);
}

/* Puts a block that the array does not have into the place of the line to be replaced, which becomes *replaced (all
 * zero: the place was empty). The new line is the most recently used one, clean and without a mark. O(ways). */
struct cache_line *cache_array_fill(struct cache_array *array, uint64_t block, struct cache_line *replaced);

/* The address of a line's first byte. */
static inline uint64_t cache_array_address(const struct cache_array *array, const struct cache_line *line)
{
    return (line->key & ~array->epoch) << array->shift;
}

#endif
