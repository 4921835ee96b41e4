/*
 * code.h - a plan as lines to paste into the program.
 *
 * What a line of source loads is taken from its text, where that has exactly one expression, and it is known which of
 * its loads is meant; otherwise a placeholder stands for it. C gets __builtin_prefetch, and a load for values ahead;
 * Java, which has no prefetch, a load whose value is kept, guarded by the length of the array.
 */
#ifndef ASSAY_STRIDES_CODE_H
#define ASSAY_STRIDES_CODE_H

#include "analyze/strides/plan.h"

extern const struct columns code_columns;

/* Fills report->table with a row for each prefetch, in the order of the source. `source`: the folder in which files of
 * relative names are, or NULL: the current one. 0 or ENOMEM. */
int code_table(const struct strides *strides, const struct plan *plan, const char *source, struct report *report);

enum { CODE_LOADS_MAX = 16 };

/* An expression in a line of source. */
struct code_expression {
    size_t start;
    unsigned loads;                 /* how many loads it takes: -> and [], in Java also . */
    size_t lengths[CODE_LOADS_MAX]; /* [load]: of the expression up to this load */
    bool is_element;                /* the last of them is of an array's element */
    size_t array;                   /* the length of what stands before that element's index */
};

/* The expression of C or Java that loads from memory, if the line has exactly one besides what it stores to; an index
 * that is loaded itself, or changes something, counts as another one, and one of more loads than CODE_LOADS_MAX as
 * none.
 */
bool expression_find(const char *line, bool java, struct code_expression *expression);
/* The two expressions of a line with `outer`, an element whose index is an element itself, and no other: v[order[i]].
 */
bool expression_find_nested(const char *line, bool java, struct code_expression *outer, struct code_expression *inner);

#endif
