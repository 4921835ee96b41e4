/*
 * functions.h - the function at an address, by debug information: an index of each unit, built when it is first needed.
 * libdw's own search scans a whole unit for every address.
 */
#ifndef ASSAY_SYMBOLS_FUNCTIONS_H
#define ASSAY_SYMBOLS_FUNCTIONS_H

#include <stddef.h>

#include <elfutils/libdw.h>

/* For a module, whose debug information must live as long. Start with {0}. */
struct functions {
    struct functions_unit *units; /* by their offset */
    size_t count, capacity;
};

void functions_free(struct functions *functions);

/*
 * The functions around an address of the unit, innermost first: inlined ones, then the one that they are inlined in.
 * Returns their number in dies[most]; 0 if there is none, if there are more, or without memory. Cost: a unit's
 * size the first time, then the logarithm of its functions and the blocks of the found one.
 */
size_t functions_at(struct functions *functions, Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die *dies, size_t most);

#endif
