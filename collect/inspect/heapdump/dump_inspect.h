/*
 * dump_inspect.h - inspects methods with the objects of a heap dump instead of those of a living JVM, and writes the
 * trace (docs/inspect.md).
 */
#ifndef ASSAY_INSPECT_HEAPDUMP_DUMP_INSPECT_H
#define ASSAY_INSPECT_HEAPDUMP_DUMP_INSPECT_H

#include <jansson.h>

#include "collect/inspect/heapdump/hprof.h"

struct dump_inspect_options {
    const char *dump, *trace; /* files */
    char *const *classes;     /* [class_count]: folders and archives with class files */
    size_t class_count;
    char *const *methods; /* [method_count]: patterns; none: all methods with loops */
    size_t method_count;
    uint64_t iterations, entries, methods_max;
    struct hprof_progress progress;
};

/*
 * Writes the trace, and *about, metadata `inspect` of it, which the caller releases. STATUS_BAD and *about NULL: there
 * is no trace. STATUS_BAD otherwise: the dump is cut or damaged, the trace has what could be done without the rest.
 * The message begins with the name of the file that it is about.
 */
int dump_inspect(const struct dump_inspect_options *options, json_t **about, struct error_text *message);

#endif
