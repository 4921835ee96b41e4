#include "plots/render/shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void shape_list_lacking(const struct recipe_words *words, const struct csv *csv, char *text, size_t size)
{
    for (size_t i = 0; i < words->count; i++)
        if (csv_column(csv, words->word[i]) == CSV_NONE)
            error_list(text, size, words->word[i]);
}

/* The text of a cell; a number of a table is written into `digits`. */
static const char *shape_cell_text(const struct shape_source *source, size_t row, size_t column, char digits[32])
{
    const char *text = csv_cell(source->csv, row, column);
    return text || !source->table ? text : table_plain(source->table, row, column, digits);
}

/* Checks one row's cells of these columns; *complete if all numbers have a value. */
static int shape_check_cells(const struct recipe *recipe, const struct recipe_words *words,
                             const struct shape_source *source, size_t row, bool *complete, struct error_text *message)
{
    char digits[32];
    double slack =
        1e-9 * (recipe->most - recipe->least); /* a number that exceeds the range only by rounding is within */
    *complete = true;
    for (size_t i = 0; i < words->count; i++) {
        const char *name = words->word[i];
        size_t column = csv_column(source->csv, name);
        double value;
        if (column == CSV_NONE || !recipe_is_number(recipe, name))
            continue;
        if (!shape_read_number(source, row, column, &value))
            return error_set(message, STATUS_BAD, "row %zu: the %s '%s' is not a number", row + 1, name,
                             shape_cell_text(source, row, column, digits));
        if (recipe->range && strcmp(recipe->range, name) == 0 &&
            (value < recipe->least - slack || value > recipe->most + slack))
            return error_set(message, STATUS_BAD, "row %zu: the %s %s is not between %g and %g", row + 1, name,
                             shape_cell_text(source, row, column, digits), recipe->least, recipe->most);
        if (fabs(value) > SHAPE_MOST)
            return error_set(message, STATUS_BAD, "row %zu: the %s %s is too large to be drawn", row + 1, name,
                             shape_cell_text(source, row, column, digits));
        *complete &= !isnan(value);
    }
    return STATUS_GOOD;
}

int shape_check(const struct recipe *recipe, const struct shape_source *source, struct error_text *message)
{
    const struct csv *csv = source->csv;
    char lacks[160] = "";
    shape_list_lacking(&recipe->needs, csv, lacks, sizeof lacks);
    shape_list_lacking(&recipe->by, csv, lacks, sizeof lacks);
    int status = *lacks ? csv_report_line(csv, lacks, message) : STATUS_GOOD;
    if (!status && csv->row_count == 0)
        status = error_set(message, STATUS_BAD, "has a header but no rows");

    /* Every cell of a known column must be a number, and at least one row must have all that the figure needs. */
    bool any = false, complete = false, ignored;
    for (size_t row = 0; !status && row < csv->row_count; row++) {
        status = shape_check_cells(recipe, &recipe->needs, source, row, &complete, message);
        if (!status)
            status = shape_check_cells(recipe, &recipe->takes, source, row, &ignored, message);
        any |= complete;
    }
    if (!status && !any)
        status = error_set(message, STATUS_BAD, "has no row with all values that the figure needs");
    return status;
}

/* Whether the order of keys is one of the words for it, not names. */
static bool shape_order_is_word(const char *order)
{
    return strcmp(order, "value") == 0 || strcmp(order, "name") == 0 || strcmp(order, "table") == 0;
}

static bool shape_read_choices(struct shape *shape)
{
    const struct shape_choices *choices = &shape->choices;
    bool good =
        !choices->order || shape_order_is_word(choices->order) || names_add(&shape->order, choices->order, false);
    for (size_t i = 0; good && i < choices->label_count; i++)
        good = names_add(&shape->labels, choices->labels[i], true);
    return good;
}

int shape_init(struct shape *shape, const struct recipe *recipe, const struct shape_source *source,
               const struct shape_choices *choices, struct error_text *message)
{
    const struct csv *csv = source->csv;
    *shape = (struct shape){.csv = csv, .source = *source, .recipe = recipe, .choices = *choices};
    int status = shape_check(recipe, source, message);
    if (status)
        return status;
    shape->row_group = calloc(csv->row_count, sizeof *shape->row_group);
    shape->row_key = calloc(csv->row_count, sizeof *shape->row_key);
    if (shape->row_group && shape->row_key && shape_read_choices(shape) && shape_find_columns(shape) &&
        shape_name_rows(shape) && shape_make_groups(shape) && shape_make_keys(shape)) {
        const struct name *unused = names_unused(&shape->order);
        if (!unused)
            unused = names_unused(&shape->labels);
        if (!unused)
            return STATUS_GOOD;
        error_set(message, STATUS_USAGE, "no row or series is called '%.*s'",
                  unused->length < 200 ? (int)unused->length : 200, unused->text);
        shape_free(shape);
        return STATUS_USAGE;
    }
    shape_free(shape);
    return error_set(message, STATUS_BAD, "out of memory");
}

void shape_free(struct shape *shape)
{
    for (size_t i = 0; shape->groups && i < shape->group_total; i++)
        free(shape->groups[i].name);
    for (size_t i = 0; shape->keys && i < shape->key_total; i++)
        free(shape->keys[i].label);
    names_free(&shape->order);
    names_free(&shape->labels);
    free(shape->groups);
    free(shape->keys);
    for (size_t row = 0; shape->joined && row < shape->csv->row_count; row++)
        free(shape->joined[row]);
    free(shape->joined);
    free(shape->row_text);
    free(shape->group_columns);
    free(shape->key_columns);
    free(shape->row_group);
    free(shape->row_key);
    *shape = (struct shape){0};
}
