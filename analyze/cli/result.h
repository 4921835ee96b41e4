/*
 * result.h - where a report goes: the table to a file or standard output, the figure to a file, warnings to standard
 * error.
 */
#ifndef ASSAY_ANALYZE_CLI_RESULT_H
#define ASSAY_ANALYZE_CLI_RESULT_H

#include <stdarg.h>
#include <stdbool.h>

#include "analyze/cli/report.h"
#include "analyze/cli/view_options.h"
#include "plots/render/figure.h"

struct result {
    const char *program;          /* "hot" */
    const char *doc;              /* its question, up to a '\v' */
    char *command;                /* the command line, from result_command(); NULL: unknown */
    const char *figure;           /* of plots/, if plot */
    const struct columns *tables; /* what --columns help describes */
    size_t table_count;
    const struct view_options *view; /* how the table looks */
    enum table_format format;
    const char *output;         /* NULL: standard output */
    const char *plot;           /* NULL: no figure */
    struct figure_options look; /* of the figure, as the command line has it */
    bool quiet;
    bool warnings_in_table; /* the format shows them, if it goes to the same terminal as standard error */
};

/* Whether the format is for readers: text, Markdown, LaTeX, HTML, macros. */
bool result_is_human_readable(enum table_format format);

/* Whether a figure is drawn: into a file, or a page. */
bool result_wants_figure(const struct result *result);

/* "assay audit waste --exact 'a b.trace'": the command line as a shell reads it; `subject` (may be NULL) stands before
 * the arguments. The caller frees it; NULL without memory. */
char *result_command(const char *program, const char *subject, int argc, char **argv);

/* One line on standard error: "assay-PROGRAM: …", control characters as '?'. */
void result_vprint_error(const char *program, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
void result_print_error(const char *program, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The warnings of a report on standard error, unless the same terminal is about to show them with the table, or `quiet`
 * and the report has its answer: a program that exits with 1 always says why. */
void result_warnings(const struct result *result, const struct report *report);

/* Writes warnings, table, macros and figure. Adds a warning if --columns leaves out what distinguishes rows. Returns 0;
 * after an error message 1, or 2 if the view asks for a column that the table lacks. */
int result_write(const struct result *result, struct report *report, const json_t *input, const json_t *loss);

#endif
