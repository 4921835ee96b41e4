/*
 * recipe.h - what a figure wants from its table, as the comment at the top of plots/NAME.gp says it:
 *
 *     # figure: One sentence for `assay plot --list`.
 *     # needs: method share        columns without which there is no figure (numbers, but for `key`)
 *     # takes: lo hi               columns of numbers that may be absent or blank
 *     # group: clock thread        columns that tell series apart, those that name a series best first; any column
 *                                  left of all that the recipe knows is one, too
 *     # groups: 12                 series at most
 *     # key: method                the column of text that names what is drawn, if any
 *     # order: share               keys by the largest value of this column; else as in the table
 *     # label: 36                  characters of a label in a figure of 8.5 cm (and as many more or fewer as --width
 *                                  is), where that keeps labels distinct
 *     # top: 12                    keys at most
 *
 * The first line that is no comment ends it. The rest of the file is for gnuplot alone.
 */
#ifndef ASSAY_RECIPE_H
#define ASSAY_RECIPE_H

#include <stddef.h>

#include "analyze/lib/complaint.h"

#define RECIPE_COLUMNS 16

struct recipe_words {
    char *word[RECIPE_COLUMNS];
    size_t count;
};

struct recipe {
    char *text; /* what all words point into */
    char *sentence;
    struct recipe_words needs, takes, group;
    char *key;   /* NULL if none */
    char *order; /* NULL if none */
    size_t groups, label, top;
};

/* The directory of figures: ../../share/assay/plots as seen from the running program. Returns a status. */
int recipe_directory(char path[4096], struct complaint *complaint);

/* Reads the recipe of a figure. STATUS_USAGE if there is no such figure: the complaint then lists those there are. */
int recipe_read(const char *figure, struct recipe *recipe, struct complaint *complaint);
void recipe_free(struct recipe *recipe);

/* The names of all figures, sorted, in a NULL-terminated array to free with recipe_free_names(). */
int recipe_names(char ***names, struct complaint *complaint);
void recipe_free_names(char **names);

#endif
