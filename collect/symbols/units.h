/*
 * units.h - the compilation unit that contains an address, according to the units themselves. Not all compilers write
 * the table .debug_aranges, which libdw uses (clang does so only on request).
 */
#ifndef ASSAY_SYMBOLS_UNITS_H
#define ASSAY_SYMBOLS_UNITS_H

#include "collect/symbols/ranges.h"

/* For a module, whose debug information must live as long. Start with {0}. */
struct units {
    struct ranges ranges;
    bool made;
};

void units_free(struct units *units);

/*
 * The unit that contains the address, or false: gaps between parts of a unit do not belong to it. Cost: once the number
 * of units, then its logarithm.
 */
bool units_find(struct units *units, Dwarf *debug, Dwarf_Addr address, Dwarf_Die *unit);

#endif
