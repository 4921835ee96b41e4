/*
 * bench_rows.h - how the readers behind bench_format.h build their table, and the readers. Only for bench_*.c.
 *
 * Nothing here has any effect after an error (status ≠ 0), so a reader need not check after each step.
 */
#ifndef ASSAY_TABLE_IMPORT_BENCH_ROWS_H
#define ASSAY_TABLE_IMPORT_BENCH_ROWS_H

#include <jansson.h>

#include "table/import/bench_format.h"
#include "table/csv/quantity.h"
#include "table/csv/split.h"

enum { BENCH_COLUMNS_MAX = 256 };

struct bench {
    struct csv *csv;
    struct bench_meaning meaning;
    const char *const *own; /* the columns that the format itself has; ends with NULL */
    bool warmups;           /* wanted, too */
    size_t label_end;       /* columns before this one are "name" and parameters */
    size_t left_out;
    struct error_text left_out_why;
    bool left_out_varies;
    json_t *conditions; /* bench_document.conditions */
    json_t *counts;     /* bench_repeated() */
    char location[160]; /* "benchmark 'x'": where the reader is; "" at the top */
    char subject[160];  /* the benchmark that it is at, as in the column "name"; "" if unknown */
    json_t *failed;     /* those of which something was left out */
    char column[160];
    int status; /* of the first error */
    struct error_text *message;
};

/* Records the first error, with its place. */
void bench_fail(struct bench *bench, const char *format, ...) __attribute__((format(printf, 2, 3)));
void bench_set_location(struct bench *bench, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The reader is at this benchmark. */
void bench_subject(struct bench *bench, const char *name);

/* Counts a measured value that is left out; the reason follows "1 run" or "2 runs": "failed (exit code 1)". */
void bench_leave_out(struct bench *bench, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "2 runs failed (exit code 1)". */
void bench_left_out_text(const struct bench *bench, struct error_text *reason);

/* The benchmarks of which nothing is left: bench_document.lost. */
json_t *bench_lost(const struct bench *bench);

/* Whether this is a number; if not, says what else is wrong with value `index` (from 0) of the array `key`, or leaves
 * it out: null and the texts that tools write for what is not finite ("NaN", "+INF") are not an error. */
bool bench_measured(struct bench *bench, const char *key, size_t index, const json_t *value);

/* The name of a parameter's column, and of a metric's: the key, with a prefix if the format has a column of that name.
 * Valid until the next call. */
const char *bench_label(struct bench *bench, const char *key);
const char *bench_metric(struct bench *bench, const char *key);

/* A blank row at the end, and cells of it by the name of their column (added if it is new). json: numbers and texts;
 * anything else stays blank. */
void bench_row(struct bench *bench);
void bench_text(struct bench *bench, const char *column, const char *text);
void bench_count(struct bench *bench, const char *column, size_t count);
void bench_real(struct bench *bench, const char *column, double value);
void bench_json(struct bench *bench, const char *column, const json_t *value);

void bench_column(struct bench *bench, const char *column);

/* How often a benchmark of this name has occurred, including this time. */
size_t bench_repeated(struct bench *bench, const char *name);

/* Passes the rows of delimited text to visit(), one after the other; cells are invalid afterwards. Stops at an error.
 * Lines that begin with # are skipped. */
struct bench_cells {
    const struct rows_cell *cell;
    size_t count, line; /* line from 1 */
};
void bench_cut(struct bench *bench, const char *text, size_t length, char delimiter,
               void (*visit)(struct bench *bench, const struct bench_cells *cells, void *own), void *own);

/* A cell without surrounding blanks, as a text of at most size − 1 bytes; "" if there is none. */
const char *bench_cell(const struct bench_cells *cells, size_t i, char *text, size_t size);

/* Whether all of the text is a number, as strtod() reads it: also "nan". */
bool bench_is_number(const char *text);

/* The first line that is neither blank nor a comment; of size 0 if there is none. */
const char *bench_first_line(const char *text, size_t length, size_t *size);

/* Whether that line begins with the one text, and contains the other (NULL: nothing more). */
bool bench_begins(const char *text, size_t length, const char *start, const char *needle);

/* Columns "name" and one for each key of the objects that `parameters_of` gives for each element; then label_end. */
void bench_label_columns(struct bench *bench, const json_t *elements, const char *parameters_key);

/* Determines what tells benchmarks apart: the label columns; a column if it has more than one value; and "unit", which
 * becomes the meaning's unit if it has only one. */
void bench_group_labels(struct bench *bench);
void bench_group_varying(struct bench *bench, const char *column);
void bench_group_unit(struct bench *bench);

/* A reader gets the mark before a benchmark; if nothing was measured or left out since, one run is left out. */
size_t bench_mark(const struct bench *bench);
void bench_demand(struct bench *bench, size_t mark);

/* For BenchExec's two forms, whose columns are "name", "tool", "run set", "run" and what was measured: makes CPU time
 * the value, else another time, else the first column with a unit; and whether a run with this status finished:
 * TIMEOUT, OUT OF MEMORY, ERROR (7) have no time of their own, and are left out. */
void bench_benchexec_value(struct bench *bench);
bool bench_benchexec_ended(struct bench *bench, const char *status);

/* A document, or NULL; in `line` (from 1) of the file. The NaN and Infinity that some tools write are read as "". */
json_t *bench_parse(struct bench *bench, const char *text, size_t length, size_t line);

/* The readers: rows into bench->csv, and what they mean. Documents may be anything that parses. */
void bench_read_assay(struct bench *bench, const json_t *root);
void bench_read_assay_directory(struct bench *bench, const json_t *root);
void bench_read_hyperfine(struct bench *bench, const json_t *root);
void bench_read_jmh(struct bench *bench, const json_t *root);
void bench_read_pyperf(struct bench *bench, const json_t *root);
void bench_read_google(struct bench *bench, const json_t *root);
void bench_read_criterion_directory(struct bench *bench, const json_t *root);
void bench_read_criterion_sample(struct bench *bench, const json_t *root);
void bench_read_criterion_estimates(struct bench *bench, const json_t *root);
void bench_read_criterion_raw(struct bench *bench, const char *text, size_t length);
void bench_read_cargo_criterion(struct bench *bench, const char *text, size_t length);
void bench_read_pytest(struct bench *bench, const json_t *root);
void bench_read_nanobench(struct bench *bench, const json_t *root);
void bench_read_nanobench_markdown(struct bench *bench, const char *text, size_t length);
void bench_read_hyperfine_csv(struct bench *bench, const char *text, size_t length);
void bench_read_pytest_csv(struct bench *bench, const char *text, size_t length);
void bench_read_nanobench_csv(struct bench *bench, const char *text, size_t length);
void bench_read_catch2(struct bench *bench, const char *text, size_t length);
void bench_read_benchexec(struct bench *bench, const char *text, size_t length);
void bench_read_catch2_console(struct bench *bench, const char *text, size_t length);
void bench_read_benchexec_xml(struct bench *bench, const char *text, size_t length);
void bench_read_perf_stat(struct bench *bench, const char *text, size_t length);
void bench_read_go(struct bench *bench, const char *text, size_t length);
void bench_read_go_json(struct bench *bench, const char *text, size_t length);
void bench_read_rebench(struct bench *bench, const char *text, size_t length);
void bench_read_jmh_csv(struct bench *bench, const char *text, size_t length);
void bench_read_jmh_log(struct bench *bench, const char *text, size_t length);
void bench_read_google_csv(struct bench *bench, const char *text, size_t length);
void bench_read_google_console(struct bench *bench, const char *text, size_t length);
void bench_read_hyperfine_markdown(struct bench *bench, const char *text, size_t length);
void bench_read_dacapo(struct bench *bench, const char *text, size_t length);
void bench_read_benchstat(struct bench *bench, const char *text, size_t length);
void bench_read_perf_json(struct bench *bench, const char *text, size_t length);
void bench_read_asv(struct bench *bench, const json_t *root);
void bench_read_renaissance(struct bench *bench, const json_t *root);
void bench_read_krun(struct bench *bench, const json_t *root);
void bench_read_critcmp(struct bench *bench, const json_t *root);
void bench_read_lnt(struct bench *bench, const json_t *root);
void bench_read_lnt_old(struct bench *bench, const json_t *root);
void bench_read_lit(struct bench *bench, const json_t *root);
void bench_read_sadf(struct bench *bench, const json_t *root);
void bench_read_sar(struct bench *bench, const char *text, size_t length);
void bench_read_phoronix(struct bench *bench, const char *text, size_t length);
void bench_read_phoronix_raw(struct bench *bench, const char *text, size_t length);

bool bench_is_criterion_pair(const char *text, size_t length);
bool bench_is_criterion_tukey(const char *text, size_t length);
bool bench_is_criterion_raw(const char *text, size_t length);
bool bench_is_nanobench_markdown(const char *text, size_t length);
bool bench_is_pytest_csv(const char *text, size_t length);
bool bench_is_catch2(const char *text, size_t length);
bool bench_is_benchexec(const char *text, size_t length);
bool bench_is_catch2_console(const char *text, size_t length);
bool bench_is_benchexec_xml(const char *text, size_t length);
bool bench_is_perf_stat(const char *text, size_t length);
bool bench_is_go(const char *text, size_t length);
bool bench_is_rebench(const char *text, size_t length);
bool bench_is_jmh_log(const char *text, size_t length);
bool bench_is_google_console(const char *text, size_t length);
bool bench_is_dacapo(const char *text, size_t length);
bool bench_is_benchstat(const char *text, size_t length);
bool bench_is_sar(const char *text, size_t length);
bool bench_is_phoronix(const char *text, size_t length);
bool bench_is_phoronix_raw(const char *text, size_t length);

#endif
