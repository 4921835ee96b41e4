/* The unit of each value column, over all files: given by the formats, and never mixed. */
#include "analyze/rows/rows_parts.h"

#include <string.h>

static bool is_metric(const struct bench_meaning *meaning, const char *name)
{
    const char *const *metric = meaning->metrics;
    while (*metric && strcmp(*metric, name) != 0)
        metric++;
    return *metric;
}

/* Whether the format gives this column's unit. */
static bool is_told(const struct rows_table *table, size_t column)
{
    const struct bench_meaning *meaning = &table->bench.meaning;
    const char *name = table->names[column];
    if (is_metric(meaning, name))
        return true;
    if (!meaning->unit && !meaning->unit_column)
        return false;
    return strcmp(name, meaning->value) == 0 || (meaning->also && strcmp(name, meaning->also) == 0);
}

/* The group column with each row's unit. */
static size_t telling_group(const struct rows_table *table, size_t group_count)
{
    const char *name = table->bench.meaning.unit_column;
    size_t column = name ? rows_table_column(table, name) : SIZE_MAX;
    for (size_t g = 0; name && g < group_count; g++)
        if (table->group_at[g] == column)
            return g;
    return ROWS_NO_UNIT;
}

/* The first table that gives it determines how. */
static int settle(const struct rows_table *table, const char *text, size_t group, struct rows_unit *unit,
                  struct complaint *complaint)
{
    if (group == ROWS_NO_UNIT && !(unit->text = strdup(text)))
        return complain(complaint, STATUS_BAD, "out of memory");
    unit->group = group;
    unit->from = table->path;
    return STATUS_GOOD;
}

static int join(const struct rows_table *table, const char *value, size_t group, struct rows_unit *unit,
                struct complaint *complaint)
{
    const char *text = is_metric(&table->bench.meaning, value) ? value : table->bench.meaning.unit; /* of all rows */
    if (!text && group == ROWS_NO_UNIT)
        return complain(complaint, STATUS_USAGE, "'%.60s' is in several units; add the column '%s' to those of --by",
                        value, table->bench.meaning.unit_column);
    if (!unit->from)
        return settle(table, text, group, unit, complaint);
    if (unit->text ? text && strcmp(text, unit->text) == 0 : group == unit->group)
        return STATUS_GOOD;
    return complain(complaint, STATUS_BAD, "values of '%.60s' are in %.60s, those of %.200s in %.60s", value,
                    text ? text : "several units", unit->from, unit->text ? unit->text : "what its column 'unit' says");
}

void rows_note_unit(struct rows_table *table, size_t column, struct rows_cell cell)
{
    struct rows_column_unit *known = &table->unit_of[column];
    const struct quantity_unit *unit;
    struct decimal value;
    if (!quantity_parse(cell, &value, &unit)) {
        known->surplus -= quantity_vote(cell) > 0;
        return;
    }
    known->surplus++;
    known->in_cells = true;
    if (!known->unit)
        known->unit = unit;
    else if (strcmp(known->unit->kind, unit->kind) == 0)
        known->unit = quantity_smaller(known->unit, unit);
}

void rows_settle_units(struct rows_table *table)
{
    for (size_t c = 0; c < table->column_count; c++)
        if (table->unit_of[c].surplus <= 0)
            table->unit_of[c] = (struct rows_column_unit){0};
}

/* Units of cells, or below the header. Cells of another unit of the kind are converted one by one. */
static int join_told(const struct rows_table *table, const struct rows_column_unit *told, bool first, const char *value,
                     struct rows_unit *unit, struct complaint *complaint)
{
    const char *name = told->unit->name;
    if (first) {
        unit->cells = told->in_cells ? told->unit : NULL;
        return settle(table, name, ROWS_NO_UNIT, unit, complaint);
    }
    bool same = unit->text && strcmp(unit->text, name) == 0;
    bool kind = unit->cells && strcmp(unit->cells->kind, told->unit->kind) == 0;
    if (told->in_cells ? kind : same && !unit->cells)
        return STATUS_GOOD;
    return complain(complaint, STATUS_BAD, "values of '%.60s' are in %s, those of the first file %s%.60s", value, name,
                    unit->text ? "in " : "have no unit", unit->text ? unit->text : "");
}

int rows_units_join(const struct rows_table *table, bool first, struct rows_columns *columns,
                    struct complaint *complaint)
{
    size_t group = telling_group(table, columns->group_count);
    int status = STATUS_GOOD;
    for (size_t v = 0; !status && v < columns->value_count; v++) {
        const struct rows_column_unit *told = &table->unit_of[table->value_at[v]];
        if (told->unit)
            status = join_told(table, told, first, columns->values[v], &columns->units[v], complaint);
        else if (is_told(table, table->value_at[v]))
            status = join(table, columns->values[v], group, &columns->units[v], complaint);
    }
    return status;
}
