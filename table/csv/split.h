/*
 * split.h - lines, and rows of cells, from text with delimiters.
 *
 * CSV (RFC 4180, also with ';'), TSV (no quotes), or columns separated by blanks: there a cell that begins with #
 * starts a comment, and a quote can't hold a newline.
 */
#ifndef ASSAY_TABLE_CSV_SPLIT_H
#define ASSAY_TABLE_CSV_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct rows_cell {
    const char *text; /* not terminated by NUL */
    size_t length;
};

enum {
    ROWS_SLACK = 64, /* bytes that must be readable after a text */
    ROWS_STEP = 64   /* bytes searched at once */
};

/* Where the next delimiter, newline or quote is. */
struct rows_scan {
    char *block;
    uint64_t mask; /* bit i: block[i] is one that has not been consumed */
    char first, second, quote;
};

struct rows_split {
    char *at, *end;
    char delimiter; /* ',', ';', '\t', or ' ' for blanks */
    struct rows_scan scan;
    struct rows_cell *cells; /* of the row: the first min(count, capacity) */
    size_t capacity, count;
    uint64_t line, lines; /* lines before the row; lines that have ended so far */
    const char *trouble;  /* with its quotes, or NULL */
    bool open;            /* the trouble is a quote that the rest of the text does not close */
};

/* A copy that rows_split_init() takes, whose last row ends with a newline: *length is raised if that is new. To be
 * freed; NULL without memory. */
char *rows_split_copy(const char *text, size_t *length);

/* Begins a text of whole rows: empty, or text[length − 1] is a newline. It is changed: cells are unquoted in place. */
void rows_split_init(struct rows_split *split, char delimiter, char *text, size_t length, struct rows_cell *cells,
                     size_t capacity);

/* The next row that has cells; false at the end. Linear in the row, about 1 ns per byte. */
bool rows_split_next(struct rows_split *split);

/* The length of the whole rows that text[length] begins with, 0 if there are none; it begins outside quotes. */
size_t rows_split_whole(const char *text, size_t length, char delimiter);

/* A cell without surrounding blanks. */
struct rows_cell rows_trim(struct rows_cell cell);

/* The cell of a row that was split, or a line of text that may be changed, ended by NUL in place of what stood behind.
 */
static inline char *rows_terminate(struct rows_cell cell)
{
    char *text = (char *)(uintptr_t)cell.text;
    text[cell.length] = '\0';
    return text;
}

/* The line at *at, without its newline; *at goes to the next one. False at the end of the text. */
static inline bool rows_line(const char **at, const char *end, struct rows_cell *line)
{
    if (*at >= end)
        return false;
    const char *newline = memchr(*at, '\n', (size_t)(end - *at));
    *line = (struct rows_cell){*at, (size_t)((newline ? newline : end) - *at)};
    *at = newline ? newline + 1 : end;
    return true;
}

#endif
