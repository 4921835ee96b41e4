/*
 * rows.h - reads tables from files, in parallel, as batches of numbers and groups.
 *
 * It reads CSV (RFC 4180; also with ';'), TSV, columns separated by blanks (`#` comments), JSON lines, our own JSON; gz
 * and zst of these; and the output of benchmark tools (bench_format.h). The content shows the format, not the name. A
 * program requests columns by name and gets every row once, in the order of the file, cut into parts: parts are read by
 * several threads, each into a state of its own, and states are merged in the order of the parts (files by path,
 * bytewise; standard input first). The cuts depend only on the input, so results depend neither on the number of
 * threads nor on the order in which files were named.
 *
 * Header: the first line that is not a comment, unless all its cells are numbers (or blank, NaN, NA, inf), or one of
 * them is and the rows below repeat a text of it; rows_request.header overrides that. Without a header a single column
 * is named "value", several are named "1", "2", "3" …, and so is a column whose name is blank. Columns with the same
 * name get the suffixes " (1)", " (2)" … A second line belongs to the header if it has units ("ms", "[ms]") above
 * numbers, or names below names that are blank or repeated. Blanks around names and numbers are ignored; those in texts
 * count. A quoted cell begins with a quote; TSV has none. Blank lines hold no row.
 */
#ifndef ASSAY_TABLE_READ_ROWS_H
#define ASSAY_TABLE_READ_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error_text.h"
#include "stats/exact/decimal.h"

/* Whether the first line of delimited text is a header. By default it is, unless all its cells are data, or it contains
 * a number and a text that the rows below repeat. */
enum rows_header { ROWS_HEADER_GUESSED, ROWS_HEADER_PRESENT, ROWS_HEADER_ABSENT };

/*
 * Processes that read the same files together, such as the ranks of an MPI job, numbered from 0. All cut the files into
 * the same parts, so each reads (and decompresses) all bytes, but it parses only every size-th part. Rank 0 merges the
 * states of all parts in their order, as one process does, and so gets the same result bit by bit. Processes run the
 * same build on the same request, and see the same files.
 */
struct rows_share {
    int rank, size;
    /* A message between rank 0 and another rank, of any length. send() may wait for its receipt. receive() returns the
     * next one from that rank, *size bytes, to be freed. Called by one thread at a time, not always the same. If they
     * fail, they end all processes. */
    void (*send)(int rank, const void *bytes, size_t size);
    char *(*receive)(int rank, size_t *size);
};

/* Which files, and which of their columns. Names as in the header; a number selects by position, from 1, if no column
 * has that name. */
struct rows_request {
    const char *const *paths; /* of the files; "-", and path_count 0: standard input */
    size_t path_count;
    const char *const *values; /* numeric columns; value_count 0: the only numeric one that is not a group (by the first
                                  rows), or what the format implies */
    size_t value_count;
    const char *const *groups; /* columns whose texts together make a group; group_count 0: all rows are one group,
                                  or what the format implies (a benchmark's name) */
    size_t group_count;
    bool whole_groups_default; /* false: group_count 0 never uses the format's own groups */
    const char *const *within; /* columns whose texts together name the process that measured a row: they become the
                                  last group columns (rows_columns.within_count); of several files that make no groups,
                                  the file is one of them. Only "none": no such columns. within_count 0: none */
    size_t within_count;
    bool within_any_file; /* the file is none of them: texts of several files are the same ones */
    bool levels;          /* within_count 0: what the format implies (JMH's "fork") */
    bool lone_values; /* each value column is separate: a cell that a benchmark tool does not give, or a blank one with
                         skip_bad, is only missing in its own column */
    bool all_metrics; /* value_count 0: all metrics of a format that has several */
    bool whole_processes; /* processes from their first iteration on: with warm-ups that the format's table leaves out,
                             and without its default group that divides warm-up from measurement */
    bool skip_bad;        /* rows with a cell that is not a number, too few or too many cells: counted, left out */
    bool one_series_a_file; /* the file is a group column of its own, the first ("file"), if there are several */
    bool text_is_group;     /* group_count 0: the only column of texts (by the first rows) that is not a value; with
                               one_series_a_file not if it is called "run" or the like, and has a different text in each row
                             */
    enum rows_header header;
    const char *const *wide; /* a row has a value of the same quantity in each of these columns: each becomes a row,
                                with the additional last group column "column". wide_count 0: none. Not with values */
    size_t wide_count;
    unsigned jobs;                  /* threads, ≥ 1 */
    size_t part_bytes;              /* of a part; 0: as many as are good for speed. Another number is for tests */
    const struct rows_share *share; /* NULL: this process reads on its own */
};

/* Some rows: value v of row r is values[v][r]; row r belongs to group[r], a number within this part. */
struct rows_batch {
    size_t row_count; /* 1 … 1024 */
    const struct decimal *const *values;
    const uint32_t *group;
    size_t blank; /* number of missing cells in these rows: their exponent is ROWS_MISSING. 0 except with lone_values;
                     even then no row lacks all its values */
};

enum { ROWS_MISSING = INT32_MAX };

#define ROWS_NO_UNIT SIZE_MAX

enum { ROWS_UNIT_KINDS = 8 }; /* time, bytes … in one table */

enum rows_better { ROWS_BETTER_UNKNOWN, ROWS_LOWER_IS_BETTER, ROWS_HIGHER_IS_BETTER };

struct quantity_unit;

/* The unit of a value column, if the files give it: by text or by group, never both. */
struct rows_unit {
    char *text;                     /* "s", "ns": of all its values; else NULL */
    size_t group;                   /* the group column whose text is the unit of its rows; else ROWS_NO_UNIT */
    const struct quantity_unit *to; /* all values of its kind are converted to this one; NULL: it is unknown */
    const struct quantity_unit *least[ROWS_UNIT_KINDS]; /* with `group`: what those of each kind are converted to; other
                                                           kinds to their base */
    bool in_cells;                                      /* cells are numbers with units ("1.2 ms") */
    enum rows_better better;                            /* what the file says */
    bool exact;                                         /* the file says that it does not vary */
    const char *from;  /* the path of the first file that gives it; NULL if none does */
    const char *lacks; /* the path of the first file that does not; NULL if all do */
};

/* The columns as found in the first file; a file that lacks one is an error. */
struct rows_columns {
    const char *const *values; /* names, value_count of them */
    size_t value_count;
    const char *const *groups;
    size_t group_count;
    bool by_file;        /* the first group column is the file */
    size_t within_count; /* of the groups, the last ones, which tell the processes of a group apart */
    bool lone_process;   /* a file is a process by its format, and each group is of one file */
    bool keyed; /* a text column that was not requested differs in each of the first rows: they are different things,
                   not a series */
    bool text_group;    /* the last group column, or the one before a wide table's "column", is the only text column:
                           rows_request.text_is_group */
    bool text_label;    /* that column only counts rows, and was not used */
    bool value_by_name; /* the value column was chosen among several with numbers, by its name ("value", "score") */
    struct rows_unit *units; /* [value_count]; final once all files are read */
};

/* A program's state of one part, and how states are merged. Functions return a status with a message. */
struct rows_consumer {
    /* An empty state; only for parts with rows. A status other than 0 means that there is no memory. What columns point
     * to lives as long as the account. */
    int (*init)(void **state, const struct rows_columns *columns, const void *own);
    /* The part's next rows. Groups of a part are numbered from 0 in the order of their appearance; group g has the
     * texts texts[g·group_count + c], for all g < group_total so far; they are invalid after the part's last batch.
     * Without group columns there is one group, 0, without texts. */
    int (*feed)(void *state, const struct rows_batch *batch, const char *const *texts, uint32_t group_total,
                struct error_text *message);
    /* Appends `later`, the state of the directly following part, and frees it (even on failure). */
    int (*merge)(void *state, void *later, struct error_text *message);
    void (*free)(void *state);
    /* Only for rows_request.share: writes a state, and makes the same one in another process of the same build, so that
     * raw bytes will do. A status other than 0 means that there is no memory. */
    int (*save)(const void *state, FILE *to);
    int (*load)(void **state, const struct rows_columns *columns, const void *own, FILE *from);
    const void *own;
};

/* What was read, for the frame of the result. Freed by rows_account_free(). */
struct rows_account {
    uint64_t rows, skipped;  /* rows fed; rows left out, and values that a benchmark tool itself reports as failed */
    uint64_t blank;          /* blank cells that did not affect the rest of their row */
    uint64_t rounded;        /* values fed with more than the 18 significant digits that are kept */
    char first_skipped[300]; /* "FILE: line 7, column 'time': '1,5' is not a number"; "" if none */
    char **bad_groups; /* [bad_group_count] the groups of rows left out, joined by ", ", as far as they are known: the
                          first ones of each part. They may have good rows, too */
    size_t bad_group_count;
    bool first_is_bad; /* the first of these comes before all good rows */
    char doubt[300];   /* "FILE: the header has a number …", for the first file whose header was in doubt; or "" */
    uint64_t doubts;   /* such files */
    struct error_text mixed; /* what differs between runs in the first group that mixes configurations; or "" */
    size_t mixed_count;      /* such groups */
    const char *format;      /* "CSV", "hyperfine JSON" …; of the first file. Static storage */
    struct rows_columns columns;
};

/*
 * Reads all files into *state, which the caller frees with consumer->free(), and *account. Returns 0, or a status with
 * a message that names file, line (or place) and column, the same for any number of threads; *state and *account are
 * untouched then. STATUS_USAGE only if columns must be named, or a file is named twice. Memory: about 2 MB per thread,
 * and what the states need; it does not grow with the input, except for JSON documents (not lines) and other tools'
 * formats, which are read completely, and for the longest row (at most 64 MB). A file without rows is an error, and so
 * is a result without rows. Linear time; CSV about 300 MB per second and thread.
 *
 * With request->share all its processes call this. Only rank 0 gets a result or an error message; for the others it
 * returns 0 with a *state of NULL. Rank 0 may hold 4 states per thread and rank. A rank that can't read what rank 0
 * can, or sees other text there, is an error that names the rank (documents that are read completely are not compared).
 */
int rows_read(const struct rows_request *request, const struct rows_consumer *consumer, void **state,
              struct rows_account *account, struct error_text *message);

void rows_account_free(struct rows_account *account);

#endif
