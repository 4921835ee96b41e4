/*
 * bench_directory.h - a directory of results as one document, for tools that have no such.
 */
#ifndef ASSAY_TABLE_IMPORT_BENCH_DIRECTORY_H
#define ASSAY_TABLE_IMPORT_BENCH_DIRECTORY_H

#include "base/error_text.h"

/*
 * The descriptor of a file with a document that bench_format_of() knows: series.json of assay record, if the directory
 * holds it. Else a temporary file: the series of all directories below it, without CPU profiles of others; or, if there
 * are none, of criterion's directory (target/criterion, or one below it), the samples of all benchmarks' last runs.
 * They are in the order of their directories' names. -1 with a message that does not name the directory. At most 1 GB.
 */
int bench_directory_open(const char *path, struct error_text *message);

#endif
