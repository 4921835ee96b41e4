/*
 * units.h - which compilation unit an address is in, by what the units themselves say. The table .debug_aranges, which
 * libdw asks, is not written by all compilers (not by clang, unless told to).
 */
#ifndef ASSAY_SYMBOLS_UNITS_H
#define ASSAY_SYMBOLS_UNITS_H

#include "collect/symbols/ranges.h"

/* Of a module, whose debug information must live as long. Start with {0}. */
struct units {
    struct ranges ranges;
    bool made;
};

void units_free(struct units *units);

/*
 * The unit that the address is in, or false: between two parts of a unit is not in it. Cost: once the number of units,
 * then its logarithm.
 */
bool units_find(struct units *units, Dwarf *debug, Dwarf_Addr address, Dwarf_Die *unit);

#endif
