/*
 * rows.h - reads tables from files, in parallel, as batches of numbers and groups.
 *
 * What is read: CSV (RFC 4180; also with ';'), TSV, columns between blanks (`#` comments), JSON lines, our own JSON; gz
 * and zst of these; and what benchmark tools write (bench_format.h). The format is seen from the content, never from
 * the name. A program asks for columns by name and gets every row once, in the order of the file, cut into parts: parts
 * are read by several threads, each into a state of its own, and states are merged in the order of the parts (files by
 * path, bytewise; standard input first). The cuts depend on the input alone, so results depend neither on the number of
 * threads nor on the order in which files were named.
 *
 * Header: the first line that is not a comment, unless all its cells are numbers (or blank, NaN, NA, inf), or one of
 * them is and the rows below repeat a text of it; rows_request.header overrules that. Without a header a single column
 * is named "value", several are named "1", "2", "3" …, and so is a column whose name is blank. Columns with one name
 * get " (1)", " (2)" … behind it. A second line of the header is one that has units ("ms", "[ms]") above numbers, or
 * names below names that are blank or repeated. Blanks around names and numbers don't count; those in texts do. A
 * quoted cell begins with a quote; TSV has none. Blank lines hold no row.
 */
#ifndef ASSAY_ROWS_ROWS_H
#define ASSAY_ROWS_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/complaint.h"
#include "stats/exact/decimal.h"

/* Is the first line of delimited text a header? Guessed: unless all its cells are data, or a number is among them and a
 * text that the rows below repeat. */
enum rows_header { ROWS_HEADER_GUESSED, ROWS_HEADER_PRESENT, ROWS_HEADER_ABSENT };

/* Which columns. Names as in the header; a number selects by place, from 1, where no column has that name. */
struct rows_request {
    const char *const *values; /* numeric columns; value_count 0: the only numeric one that is not a group (by the first
                                  rows), or what the format means */
    size_t value_count;
    const char *const *groups; /* columns whose texts together make a group; group_count 0: all rows are one group,
                                  or what the format means (a benchmark's name) */
    size_t group_count;
    bool whole_groups_default; /* false: group_count 0 never takes the format's own groups */
    bool lone_values;          /* each value column stands for itself: a cell that a benchmark tool does not give, or a
                                  blank one with skip_bad, is missing in its column alone */
    bool all_metrics;          /* value_count 0: all metrics of a format that has several */
    bool skip_bad;             /* rows with a cell that is not a number, too few or too many cells: counted, left out */
    bool one_series_a_file;    /* the file is a group column of its own, the first ("file"), if there are several */
    bool text_is_group;        /* group_count 0: the only column of texts (by the first rows) that is not a value; with
                                  one_series_a_file not if it is called "run" or the like, and has a text a row */
    enum rows_header header;
    const char *const *wide; /* a row has a value of the same quantity in each of these columns: it is as many rows, of
                                the group column "column", the last one. wide_count 0: no. Not with values */
    size_t wide_count;
    unsigned jobs; /* threads, ≥ 1 */
};

/* Some rows: value v of row r is values[v][r]; row r belongs to group[r], a number of this part alone. */
struct rows_batch {
    size_t row_count; /* 1 … 1024 */
    const struct decimal *const *values;
    const uint32_t *group;
    size_t blank; /* cells of these rows that are missing: their exponent is ROWS_MISSING. 0 but for lone_values; then
                     no row lacks all its values */
};

enum { ROWS_MISSING = INT32_MAX };

#define ROWS_NO_UNIT SIZE_MAX

struct quantity_unit;

/* In which unit a value column is, if the formats tell: by text or by group, never by both. */
struct rows_unit {
    char *text;                        /* "s", "ns": of all its values; else NULL */
    size_t group;                      /* the group column whose text is the unit of its rows; else ROWS_NO_UNIT */
    const struct quantity_unit *cells; /* cells are numbers with units ("1.2 ms"), and all are converted to this one;
                                          else NULL */
    const char *from;                  /* the path of the first file that tells; NULL if none does */
};

/* The columns as they were found, by the first file; a file that lacks one is an error. */
struct rows_columns {
    const char *const *values; /* names, value_count of them */
    size_t value_count;
    const char *const *groups;
    size_t group_count;
    bool keyed;              /* a column of texts that nobody asks for differs in each of the first rows: they are of
                                different things, no series */
    bool text_group;         /* the last group column, or that before a wide table's "column", is the only one of texts:
                                rows_request.text_is_group */
    bool text_label;         /* that column only counts rows, and was not taken */
    struct rows_unit *units; /* [value_count]; settled once all files are read */
};

/* A program's state of one part, and how states grow together. Functions return a status with a complaint. */
struct rows_consumer {
    /* An empty state; for parts with rows only. Another status than 0 means that there is no memory. What columns point
     * to stays as long as the account. */
    int (*init)(void **state, const struct rows_columns *columns, const void *own);
    /* The part's next rows. Groups of a part are numbered from 0 in the order of their appearance; group g has the
     * texts texts[g·group_count + c], for all g < group_total so far; they are gone after the part's last batch.
     * Without group columns there is one group, 0, without texts. */
    int (*feed)(void *state, const struct rows_batch *batch, const char *const *texts, uint32_t group_total,
                struct complaint *complaint);
    /* Appends `later`, the state of what came right after, and frees it (also if it fails). */
    int (*merge)(void *state, void *later, struct complaint *complaint);
    void (*free)(void *state);
    const void *own;
};

/* What was read, for the frame of the result. Freed by rows_account_free(). */
struct rows_account {
    uint64_t rows, skipped;  /* rows fed; rows left out, and values that a benchmark tool itself calls failed */
    uint64_t blank;          /* cells without a value that lost nothing but themselves */
    uint64_t rounded;        /* values fed of more significant digits than the 18 that are kept */
    char first_skipped[300]; /* "FILE: line 7, column 'time': '1,5' is not a number"; "" if none */
    char doubt[300];    /* "FILE: the header has a number …", of the first file whose header was in doubt; or "" */
    uint64_t doubts;    /* such files */
    const char *format; /* "CSV", "hyperfine JSON" …; of the first file. Static storage */
    struct rows_columns columns;
};

/*
 * Reads all files ("-": standard input; none: standard input) into *state, which the caller frees with
 * consumer->free(), and *account. Returns 0, or a status with a complaint that names file, line (or place) and column,
 * the same for any number of threads; *state and *account are untouched then. STATUS_USAGE only if columns have to be
 * named, or a file is named twice. Memory: about 2 MB per thread, and what the states take; not the size of the input,
 * but for JSON documents (not lines) and other tools' formats, which are read whole, and for the longest row (at most
 * 64 MB). A file without rows is an error, and so is a result of none. Linear time; CSV about 300 MB per second and
 * thread.
 */
int rows_read(const struct rows_request *request, const char *const *paths, size_t path_count,
              const struct rows_consumer *consumer, void **state, struct rows_account *account,
              struct complaint *complaint);

void rows_account_free(struct rows_account *account);

#endif
