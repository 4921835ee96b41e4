/*
 * names.h - the files of a series by name: PREFIX-PID[.N].trace, where PREFIX is [CLOCK-]run-NNN. Engine exact also has
 * PREFIX-PID[.N].exact, its tool's output, which becomes a trace, PREFIX-PID[.N].memory, its ring in mode memory, and
 * PREFIX-PID.valgrind, Valgrind's messages.
 */
#ifndef ASSAY_RECORD_NAMES_H
#define ASSAY_RECORD_NAMES_H

#include <stddef.h>
#include <sys/types.h>

#include "collect/record/record.h"

/* "run-003", or "random-run-003" if the series has several clocks. */
void names_prefix(const struct record_run *run, char prefix[RECORD_PREFIX_MAX]);

struct names_list {
    char **names; /* sorted */
    size_t count;
};

enum names_kind { NAMES_TRACES, NAMES_RAW, NAMES_LOGS, NAMES_ALL };

/*
 * The files in a directory that have the recorder's kind of name, and this prefix if it isn't NULL. Returns 0 or an
 * errno value. Free with names_free().
 */
int names_list_of(const char *directory, const char *prefix, enum names_kind kind, struct names_list *list);
int names_list(const char *directory, const char *prefix, struct names_list *list); /* traces */
void names_free(struct names_list *list);

pid_t names_pid(const char *name);
size_t names_prefix_length(const char *name); /* of a name from names_list_of() */
size_t names_stem_length(const char *name);   /* of the part before ".trace" and the like */

#endif
