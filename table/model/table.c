#include "table/model/table.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "table/model/table_cells.h"
#include "base/grow.h"

struct table *table_new(const struct table_column *columns, size_t column_count)
{
    struct table *table = calloc(1, sizeof *table);
    if (!table || !(table->columns = calloc(column_count, sizeof *columns))) {
        free(table);
        return NULL;
    }
    table->column_count = column_count;
    for (size_t c = 0; c < column_count; c++) {
        table->columns[c] = (struct table_column){strdup(columns[c].name), columns[c].type};
        if (!table->columns[c].name) {
            table_free(table);
            return NULL;
        }
    }
    return table;
}

void table_free(struct table *table)
{
    if (!table)
        return;
    for (size_t i = 0; i < table->cell_count; i++)
        if (table_type_is_text(table->columns[i % table->column_count].type))
            free(table->cells[i].text);
    for (size_t c = 0; c < table->column_count; c++)
        free((char *)(uintptr_t)table->columns[c].name);
    for (size_t c = 0; table->origins && c < table->column_count; c++)
        free(table->origins[c]);
    free(table->origins);
    free(table->cells);
    free(table->columns);
    free(table);
}

static struct table_cell *table_next_cell(struct table *table)
{
    static struct table_cell sink;
    if (table->no_memory)
        return &sink;
    struct table_cell *cells = grow_unset(table->cells, &table->cell_capacity, table->cell_count, sizeof *cells);
    if (!cells) {
        table->no_memory = true;
        return &sink;
    }
    table->cells = cells;
    struct table_cell *cell = &table->cells[table->cell_count++];
    *cell = (struct table_cell){0};
    return cell;
}

static enum table_type table_next_type(const struct table *table)
{
    return table->columns[table->cell_count % table->column_count].type;
}

void table_text(struct table *table, const char *text)
{
    assert(table->no_memory || table_type_is_text(table_next_type(table)));
    char *copy = strdup(text);
    if (!copy)
        table->no_memory = true;
    table_next_cell(table)->text = copy;
}

void table_count(struct table *table, uint64_t count)
{
    assert(table->no_memory || table_type_is_count(table_next_type(table)));
    struct table_cell *cell = table_next_cell(table);
    cell->count = count;
    cell->present = true;
}

static void table_set_real(struct table *table, double value, int places, double low, double high)
{
    struct table_cell *cell = table_next_cell(table);
    cell->real = value;
    cell->places = places;
    cell->low = low;
    cell->high = high;
    cell->present = !isnan(value);
}

void table_real(struct table *table, double value)
{
    assert(table->no_memory || table_next_type(table) == TABLE_REAL || table_next_type(table) == TABLE_SHARE);
    table_set_real(table, value, TABLE_PLACES_ALL, NAN, NAN);
}

void table_reals(struct table *table, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        table_real(table, values[i]);
}

void table_rounded(struct table *table, double value, int places)
{
    assert(table->no_memory || table_next_type(table) == TABLE_REAL);
    table_set_real(table, value, places, NAN, NAN);
}

void table_estimate(struct table *table, double value, double low, double high)
{
    assert(table->no_memory || table_next_type(table) == TABLE_ESTIMATE);
    table_set_real(table, value, TABLE_PLACES_ALL, low, high);
}

void table_blank(struct table *table)
{
    table_next_cell(table);
}

bool table_failed(const struct table *table)
{
    return table->no_memory;
}

size_t table_column_count(const struct table *table)
{
    return table->column_count;
}

const char *table_column_name(const struct table *table, size_t column)
{
    return table->columns[column].name;
}

const char *table_origin(const struct table *table, size_t column)
{
    return table->origins ? table->origins[column] : table->columns[column].name;
}

bool table_find_log10_p(const struct table *table, size_t row, size_t column, double *log10_p)
{
    const struct table_cell *cells = &table->cells[row * table->column_count];
    if (cells[column].is_p) {
        *log10_p = cells[column].high;
        return true;
    }
    if (strcmp(table_origin(table, column), "p") != 0)
        return false;
    for (size_t c = 0; c < table->column_count; c++)
        if (strcmp(table_origin(table, c), "log10_p") == 0 && table->columns[c].type == TABLE_REAL &&
            cells[c].present) {
            *log10_p = cells[c].real;
            return true;
        }
    return false;
}

size_t table_row_count(const struct table *table)
{
    return table->cell_count / table->column_count;
}

bool table_number(const struct table *table, size_t row, size_t column, double *value)
{
    const struct table_cell *cell = &table->cells[row * table->column_count + column];
    if (table_type_is_text(table->columns[column].type))
        return false;
    *value = NAN;
    if (cell->present && table_type_is_count(table->columns[column].type))
        *value = (double)cell->count;
    else if (cell->present && isfinite(cell->real))
        *value = cell->real;
    return true;
}

void table_digits(double value, char text[32])
{
    if (fabs(value) < 1e15 && value == floor(value)) {
        snprintf(text, 32, "%.0f", value); /* 10, not 1e+01 */
        return;
    }
    for (int digits = 15; digits <= 17; digits++) { /* %g omits trailing zeros, so 15 covers all shorter ones */
        snprintf(text, 32, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            return;
    }
}
