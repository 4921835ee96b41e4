#include "table/model/table_view.h"

#include <stdlib.h>
#include <string.h>

#include "table/model/table_cells.h"

/* A column by its number in the table that has its values as machines read them. */
struct dropped_column {
    const struct table *table;
    size_t column;
};

struct dropped_columns {
    struct dropped_column *list; /* of names and counts */
    size_t count;
};

static bool dropped_is_shown(const struct table_view *view, const char *name)
{
    for (size_t c = 0; c < view->column_count; c++)
        if (strcmp(view->columns[c], name) == 0)
            return true;
    return false;
}

/* The number of a column with this name; the table's column_count if there is none. */
static size_t dropped_column_number(const struct table *table, const char *name)
{
    size_t c = 0;
    while (c < table->column_count && strcmp(table->columns[c].name, name) != 0)
        c++;
    return c;
}

/* Adds the column of this name if it has names or counts. Readers may have numbers as texts, which `other` has as
 * numbers. */
static void dropped_add(const struct table *table, const struct table *other, const char *name,
                        struct dropped_columns *chosen)
{
    size_t column = other ? dropped_column_number(other, name) : 0;
    const struct table *of = other && column < other->column_count ? other : table;
    column = dropped_column_number(of, name);
    if (column < of->column_count &&
        (table_type_is_text(of->columns[column].type) || table_type_is_count(of->columns[column].type)))
        chosen->list[chosen->count++] = (struct dropped_column){of, column};
}

static int dropped_compare_cells(const struct dropped_column *column, size_t a, size_t b)
{
    const struct table *table = column->table;
    const struct table_cell *left = &table->cells[a * table->column_count + column->column],
                            *right = &table->cells[b * table->column_count + column->column];
    if (table_type_is_text(table->columns[column->column].type))
        return strcmp(left->text ? left->text : "", right->text ? right->text : "");
    return left->present != right->present ? left->present - right->present
                                           : (left->count > right->count) - (left->count < right->count);
}

static int dropped_compare_rows(const void *left, const void *right, void *context)
{
    const struct dropped_columns *columns = context;
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    int order = 0;
    for (size_t c = 0; c < columns->count && !order; c++)
        order = dropped_compare_cells(&columns->list[c], a, b);
    return order;
}

/* The first of the columns by which a row differs from its neighbour, among rows that have the same order. */
static const char *dropped_find(const struct dropped_columns *shown, const struct dropped_columns *hidden,
                                const size_t *rows, size_t count, size_t *alike)
{
    size_t first = hidden->count;
    *alike = 0;
    for (size_t i = 1; i < count; i++) {
        if (dropped_compare_rows(&rows[i - 1], &rows[i], (void *)(uintptr_t)shown) != 0)
            continue;
        size_t c = 0;
        while (c < hidden->count && dropped_compare_cells(&hidden->list[c], rows[i - 1], rows[i]) == 0)
            c++;
        *alike += c < hidden->count;
        first = c < first ? c : first;
    }
    return first < hidden->count ? hidden->list[first].table->columns[hidden->list[first].column].name : NULL;
}

const char *table_view_find_dropped(const struct table_view *view, const struct table *table, const struct table *other,
                                    size_t *alike)
{
    size_t count = table_row_count(table);
    struct dropped_columns shown = {.list = calloc(view->column_count + 1, sizeof *shown.list)},
                           hidden = {.list = calloc(table->column_count + 1, sizeof *hidden.list)};
    size_t *rows = calloc(count + 1, sizeof *rows);
    const char *name = NULL;
    *alike = 0;
    if (other && table_row_count(other) != count)
        other = NULL;
    if (view->column_count > 0 && shown.list && hidden.list && rows) {
        for (size_t c = 0; c < view->column_count; c++)
            dropped_add(table, other, view->columns[c], &shown);
        for (size_t c = 0; c < table->column_count; c++)
            if (!dropped_is_shown(view, table->columns[c].name))
                dropped_add(table, other, table->columns[c].name, &hidden);
        for (size_t row = 0; row < count; row++)
            rows[row] = row;
        qsort_r(rows, count, sizeof *rows, dropped_compare_rows, &shown);
        name = dropped_find(&shown, &hidden, rows, count, alike);
    }
    free(shown.list);
    free(hidden.list);
    free(rows);
    return name;
}
