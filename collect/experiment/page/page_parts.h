/*
 * page_parts.h - what the files of the page share.
 */
#ifndef ASSAY_EXPERIMENT_PAGE_PARTS_H
#define ASSAY_EXPERIMENT_PAGE_PARTS_H

#include "collect/experiment/page/fragment.h"
#include "collect/experiment/page/page.h"

/* Results with the same command line on the same runs: a table and its figure, for example. */
struct page_group {
    const size_t *members; /* [count]: numbers of the steps, in the file's order */
    size_t count;
    bool has_table, has_figure;
    struct fragment fragment;
    size_t columns; /* the first group that describes the same columns */
};

/* Runs of a cell among the rounds that the file asks for. */
struct page_runs {
    size_t wanted, good, failed, missing, traces, good_traces; /* good_traces: of runs that succeeded */
};

struct page {
    struct experiment *experiment;
    const struct steps *steps;
    const struct report_outcome *outcomes; /* [steps->count] */
    const char *up;                        /* from the page to the directory of the description: "../" */
    struct page_group *groups;
    size_t group_count, result_count; /* of files and values */
    size_t warning_count, error_count;
    const char *busy;           /* what is wrong with wall times, see state/busy.h; NULL: nothing */
    bool is_replaced;           /* an earlier report of this experiment exists */
    struct error_text *failure; /* why the report lacks something, in case that a program could not be run; else "" */
};

/* Writes a text, escaped. */
void page_escape(FILE *out, const char *text);

/* Writes <a href=…>TEXT</a> to a path relative to the directory of the description. */
void page_write_link(FILE *out, const struct page *page, const char *path, const char *text);

/* Begins a sortable table, with its strip above it; page_close_table() ends it. `meanings` are the columns' titles;
 * names that begin with '#' have numbers. */
void page_open_table(FILE *out, const char *id, const char *label, size_t rows, const char *const (*columns)[2],
                     size_t count);
void page_close_table(FILE *out);

/* A cell with a number: as readers want it, and 15 digits in the title. NaN: none. */
void page_write_number(FILE *out, double value);

/* A command line as a shell reads it, from its first `from` words on. */
const char *page_command(struct obstack *memory, const struct words *words);

/* What was done for a recording, by its runs and what sessions noted, whatever the description says now, in HTML or
 * LaTeX: ", 10 rounds, and 1 warm-up run of each cell … Rounds were added until …". */
void page_write_rounds(FILE *out, const struct page *page, size_t recording, bool latex);

struct page_runs page_count_runs(const struct experiment *experiment, size_t cell);
struct page_runs page_count_all_runs(const struct experiment *experiment);

/* The starts that gave no run: "cpu/fop, round 3". */
size_t page_count_failed_starts(const struct experiment *experiment);

/* Parts of the page, which stand for marks of page.html. */
void page_write_head(FILE *out, const struct page *page);
void page_write_contents(FILE *out, const struct page *page);
void page_write_remarks(FILE *out, const struct page *page);
void page_write_method(FILE *out, const struct page *page);
void page_write_machines(FILE *out, const struct page *page);
void page_write_runs(FILE *out, const struct page *page);
void page_write_results(FILE *out, const struct page *page);
void page_write_values(FILE *out, const struct page *page);
void page_write_columns(FILE *out, const struct page *page);
void page_write_commands(FILE *out, const struct page *page);
void page_write_data(FILE *out, const struct page *page);
void page_write_alignment(FILE *out, const struct page *page);

/* Notes that the report lacks something of a result, because its program could not be run. */
void page_fail(const struct page *page, size_t step, const char *why);

/* The same report as a LaTeX document. Plots figures into DATA/pages. */
void page_write_document(FILE *out, const struct page *page);

/* Makes report.pdf, unless it is that of this page, `html`. Prints why if it can't be made: STATUS_BAD, or STATUS_GOOD
 * if LaTeX is not installed or the file is another experiment's. */
int page_make_pdf(const struct page *page, const char *html);

#endif
