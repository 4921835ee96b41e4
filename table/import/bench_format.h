/*
 * bench_format.h - the output of benchmark tools as a table: one row per measured value.
 *
 * assay record (series.json), hyperfine (--export-json, versions 1 and 2), JMH (-rf json), pyperf, Google Benchmark
 * (--benchmark_out_format=json), criterion (raw.csv, sample.json; cargo criterion --message-format=json), Go (go test
 * -bench, also benchstat's input), pytest-benchmark (JSON and CSV), nanobench (JSON, CSV, Markdown), Catch2 (XML, and
 * its printed output), hyperfine's CSV, BenchExec (XML and tables), and perf stat -x. docs/table-formats.md has each
 * one's columns and an example. The content shows the format: the keys of a JSON document (even a truncated one, so
 * that bench_read() can say where it breaks off), or else a line.
 */
#ifndef ASSAY_TABLE_IMPORT_BENCH_FORMAT_H
#define ASSAY_TABLE_IMPORT_BENCH_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "table/csv/csv.h"
#include "base/error_text.h"

enum { BENCH_GROUPS_MAX = 16, BENCH_METRICS_MAX = 16 };

/* What the columns of such a table mean. Static storage, or owned by the CSV table. */
struct bench_meaning {
    const char *format;      /* "hyperfine JSON" */
    const char *value;       /* the main column: "time" */
    const char *also;        /* another one in the same unit: "cpu_time", or NULL */
    const char *unit;        /* its unit: "s", or NULL if rows have different ones, or none is given */
    const char *unit_column; /* the column with each row's unit: "unit", or NULL. A parameter may have that name too. It
                                is a group if the units are not all of one kind */
    const char *groups[BENCH_GROUPS_MAX + 1]; /* what tells benchmarks apart: "name", its parameters, and "unit" and the
                                                 like where they differ, so that no group mixes units; ends with NULL.
                                                 None if the document is one benchmark without a name */
    const char *process; /* the column that tells the processes of a benchmark apart ("fork"): values of one process are
                            not independent. "file" if a file is a process. NULL if each value has a process of its
                            own, or the format does not say */
    const char *aspect;  /* one of `groups` in which rows of one process differ ("warmup", "criterion"), or NULL */
    bool aspect_is_phase; /* it divides the iterations of a process, which follow each other in the table */
    const char *remark; /* what a user must know about these values ("means of runs, not the runs"), or NULL. Static */
    bool each_file;     /* each file is a group of its own if the user names no groups */
    const char *metrics[BENCH_METRICS_MAX + 1]; /* all measured columns, if each has a unit of its own ("ns/op",
                                                   "B/op"); ends with NULL. Else none */
    size_t shown_metrics;                       /* the first of these are shown by default; 0: all are */
    struct bench_declared {
        const char *unit;          /* NULL: the column is named after it */
        signed char better;        /* 1: more is better, −1: less is, 0: not said */
        bool exact;                /* it does not vary from run to run */
    } declared[BENCH_METRICS_MAX]; /* what the document says about each of these */
};

/* The name of the format that this whole document has ("hyperfine JSON"), NULL if none of them. Files that hold no
 * measured values but are easily taken for such ("criterion estimates.json") have a name too: bench_read() says what to
 * give instead. text needs no '\0'. O(length). */
const char *bench_format_of(const char *text, size_t length);

/* A document that was read. */
struct bench_document {
    struct csv *csv; /* the caller's to free */
    struct bench_meaning meaning;
    size_t left_out;          /* measured values that are not in it, */
    struct error_text reason; /* and why: "2 runs failed (exit code 1)"; "" if there are none */
    /* Where a column "conditions" has values: {TEXT: {NAME: TEXT}}, what else the values of such a row were measured
     * under, which no group should mix. NULL: nothing is known. The caller's to release */
    json_t *conditions;
    json_t *lost; /* benchmarks of which no value is left: an array of {"name", "first": whether it comes before all
                     that have some}. The caller's to release */
};

/* Reads a document of such a format (else STATUS_USAGE) into a new CSV table. `warmups`: also warm-up iterations that
 * would be left out, where the format has them with the others (what JMH prints). Returns 0, or a status with a message
 * that names the place (benchmark, key, line) but not the file; nothing else is written then. A document without any
 * measured value is an error. Measured values that the document says failed or were skipped (an exit code,
 * "error_occurred"), and those that are not finite, are left out. Cells are texts that strtod() reads back exactly:
 * integers unchanged, reals with the fewest digits; missing values are blank cells. O(length); about 400 bytes a row.
 */
int bench_read(const char *text, size_t length, bool warmups, struct bench_document *document,
               struct error_text *message);

#endif
