/* ranges.h - which of many ranges of code an address is in: units, or functions. */
#ifndef ASSAY_SYMBOLS_RANGES_H
#define ASSAY_SYMBOLS_RANGES_H

#include <stdbool.h>
#include <stddef.h>

#include <elfutils/libdw.h>

/* Start with {0}. */
struct ranges {
    struct range *items; /* by their begin, once sorted */
    size_t count, capacity;
    bool failed; /* no memory: not all are present */
};

void ranges_free(struct ranges *ranges);

/* All ranges of the entry's code. If a linker leaves out a function, its range stays at 0, or empty, and is ignored. */
void ranges_add(struct ranges *ranges, Dwarf_Die *die);

/* After the last one. O(n log n). */
void ranges_sort(struct ranges *ranges);

/*
 * The entry with the smallest range around the address, since ranges may be nested; of equal ones the first counts.
 * NULL: none. Cost: the logarithm of their number, plus those around the address.
 */
const Dwarf_Die *ranges_find(const struct ranges *ranges, Dwarf_Addr address);

#endif
