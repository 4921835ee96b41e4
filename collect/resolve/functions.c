#include "collect/resolve/functions.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A range of a function's code. */
struct range {
    Dwarf_Addr low, high;
    Dwarf_Addr highest; /* of this and all ranges before */
    Dwarf_Die die;
};

struct functions_unit {
    Dwarf_Off offset;
    struct range *ranges; /* by low */
    size_t count, capacity;
    bool failed; /* no memory */
};

void functions_free(struct functions *functions)
{
    for (size_t i = 0; i < functions->count; i++)
        free(functions->units[i].ranges);
    free(functions->units);
    *functions = (struct functions){0};
}

/* ---------------------------------------------------------------------------- the index -- */

static void add(struct functions_unit *unit, Dwarf_Addr low, Dwarf_Addr high, const Dwarf_Die *die)
{
    if (unit->count == unit->capacity) {
        size_t capacity = unit->capacity ? 2 * unit->capacity : 64;
        struct range *ranges = reallocarray(unit->ranges, capacity, sizeof *ranges);
        if (!ranges) {
            unit->failed = true;
            return;
        }
        unit->ranges = ranges;
        unit->capacity = capacity;
    }
    unit->ranges[unit->count++] = (struct range){.low = low, .high = high, .die = *die};
}

static void add_ranges(struct functions_unit *unit, Dwarf_Die *die)
{
    Dwarf_Addr base, low, high;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &low, &high)) > 0;)
        add(unit, low, high, die);
}

/* Where functions may be. */
static bool holds_functions(int tag)
{
    return tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || tag == DW_TAG_namespace || tag == DW_TAG_module ||
           tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

static void collect(struct functions_unit *unit, Dwarf_Die *parent)
{
    Dwarf_Die die;
    for (int more = dwarf_child(parent, &die); more == 0; more = dwarf_siblingof(&die, &die)) {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_subprogram)
            add_ranges(unit, &die);
        if (holds_functions(tag))
            collect(unit, &die);
    }
}

static int compare(const void *a, const void *b)
{
    const struct range *first = a, *second = b;
    return (first->low > second->low) - (first->low < second->low);
}

static void make_unit(struct functions_unit *unit, Dwarf_Die *die)
{
    collect(unit, die);
    if (unit->count > 0)
        qsort(unit->ranges, unit->count, sizeof *unit->ranges, compare);
    Dwarf_Addr highest = 0;
    for (size_t i = 0; i < unit->count; i++)
        unit->ranges[i].highest = highest = unit->ranges[i].high > highest ? unit->ranges[i].high : highest;
}

/* The place of the unit with this offset, or where it would be. */
static size_t place_of(const struct functions *functions, Dwarf_Off offset)
{
    size_t low = 0, high = functions->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (functions->units[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct functions_unit *unit_of(struct functions *functions, Dwarf_Die *die)
{
    Dwarf_Off offset = dwarf_dieoffset(die);
    size_t place = place_of(functions, offset);
    if (place < functions->count && functions->units[place].offset == offset)
        return &functions->units[place];
    if (functions->count == functions->capacity) {
        size_t capacity = functions->capacity ? 2 * functions->capacity : 64;
        struct functions_unit *units = reallocarray(functions->units, capacity, sizeof *units);
        if (!units)
            return NULL;
        functions->units = units;
        functions->capacity = capacity;
    }
    struct functions_unit *unit = &functions->units[place];
    memmove(unit + 1, unit, (functions->count++ - place) * sizeof *unit);
    *unit = (struct functions_unit){.offset = offset};
    make_unit(unit, die);
    return unit;
}

/* ---------------------------------------------------------------------------- one address -- */

/* Whether `a` is smaller; of aliases, which are of the same size, the first one counts. */
static bool is_better(struct range *a, struct range *b)
{
    Dwarf_Addr of_a = a->high - a->low, of_b = b->high - b->low;
    return of_a != of_b ? of_a < of_b : dwarf_dieoffset(&a->die) < dwarf_dieoffset(&b->die);
}

/* The smallest range around it: a function may be within another. */
static const struct range *find(const struct functions_unit *unit, Dwarf_Addr address)
{
    struct range *best = NULL;
    size_t low = 0, high = unit->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (unit->ranges[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i > 0 && unit->ranges[i - 1].highest > address; i--) {
        struct range *range = &unit->ranges[i - 1];
        if (address < range->high && (!best || is_better(range, best)))
            best = range;
    }
    return best;
}

/* The block or inlined function right in `parent` that has the address. */
static bool step_in(Dwarf_Die *parent, Dwarf_Addr address, Dwarf_Die *found)
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
    const struct functions_unit *index = unit_of(functions, unit);
    const struct range *range = index && !index->failed ? find(index, address) : NULL;
    size_t count = 0;
    if (!range || most == 0)
        return 0;
    /* From the last entry on: the outermost one is found first. */
    Dwarf_Die die = range->die, inner;
    dies[most - ++count] = die;
    for (; step_in(&die, address, &inner); die = inner) {
        if (dwarf_tag(&inner) != DW_TAG_inlined_subroutine)
            continue;
        if (count == most)
            return 0;
        dies[most - ++count] = inner;
    }
    memmove(dies, dies + most - count, count * sizeof *dies);
    return count;
}
