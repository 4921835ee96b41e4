#include "analyze/cache/array.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The smallest line has 16 bytes, so a block has at most 52 bits; above them a key has its epoch, from 1. */
enum { EPOCH_SHIFT = CACHE_ADDRESS_BITS - 4 };
#define EPOCH_ONE (UINT64_C(1) << EPOCH_SHIFT)

int cache_array_init(struct cache_array *array, uint64_t sets, unsigned ways, unsigned line_bytes,
                     enum cache_replacement replacement)
{
    assert(ways > 0 && line_bytes > 0 && (line_bytes & (line_bytes - 1)) == 0);
    bool trees = replacement == CACHE_TREE_PLRU;
    struct cache_line *lines = calloc(sets * ways, sizeof *lines);
    uint64_t *bits = trees ? calloc(sets, sizeof *bits) : NULL;
    if (!lines || (trees && !bits)) {
        free(lines);
        free(bits);
        return ENOMEM;
    }
    *array = (struct cache_array){.lines = lines,
                                  .trees = bits,
                                  .sets = sets,
                                  .epoch = EPOCH_ONE,
                                  .ways = ways,
                                  .shift = (unsigned)__builtin_ctz(line_bytes),
                                  .masked = (sets & (sets - 1)) == 0,
                                  .replacement = replacement};
    return 0;
}

void cache_array_free(struct cache_array *array)
{
    free(array->lines);
    free(array->trees);
    *array = (struct cache_array){0};
}

/* A new epoch makes all keys foreign; when the epochs have run out the lines are cleared. */
void cache_array_clear(struct cache_array *array)
{
    if (array->trees)
        memset(array->trees, 0, array->sets * sizeof *array->trees);
    if (array->epoch + EPOCH_ONE < array->epoch)
        memset(array->lines, 0, array->sets * array->ways * sizeof *array->lines);
    array->epoch += EPOCH_ONE;
    if (array->epoch == 0)
        array->epoch = EPOCH_ONE;
}

static bool cache_line_is_empty(const struct cache_array *array, const struct cache_line *line)
{
    return line->key < array->epoch;
}

/* ---------------------------------------------------------------------------- replacement -- */

struct cache_line *cache_array_peek(const struct cache_array *array, uint64_t block)
{
    struct cache_line *lines = cache_array_set(array, block);
    uint64_t key = cache_array_key(array, block);
    for (unsigned way = 0; way < array->ways; way++)
        if (lines[way].key == key)
            return &lines[way];
    return NULL;
}

/*
 * LRU: the lines of a set are in the order of their last use. Tree PLRU: the ways of a set are the leaves of a binary
 * tree, whose nodes are bits: node 1 is the root, and node n has the children 2n and 2n + 1. A bit of 0 points to the
 * left. Using a way makes all nodes above it point to the other side.
 */
static struct cache_line *cache_array_touch(struct cache_array *array, struct cache_line *lines, unsigned way)
{
    if (array->replacement != CACHE_LRU) {
        uint64_t *tree = &array->trees[(uint64_t)(lines - array->lines) / array->ways];
        for (unsigned node = way + array->ways; node > 1; node /= 2) {
            uint64_t bit = UINT64_C(1) << (node / 2);
            *tree = node & 1 ? *tree & ~bit : *tree | bit;
        }
        return &lines[way];
    }
    if (way == 0)
        return lines;
    struct cache_line line = lines[way];
    for (; way > 0; way--)
        lines[way] = lines[way - 1];
    lines[0] = line;
    return lines;
}

struct cache_line *cache_array_search(struct cache_array *array, uint64_t block)
{
    struct cache_line *lines = cache_array_set(array, block);
    uint64_t key = cache_array_key(array, block);
    for (unsigned way = 0; way < array->ways; way++)
        if (lines[way].key == key)
            return cache_array_touch(array, lines, way);
    return NULL;
}

struct cache_line *cache_array_fill(struct cache_array *array, uint64_t block, struct cache_line *replaced)
{
    struct cache_line *lines = cache_array_set(array, block);
    unsigned way = array->ways - 1;
    if (array->replacement == CACHE_TREE_PLRU) { /* an empty way, or else the one that the tree points at */
        for (way = 0; way < array->ways && !cache_line_is_empty(array, &lines[way]);)
            way++;
        if (way == array->ways) {
            uint64_t tree = array->trees[(uint64_t)(lines - array->lines) / array->ways];
            unsigned node = 1;
            while (node < array->ways)
                node = 2 * node + (tree >> node & 1);
            way = node - array->ways;
        }
    }
    *replaced = cache_line_is_empty(array, &lines[way]) ? (struct cache_line){0} : lines[way];
    lines[way] = (struct cache_line){.key = cache_array_key(array, block)};
    return cache_array_touch(array, lines, way);
}
