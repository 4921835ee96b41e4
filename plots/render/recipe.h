/*
 * recipe.h - what a figure needs from its table, as stated in the comment at the top of plots/NAME.gp:
 *
 *     # figure: One sentence for `assay plot --list`.
 *     # needs: method share        columns that the figure needs (numbers, except `key`, `group`, `text`)
 *     # takes: lo hi               columns of numbers that may be absent or blank
 *     # text: legend               text columns that may be absent, which describe a series
 *     # range: share 0 1           a column, and the smallest and the largest number that it may hold
 *     # group: clock thread        columns that tell series apart, those that name a series best first; any column
 *                                  left of all that the recipe knows is one, too, unless a needed column is: then the
 *                                  series are these alone
 *     # groups: 12                 the maximum number of series
 *     # key: method                the column of text that names what is drawn, if any; *: the first one left of all
 *                                  that the recipe knows (where these make no series: all of them)
 *     # order: share               keys by the largest value of this column; else as in the table
 *     # label: 36                  characters of a label in a figure of 8.5 cm (and as many more or fewer as --width
 *                                  is), where that keeps labels distinct
 *     # axes: x                   axes that may have a range or be logarithmic; the one of the values first
 *     # other: share              small values of this column are added up in one row, called "other"
 *     # top: 12                    the maximum number of keys
 *     # repeats: key               a key may have many rows in a group, as in a timeline; else each one after the
 *                                  first is a key of its own
 *     # boxes: tukey               a row is one value, that of the first needed column, and a box is drawn of all
 *                                  values of a key in a group: tukey or sd, as in stats/estimates/box.h
 *
 * The first line that is not a comment ends it. The rest of the file is for gnuplot alone. Files style*.gp are what
 * figures share.
 */
#ifndef ASSAY_PLOTS_RENDER_RECIPE_H
#define ASSAY_PLOTS_RENDER_RECIPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error_text.h"

#define RECIPE_COLUMNS 16

struct recipe_words {
    char *word[RECIPE_COLUMNS];
    size_t count;
};

enum recipe_boxes { RECIPE_NO_BOXES, RECIPE_BOXES_SD, RECIPE_BOXES_TUKEY };

struct recipe {
    char *text; /* what all words point into, except those of `by` */
    char *sentence;
    struct recipe_words needs, takes, texts, group, axes;
    char *key;   /* NULL if none */
    char *order; /* NULL if none */
    char *other; /* NULL if none; the order is then by it */
    size_t groups, label, top;
    char *range; /* the column, NULL if none */
    double least, most;
    enum recipe_boxes boxes;
    bool repeats;
    struct recipe_words by; /* set by recipe_set_by(), instead of the columns left of all known ones */
    char *by_text;
};

/* The directory of figures: ../../share/assay/plots as seen from the running program. Returns a status. */
int recipe_directory(char path[4096], struct error_text *message);

/* Reads the recipe of a figure. STATUS_USAGE if there is no such figure: the message then lists all. */
int recipe_read(const char *figure, struct recipe *recipe, struct error_text *message);
void recipe_free(struct recipe *recipe);

/* Sets the columns that tell rows apart, separated by commas, whatever the order of the columns. STATUS_USAGE if there
 * are none or too many. */
int recipe_set_by(struct recipe *recipe, const char *columns, struct error_text *message);

/* Whether a list has this word. */
bool recipe_has(const struct recipe_words *words, const char *name);

/* Whether a column of this name holds numbers that the figure draws: needed or taken, and not a name. */
bool recipe_is_number(const struct recipe *recipe, const char *name);

/* Whether the key is whatever column names rows. */
bool recipe_any_key(const struct recipe *recipe);

/* Whether the needed columns determine the series. */
bool recipe_fixed_groups(const struct recipe *recipe);

/* The names of all figures, sorted, in a NULL-terminated array to free with recipe_free_names(). */
int recipe_names(char ***names, struct error_text *message);
void recipe_free_names(char **names);

#endif
