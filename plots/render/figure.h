/*
 * figure.h - draws a table as a figure of plots/ with gnuplot.
 *
 * The figure file is written completely or not at all: gnuplot draws into memory, and the result is checked, written
 * next to the target and renamed (or copied, if the target is a device or a pipe). The same table gives the same bytes
 * with the same gnuplot and fonts: the date in PDF files is removed.
 */
#ifndef ASSAY_PLOTS_RENDER_FIGURE_H
#define ASSAY_PLOTS_RENDER_FIGURE_H

#include <stdbool.h>
#include <stddef.h>

#include "table/csv/csv.h"
#include "table/model/table.h"
#include "base/error_text.h"

/* The width of a column in papers, and of two with what is between. A column is a little less than the narrowest usual
 * one, ACM's of 241.1 pt, so that no box is overfull. */
#define FIGURE_COLUMN_CM 8.45
#define FIGURE_TWO_COLUMN_CM 17.7

/* FIGURE_TEX: a .tex file to \input, and the graphics beside it in NAME-tex.pdf. FIGURE_SCRIPT: what gnuplot draws the
 * figure from, with all its data. */
enum figure_format { FIGURE_BY_SUFFIX, FIGURE_PDF, FIGURE_SVG, FIGURE_PNG, FIGURE_TEX, FIGURE_SCRIPT, FIGURE_FORMATS };

/* The value axis is the first of the figure's axes that its recipe names. */
enum figure_axis { FIGURE_VALUE_AXIS, FIGURE_X, FIGURE_Y, FIGURE_AXES };
enum { FIGURE_COLORS = 16, FIGURE_LABELS = 32 };

struct figure_range {
    double low, high; /* NaN: as the data have it; both 0: not set */
};

struct figure_options {
    double width_cm, height_cm;    /* 0: the figure's own */
    const char *font;              /* NULL: Arial */
    double font_pt;                /* 0: 7 */
    const char *title;             /* NULL: none */
    size_t top;                    /* 0: the figure's own; a usage error for figures without keys */
    const char *x_label, *y_label; /* of the axes; NULL: the figure's own */
    bool logs[FIGURE_AXES];        /* logarithmic axes */
    struct figure_range ranges[FIGURE_AXES];
    const char *order; /* "value", "name", "table" or names; NULL: the figure's own */
    double other;      /* the share below which rows are folded into one, if sets_other; else 0.01 */
    bool sets_other;
    const char *labels[FIGURE_LABELS]; /* "NAME=TEXT,NAME=TEXT" */
    size_t label_count;
    bool full_labels;                /* names are not shortened */
    char colors[8 * FIGURE_COLORS];  /* "#RRGGBB #RRGGBB"; "": the figure's own */
    const char *legend;              /* "above", "below", "none"; NULL: above */
    bool no_notes;                   /* no small print */
    const char *by;                  /* columns that tell rows apart, separated by commas; NULL: as in the recipe */
    const struct csv_alias *aliases; /* how the CSV table was renamed: axes have the columns' own names */
    size_t alias_count;
    enum figure_format format;
};

/* The format of this name (pdf svg png tex gp), FIGURE_BY_SUFFIX if there is none. */
enum figure_format figure_format_named(const char *name);

/* Draws a CSV table into a file; "-" is stdout. `options` may be NULL. Without a format, the path's suffix decides; for
 * stdout and devices it is SVG. Returns an exit status with a message; with status 0 the message holds what the
 * user should know (that the figure shows only part of the table), or nothing. */
int figure_draw_csv(const char *figure, const struct csv *csv, const char *path, const struct figure_options *options,
                    struct error_text *message);

/* Whether a CSV table has what the figure needs; if not, the message says what it lacks, without its name.
 * Options may be NULL, and only `by` is used. */
int figure_check_csv(const char *figure, const struct csv *csv, const struct figure_options *options,
                     struct error_text *message);

/* figure_draw_csv() for a table that a program is about to print; `options` may be NULL. */
int figure_draw(const char *figure, const struct table *table, const char *path, const struct figure_options *options,
                struct error_text *message);

/* The same in memory, as an SVG document that the caller frees. *svg is untouched on failure. */
int figure_draw_svg(const char *figure, const struct table *table, const struct figure_options *options, char **svg,
                    struct error_text *message);

/* Whether the figure, the path and the options are usable, so that a program can refuse before it works for an hour: no
 * such figure, unknown suffix, an axis that the figure lacks. `options` may be NULL. Returns as figure_draw(). */
int figure_check(const char *figure, const char *path, const struct figure_options *options,
                 struct error_text *message);

#endif
