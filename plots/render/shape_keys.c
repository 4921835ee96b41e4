#include "plots/render/shape.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
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
    const char *order = shape->recipe->order, *chosen = shape->choices.order;
    if (!order && chosen && strcmp(chosen, "value") == 0) /* the first number that the figure needs */
        for (size_t i = shape->recipe->needs.count; i > 0; i--)
            if (recipe_is_number(shape->recipe, shape->recipe->needs.word[i - 1]))
                order = shape->recipe->needs.word[i - 1];
    size_t column = order ? csv_column(shape->csv, order) : CSV_NONE;
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
            size_t rank = names_find(&shape->order, shape->row_text[row]);
            *key = (struct shape_key){.text = shape->row_text[row], .rank = rank, .value = NAN, .row = row, .id = id};
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

static int shape_keys_compare(const void *left, const void *right, void *context)
{
    const struct shape *shape = context;
    const struct shape_key *a = left, *b = right;
    const char *chosen = shape->choices.order;
    double x = isnan(a->value) ? -INFINITY : a->value, y = isnan(b->value) ? -INFINITY : b->value;
    int order = shape_compare_size(a->rank, b->rank);
    if (!order && chosen && strcmp(chosen, "name") == 0)
        order = strverscmp(a->text, b->text);
    else if (!order && (!chosen || strcmp(chosen, "table") != 0))
        order = (x < y) - (x > y);
    return order ? order : shape_compare_size(a->row, b->row);
}

/* Whether a key may be added up with others: its value is small in all groups, and the user did not name it. */
static bool shape_keys_is_small(const struct shape *shape, const struct shape_key *key)
{
    return key->rank == SIZE_MAX && !(key->value >= shape->choices.other);
}

/* Moves the newest versions to the front where keys are versions in the order of the table, and not all are drawn. */
static bool shape_keys_prefer_newest(struct shape *shape, size_t top)
{
    static const char *const versions[] = {"commit", "revision", "version", "release", "date", "position"};
    size_t total = shape->key_total;
    bool chronological = false;
    if (shape->recipe->order || shape->choices.order || shape->key_column_count == 0 || total <= top)
        return true;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        chronological |= strcmp(shape->csv->names[shape->key_columns[0]], versions[i]) == 0;
    if (!chronological)
        return true;
    struct shape_key *dropped = calloc(total - top, sizeof *dropped);
    if (!dropped)
        return false;
    memcpy(dropped, shape->keys, (total - top) * sizeof *dropped);
    memmove(shape->keys, shape->keys + (total - top), top * sizeof *dropped);
    memcpy(shape->keys + top, dropped, (total - top) * sizeof *dropped);
    shape->keys_are_last = true;
    free(dropped);
    return true;
}

/* Moves the keys that are added up behind the others, in order; one key alone is not. Returns the number of the
 * others. */
static bool shape_keys_fold(struct shape *shape, size_t top, size_t *shown_count)
{
    size_t kept = 0, folded = 0, total = shape->key_total;
    struct shape_key *order = calloc(total + 1, sizeof *order);
    bool folds = shape->recipe->other && shape->choices.other > 0, any = false;
    *shown_count = total < top ? total : top;
    if (!order)
        return false;
    for (size_t i = 0; i < total; i++)
        any |= !shape_keys_is_small(shape, &shape->keys[i]);
    for (size_t i = 0; folds && i < total; i++)
        if (kept < top && !(any && shape_keys_is_small(shape, &shape->keys[i])))
            order[kept++] = shape->keys[i];
        else
            order[total - ++folded] = shape->keys[i];
    if (folded == 1 && kept + 1 == total)
        *shown_count = total;
    if (folded > 1) {
        memcpy(shape->keys, order, kept * sizeof *order);
        for (size_t i = 0; i < folded; i++)
            shape->keys[kept + i] = order[total - 1 - i];
        *shown_count = kept;
        shape->folded = folded;
    }
    free(order);
    return true;
}

/* The user's text for a key, by its name or by its label. */
static bool shape_keys_rename(struct shape *shape, struct shape_key *key)
{
    size_t found = names_find(&shape->labels, key->text);
    if (found == SIZE_MAX)
        found = names_find(&shape->labels, key->label);
    if (found == SIZE_MAX)
        return true;
    free(key->label);
    key->label = strndup(shape->labels.items[found].value, shape->labels.items[found].value_length);
    return key->label;
}

static bool shape_keys_label(struct shape *shape)
{
    size_t count = shape->key_count - (shape->folded > 0);
    const char **names = calloc(count + 1, sizeof *names);
    char **labels = calloc(count + 1, sizeof *labels);
    /* Names in a general figure are taken for methods only if they look like them: "gcc-12.1.0" does not become "1.0".
     */
    bool methods = !recipe_any_key(shape->recipe), commands = true;
    for (size_t i = 0; names && i < count; i++) {
        const char *text = names[i] = shape->keys[i].text;
        commands &= !strchr(text, '(') && strchr(text, ' ');
        methods |= shorten_is_method(text);
    }
    bool good = names && labels;
    if (good && shape->choices.full_labels)
        good = shorten_nothing(names, count, labels);
    else if (good && methods && !commands)
        good = shorten_names(names, count, shape->recipe->label, labels);
    else if (good)
        good = shorten_texts(names, count, shape->recipe->label, labels);
    for (size_t i = 0; good && i < count; i++)
        shape->keys[i].label = labels[i];
    for (size_t i = 0; good && i < count; i++)
        good = shape_keys_rename(shape, &shape->keys[i]);
    bool named = !recipe_any_key(shape->recipe);
    if (good && shape->folded > 0 &&
        asprintf(&shape->keys[count].label, "other (%zu%s%s%s)", shape->folded, named ? " " : "",
                 named ? shape->recipe->key : "", named ? "s" : "") < 0) {
        shape->keys[count].label = NULL;
        good = false;
    }
    free(names);
    free(labels);
    return good;
}

bool shape_make_keys(struct shape *shape)
{
    size_t top = shape->choices.top ? shape->choices.top : shape->recipe->top, kept = 0;
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
        qsort_r(shape->keys, shape->key_total, sizeof *shape->keys, shape_keys_compare, shape);
        good = shape_keys_prefer_newest(shape, top) && shape_keys_fold(shape, top, &kept);
        for (size_t i = 0; i < shape->key_total; i++)
            position[shape->keys[i].id] = i;
        for (size_t row = 0; row < row_count; row++)
            if (shape->row_key[row] != CSV_NONE) {
                size_t key = position[shape->row_key[row]];
                shape->row_key[row] = key < kept ? key : shape->folded > 0 ? kept : CSV_NONE;
            }
        shape->key_count = kept + (shape->folded > 0);
        good = good && shape_keys_label(shape);
    }
    free(position);
    free(rows);
    return good;
}
