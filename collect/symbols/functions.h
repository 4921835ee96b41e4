/*
 * functions.h - whose code lies at an address, by debug information: an index of each unit, made when it is first asked
 * for. libdw's own search goes through all of a unit for every address.
 */
#ifndef ASSAY_SYMBOLS_FUNCTIONS_H
#define ASSAY_SYMBOLS_FUNCTIONS_H

#include <stddef.h>

#include <elfutils/libdw.h>

/* Of a module, whose debug information must live as long. Start with {0}. */
struct functions {
    struct functions_unit *units; /* by their offset */
    size_t count, capacity;
};

void functions_free(struct functions *functions);

/*
 * The functions around an address of the unit, innermost first: inlined ones, then the one that they are inlined in.
 * Returns how many there are in dies[most]; 0 if it is in none, if there are more, or without memory. Cost: a unit's
 * size the first time, then the logarithm of its functions and the blocks of the one that is found.
 */
size_t functions_at(struct functions *functions, Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die *dies, size_t most);

#endif
