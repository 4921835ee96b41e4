/*
 * figure.h - draws a table as a figure of plots/ with gnuplot.
 *
 * The figure file is written completely or not at all: gnuplot draws into memory, and the result is checked, written
 * next to the target and renamed (or copied, if the target is a device or a pipe). The same table gives the same bytes
 * with the same gnuplot and fonts: the date in PDF files is removed.
 */
#ifndef ASSAY_PLOTS_RENDER_FIGURE_H
#define ASSAY_PLOTS_RENDER_FIGURE_H

#include <stddef.h>

#include "table/csv/csv.h"
#include "table/model/table.h"
#include "base/error_text.h"

enum figure_format { FIGURE_BY_SUFFIX, FIGURE_PDF, FIGURE_SVG, FIGURE_PNG };

struct figure_options {
    double width_cm, height_cm;      /* 0: the figure's own */
    const char *title;               /* NULL: none */
    size_t top;                      /* 0: the figure's own; a usage error for figures without keys */
    const char *x_label, *y_label;   /* of the axes; NULL: the figure's own */
    const char *by;                  /* columns that tell rows apart, separated by commas; NULL: as in the recipe */
    const struct csv_alias *aliases; /* how the CSV table was renamed: axes have the columns' own names */
    size_t alias_count;
    enum figure_format format;
};

/* The format of this name (pdf svg png), FIGURE_BY_SUFFIX if there is none. */
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

/* Whether the figure and the path are usable, so that a program can error_set before it works for an hour: no such
 * figure, unknown suffix. Returns as figure_draw(). */
int figure_check(const char *figure, const char *path, struct error_text *message);

#endif
