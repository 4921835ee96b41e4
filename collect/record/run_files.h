/*
 * run_files.h - the files of a series by name: PREFIX-PID[.N].trace, where PREFIX is [CLOCK-]run-NNN. Engine exact also
 * has PREFIX-PID[.N].exact, its tool's output, which becomes a trace, PREFIX-PID[.N].memory, its ring in mode memory,
 * and PREFIX-PID.valgrind, Valgrind's messages.
 */
#ifndef ASSAY_RECORD_RUN_FILES_H
#define ASSAY_RECORD_RUN_FILES_H

#include <stddef.h>
#include <sys/types.h>

#include "collect/record/record.h"

/* "run-003", or "random-run-003" if the series has several clocks. */
void run_files_prefix(const struct record_run *run, char prefix[RECORD_PREFIX_MAX]);

struct run_files_list {
    char **names; /* sorted */
    size_t count;
};

enum run_files_kind { RUN_FILES_TRACES, RUN_FILES_RAW, RUN_FILES_LOGS, RUN_FILES_ALL };

/*
 * The files in a directory that have the recorder's kind of name, and this prefix if it isn't NULL. Returns 0 or an
 * errno value. Free with run_files_free().
 */
int run_files_list_of(const char *directory, const char *prefix, enum run_files_kind kind, struct run_files_list *list);
int run_files_list(const char *directory, const char *prefix, struct run_files_list *list); /* traces */
void run_files_free(struct run_files_list *list);

/* Parts of a name. One that is not of this form, as in a damaged series.json, has the PID 0, and is a prefix as a
 * whole.
 */
pid_t run_files_pid(const char *name);
size_t run_files_prefix_length(const char *name);
size_t run_files_stem_length(const char *name); /* of the part before ".trace" and the like */

#endif
