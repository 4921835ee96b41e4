#include "table/model/table_stack.h"

#include <stdlib.h>
#include <string.h>

#include "table/model/table_cells.h"

/* The columns of all parts; names belong to the parts. */
struct stack_columns {
    struct table_column *items;
    size_t count;
};

/* The position of a column; count: it is not there. */
static size_t stack_find(const struct stack_columns *columns, size_t first, const struct table_column *column)
{
    size_t at = first;
    while (at < columns->count &&
           (columns->items[at].type != column->type || strcmp(columns->items[at].name, column->name) != 0))
        at++;
    return at;
}

/* Adds the columns of all parts; the first is left for the label. False without memory. */
static bool stack_collect(struct stack_columns *columns, const struct table_part *parts, size_t count)
{
    size_t all = 1;
    for (size_t p = 0; p < count; p++)
        all += parts[p].table->column_count;
    columns->items = calloc(all, sizeof *columns->items);
    columns->count = 1;
    for (size_t p = 0; columns->items && p < count; p++)
        for (size_t c = 0; c < parts[p].table->column_count; c++) {
            const struct table_column *column = &parts[p].table->columns[c];
            if (stack_find(columns, 1, column) == columns->count)
                columns->items[columns->count++] = *column;
        }
    return columns->items;
}

static void stack_cell(struct table *stack, const struct table_cell *cell, enum table_type type)
{
    if (table_type_is_text(type) ? !cell->text : !cell->present)
        table_blank(stack);
    else if (table_type_is_text(type))
        table_text(stack, cell->text);
    else if (table_type_is_count(type))
        table_count(stack, cell->count);
    else if (type == TABLE_ESTIMATE)
        table_estimate(stack, cell->real, cell->low, cell->high);
    else if (type == TABLE_REAL)
        table_rounded(stack, cell->real, cell->places);
    else
        table_real(stack, cell->real);
}

static void stack_rows(struct table *stack, const struct stack_columns *columns, const struct table_part *part)
{
    const struct stack_columns its = {part->table->columns, part->table->column_count};
    stack->no_memory |= part->table->no_memory;
    for (size_t row = 0; row < table_row_count(part->table) && !stack->no_memory; row++) {
        table_text(stack, part->label);
        for (size_t c = 1; c < columns->count; c++) {
            size_t at = stack_find(&its, 0, &columns->items[c]);
            if (at == its.count)
                table_blank(stack);
            else
                stack_cell(stack, &part->table->cells[row * its.count + at], its.items[at].type);
        }
    }
}

struct table *table_stack(const char *name, const struct table_part *parts, size_t count)
{
    struct stack_columns columns;
    char *by = NULL;
    if (!stack_collect(&columns, parts, count) || asprintf(&by, "by_%s", name) < 0) {
        free(columns.items);
        return NULL;
    }
    columns.items[0] = (struct table_column){name, TABLE_TEXT};
    for (size_t c = 1; c < columns.count; c++)
        if (strcmp(columns.items[c].name, name) == 0)
            columns.items[0].name = by;
    struct table *stack = table_new(columns.items, columns.count);
    for (size_t p = 0; stack && p < count; p++)
        stack_rows(stack, &columns, &parts[p]);
    if (stack && stack->no_memory) {
        table_free(stack);
        stack = NULL;
    }
    free(columns.items);
    free(by);
    return stack;
}
