/*
 * names.h - the traces of a series by name: PREFIX-PID[.N].trace, where PREFIX is [CLOCK-]run-NNN.
 */
#ifndef ASSAY_RECORD_NAMES_H
#define ASSAY_RECORD_NAMES_H

#include <stddef.h>
#include <sys/types.h>

#include "collect/record/record.h"

/* "run-003", or "random-run-003" where the series has several clocks. */
void names_prefix(const struct record_run *run, char prefix[RECORD_PREFIX_MAX]);

struct names_list {
    char **names; /* sorted */
    size_t count;
};

/*
 * The traces in a directory that have the recorder's kind of name, and this prefix if it isn't NULL. Returns 0 or an
 * errno value. Free with names_free().
 */
int names_list(const char *directory, const char *prefix, struct names_list *list);
void names_free(struct names_list *list);

pid_t names_pid(const char *name);
size_t names_prefix_length(const char *name); /* of a name that names_list() gave */

#endif
