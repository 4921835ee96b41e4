/*
 * page_latex.h - texts for LaTeX, whatever bytes they have: nothing in a name is a command, and nothing stops TeX.
 */
#ifndef ASSAY_EXPERIMENT_PAGE_LATEX_H
#define ASSAY_EXPERIMENT_PAGE_LATEX_H

#include <stdio.h>

/* LaTeX as it is, but for characters that pdfTeX does not know: signs become commands, letters beyond Latin-1
 * "[U+4E2D]", control characters '?'; bytes that are not UTF-8 are Latin-1. */
void page_latex_source(FILE *out, const char *latex);

/* A text that is printed as it is: escaped, then as by page_latex_source(). */
void page_latex_text(FILE *out, const char *text);

/* The same as code: in a typewriter font, with straight quotes, and lines may end after any character that is not a
 * letter or digit. */
void page_latex_code(FILE *out, const char *text);

#endif
