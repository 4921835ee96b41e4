/*
 * shape.h - a table as a figure's recipe needs it: rows sorted into groups (series) and keys (what is drawn).
 *
 * Groups are the distinct values of the group columns, in the order of the rows; a group's name consists of the fewest
 * of these columns that tell the groups apart. A key that occurs twice in a group is two keys: both are drawn. In a
 * figure of boxes it is one, and each of its rows is a value in its box.
 */
#ifndef ASSAY_PLOTS_RENDER_SHAPE_H
#define ASSAY_PLOTS_RENDER_SHAPE_H

#include <stdbool.h>
#include <stdio.h>

#include "table/csv/csv.h"
#include "table/model/table.h"
#include "plots/render/names.h"
#include "plots/render/recipe.h"

/* Differences of larger numbers, and what gnuplot adds for margins, might not be finite. */
#define SHAPE_MOST 1e300

/* What is drawn: a CSV table that was read, or a program's own table. Numbers come from the table as they are; the CSV
 * table then has the same rows and columns, with the texts only. */
struct shape_source {
    const struct csv *csv;
    const struct table *table; /* NULL: all cells are text */
};

/* What a user may choose. */
struct shape_choices {
    size_t top;        /* so many keys at most; 0: the recipe's own limit */
    const char *order; /* of keys: "value" (largest first), "name", "table"; else names of keys and groups, separated by
                          commas, which come first; NULL: the recipe's own */
    double other; /* keys whose value is below this everywhere, and those beyond `top`, are added up in a key "other"
                     if the recipe has such a column; 0: none */
    double low, high;          /* ends of the axis of boxes; NaN: as the values have them */
    bool positive;             /* boxes are on a logarithmic axis */
    const char *const *labels; /* "NAME=TEXT,NAME=TEXT": what keys and groups are called */
    size_t label_count;
    bool full_labels; /* names of keys and groups as they are */
};

struct shape_group {
    size_t row;  /* the first one */
    size_t rank; /* in shape.order; SIZE_MAX: not there */
    char *name;
};

struct shape_key {
    const char *text;
    size_t rank;  /* in shape.order; SIZE_MAX: not there */
    double value; /* the largest of the recipe's order column, NaN if none */
    size_t row;   /* the first one */
    size_t id;    /* what shape.row_key refers to before keys are in order */
    char *label;
};

struct shape {
    const struct csv *csv; /* source.csv */
    struct shape_source source;
    const struct recipe *recipe;
    struct shape_choices choices;
    struct names order, labels; /* choices.order, if it is names, and choices.labels */
    size_t *group_columns, group_column_count;
    size_t *key_columns, key_column_count;
    size_t *row_group, *row_key; /* CSV_NONE for a row that is not drawn */
    const char **row_text;       /* what names the row's key */
    char **joined;               /* where that is several cells, NULL otherwise */
    struct shape_group *groups;
    struct shape_key *keys;
    size_t group_count, group_total, key_count, key_total; /* drawn, and found */
    bool keys_are_last; /* of the keys found, the last ones are drawn, not the first */
    size_t folded;      /* of the keys found, those in the last one that is drawn, "other"; 0: there is none */
};

/* Whether a CSV table is usable. Returns 0 or a status with a message: a column that is missing (and those that there
 * are), no rows, a cell that is not a number, out of range or above 1e300, no row with all values that the figure
 * needs. */
int shape_check(const struct recipe *recipe, const struct shape_source *source, struct error_text *message);

/* Sorts the rows of the source as chosen. Returns as shape_check(); STATUS_USAGE for a name in `order` or `labels` that
 * is not in the table. */
int shape_init(struct shape *shape, const struct recipe *recipe, const struct shape_source *source,
               const struct shape_choices *choices, struct error_text *message);
void shape_free(struct shape *shape);

/* Writes what a .gp reads: variables group_count, group_total, key_count, key_total; arrays group_name and key_label;
 * for each known column NAME column_NAME (its place in $rows) and has_NAME (whether any row has a value), min_NAME and
 * max_NAME, and name_NAME (NAME itself, for an axis); for each text column NAME an array text_NAME (a group's text, ''
 * if its rows do not agree); and the block $rows: a line "group key values…" a row, tabs between, NaN for no value,
 * group by group, two blank lines between groups. If there are keys, each group has each of them: a row that the CSV
 * table lacks is NaN. Groups, keys and columns of $rows count as gnuplot does for `using`: groups and keys from 0,
 * columns and array elements from 1.
 *
 * For boxes it writes instead the columns n low middle high whisker_low whisker_high below above blank: values, those
 * beyond the axis at either end, and cells without a number. Lines "group key value" in the block $points are the
 * values beyond the whiskers, without overlapping ones, and a first one of NaN. The axis, from axis_low to axis_high
 * (NaN without any value), is that of all values, unless boxes would be too small to be seen.
 *
 * Returns a status with a message: no memory. */
int shape_write(const struct shape *shape, FILE *out, struct error_text *message);

/* The cell as a finite number; NaN if it is blank, "-", NaN or infinite. False if it is anything else. */
bool shape_read_number(const struct shape_source *source, size_t row, size_t column, double *value);

/* A cell as a number to draw: NaN if blank or without a column; 0 if it is below 1 / SHAPE_MOST. */
double shape_value(const struct shape *shape, size_t row, size_t column);

/* The sum of a group's values in a column, of the rows whose key is "other"; NaN if there are none. */
double shape_other_sum(const struct shape *shape, size_t group, size_t column);

/* A text as a constant expression of gnuplot: a string in single quotes, in which nothing is substituted, with double
 * quotes for single ones before it. */
void shape_write_string(FILE *out, const char *text);

/* For sorting; only for shape*.c. */
static inline int shape_compare_size(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

/* The steps of shape_init(), in this order; only for shape*.c. False without memory. */
bool shape_find_columns(struct shape *shape);
bool shape_name_rows(struct shape *shape);
bool shape_make_groups(struct shape *shape);
bool shape_make_keys(struct shape *shape);

/* The part of shape_write() for boxes; only for shape*.c. Returns as shape_write(). */
int shape_write_boxes(const struct shape *shape, FILE *out, struct error_text *message);

/* What both write with; only for shape*.c: a column's place and the range of its values (most NaN: it has none), and a
 * number. */
void shape_write_range(FILE *out, const char *name, size_t position, double least, double most);
void shape_write_number(FILE *out, double value);

#endif
