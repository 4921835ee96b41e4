/*
 * table.h - the only output path for results: a table of typed columns in one of eight formats.
 *
 * Machine formats (csv, tsv, json) carry every significant digit (shortest text that reads back as the same double, at
 * most 17 digits) and shares as 0-1; human formats (text, markdown, latex, html) carry shares as percent and numbers
 * rounded to what their interval supports, or else to five significant digits. Macros are
 * values by name, so that a text or a formula in LaTeX can cite them (table_macros.h). HTML is a page for a browser,
 * with all that accompanies the table. A value that does not exist (NaN, or table_blank) is an empty cell, null in JSON
 * and "-" in text. In human formats a real in a column "p" next to "log10_p" is a p-value (p_text.h), and control
 * characters in texts, headers and notes are '?'.
 */
#ifndef ASSAY_TABLE_MODEL_TABLE_H
#define ASSAY_TABLE_MODEL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

enum table_format {
    TABLE_TEXT_FORMAT,
    TABLE_CSV,
    TABLE_TSV,
    TABLE_JSON,
    TABLE_MARKDOWN,
    TABLE_LATEX,
    TABLE_HTML,
    TABLE_MACROS
};

enum table_type {
    TABLE_TEXT,
    TABLE_LINES, /* as TABLE_TEXT, of several lines, which '\n' separates: text formats print one below the other */
    TABLE_COUNT, /* an unsigned integer */
    TABLE_BYTES, /* likewise; human formats show three digits and a unit, "1.06 GB" */
    TABLE_REAL,
    TABLE_SHARE,   /* a real, 0-1; percent in human formats */
    TABLE_ESTIMATE /* a real with its interval: "1.13 ± 0.03" or "1.3 [1.1, 3.7]" in human formats */
};

static inline bool table_type_is_text(enum table_type type)
{
    return type == TABLE_TEXT || type == TABLE_LINES;
}
static inline bool table_type_is_count(enum table_type type)
{
    return type == TABLE_COUNT || type == TABLE_BYTES;
}

struct table_column {
    const char *name;
    enum table_type type;
};

/* How a table looks in LaTeX. */
struct table_latex {
    bool plain;   /* \hline, which needs no package, instead of booktabs */
    bool siunitx; /* numbers are aligned at their decimal points; percent signs are in the head */
    bool fits;    /* the table has the width of the page's column: long texts are broken into lines */
};

struct table; /* rows in the order in which they were added */
struct columns;
struct table_macros;

/* Columns are copied, with their names. Returns NULL without memory. */
struct table *table_new(const struct table_column *columns, size_t column_count);
void table_free(struct table *table);

/* An array of columns and their number. */
#define TABLE_COLUMNS(columns) columns, sizeof columns / sizeof columns[0]

/* Fill the cells of a row from left to right; after the last column the next row begins. A type other than the column's
 * is a programming error (assert). Without memory the table remembers it and table_write() fails with ENOMEM. */
void table_text(struct table *table, const char *text);
void table_count(struct table *table, uint64_t count);
void table_real(struct table *table, double value);
void table_reals(struct table *table, const double *values, size_t count);
/* In a column of reals: human formats show it with `places` digits after the point (below 0: rounded to tens, hundreds,
 * …). */
void table_rounded(struct table *table, double value, int places);
/* In a column of estimates, low ≤ value ≤ high; NaN if there is no interval, an infinite bound if it has none on that
 * side. Machine formats show only the value: give them lo, hi and half_width as columns. */
void table_estimate(struct table *table, double value, double low, double high);
void table_blank(struct table *table);

/* The number of digits after the point that a half width supports: up to its second digit below 3.55, else up to its
 * first (0.04 → 2, 0.013 → 3, 40 → −1), as the Particle Data Group rounds. TABLE_PLACES_ALL if it is not a finite
 * number above 0. */
int table_places(double half_width);
#define TABLE_PLACES_ALL 1000

/* Whether cells are missing for lack of memory. */
bool table_failed(const struct table *table);
size_t table_row_count(const struct table *table);
size_t table_column_count(const struct table *table);
const char *table_column_name(const struct table *table, size_t column);

/* The text of a cell in machine formats; NULL for an empty one. A number is written into `digits`, which is returned.
 */
const char *table_plain(const struct table *table, size_t row, size_t column, char digits[32]);

/* The number in a cell as a finite double; NaN if it is empty or infinite. False in a column of texts. */
bool table_number(const struct table *table, size_t row, size_t column, double *value);

/* What accompanies a table. Arrays of strings; any may be NULL. */
struct table_frame {
    const char *program;    /* "hot" */
    const json_t *input;    /* array of paths */
    const json_t *loss;     /* object, see docs/trace-format.md */
    const json_t *warnings; /* array */
    const json_t *notes;    /* array: method, confidence, what a column means; not in CSV and TSV */
    const json_t *summary;  /* object or NULL; JSON and HTML */
    struct table_latex latex;
    const struct table_macros *macros; /* of the table, for TABLE_MACROS */
    const struct table *values;        /* all values, if the table itself is an extract for readers: HTML has it, too */
    /* HTML only; each may be NULL. */
    const char *question;          /* what the program asks: "Is it random? …" */
    const char *headline;          /* in one sentence: "a has 23 % of the samples." */
    const char *command;           /* the command line */
    const struct columns *columns; /* describe the table's columns (columns.h) */
    const char *figure;            /* an SVG document */
    const char *figure_note;       /* what the figure leaves out; if there is none: the reason */
};

/* Writes and flushes. Returns 0 or an errno value (ENOSPC, EPIPE, …). */
int table_write(FILE *out, enum table_format format, const struct table *table, const struct table_frame *frame);

/* The format of this name (text csv tsv json markdown latex html macros) in *format; false if there is none. */
bool table_format_named(const char *name, enum table_format *format);
/* The format that a file's suffix names ("out/x.tex"); untouched if it names none. */
void table_format_of_path(const char *path, enum table_format *format);

/* The shortest decimal text that strtod() reads back as the same value, at most 17 significant digits. */
void table_digits(double value, char text[32]);

#endif
