/*
 * bench_format.h - what benchmark tools write, as a table: one row a measured value.
 *
 * hyperfine (--export-json), JMH (-rf json), pyperf, Google Benchmark (--benchmark_out_format=json), criterion
 * (raw.csv, sample.json, a benchmark's new/ folder file by file), Go (go test -bench, also benchstat's input).
 */
#ifndef ASSAY_BENCH_FORMAT_H
#define ASSAY_BENCH_FORMAT_H

#include <stddef.h>

#include "analyze/lib/complaint.h"
#include "analyze/lib/sheet.h"

enum { BENCH_GROUPS_MAX = 4 };

/* What the columns of such a table mean. Static storage, or (unit) owned by the sheet. */
struct bench_meaning {
    const char *format; /* "hyperfine JSON" */
    const char *value;  /* the column that people mean: "time" */
    const char *unit;   /* of it: "s", or NULL if rows have different ones (then there is a column "unit") */
    const char *groups[BENCH_GROUPS_MAX + 1]; /* what tells benchmarks apart: "name" …; ends with NULL */
};

/* The name of the format that this whole document has ("hyperfine JSON"), NULL if none of them. O(length). */
const char *bench_format_of(const char *text, size_t length);

/* Reads a document of such a format (else STATUS_USAGE) into a new sheet, which the caller frees. Returns 0, or a status
 * with a complaint that names the place (benchmark, key) but not the file. Measured values that the document says were
 * left out or failed (an exit code, "error_occurred") are counted in *left_out, with the reason in `reason`. */
int bench_read(const char *text, size_t length, struct sheet **sheet, struct bench_meaning *meaning, size_t *left_out,
               struct complaint *reason, struct complaint *complaint);

#endif
