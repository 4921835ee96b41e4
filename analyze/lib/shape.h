/*
 * shape.h - a sheet as a figure's recipe wants it: rows sorted into groups (series) and keys (what is drawn).
 *
 * Groups are the distinct values of the group columns, in the order of the sheet; a group's name is made of the fewest
 * of these columns that tell the groups apart. A key that a group has twice is two keys: both are drawn.
 */
#ifndef ASSAY_SHAPE_H
#define ASSAY_SHAPE_H

#include <stdbool.h>
#include <stdio.h>

#include "analyze/lib/recipe.h"
#include "analyze/lib/sheet.h"

struct shape_group {
    size_t row; /* the first one */
    char *name;
};

struct shape_key {
    const char *text;
    double value; /* the largest of the recipe's order column, NaN if none */
    size_t row;   /* the first one */
    size_t id;    /* what shape.row_key refers to before keys are in order */
    char *label;
};

struct shape {
    const struct sheet *sheet;
    const struct recipe *recipe;
    size_t *group_columns, group_column_count;
    size_t *row_group, *row_key; /* SHEET_NONE for a row that is not drawn */
    struct shape_group *groups;
    struct shape_key *keys;
    size_t group_count, group_total, key_count, key_total; /* drawn, and found */
};

/* Whether a sheet will do. Returns 0 or a status with a complaint: a column that is missing (and those that there are),
 * no rows, a cell that is no number, no row with all that the figure needs. */
int shape_check(const struct recipe *recipe, const struct sheet *sheet, struct complaint *complaint);

/* Sorts the rows of a sheet; `top` keys at most (0: the recipe's own limit). Returns as shape_check(). */
int shape_init(struct shape *shape, const struct recipe *recipe, const struct sheet *sheet, size_t top,
               struct complaint *complaint);
void shape_free(struct shape *shape);

/* Writes what a .gp reads: variables group_count, group_total, key_count, key_total; arrays group_name and key_label;
 * for each known column NAME column_NAME (its place in $rows) and has_NAME (whether any row has a value), min_NAME and
 * max_NAME; and the block $rows: a line "group key values…" a row, tabs between, NaN for no value, group by group.
 * Where there are keys each group has each of them: what the sheet lacks is a row of NaN. Groups, keys and columns of
 * $rows count as gnuplot does for `using`: groups and keys from 0, columns and array elements from 1. */
void shape_write(const struct shape *shape, FILE *out);

/* A text as a gnuplot string constant in single quotes: no substitution of any kind happens in these. */
void shape_write_string(FILE *out, const char *text);

/* The two steps of shape_init(); for shape*.c alone. False without memory. */
bool shape_make_groups(struct shape *shape);
bool shape_make_keys(struct shape *shape, size_t top);

#endif
