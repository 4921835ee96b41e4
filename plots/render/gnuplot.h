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

#endif
