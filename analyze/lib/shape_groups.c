#include "analyze/lib/shape.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/lib/shorten.h"

static bool words_have(const struct recipe_words *words, const char *name)
{
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->word[i], name) == 0)
            return true;
    return false;
}

static bool is_known(const struct recipe *recipe, const char *name)
{
    return words_have(&recipe->needs, name) || words_have(&recipe->takes, name) ||
           (recipe->key && strcmp(recipe->key, name) == 0);
}

/* Undeclared columns come first: they were put left of everything to tell these rows apart. */
static bool find_group_columns(struct shape *shape)
{
    const struct sheet *sheet = shape->sheet;
    const struct recipe_words *declared = &shape->recipe->group;
    shape->group_columns = calloc(sheet->column_count + 1, sizeof *shape->group_columns);
    if (!shape->group_columns)
        return false;
    for (size_t i = 0; i < sheet->column_count && !is_known(shape->recipe, sheet->names[i]); i++)
        if (!words_have(declared, sheet->names[i]))
            shape->group_columns[shape->group_column_count++] = i;
    for (size_t i = 0; i < declared->count; i++) {
        size_t column = sheet_column(sheet, declared->word[i]);
        if (column != SHEET_NONE)
            shape->group_columns[shape->group_column_count++] = column;
    }
    return true;
}

static const char *text_of(const struct sheet *sheet, size_t row, size_t column)
{
    const char *text = sheet_cell(sheet, row, column);
    return text ? text : "";
}

/* Whether two rows agree in the group columns of this mask (bit i: the i-th group column). */
static bool same_group(const struct shape *shape, size_t a, size_t b, uint64_t mask)
{
    for (size_t i = 0; i < shape->group_column_count; i++) {
        size_t column = shape->group_columns[i];
        if ((mask >> (i < 63 ? i : 63) & 1) &&
            strcmp(text_of(shape->sheet, a, column), text_of(shape->sheet, b, column)) != 0)
            return false;
    }
    return true;
}

static bool add_group(struct shape *shape, size_t row)
{
    struct shape_group *groups = realloc(shape->groups, (shape->group_total + 1) * sizeof *groups);
    if (!groups)
        return false;
    shape->groups = groups;
    groups[shape->group_total++] = (struct shape_group){.row = row};
    return true;
}

/* Rows of a group mostly follow each other, so the group of the row before is tried first. */
static bool sort_into_groups(struct shape *shape)
{
    size_t group = 0;
    for (size_t row = 0; row < shape->sheet->row_count; row++) {
        if (group >= shape->group_total || !same_group(shape, shape->groups[group].row, row, UINT64_MAX))
            for (group = 0; group < shape->group_total; group++)
                if (same_group(shape, shape->groups[group].row, row, UINT64_MAX))
                    break;
        if (group == shape->group_total && !add_group(shape, row))
            return false;
        shape->row_group[row] = group < shape->recipe->groups ? group : SHEET_NONE;
    }
    shape->group_count = shape->group_total < shape->recipe->groups ? shape->group_total : shape->recipe->groups;
    return true;
}

static size_t distinct_groups(const struct shape *shape, uint64_t mask)
{
    size_t count = 0;
    for (size_t i = 0; i < shape->group_count; i++) {
        size_t j = 0;
        while (j < i && !same_group(shape, shape->groups[j].row, shape->groups[i].row, mask))
            j++;
        count += j == i;
    }
    return count;
}

static bool has_text(const struct shape *shape, size_t column)
{
    for (size_t i = 0; i < shape->group_count; i++)
        if (*text_of(shape->sheet, shape->groups[i].row, column))
            return true;
    return false;
}

/* The fewest columns, in their order, that tell groups apart; one at least, if it says anything. */
static uint64_t naming_columns(const struct shape *shape)
{
    uint64_t mask = 0;
    size_t distinct = 0;
    for (size_t i = 0; i < shape->group_column_count && i < 63; i++) {
        uint64_t wider = mask | UINT64_C(1) << i;
        size_t count = distinct_groups(shape, wider);
        if (count > distinct && has_text(shape, shape->group_columns[i])) {
            mask = wider;
            distinct = count;
        }
    }
    return mask;
}

/* "7" says nothing where "thread 7" does; of a path the file's name is enough. */
static void write_group_part(FILE *out, const char *column, const char *text, bool first)
{
    const char *slash = strrchr(text, '/'), *name = slash && slash[1] ? slash + 1 : text;
    size_t length = strlen(name);
    if (length > 6 && strcmp(name + length - 6, ".trace") == 0)
        length -= 6;
    bool number = *name && name[strspn(name, "0123456789")] == '\0';
    fprintf(out, "%s%s%s%.*s", first ? "" : ", ", number ? column : "", number ? " " : "", (int)length, name);
}

static char *group_name(const struct shape *shape, size_t row, uint64_t mask, size_t longest)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    bool first = true;
    for (size_t i = 0; i < shape->group_column_count && i < 63; i++) {
        size_t column = shape->group_columns[i];
        const char *value = text_of(shape->sheet, row, column);
        if (!(mask >> i & 1) || !*value)
            continue;
        write_group_part(out, shape->sheet->names[column], value, first);
        first = false;
    }
    char *name = fclose(out) == 0 ? shorten_middle(text, longest) : NULL;
    free(text);
    return name;
}

static bool name_groups(struct shape *shape)
{
    uint64_t mask = naming_columns(shape);
    for (size_t i = 0; i < shape->group_count; i++) {
        shape->groups[i].name = group_name(shape, shape->groups[i].row, mask, shape->recipe->label);
        if (!shape->groups[i].name)
            return false;
    }
    return true;
}

bool shape_make_groups(struct shape *shape)
{
    return find_group_columns(shape) && sort_into_groups(shape) && name_groups(shape);
}
