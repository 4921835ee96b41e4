#include "plots/render/shape.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/shorten.h"
#include "base/text_stream.h"

static const char *shape_groups_text(const struct csv *csv, size_t row, size_t column)
{
    const char *text = csv_cell(csv, row, column);
    return text ? text : "";
}

/* Whether two rows agree in the group columns of this mask (bit i: the i-th group column). */
static bool shape_groups_same(const struct shape *shape, size_t a, size_t b, uint64_t mask)
{
    for (size_t i = 0; i < shape->group_column_count; i++) {
        size_t column = shape->group_columns[i];
        if ((mask >> (i < 63 ? i : 63) & 1) &&
            strcmp(shape_groups_text(shape->csv, a, column), shape_groups_text(shape->csv, b, column)) != 0)
            return false;
    }
    return true;
}

static int shape_groups_compare_rows(const void *left, const void *right, void *context)
{
    const struct shape *shape = context;
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    for (size_t i = 0; i < shape->group_column_count; i++) {
        size_t column = shape->group_columns[i];
        int order = strcmp(shape_groups_text(shape->csv, a, column), shape_groups_text(shape->csv, b, column));
        if (order)
            return order;
    }
    return shape_compare_size(a, b);
}

static int shape_groups_compare_first(const void *left, const void *right)
{
    const struct shape_group *a = left, *b = right;
    int order = shape_compare_size(a->rank, b->rank);
    return order ? order : shape_compare_size(a->row, b->row);
}

/* The rank in the chosen order of the best of a group's cells. */
static size_t shape_groups_rank(struct shape *shape, size_t row)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < shape->group_column_count && shape->order.count; i++) {
        size_t rank = names_find(&shape->order, shape_groups_text(shape->csv, row, shape->group_columns[i]));
        best = rank < best ? rank : best;
    }
    return best;
}

/* A group's rows need not be adjacent: they are found by sorting, since there may be as many groups as rows. */
static bool shape_groups_sort(struct shape *shape)
{
    size_t count = shape->csv->row_count, limit = shape->recipe->groups;
    size_t *rows = calloc(count + 1, sizeof *rows);
    shape->groups = calloc(count + 1, sizeof *shape->groups);
    bool good = rows && shape->groups;
    if (good) {
        for (size_t row = 0; row < count; row++)
            rows[row] = row;
        qsort_r(rows, count, sizeof *rows, shape_groups_compare_rows, shape);
        /* Finds the first row of each row's group; each first row becomes a group. */
        size_t first = 0;
        for (size_t i = 0; i < shape->csv->row_count; i++) {
            if (i == 0 || !shape_groups_same(shape, rows[i - 1], rows[i], UINT64_MAX)) {
                first = rows[i];
                shape->groups[shape->group_total++] =
                    (struct shape_group){.row = first, .rank = shape_groups_rank(shape, first)};
            }
            shape->row_group[rows[i]] = first;
        }
        qsort(shape->groups, shape->group_total, sizeof *shape->groups, shape_groups_compare_first);
        for (size_t group = 0; group < shape->group_total; group++)
            rows[shape->groups[group].row] = group < limit ? group : CSV_NONE;
        for (size_t row = 0; row < count; row++)
            shape->row_group[row] = rows[shape->row_group[row]];
        shape->group_count = shape->group_total < limit ? shape->group_total : limit;
    }
    free(rows);
    return good;
}

/* The fewest columns, in their order, that tell groups apart; at least one, if it says anything. */
static uint64_t shape_groups_naming_columns(const struct shape *shape)
{
    uint64_t mask = 0;
    size_t most = 0;
    for (size_t column = 0; column < shape->group_column_count && column < 63; column++) {
        uint64_t wider = mask | UINT64_C(1) << column;
        size_t distinct = 0;
        bool has_text = false;
        for (size_t i = 0; i < shape->group_count; i++) {
            size_t j = 0;
            while (j < i && !shape_groups_same(shape, shape->groups[j].row, shape->groups[i].row, wider))
                j++;
            distinct += j == i;
            has_text |= *shape_groups_text(shape->csv, shape->groups[i].row, shape->group_columns[column]) != '\0';
        }
        if (distinct > most && has_text) {
            mask = wider;
            most = distinct;
        }
    }
    return mask;
}

/* The cells of a group's first row that name it; of paths the last part, unless `whole`. */
static char *shape_groups_join_name(const struct shape *shape, size_t row, uint64_t mask, bool whole)
{
    char *text = NULL;
    size_t size;
    FILE *out = text_stream_open(&text, &size);
    if (!out)
        return NULL;
    bool first = true;
    for (size_t i = 0; i < shape->group_column_count && i < 63; i++) {
        size_t column = shape->group_columns[i];
        const char *value = shape_groups_text(shape->csv, row, column);
        if (!(mask >> i & 1) || !*value)
            continue;
        /* "7" is unclear, "thread 7" is not; for a path the file's name is enough, but "cycles/instruction" is not a
         * path, and neither is a command. */
        const char *slash = strrchr(value, '/');
        bool path = !whole && slash && slash[1] && !strchr(value, ' ') &&
                    (*value == '/' || *value == '.' || strchr(slash, '.'));
        const char *name = path ? slash + 1 : value;
        size_t length = strlen(name);
        if (length > 6 && strcmp(name + length - 6, ".trace") == 0)
            length -= 6;
        bool number = *name && name[strspn(name, "0123456789")] == '\0';
        fprintf(out, "%s%s%s%.*s", first ? "" : ", ", number ? shape->csv->names[column] : "", number ? " " : "",
                (int)length, name);
        first = false;
    }
    if (text_stream_close(out, &text))
        return text;
    free(text);
    return NULL;
}

/* The user's text for a group, by its name or by one of its cells. */
static bool shape_groups_rename(struct shape *shape, struct shape_group *group)
{
    size_t found = names_find(&shape->labels, group->name);
    for (size_t i = 0; i < shape->group_column_count && found == SIZE_MAX; i++)
        found = names_find(&shape->labels, shape_groups_text(shape->csv, group->row, shape->group_columns[i]));
    if (found == SIZE_MAX)
        return true;
    free(group->name);
    group->name = strndup(shape->labels.items[found].value, shape->labels.items[found].value_length);
    return group->name;
}

/* Names of groups as short as they can be while distinct: names of methods as such, others without what they share. */
static bool shape_groups_shorten(const struct shape *shape, char **names, char **labels)
{
    const char *const *texts = (const char *const *)names;
    size_t count = shape->group_count;
    bool methods = false;
    for (size_t i = 0; i < count; i++) {
        const char *open = strchr(texts[i], '(');
        methods |= open > texts[i] && open[-1] != ' ' && texts[i][strlen(texts[i]) - 1] == ')';
    }
    if (shape->choices.full_labels)
        return shorten_nothing(texts, count, labels);
    return methods ? shorten_names(texts, count, shape->recipe->label, labels)
                   : shorten_texts(texts, count, shape->recipe->label, labels);
}

static bool shape_groups_are_distinct(char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(names[i], names[j]) == 0)
                return false;
    return true;
}

bool shape_make_groups(struct shape *shape)
{
    if (!shape_groups_sort(shape))
        return false;
    size_t count = shape->group_count;
    uint64_t mask = shape_groups_naming_columns(shape);
    char **names = calloc(count + 1, sizeof *names), **labels = calloc(count + 1, sizeof *labels);
    bool good = names && labels, done = false;
    for (int whole = 0; good && !done && whole < 2; whole++) {
        for (size_t i = 0; good && i < count; i++) {
            free(names[i]);
            good = (names[i] = shape_groups_join_name(shape, shape->groups[i].row, mask, whole)) != NULL;
        }
        done = good && shape_groups_are_distinct(names, count);
    }
    good = good && shape_groups_shorten(shape, names, labels);
    for (size_t i = 0; good && i < count; i++) {
        shape->groups[i].name = labels[i];
        labels[i] = NULL;
        good = shape_groups_rename(shape, &shape->groups[i]);
    }
    for (size_t i = 0; i < count; i++) {
        free(names ? names[i] : NULL);
        free(labels ? labels[i] : NULL);
    }
    free(names);
    free(labels);
    return good;
}
