/*
 * profile_import.h - a profile of any format as assay traces.
 */
#ifndef ASSAY_TRACE_IMPORT_PROFILE_IMPORT_H
#define ASSAY_TRACE_IMPORT_PROFILE_IMPORT_H

#include "trace/import/sink.h"

struct import_result {
    const char *format; /* NULL: unknown */
    bool unlike;        /* nothing is known about the file; else the message says what it looks like */
    struct sink *sink;  /* to be freed by sink_free(); may be NULL */
    const struct sink_result *traces;
    size_t trace_count;
    struct error_text note; /* what the user should know, or "" */
};

/*
 * Reads a regular file, whatever its format, and writes its traces where `options` say. STATUS_GOOD; or STATUS_BAD with
 * a message that does not name the file: what is damaged, where and why. The traces then hold the good part;
 * trace_count is 0 if there is none. Source of each format: docs/profile-formats.md.
 */
int profile_import(const char *path, const struct sink_options *options, struct import_result *result,
                   struct error_text *message);

#endif
