/*
 * report.h - the output of a program: a table, its figure, and its warnings and notes.
 */
#ifndef ASSAY_ANALYZE_CLI_REPORT_H
#define ASSAY_ANALYZE_CLI_REPORT_H

#include <stdbool.h>

#include <jansson.h>

#include "table/model/columns.h"

struct analysis_options;

/* Tables and JSON are owned by the report. */
struct report {
    const struct analysis_options *options; /* of an analyzer */
    const struct columns *columns;          /* of these tables, if report_tables() made them */
    unsigned given;                         /* options that columns depend on */
    struct table *table;                    /* made with table_new() */
    struct table *human;                    /* an extract of it for formats for readers, or NULL */
    struct table *figure;                   /* what --plot draws, if it is not `table` */
    const char *x_label, *y_label;          /* of the figure's axes; NULL: its own */
    bool figure_is_single;                  /* it has no dimension left to show several labels of --by */
    bool wants_figure;                      /* --plot was given, or the result is a page */
    bool no_result;   /* the inputs have nothing that answers the question, or nothing to be believed: exit status 1 */
    bool no_memory;   /* for a warning or note: there is no result */
    int status;       /* of programs on tables: the exit status if the result could be written */
    char *headline;   /* the answer in one sentence, for a page: report_headline(); NULL: none */
    json_t *summary;  /* object or NULL */
    json_t *warnings; /* add with report_warn() and report_warn_of() */
    json_t *alike;    /* those of report_warn_of() by their text: where they are, how many, of which names */
    json_t *notes;    /* add with report_note() */
};

/* Makes the tables of these columns, with those that depend on the options `given`: for machine formats; for human
 * ones, if any column is not for all; for the figure, if it is wanted and has columns. 0 or ENOMEM. */
int report_tables(struct report *report, const struct columns *columns, unsigned given);
/* Adds a row (table/model/columns.h) to each of them. */
void report_row(struct report *report, const void *row);

void report_warn(struct report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A warning about something of this name: "NAME: TEXTDETAIL". If the same text comes again, they become one, with five
 * names at most: "NAME; NAME; …; and 9 more: TEXT". `name` and `detail` may be "". */
void report_warn_of(struct report *report, const char *name, const char *detail, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void report_note(struct report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Sets the headline. Its numbers are the table's. A program has none where one sentence would say more than is known.
 */
void report_headline(struct report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
void report_free(struct report *report);

#endif
