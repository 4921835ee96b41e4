/* Misses of each level without and with the plan, as the paper's Figures 8 to 10. */
#include <errno.h>
#include <math.h>

#include "analyze/strides/tables.h"

struct levels_row {
    const char *level;
    uint64_t before, after;
    double mpi_before, mpi_after, coverage;
    struct cache_prefetches prefetches; /* of the whole plan, and so are those below */
    double accuracy, timeliness, added;
};

static const struct column level_columns[] = {
    COLUMN(levels_row, "level", TABLE_TEXT, level, "The level of the simulated caches, or DTLB."),
    COLUMN(levels_row, "misses", TABLE_COUNT, before, "The loads that miss it without the plan."),
    COLUMN(levels_row, "misses_with_plan", TABLE_COUNT, after, "Those that miss it with the plan."),
    COLUMN(levels_row, "mpi", TABLE_REAL, mpi_before,
           "misses / the instructions of the program; blank if they are not counted."),
    COLUMN(levels_row, "mpi_with_plan", TABLE_REAL, mpi_after,
           "misses_with_plan / the instructions of the program and of the plan."),
    COLUMN(levels_row, "coverage", TABLE_SHARE, coverage,
           "The share of misses that the plan removes: 1 - misses_with_plan / misses. Only machine formats have the "
           "columns below, which are about the whole plan."),
    TABLES_PREFETCH_COLUMNS(levels_row),
    TABLES_MACHINE_COLUMN(levels_row, "accuracy", TABLE_SHARE, accuracy,
                          "(useful + late) / (useful + late + useless)."),
    TABLES_MACHINE_COLUMN(levels_row, "timeliness", TABLE_SHARE, timeliness, "useful / (useful + late)."),
    TABLES_MACHINE_COLUMN(levels_row, "added", TABLE_SHARE, added,
                          "The instructions that the plan adds, as a share of the instructions of the program.")};
const struct columns tables_levels_columns =
    COLUMNS("With --levels, one row for each level of the simulated caches", level_columns);

static double levels_share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : NAN;
}

static struct levels_row levels_row_of(const struct loads_totals *totals, const char *level, uint64_t before,
                                       uint64_t after)
{
    uint64_t accessed = totals->prefetches.useful + totals->prefetches.late, instructions = totals->instructions;
    return (struct levels_row){.level = level,
                               .before = before,
                               .after = after,
                               .mpi_before = levels_share(before, instructions),
                               .mpi_after = instructions > 0 ? levels_share(after, instructions + totals->added) : NAN,
                               .coverage = before > 0 ? 1 - (double)after / (double)before : NAN,
                               .prefetches = totals->prefetches,
                               .accuracy = levels_share(accessed, accessed + totals->prefetches.useless),
                               .timeliness = levels_share(totals->prefetches.useful, accessed),
                               .added = levels_share(totals->added, instructions)};
}

/* The number of rows. */
static size_t levels_rows(const struct strides *strides, struct levels_row rows[CACHE_LEVELS_MAX + 1])
{
    size_t count = 0;
    const struct loads_totals *totals = loads_totals_of(&strides->loads);
    const struct cache_machine *machine = &strides->options.machine;
    for (unsigned level = 0; level < machine->level_count; level++)
        rows[count++] = levels_row_of(totals, cache_machine_level_name(machine, level),
                                      totals->before.load_misses[level], totals->after.load_misses[level]);
    if (machine->tlb_entries > 0)
        rows[count++] = levels_row_of(totals, "DTLB", totals->before.load_tlb_misses, totals->after.load_tlb_misses);
    return count;
}

int tables_levels(const struct strides *strides, struct report *report)
{
    struct levels_row rows[CACHE_LEVELS_MAX + 1];
    if (report_tables(report, &tables_levels_columns, 0) != 0)
        return ENOMEM;
    for (size_t i = 0, count = levels_rows(strides, rows); i < count; i++)
        report_row(report, &rows[i]);
    return 0;
}

int tables_levels_figure(const struct strides *strides, struct report *report)
{
    struct levels_row rows[CACHE_LEVELS_MAX + 1];
    const struct columns *levels = &tables_levels_columns;
    report->figure = columns_table(levels, COLUMNS_MACHINE, 0);
    for (size_t i = 0, count = levels_rows(strides, rows); report->figure && i < count; i++)
        columns_add(report->figure, levels, COLUMNS_MACHINE, 0, &rows[i]);
    return report->figure ? 0 : ENOMEM;
}
