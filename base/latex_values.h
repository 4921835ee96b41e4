/*
 * latex_values.h - values for the text of a paper, as a file of LaTeX: \assay{NAME} prints one.
 *
 * The file can be read more than once and beside others. A name with two different values is an error when the paper is
 * compiled, and a name without a value prints ?? with a warning.
 */
#ifndef ASSAY_BASE_LATEX_VALUES_H
#define ASSAY_BASE_LATEX_VALUES_H

#include <stdbool.h>
#include <stdio.h>

/* The beginning of the file; `program` made it: "assay ci". */
void latex_values_begin(FILE *out, const char *program);

/* One value: LaTeX that can be used in text and in formulas, or text. */
void latex_values_add(FILE *out, const char *name, const char *latex);

/* Makes a text, in its memory, a part of a name: runs of other characters than letters, digits and ._+- become one '-',
 * and none at the end. It may become empty. */
void latex_values_clean_name(char *text);

/* Whether TeX can read this as a name, or part of one: printable ASCII without blanks and \{}%#~^&$,
 * except those in `allowed`. */
bool latex_values_is_name(const char *text, const char *allowed);

#endif
