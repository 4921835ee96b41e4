#include "plots/render/shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/shorten.h"

/* By key, then group, then position, so that duplicates in a group are adjacent. */
static int shape_keys_compare_rows(const void *left, const void *right, void *context)
{
    const struct shape *shape = context;
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    int order = strcmp(shape->row_text[a], shape->row_text[b]);
    if (!order)
        order = shape_compare_size(shape->row_group[a], shape->row_group[b]);
    return order ? order : shape_compare_size(a, b);
}

/* The k-th row of a key in a group belongs to the k-th key of this name; in a box or a timeline all rows belong to the
 * same. */
static void shape_keys_number(struct shape *shape, const size_t *rows, size_t count)
{
    size_t base = 0, position = 0;
    size_t column = shape->recipe->order ? csv_column(shape->csv, shape->recipe->order) : CSV_NONE;
    for (size_t i = 0; i < count; i++) {
        size_t row = rows[i];
        bool same_key = i > 0 && strcmp(shape->row_text[rows[i - 1]], shape->row_text[row]) == 0;
        bool same_group = i > 0 && shape->row_group[rows[i - 1]] == shape->row_group[row];
        if (!same_key)
            base = shape->key_total;
        position = same_key && same_group && !shape->recipe->boxes && !shape->recipe->repeats ? position + 1 : 0;
        size_t id = base + position;
        struct shape_key *key = &shape->keys[id];
        if (id == shape->key_total) {
            *key = (struct shape_key){shape->row_text[row], NAN, row, id, NULL};
            shape->key_total++;
        }
        double value = NAN;
        if (column != CSV_NONE)
            shape_read_number(&shape->source, row, column, &value);
        key->value = fmax(key->value, value);
        key->row = key->row < row ? key->row : row;
        shape->row_key[row] = id;
    }
}

static int shape_keys_compare(const void *left, const void *right)
{
    const struct shape_key *a = left, *b = right;
    double x = isnan(a->value) ? -INFINITY : a->value, y = isnan(b->value) ? -INFINITY : b->value;
    int order = (x < y) - (x > y);
    return order ? order : shape_compare_size(a->row, b->row);
}

static bool shape_keys_label(struct shape *shape)
{
    const char **names = calloc(shape->key_count + 1, sizeof *names);
    char **labels = calloc(shape->key_count + 1, sizeof *labels);
    /* Names in a general figure are taken for methods only if they look like them: "gcc-12.1.0" does not become "1.0".
     */
    bool methods = !recipe_any_key(shape->recipe);
    for (size_t i = 0; names && i < shape->key_count; i++) {
        names[i] = shape->keys[i].text;
        methods |= shorten_is_method(names[i]);
    }
    bool good = names && labels;
    if (good && methods)
        good = shorten_names(names, shape->key_count, shape->recipe->label, labels);
    else if (good)
        good = shorten_texts(names, shape->key_count, shape->recipe->label, labels);
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
    size_t count = 0, row_count = shape->csv->row_count;
    size_t *rows = calloc(row_count + 1, sizeof *rows), *position = NULL;
    for (size_t row = 0; rows && row < row_count; row++) {
        shape->row_key[row] = CSV_NONE;
        if (shape->row_group[row] != CSV_NONE)
            rows[count++] = row;
    }
    shape->keys = calloc(count + 1, sizeof *shape->keys);
    bool good = rows && shape->keys;
    if (good) {
        qsort_r(rows, count, sizeof *rows, shape_keys_compare_rows, shape);
        shape_keys_number(shape, rows, count);
        position = calloc(shape->key_total + 1, sizeof *position);
        good = position;
    }
    if (good) { /* sorts the keys and drops those beyond `top` */
        qsort(shape->keys, shape->key_total, sizeof *shape->keys, shape_keys_compare);
        for (size_t i = 0; i < shape->key_total; i++)
            position[shape->keys[i].id] = i;
        for (size_t row = 0; row < row_count; row++)
            if (shape->row_key[row] != CSV_NONE) {
                size_t key = position[shape->row_key[row]];
                shape->row_key[row] = key < top ? key : CSV_NONE;
            }
        shape->key_count = shape->key_total < top ? shape->key_total : top;
        good = shape_keys_label(shape);
    }
    free(position);
    free(rows);
    return good;
}
