#include "plots/render/shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plots/render/shorten.h"

static const char *shape_keys_text(const struct shape *shape, size_t row)
{
    return shape->row_text[row];
}

/* By key, then group, then position, so that duplicates in a group are adjacent. */
static int shape_keys_compare_rows(const void *left, const void *right, void *context)
{
    const struct shape *shape = context;
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    int order = strcmp(shape_keys_text(shape, a), shape_keys_text(shape, b));
    if (!order)
        order = shape_compare_size(shape->row_group[a], shape->row_group[b]);
    return order ? order : shape_compare_size(a, b);
}

/* The rows of all drawn groups in the order of shape_keys_compare_rows(). */
static size_t *shape_keys_sort_rows(struct shape *shape, size_t *count)
{
    size_t *rows = calloc(shape->csv->row_count + 1, sizeof *rows);
    *count = 0;
    for (size_t row = 0; rows && row < shape->csv->row_count; row++) {
        shape->row_key[row] = CSV_NONE;
        if (shape->row_group[row] != CSV_NONE)
            rows[(*count)++] = row;
    }
    if (rows)
        qsort_r(rows, *count, sizeof *rows, shape_keys_compare_rows, shape);
    return rows;
}

static void shape_keys_add_row(struct shape *shape, size_t row, size_t id)
{
    struct shape_key *key = &shape->keys[id];
    size_t column = shape->recipe->order ? csv_column(shape->csv, shape->recipe->order) : CSV_NONE;
    double value = NAN;
    if (column != CSV_NONE)
        shape_read_number(&shape->source, row, column, &value);
    if (id == shape->key_total) {
        *key = (struct shape_key){shape_keys_text(shape, row), NAN, row, id, NULL};
        shape->key_total++;
    }
    key->value = fmax(key->value, value);
    key->row = key->row < row ? key->row : row;
    shape->row_key[row] = id;
}

/* The k-th row of a key in a group belongs to the k-th key of this name; in a box or a timeline all rows belong to the
 * same. */
static void shape_keys_number(struct shape *shape, const size_t *rows, size_t count)
{
    size_t base = 0, position = 0;
    for (size_t i = 0; i < count; i++) {
        bool same_key = i > 0 && strcmp(shape_keys_text(shape, rows[i - 1]), shape_keys_text(shape, rows[i])) == 0;
        bool same_group = i > 0 && shape->row_group[rows[i - 1]] == shape->row_group[rows[i]];
        if (!same_key)
            base = shape->key_total;
        position = same_key && same_group && !shape->recipe->boxes && !shape->recipe->repeats ? position + 1 : 0;
        shape_keys_add_row(shape, rows[i], base + position);
    }
}

static int shape_keys_compare(const void *left, const void *right)
{
    const struct shape_key *a = left, *b = right;
    double x = isnan(a->value) ? -INFINITY : a->value, y = isnan(b->value) ? -INFINITY : b->value;
    int order = (x < y) - (x > y);
    return order ? order : shape_compare_size(a->row, b->row);
}

/* Sorts keys and drops those beyond `top`. */
static bool shape_keys_sort(struct shape *shape, size_t top)
{
    size_t *position = calloc(shape->key_total + 1, sizeof *position);
    if (!position)
        return false;
    qsort(shape->keys, shape->key_total, sizeof *shape->keys, shape_keys_compare);
    for (size_t i = 0; i < shape->key_total; i++)
        position[shape->keys[i].id] = i;
    for (size_t row = 0; row < shape->csv->row_count; row++)
        if (shape->row_key[row] != CSV_NONE) {
            size_t key = position[shape->row_key[row]];
            shape->row_key[row] = key < top ? key : CSV_NONE;
        }
    shape->key_count = shape->key_total < top ? shape->key_total : top;
    free(position);
    return true;
}

/* Names in a general figure are taken for methods only if they look like them: "gcc-12.1.0" does not become "1.0". */
static bool shape_keys_are_methods(const struct shape *shape)
{
    for (size_t i = 0; i < shape->key_count; i++) {
        const char *text = shape->keys[i].text, *open = strchr(text, '(');
        if (open > text && open[-1] != ' ' && text[strlen(text) - 1] == ')')
            return true;
    }
    return !recipe_any_key(shape->recipe);
}

static bool shape_keys_label(struct shape *shape)
{
    const char **names = calloc(shape->key_count + 1, sizeof *names);
    char **labels = calloc(shape->key_count + 1, sizeof *labels);
    for (size_t i = 0; names && i < shape->key_count; i++)
        names[i] = shape->keys[i].text;
    bool (*shorten)(const char *const *, size_t, size_t, char **) =
        shape_keys_are_methods(shape) ? shorten_names : shorten_texts;
    bool good = names && labels && shorten(names, shape->key_count, shape->recipe->label, labels);
    for (size_t i = 0; good && i < shape->key_count; i++)
        shape->keys[i].label = labels[i];
    free(names);
    free(labels);
    return good;
}

bool shape_make_keys(struct shape *shape, size_t top)
{
    if (!shape->recipe->key)
        return true;
    size_t count, *rows = shape_keys_sort_rows(shape, &count);
    shape->keys = calloc(count + 1, sizeof *shape->keys);
    bool good = rows && shape->keys;
    if (good) {
        shape_keys_number(shape, rows, count);
        good = shape_keys_sort(shape, top) && shape_keys_label(shape);
    }
    free(rows);
    return good;
}
