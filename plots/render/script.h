/*
 * script.h - what gnuplot draws a figure from: the figure's inputs, its data, and plots/NAME.gp with all that it loads.
 * The script needs no other file.
 */
#ifndef ASSAY_PLOTS_RENDER_SCRIPT_H
#define ASSAY_PLOTS_RENDER_SCRIPT_H

#include <stddef.h>

#include "plots/render/figure.h"
#include "plots/render/shape.h"

/* Text of 7 points, for which all figures are laid out; other sizes scale the page instead. */
#define SCRIPT_FONT_PT 7

/* Writes the script of a figure that gnuplot draws in this format ("pdf") into the file `output`. `*script` is to
 * free(), whatever the status. Returns a status with a message: no memory, or a file of plots/ that cannot be read. */
int script_write(const char *figure, const struct shape *shape, const struct figure_options *options,
                 const char *format, const char *output, char **script, size_t *size, struct error_text *message);

#endif
