/*
 * gnuplot.h - runs gnuplot on a script in memory and returns its drawing, in memory.
 */
#ifndef ASSAY_PLOTS_RENDER_GNUPLOT_H
#define ASSAY_PLOTS_RENDER_GNUPLOT_H

#include <stddef.h>

#include "base/error_text.h"

/* The target for the script's `set output`. */
#define GNUPLOT_OUTPUT "/dev/fd/3"

/* Runs the script. *drawing (to free()) and *size are what it wrote to GNUPLOT_OUTPUT, perhaps nothing. Returns a
 * status with a message: gnuplot is not installed, or the first line of its message when it failed. */
int gnuplot_run(const char *script, size_t script_size, char **drawing, size_t *size, struct error_text *message);

/* A directory for what can't be drawn into memory: cairolatex's two files, figure.tex and figure.pdf. */
struct gnuplot_files {
    char directory[64];
};

/* Makes the directory, in $TMPDIR or /tmp. Returns a status with a message. */
int gnuplot_open_files(struct gnuplot_files *files, struct error_text *message);

/* As gnuplot_run() for a script whose `set output` is figure.tex in the directory: *text is a string, *graphics the
 * PDF. */
int gnuplot_run_files(const char *script, size_t script_size, const struct gnuplot_files *files, char **text,
                      char **graphics, size_t *graphics_size, struct error_text *message);

/* Removes the directory and the files. */
void gnuplot_close_files(const struct gnuplot_files *files);

#endif
