#include "collect/symbols/ranges.h"

#include <assert.h>
#include <stdlib.h>

#include "base/grow.h"

struct range {
    Dwarf_Addr low, high;
    Dwarf_Addr highest; /* of this and all ranges before */
    Dwarf_Die die;
};

void ranges_free(struct ranges *ranges)
{
    free(ranges->items);
    *ranges = (struct ranges){0};
}

void ranges_add(struct ranges *ranges, Dwarf_Die *die)
{
    Dwarf_Addr base, low, high;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &low, &high)) > 0;) {
        if (low == 0 || low >= high)
            continue;
        struct range *items = grow_unset(ranges->items, &ranges->capacity, ranges->count, sizeof *items);
        if (!items) {
            ranges->failed = true;
            continue;
        }
        ranges->items = items;
        ranges->items[ranges->count++] = (struct range){.low = low, .high = high, .die = *die};
    }
}

static int ranges_compare(const void *a, const void *b)
{
    const struct range *first = a, *second = b;
    return (first->low > second->low) - (first->low < second->low);
}

void ranges_sort(struct ranges *ranges)
{
    Dwarf_Addr highest = 0;
    if (ranges->count > 0)
        qsort(ranges->items, ranges->count, sizeof *ranges->items, ranges_compare);
    for (size_t i = 0; i < ranges->count; i++)
        ranges->items[i].highest = highest = ranges->items[i].high > highest ? ranges->items[i].high : highest;
}

const Dwarf_Die *ranges_find(const struct ranges *ranges, Dwarf_Addr address)
{
    struct range *best = NULL;
    size_t low = 0, high = ranges->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranges->items[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low <= ranges->count && ranges->count <= ranges->capacity);
    for (size_t i = low; i > 0 && ranges->items[i - 1].highest > address; i--) {
        struct range *range = &ranges->items[i - 1];
        if (address >= range->high)
            continue;
        Dwarf_Addr bytes = range->high - range->low, best_bytes = best ? best->high - best->low : 0;
        if (!best || bytes < best_bytes ||
            (bytes == best_bytes && dwarf_dieoffset(&range->die) < dwarf_dieoffset(&best->die)))
            best = range;
    }
    return best ? &best->die : NULL;
}
