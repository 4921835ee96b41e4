/* Misses of each level without and with the plan, as the paper's Figures 8 to 10. */
#include <errno.h>
#include <math.h>

#include "analyze/strides/tables.h"

static const struct table_column columns[] = {
    {"level", TABLE_TEXT},     {"misses", TABLE_COUNT},       {"misses_with_plan", TABLE_COUNT},
    {"mpi", TABLE_REAL},       {"mpi_with_plan", TABLE_REAL}, {"coverage", TABLE_SHARE},
    {"issued", TABLE_COUNT},   {"useful", TABLE_COUNT},       {"late", TABLE_COUNT},
    {"useless", TABLE_COUNT},  {"resident", TABLE_COUNT},     {"dropped", TABLE_COUNT},
    {"accuracy", TABLE_SHARE}, {"timeliness", TABLE_SHARE},   {"added", TABLE_SHARE}};
enum { BRIEF_COLUMNS = 6 };

static double levels_share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : NAN;
}

/* The same for each level: what became of all prefetches. */
static void levels_print_plan(struct table *table, const struct strides_totals *totals)
{
    const struct cache_prefetches *prefetches = &totals->prefetches;
    uint64_t accessed = prefetches->useful + prefetches->late;
    table_count(table, prefetches->issued);
    table_count(table, prefetches->useful);
    table_count(table, prefetches->late);
    table_count(table, prefetches->useless);
    table_count(table, prefetches->resident);
    table_count(table, prefetches->dropped);
    table_real(table, levels_share(accessed, accessed + prefetches->useless));
    table_real(table, levels_share(prefetches->useful, accessed));
    table_real(table, levels_share(totals->added, totals->instructions));
}

static void levels_print_level(struct table *table, const struct strides_totals *totals, const char *name,
                               uint64_t before, uint64_t after, bool brief)
{
    table_text(table, name);
    table_count(table, before);
    table_count(table, after);
    table_real(table, levels_share(before, totals->instructions));
    table_real(table, totals->instructions > 0 ? levels_share(after, totals->instructions + totals->added) : NAN);
    table_real(table, before > 0 ? 1 - (double)after / (double)before : NAN);
    if (!brief)
        levels_print_plan(table, totals);
}

struct table *tables_levels_new(const struct strides *strides, bool brief)
{
    struct table *table = table_new(columns, brief ? BRIEF_COLUMNS : sizeof columns / sizeof *columns);
    const struct strides_totals *totals = &strides->totals;
    const struct cache_machine *machine = &strides->options.machine;
    for (unsigned level = 0; table && level < machine->level_count; level++)
        levels_print_level(table, totals, cache_machine_level_name(machine, level), totals->before.load_misses[level],
                           totals->after.load_misses[level], brief);
    if (table && machine->tlb_entries > 0)
        levels_print_level(table, totals, "DTLB", totals->before.load_tlb_misses, totals->after.load_tlb_misses, brief);
    return table;
}

int tables_levels(const struct strides *strides, struct report *report)
{
    report->table = tables_levels_new(strides, false);
    report->human = report->options->human_readable ? tables_levels_new(strides, true) : NULL;
    return report->table && (report->human || !report->options->human_readable) ? 0 : ENOMEM;
}
