/* The unit of each value column, over all files: what formats, headers, cells and other columns say, and never mixed.
 */
#include "table/read/rows_parts.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ------------------------------------------------------------------------------------------ what a table says -- */

/* The length of X in the name of a column "X_unit" ("time_unit", "Time Units"); SIZE_MAX for any other name. */
static size_t units_name_stem(const char *name)
{
    static const char *const endings[] = {"unit", "units"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t own = strlen(endings[i]);
        if (length < own || strcasecmp(name + length - own, endings[i]) != 0)
            continue;
        if (length == own)
            return 0;
        char before = name[length - own - 1];
        if (before == '_' || before == ' ' || before == '-')
            return length - own - 1;
    }
    return SIZE_MAX;
}

bool rows_holds_units(const struct rows_table *table, size_t column)
{
    return table->textual[column] && units_name_stem(table->names[column]) != SIZE_MAX;
}

/* Whether the column "unit", or "X_unit" for a column whose name has X, holds the unit of this one. */
static bool units_column_gives_unit(const struct rows_table *table, size_t at, size_t column)
{
    const char *name = table->names[column], *stem = table->names[at];
    size_t length = units_name_stem(stem);
    if (length == SIZE_MAX || at == column)
        return false;
    /* These count something, whatever unit the row's measured values have. */
    static const char *const names[] = {"iterations",  "iteration", "iter",     "iters",  "invocation", "invocations",
                                        "n",           "runs",      "run",      "count",  "reps",       "repetitions",
                                        "samples",     "threads",   "cores",    "rounds", "loops",      "seed",
                                        "sample_size", "forks",     "exit_code"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(name, names[i]) == 0)
            return false;
    for (; length > 0 && *name; name++)
        if (strncasecmp(name, stem, length) == 0)
            return true;
    return length == 0 || (length == strlen("value") && strncasecmp(stem, "value", length) == 0);
}

/* Whether a format's unit is that of this column. */
static bool units_is_main_column(const struct bench_meaning *meaning, const char *name)
{
    return meaning->format && ((meaning->value && strcmp(name, meaning->value) == 0) ||
                               (meaning->also && strcmp(name, meaning->also) == 0));
}

/* The group column that holds this column's texts. */
static size_t units_find_group(const struct rows_table *table, size_t column, size_t group_count)
{
    for (size_t g = 0; g < group_count; g++)
        if (table->group_at[g] == column)
            return g;
    return ROWS_NO_UNIT;
}

/* The column with the unit of this one in each row; SIZE_MAX if there is none. "X_unit" comes before "unit". */
static size_t units_find_unit_column(const struct rows_table *table, size_t column)
{
    size_t found = SIZE_MAX;
    const struct bench_meaning *meaning = &table->bench.meaning;
    if (meaning->format)
        return meaning->unit_column && units_is_main_column(meaning, table->names[column])
                   ? rows_table_column(table, meaning->unit_column)
                   : SIZE_MAX;
    for (size_t i = 0; i < table->column_count; i++)
        if (table->textual[i] && units_column_gives_unit(table, i, column) &&
            (found == SIZE_MAX || units_name_stem(table->names[i])))
            found = i;
    return found;
}

static struct rows_unit_source units_fixed_source(const char *text)
{
    return (struct rows_unit_source){ROWS_UNIT_ONCE, quantity_unit_named((struct rows_cell){text, strlen(text)}), text,
                                     0};
}

/* `unit`: what earlier tables say. A format's only unit may be in a group column, too. */
static struct rows_unit_source units_find_source(const struct rows_table *table, size_t column, size_t group_count,
                                                 const struct rows_unit *unit)
{
    const struct rows_column_unit *own = &table->unit_of[column];
    const struct bench_meaning *meaning = &table->bench.meaning;
    size_t unit_at = units_find_unit_column(table, column);
    if (own->unit)
        return (struct rows_unit_source){own->in_cells ? ROWS_UNIT_IN_CELLS : ROWS_UNIT_ONCE, own->unit,
                                         own->unit->name, 0};
    const char *name = table->names[column];
    const char *const *metric = meaning->metrics;
    while (*metric && strcmp(*metric, name) != 0)
        metric++;
    if (*metric) {
        const char *stated = meaning->declared[metric - meaning->metrics].unit;
        return units_fixed_source(stated ? stated : name);
    }
    size_t group = unit_at == SIZE_MAX ? ROWS_NO_UNIT : units_find_group(table, unit_at, group_count);
    bool grouped = unit_at != SIZE_MAX && (unit->from ? unit->group : group) != ROWS_NO_UNIT;
    if (meaning->unit && units_is_main_column(meaning, table->names[column]) && !grouped)
        return units_fixed_source(meaning->unit);
    if (unit_at == SIZE_MAX)
        return (struct rows_unit_source){.how = ROWS_UNIT_UNKNOWN};
    const struct rows_column_unit *rows = &table->unit_of[unit_at];
    return (struct rows_unit_source){ROWS_UNIT_BY_COLUMN, rows->least[0], rows->first, unit_at};
}

/* ------------------------------------------------------------------------------------------ the first rows -- */

void rows_note_unit(struct rows_table *table, size_t column, struct rows_cell cell)
{
    struct rows_column_unit *known = &table->unit_of[column];
    const struct quantity_unit *unit;
    struct decimal value;
    if (units_name_stem(table->names[column]) != SIZE_MAX)
        rows_note_row_unit(known, cell);
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

void rows_note_row_unit(struct rows_column_unit *known, struct rows_cell cell)
{
    cell = rows_trim(cell);
    const struct quantity_unit *unit = quantity_unit_named(cell);
    if (!*known->first && cell.length > 0)
        snprintf(known->first, sizeof known->first, "%.*s", (int)cell.length, cell.text);
    for (size_t i = 0; unit && i < ROWS_UNIT_KINDS; i++) {
        if (known->least[i] && strcmp(known->least[i]->kind, unit->kind) != 0)
            continue;
        known->least[i] = known->least[i] ? quantity_smaller(known->least[i], unit) : unit;
        return;
    }
}

void rows_finalize_units(struct rows_table *table)
{
    for (size_t c = 0; c < table->column_count; c++)
        if (table->unit_of[c].surplus <= 0) {
            table->unit_of[c].unit = NULL;
            table->unit_of[c].in_cells = false;
        }
}

/* ------------------------------------------------------------------------------------------ over all files -- */

/* Whether values can be converted to what earlier ones had, or are in the same unit. */
static bool units_agree(const struct rows_unit_source *source, size_t group, const struct rows_unit *unit)
{
    if (group != unit->group)
        return false;
    if (group != ROWS_NO_UNIT)
        return true;
    if (unit->to && source->unit)
        return strcmp(unit->to->kind, source->unit->kind) == 0;
    return !unit->to && !source->unit && strcmp(unit->text, source->text) == 0;
}

static int units_add_known(const struct rows_table *table, const struct rows_unit_source *source, size_t group,
                           const char *value, struct rows_unit *unit, struct error_text *message)
{
    const char *name = group != ROWS_NO_UNIT ? "what its column 'unit' says"
                       : source->unit        ? source->unit->name
                                             : source->text;
    const struct rows_column_unit *rows = source->how == ROWS_UNIT_BY_COLUMN ? &table->unit_of[source->column] : NULL;
    if (rows && group == ROWS_NO_UNIT && rows->least[1])
        return error_set(message, STATUS_USAGE,
                         "'%.60s' is in several units, such as %s and %s; add the column '%.60s' to those of --by",
                         value, rows->least[0]->name, rows->least[1]->name, table->names[source->column]);
    if (!unit->from && unit->lacks && !table->bench.meaning.format)
        return error_set(message, STATUS_BAD, "values of '%.60s' are in %.60s, those of %.200s have no unit", value,
                         name, unit->lacks);
    if (!unit->from) {
        const char *text = source->unit ? source->unit->name : source->text;
        if (source->how == ROWS_UNIT_BY_COLUMN)
            memcpy(unit->least, table->unit_of[source->column].least, sizeof unit->least);
        unit->in_cells = source->how == ROWS_UNIT_IN_CELLS;
        unit->to = source->unit;
        unit->group = group;
        unit->from = table->path;
        if (group == ROWS_NO_UNIT && !(unit->text = strdup(text)))
            return error_set(message, STATUS_BAD, "out of memory");
        return STATUS_GOOD;
    }
    if (units_agree(source, group, unit))
        return STATUS_GOOD;
    if (unit->from == table->path)
        return error_set(message, STATUS_BAD, "'%.60s' is in %.60s, '%.60s' in %.60s", value, name,
                         table->names[table->wide_at[0]], unit->text ? unit->text : "what a column says");
    return error_set(message, STATUS_BAD, "values of '%.60s' are in %.60s, those of %.200s in %.60s", value, name,
                     unit->from, unit->text ? unit->text : "what a column says");
}

/* Values without a unit, after or before others that have one. */
static int units_add_unknown(struct rows_table *table, struct rows_unit_source *source, const char *value,
                             struct rows_unit *unit, struct error_text *message)
{
    if (!unit->lacks)
        unit->lacks = table->path;
    if (!unit->from || table->kind == ROWS_HARNESS)
        return STATUS_GOOD;
    if (unit->in_cells)
        source->how = ROWS_UNIT_IN_CELLS; /* so that rows without one are bad */
    else if (unit->from == table->path)
        return error_set(message, STATUS_BAD, "'%.60s' has no unit, but other columns are in %.60s", value,
                         unit->text ? unit->text : "what a column says");
    else if (!*table->doubt.text)
        error_set(&table->doubt, 0, "'%.60s' has no unit here; its values are taken for %.60s, as in %.150s", value,
                  unit->text ? unit->text : "those", unit->from);
    return STATUS_GOOD;
}

int rows_units_join(struct rows_table *table, struct rows_columns *columns, struct error_text *message)
{
    const size_t *at = table->wide_count > 0 ? table->wide_at : table->value_at;
    size_t count = table->wide_count > 0 ? table->wide_count : columns->value_count;
    /* Values of one process are averaged, so columns that tell processes apart don't keep units apart. */
    size_t group_count = columns->group_count - columns->within_count;
    int status = STATUS_GOOD;
    if (!(table->source = calloc(count, sizeof *table->source)))
        return error_set(message, STATUS_BAD, "out of memory");
    for (size_t v = 0; !status && v < count; v++) {
        struct rows_unit *unit = &columns->units[table->wide_count > 0 ? 0 : v];
        struct rows_unit_source *source = &table->source[v];
        const char *value = table->names[at[v]];
        *source = units_find_source(table, at[v], group_count, unit);
        /* What a format says about a metric. */
        size_t m = 0;
        while (table->bench.meaning.metrics[m] && strcmp(table->bench.meaning.metrics[m], value) != 0)
            m++;
        if (table->bench.meaning.metrics[m]) {
            if (table->bench.meaning.declared[m].better != 0)
                unit->better =
                    table->bench.meaning.declared[m].better > 0 ? ROWS_HIGHER_IS_BETTER : ROWS_LOWER_IS_BETTER;
            unit->exact |= table->bench.meaning.declared[m].exact;
        }
        if (source->how == ROWS_UNIT_UNKNOWN)
            status = units_add_unknown(table, source, value, unit, message);
        else
            status = units_add_known(table, source,
                                     source->how == ROWS_UNIT_BY_COLUMN
                                         ? units_find_group(table, source->column, group_count)
                                         : ROWS_NO_UNIT,
                                     value, unit, message);
    }
    return status;
}

/* ------------------------------------------------------------------------------------------ rows -- */

/* What the values of a row in this unit are converted to, where its kind may differ from row to row. */
static const struct quantity_unit *units_conversion_target(const struct rows_unit *wanted,
                                                           const struct quantity_unit *unit)
{
    for (size_t i = 0; i < ROWS_UNIT_KINDS && wanted->least[i]; i++)
        if (strcmp(wanted->least[i]->kind, unit->kind) == 0)
            return wanted->least[i];
    return quantity_base(unit);
}

bool rows_unit_convert(const struct rows_unit *wanted, const struct rows_unit_source *source, struct rows_cell of_row,
                       struct decimal *value)
{
    if (source->how == ROWS_UNIT_ONCE)
        return !source->unit || quantity_convert(value, source->unit, wanted->to);
    if (source->how != ROWS_UNIT_BY_COLUMN)
        return true;
    of_row = rows_trim(of_row);
    const struct quantity_unit *unit = quantity_unit_named(of_row);
    if (wanted->group != ROWS_NO_UNIT)
        return !unit || quantity_convert(value, unit, units_conversion_target(wanted, unit));
    if (!unit || !wanted->to)
        return !wanted->to && strlen(wanted->text) == of_row.length &&
               memcmp(wanted->text, of_row.text, of_row.length) == 0;
    return quantity_convert(value, unit, wanted->to);
}

struct rows_cell rows_unit_text(const struct rows_unit *wanted, struct rows_cell of_row)
{
    const struct quantity_unit *unit = quantity_unit_named(of_row);
    const char *name = unit ? units_conversion_target(wanted, unit)->name : NULL;
    return name ? (struct rows_cell){name, strlen(name)} : of_row;
}
