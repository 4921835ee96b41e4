/*
 * tex.h - a figure whose text LaTeX sets, in the paper's own font: what gnuplot's cairolatex terminal wrote, with all
 * texts as LaTeX reads them.
 */
#ifndef ASSAY_PLOTS_RENDER_TEX_H
#define ASSAY_PLOTS_RENDER_TEX_H

#include <stdbool.h>
#include <stddef.h>

/* Whether LaTeX can be made to read a file of this name: % ~ _ & $ ^ are written so that it does, others can't be. */
bool tex_reads_path(const char *path);

/* A copy of a gnuplot script[*size] whose texts may begin with '[', which the terminal would take for how they are
 * aligned. *size is the size of the copy, which the caller frees; NULL without memory. */
char *tex_guard(const char *script, size_t *size);

/* A copy of cairolatex's picture with all its texts escaped, in font_pt points (small print a seventh less), and with
 * the graphics file `graphics` ("out/fig-tex.pdf"), which LaTeX looks for as it is and then by its last name, in
 * \graphicspath. *size is the size. The caller frees it; NULL without memory. */
char *tex_finish(const char *picture, double font_pt, const char *graphics, size_t *size);

#endif
