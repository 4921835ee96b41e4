#include "collect/symbols/module.h"

#include <assert.h>
#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "collect/symbols/ranges.h"

struct functions_unit {
    Dwarf_Off offset;
    struct ranges ranges;
};

void functions_free(struct functions *functions)
{
    for (size_t i = 0; i < functions->count; i++)
        ranges_free(&functions->units[i].ranges);
    free(functions->units);
    *functions = (struct functions){0};
}

/* ---------------------------------------------------------------------------- the index -- */

static void functions_collect(struct ranges *ranges, Dwarf_Die *parent)
{
    Dwarf_Die die;
    for (int more = dwarf_child(parent, &die); more == 0; more = dwarf_siblingof(&die, &die)) {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_subprogram)
            ranges_add(ranges, &die);
        /* Entries that may contain functions. */
        if (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || tag == DW_TAG_namespace ||
            tag == DW_TAG_module || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
            tag == DW_TAG_union_type)
            functions_collect(ranges, &die);
    }
}

static const struct functions_unit *functions_find_unit(struct functions *functions, Dwarf_Die *die)
{
    Dwarf_Off offset = dwarf_dieoffset(die);
    size_t slot = 0, high = functions->count;
    while (slot < high) {
        size_t middle = slot + (high - slot) / 2;
        if (functions->units[middle].offset < offset)
            slot = middle + 1;
        else
            high = middle;
    }
    if (slot < functions->count && functions->units[slot].offset == offset)
        return &functions->units[slot];
    assert(slot == functions->count || functions->units[slot].offset > offset);
    struct functions_unit *units = grow_unset(functions->units, &functions->capacity, functions->count, sizeof *units);
    if (!units)
        return NULL;
    assert(functions->count < functions->capacity);
    functions->units = units;
    struct functions_unit *unit = &functions->units[slot];
    memmove(unit + 1, unit, (functions->count++ - slot) * sizeof *unit);
    *unit = (struct functions_unit){.offset = offset};
    functions_collect(&unit->ranges, die);
    ranges_sort(&unit->ranges);
    return unit;
}

/* ---------------------------------------------------------------------------- one address -- */

/* The block or inlined function directly in `parent` that contains the address. */
static bool functions_step_in(Dwarf_Die *parent, Dwarf_Addr address, Dwarf_Die *found)
{
    for (int more = dwarf_child(parent, found); more == 0; more = dwarf_siblingof(found, found)) {
        int tag = dwarf_tag(found);
        if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) && dwarf_haspc(found, address) > 0)
            return true;
    }
    return false;
}

size_t functions_at(struct functions *functions, Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die *dies, size_t most)
{
    const struct functions_unit *index = functions_find_unit(functions, unit);
    const Dwarf_Die *around = index && !index->ranges.failed ? ranges_find(&index->ranges, address) : NULL;
    size_t count = 0;
    if (!around || most == 0)
        return 0;
    /* Filled from the last entry on, since the outermost one is found first. */
    Dwarf_Die die = *around, inner;
    dies[most - ++count] = die;
    for (; functions_step_in(&die, address, &inner); die = inner) {
        if (dwarf_tag(&inner) != DW_TAG_inlined_subroutine)
            continue;
        if (count == most)
            return 0;
        dies[most - ++count] = inner;
    }
    assert(count <= most);
    memmove(dies, dies + most - count, count * sizeof *dies);
    return count;
}
