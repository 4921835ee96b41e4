/*
 * values.h - single values of results by name, for a paper's text: "fop.hot1.share".
 *
 * A step's rows become values: the step's name, with columns in braces replaced by the row's cells, a dot, and the name
 * of each column.
 */
#ifndef ASSAY_EXPERIMENT_VALUES_H
#define ASSAY_EXPERIMENT_VALUES_H

#include <jansson.h>

#include "base/error_text.h"
#include "collect/experiment/description/memory.h"

/*
 * Reads a result as JSON from a file: {NAME: {"json": VALUE, "tex": TEXT}}. Blank cells have no value. Characters of
 * cells that a name can't have become '-'. NULL with a message: the result is damaged, a column in braces does not
 * exist, or a name occurs twice. New reference.
 */
json_t *values_read(struct obstack *memory, const char *name, int json, struct error_text *message);

/* Sets the texts to those of a file that the program wrote with --format macros, rounded and typeset as in its tables.
 * Adds values that only this has, such as intervals, without "json". */
void values_typeset_by(struct obstack *memory, json_t *values, int macros);

/* Adds values to all others; `values` may be NULL. STATUS_BAD if one is there already. */
int values_add(json_t *all, const json_t *values, struct error_text *message);

/* Writes DIRECTORY/values.tex, which defines \assay{NAME}, and DIRECTORY/values.json, if they are not as they should
 * be; "" is the current directory. */
int values_write(struct obstack *memory, const char *directory, const json_t *all, struct error_text *message);

#endif
