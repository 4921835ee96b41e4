#include "collect/symbols/units.h"

void units_free(struct units *units)
{
    ranges_free(&units->ranges);
    units->made = false;
}

static void make(struct units *units, Dwarf *debug)
{
    Dwarf_Die die;
    for (Dwarf_CU *unit = NULL; dwarf_get_units(debug, unit, &unit, NULL, NULL, &die, NULL) == 0;)
        ranges_add(&units->ranges, &die);
    ranges_sort(&units->ranges);
    units->made = true;
}

bool units_find(struct units *units, Dwarf *debug, Dwarf_Addr address, Dwarf_Die *unit)
{
    if (!units->made)
        make(units, debug);
    const Dwarf_Die *found = ranges_find(&units->ranges, address);
    if (!found)
        return dwarf_addrdie(debug, address, unit) != NULL; /* of an assembler that gives it only in the table */
    *unit = *found;
    return true;
}
