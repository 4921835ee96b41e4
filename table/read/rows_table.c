#include "table/read/rows_table.h"

#include <stdlib.h>
#include <string.h>

void rows_table_free(struct rows_table *table)
{
    for (size_t i = 0; i < table->column_count; i++)
        free(table->names[i]);
    free(table->names);
    free(table->numeric);
    free(table->textual);
    free(table->distinct);
    free(table->unit_of);
    free(table->wide_at);
    free(table->source);
    free(table->value_at);
    free(table->group_at);
    json_decref(table->root);
    csv_free(table->bench.csv);
    json_decref(table->bench.lost);
    json_decref(table->bench.conditions);
    *table = (struct rows_table){0};
}

size_t rows_table_column(const struct rows_table *table, const char *name)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (strcmp(table->names[i], name) == 0)
            return i;
    return SIZE_MAX;
}

bool rows_table_add(struct rows_table *table, const char *name, size_t length, bool always)
{
    char *copy = strndup(name, length);
    if (copy && !always && rows_table_column(table, copy) != SIZE_MAX) {
        free(copy);
        return true;
    }
    size_t count = table->column_count;
    char **names = realloc(table->names, (count + 1) * sizeof *names);
    if (names)
        table->names = names;
    bool *numeric = realloc(table->numeric, (count + 1) * sizeof *numeric);
    if (numeric)
        table->numeric = numeric;
    bool *textual = realloc(table->textual, (count + 1) * sizeof *textual);
    if (textual)
        table->textual = textual;
    bool *distinct = realloc(table->distinct, (count + 1) * sizeof *distinct);
    if (distinct)
        table->distinct = distinct;
    struct rows_column_unit *unit_of = realloc(table->unit_of, (count + 1) * sizeof *unit_of);
    if (unit_of)
        table->unit_of = unit_of;
    if (!copy || !names || !numeric || !textual || !distinct || !unit_of) {
        free(copy);
        return false;
    }
    names[count] = copy;
    unit_of[count] = (struct rows_column_unit){0};
    numeric[count] = textual[count] = distinct[count] = false;
    table->column_count++;
    return true;
}

struct rows_unit *rows_units_new(size_t value_count)
{
    struct rows_unit *units = calloc(value_count + 1, sizeof *units);
    for (size_t v = 0; units && v < value_count; v++)
        units[v].group = ROWS_NO_UNIT;
    return units;
}

void rows_columns_free(struct rows_columns *columns)
{
    for (size_t i = 0; i < columns->value_count; i++)
        free((void *)columns->values[i]);
    for (size_t i = 0; i < columns->group_count; i++)
        free((void *)columns->groups[i]);
    for (size_t v = 0; columns->units && v < columns->value_count; v++)
        free(columns->units[v].text);
    free(columns->units);
    free((void *)columns->values);
    free((void *)columns->groups);
    *columns = (struct rows_columns){0};
}

void rows_account_free(struct rows_account *account)
{
    rows_columns_free(&account->columns);
    for (size_t i = 0; i < account->bad_group_count; i++)
        free(account->bad_groups[i]);
    free(account->bad_groups);
}
