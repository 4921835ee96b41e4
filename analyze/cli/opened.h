/*
 * opened.h - a file opened as traces: a trace of assay as it is; a profile of another tool as the traces that it
 * becomes (profile_import.h), in temporary files without a name.
 */
#ifndef ASSAY_ANALYZE_CLI_OPENED_H
#define ASSAY_ANALYZE_CLI_OPENED_H

#include <stdbool.h>

#include "analyze/cli/selection.h"
#include "trace/trace.h"

struct opened {
    struct trace **traces; /* [count], ≥ 1; trace_path() is the path, or "PATH (PROFILE)" if a profile gives several */
    size_t count;
    bool imported;
    struct error_text damage; /* of a profile: which part of it could not be read, and why; or "" */
    struct error_text note;   /* of a profile: what else the user should know, or "" */
};

/* How a profile is imported; a trace is as it is. */
struct opened_options {
    const char *profile;                    /* of several in a file, or NULL: see below */
    bool raw_names;                         /* methods are called what the file calls them */
    const struct selection_wish *selection; /* what the samples must have, or NULL */
};

/*
 * Opens a file; "-" is standard input. A profile may hold several (events, types of values): options->profile chooses
 * one. If that is NULL, those count that have what options->selection asks for (all, if none has it): CPU samples are
 * used if there are any, else the first, and the note names the others. Traces of several processes belong together.
 *
 * STATUS_GOOD and *opened, which opened_close() frees; or STATUS_BAD with a message that does not name the file. Cost
 * of a profile: that of importing it.
 */
int opened_open(const char *path, const struct opened_options *options, struct opened *opened,
                struct error_text *message);

/* Frees the array, and closes the traces that are not NULL: a caller may keep one by taking it out. */
void opened_close(struct opened *opened);

#endif
