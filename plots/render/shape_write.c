#include "plots/render/shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool shape_row_is_drawn(const struct shape *shape, size_t row)
{
    return shape->row_group[row] != CSV_NONE && shape->row_key[row] != CSV_NONE;
}

/* The common text of a group's rows in a column, "" if they differ; blank cells do not count. */
static const char *shape_group_text(const struct shape *shape, size_t group, size_t column)
{
    const char *text = "";
    for (size_t row = 0; row < shape->csv->row_count; row++) {
        const char *cell = csv_cell(shape->csv, row, column);
        if (!cell || shape->row_group[row] != group || !shape_row_is_drawn(shape, row))
            continue;
        if (*text && strcmp(text, cell) != 0)
            return "";
        text = cell;
    }
    return text;
}

/* Whether a row's values are only part of a sum. */
static bool shape_row_is_folded(const struct shape *shape, size_t row)
{
    return shape->folded > 0 && shape->row_key[row] + 1 == shape->key_count;
}

double shape_other_sum(const struct shape *shape, size_t group, size_t column)
{
    double sum = NAN;
    for (size_t row = 0; row < shape->csv->row_count; row++) {
        double value = NAN;
        if (shape->row_group[row] == group && shape_row_is_drawn(shape, row) && shape_row_is_folded(shape, row))
            value = shape_value(shape, row, column);
        if (!isnan(value))
            sum = isnan(sum) ? value : sum + value;
    }
    return sum;
}

/* Writes the sum of the rows that are added up, without an interval: the parts do not say what it is. */
static void shape_write_other(const struct shape *shape, FILE *out, size_t group, const char *const *names,
                              size_t count)
{
    fprintf(out, "%zu\t%zu", group, shape->key_count - 1);
    for (size_t i = 0; i < count; i++) {
        fputc('\t', out);
        bool summed = strcmp(names[i], shape->recipe->other) == 0;
        shape_write_number(out, summed ? shape_other_sum(shape, group, csv_column(shape->csv, names[i])) : NAN);
    }
    fputc('\n', out);
}

/* False without memory. */
static bool shape_write_group(const struct shape *shape, FILE *out, size_t group, const char *const *names,
                              size_t count)
{
    bool *seen = calloc(shape->key_count + 1, sizeof *seen);
    for (size_t row = 0; seen && row < shape->csv->row_count; row++) {
        if (shape->row_group[row] != group || !shape_row_is_drawn(shape, row) || shape_row_is_folded(shape, row))
            continue;
        fprintf(out, "%zu\t%zu", group, shape->row_key[row]);
        for (size_t i = 0; i < count; i++) {
            fputc('\t', out);
            shape_write_number(out, shape_value(shape, row, csv_column(shape->csv, names[i])));
        }
        fputc('\n', out);
        if (shape->key_count)
            seen[shape->row_key[row]] = true;
    }
    if (seen && shape->folded > 0) {
        shape_write_other(shape, out, group, names, count);
        seen[shape->key_count - 1] = true;
    }
    for (size_t key = 0; seen && key < shape->key_count; key++)
        if (!seen[key]) {
            fprintf(out, "%zu\t%zu", group, key);
            for (size_t i = 0; i < count; i++)
                fputs("\tNaN", out);
            fputc('\n', out);
        }
    bool good = seen != NULL;
    free(seen);
    return good;
}

static void shape_write_names(const struct shape *shape, FILE *out)
{
    fprintf(out, "group_count = %zu\ngroup_total = %zu\n", shape->group_count, shape->group_total);
    fprintf(out, "key_count = %zu\nkey_total = %zu\n", shape->key_count,
            shape->folded > 0 ? shape->key_count : shape->key_total);
    fprintf(out, "keys_are_last = %d\n", shape->keys_are_last);
    fprintf(out, "array group_name[%zu]\narray key_label[%zu]\n", shape->group_count,
            shape->key_count ? shape->key_count : 1);
    for (size_t i = 0; i < shape->group_count; i++) {
        fprintf(out, "group_name[%zu] = ", i + 1);
        shape_write_string(out, shape->groups[i].name);
        fputc('\n', out);
    }
    for (size_t i = 0; i < shape->key_count; i++) {
        fprintf(out, "key_label[%zu] = ", i + 1);
        shape_write_string(out, shape->keys[i].label);
        fputc('\n', out);
    }
}

int shape_write(const struct shape *shape, FILE *out, struct error_text *message)
{
    const char *names[2 * RECIPE_COLUMNS];
    /* The columns of numbers in the order in which $rows has them. */
    const struct recipe_words *words[] = {&shape->recipe->needs, &shape->recipe->takes};
    size_t count = 0;
    for (size_t list = 0; list < 2; list++)
        for (size_t i = 0; i < words[list]->count; i++)
            if (recipe_is_number(shape->recipe, words[list]->word[i]))
                names[count++] = words[list]->word[i];

    shape_write_names(shape, out);
    for (size_t i = 0; i < shape->recipe->texts.count; i++) {
        const char *name = shape->recipe->texts.word[i];
        size_t column = csv_column(shape->csv, name);
        fprintf(out, "array text_%s[%zu]\n", name, shape->group_count);
        for (size_t group = 0; group < shape->group_count; group++) {
            fprintf(out, "text_%s[%zu] = ", name, group + 1);
            shape_write_string(out, column == CSV_NONE ? "" : shape_group_text(shape, group, column));
            fputc('\n', out);
        }
    }
    for (size_t i = 0; i < count; i++)
        fprintf(out, "name_%s = '%s'\n", names[i], names[i]);
    if (shape->recipe->boxes)
        return shape_write_boxes(shape, out, message);
    for (size_t i = 0; i < count; i++) {
        size_t column = csv_column(shape->csv, names[i]);
        double least = NAN, most = NAN;
        for (size_t row = 0; row < shape->csv->row_count; row++)
            if (shape_row_is_drawn(shape, row) && !shape_row_is_folded(shape, row)) {
                double value = shape_value(shape, row, column);
                least = fmin(least, value);
                most = fmax(most, value);
            }
        for (size_t group = 0; shape->folded > 0 && group < shape->group_count; group++)
            if (strcmp(names[i], shape->recipe->other) == 0) {
                least = fmin(least, shape_other_sum(shape, group, column));
                most = fmax(most, shape_other_sum(shape, group, column));
            }
        shape_write_range(out, names[i], i + 3, least, most);
    }
    fputs("$rows << end_of_rows\n", out);
    for (size_t group = 0; group < shape->group_count; group++) {
        fputs(group ? "\n\n" : "", out); /* gnuplot's `index` counts blocks separated by two blank lines */
        if (!shape_write_group(shape, out, group, names, count))
            return error_set(message, STATUS_BAD, "out of memory");
    }
    fputs("end_of_rows\n", out);
    return STATUS_GOOD;
}
