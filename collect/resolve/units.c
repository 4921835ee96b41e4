#include "collect/resolve/units.h"

#include <stdlib.h>

struct units_range {
    Dwarf_Addr low, high;
    Dwarf_Die unit;
};

void units_free(struct units *units)
{
    free(units->ranges);
    *units = (struct units){0};
}

static bool add(struct units *units, const struct units_range *range)
{
    if (units->count == units->capacity) {
        size_t capacity = units->capacity ? 2 * units->capacity : 64;
        struct units_range *ranges = reallocarray(units->ranges, capacity, sizeof *ranges);
        if (!ranges)
            return false;
        units->ranges = ranges;
        units->capacity = capacity;
    }
    units->ranges[units->count++] = *range;
    return true;
}

static int compare(const void *a, const void *b)
{
    const struct units_range *first = a, *second = b;
    return (first->low > second->low) - (first->low < second->low);
}

/* A linker that leaves out a function leaves its range at 0, or empty. */
static void make(struct units *units, Dwarf *debug)
{
    struct units_range range;
    bool good = true;
    for (Dwarf_CU *unit = NULL; good && dwarf_get_units(debug, unit, &unit, NULL, NULL, &range.unit, NULL) == 0;) {
        Dwarf_Addr base;
        for (ptrdiff_t at = 0; good && (at = dwarf_ranges(&range.unit, at, &base, &range.low, &range.high)) > 0;)
            if (range.low > 0 && range.low < range.high)
                good = add(units, &range);
    }
    if (units->count > 0)
        qsort(units->ranges, units->count, sizeof *units->ranges, compare);
}

bool units_find(struct units *units, Dwarf *debug, Dwarf_Addr address, Dwarf_Die *unit)
{
    if (!units->made)
        make(units, debug);
    units->made = true;
    size_t low = 0, high = units->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (units->ranges[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || address >= units->ranges[low - 1].high)
        return dwarf_addrdie(debug, address, unit) != NULL; /* of an assembler that says it only in the table */
    *unit = units->ranges[low - 1].unit;
    return true;
}
