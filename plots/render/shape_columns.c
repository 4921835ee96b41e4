#include "plots/render/shape.h"

#include <stdlib.h>
#include <string.h>

static const char *shape_columns_text(const struct csv *csv, size_t row, size_t column)
{
    const char *text = csv_cell(csv, row, column);
    return text ? text : "";
}

/* Columns by purpose; each array has capacity for all of the CSV table's. */
struct columns {
    size_t *index;
    size_t count;
};

static bool shape_columns_has(const struct columns *columns, size_t column)
{
    for (size_t i = 0; i < columns->count; i++)
        if (columns->index[i] == column)
            return true;
    return false;
}

static void shape_columns_add(struct columns *columns, size_t column)
{
    if (!shape_columns_has(columns, column))
        columns->index[columns->count++] = column;
}

static void shape_columns_add_words(struct columns *columns, const struct csv *csv, const struct recipe_words *words)
{
    for (size_t i = 0; i < words->count; i++) {
        size_t column = csv_column(csv, words->word[i]);
        if (column != CSV_NONE)
            shape_columns_add(columns, column);
    }
}

static bool shape_columns_varies(const struct csv *csv, size_t column)
{
    for (size_t row = 1; row < csv->row_count; row++)
        if (strcmp(shape_columns_text(csv, row, column), shape_columns_text(csv, 0, column)) != 0)
            return true;
    return false;
}

/* Keys are named by the first remaining column, series by the others; or by all, if series are fixed. */
static void shape_columns_divide(struct shape *shape, const struct columns *left, const struct columns *declared)
{
    struct columns keys = {shape->key_columns, 0}, groups = {shape->group_columns, 0};
    const struct recipe *recipe = shape->recipe;
    size_t next = 0, used = 0;
    if (recipe_any_key(recipe) && recipe_fixed_groups(recipe)) {
        /* All of them form the key, except those that are the same everywhere. */
        for (size_t i = 0; i < left->count; i++)
            if (shape_columns_varies(shape->csv, left->index[i]))
                shape_columns_add(&keys, left->index[i]);
        if (!keys.count && left->count)
            shape_columns_add(&keys, left->index[0]);
    } else if (recipe_any_key(recipe) && left->count)
        shape_columns_add(&keys, left->index[next++]);
    else if (recipe_any_key(recipe) && declared->count)
        shape_columns_add(&keys, declared->index[used++]);
    else if (recipe->key && !recipe_any_key(recipe))
        shape_columns_add(&keys, csv_column(shape->csv, recipe->key));
    for (; next < left->count && !recipe_fixed_groups(recipe); next++)
        if (!shape_columns_has(&keys, left->index[next]))
            shape_columns_add(&groups, left->index[next]);
    while (used < declared->count)
        shape_columns_add(&groups, declared->index[used++]);
    shape->key_column_count = keys.count;
    shape->group_column_count = groups.count;
}

bool shape_find_columns(struct shape *shape)
{
    const struct csv *csv = shape->csv;
    const struct recipe *recipe = shape->recipe;
    size_t capacity = csv->column_count + 1;
    struct columns left = {calloc(capacity, sizeof(size_t)), 0}, declared = {calloc(capacity, sizeof(size_t)), 0};
    shape->group_columns = calloc(capacity, sizeof(size_t));
    shape->key_columns = calloc(capacity, sizeof(size_t));
    bool good = left.index && declared.index && shape->group_columns && shape->key_columns;
    if (good) {
        if (recipe->by.count)
            shape_columns_add_words(&left, csv, &recipe->by);
        else {
            /* Columns without a declared use, left of all numbers: they are there to tell these rows apart. A column
             * without a name is R's, which numbers rows. */
            for (size_t i = 0; i < csv->column_count && !recipe_is_number(recipe, csv->names[i]); i++) {
                const char *name = csv->names[i];
                bool used = recipe_has(&recipe->group, name) || recipe_has(&recipe->texts, name) ||
                            (recipe->key && strcmp(recipe->key, name) == 0);
                if (*name && !used)
                    shape_columns_add(&left, i);
            }
        }
        if (!recipe->by.count || recipe_fixed_groups(recipe))
            shape_columns_add_words(&declared, csv, &recipe->group);
        shape_columns_divide(shape, &left, &declared);
    }
    free(left.index);
    free(declared.index);
    return good;
}

/* "pmd, random": the cells that are not blank. */
static char *shape_columns_join_texts(const struct shape *shape, size_t row)
{
    size_t size = 1;
    for (size_t i = 0; i < shape->key_column_count; i++)
        size += strlen(shape_columns_text(shape->csv, row, shape->key_columns[i])) + 2;
    char *text = calloc(size, 1), *end = text;
    for (size_t i = 0; text && i < shape->key_column_count; i++) {
        const char *part = shape_columns_text(shape->csv, row, shape->key_columns[i]);
        if (*part && end > text)
            end = stpcpy(end, ", ");
        end = stpcpy(end, part);
    }
    return text;
}

bool shape_name_rows(struct shape *shape)
{
    size_t count = shape->csv->row_count;
    shape->row_text = calloc(count + 1, sizeof *shape->row_text);
    if (shape->key_column_count > 1)
        shape->joined = calloc(count + 1, sizeof *shape->joined);
    if (!shape->row_text || (shape->key_column_count > 1 && !shape->joined))
        return false;
    for (size_t row = 0; row < count; row++) {
        shape->row_text[row] =
            shape->key_column_count ? shape_columns_text(shape->csv, row, shape->key_columns[0]) : "";
        if (shape->joined && !(shape->row_text[row] = shape->joined[row] = shape_columns_join_texts(shape, row)))
            return false;
    }
    return true;
}
