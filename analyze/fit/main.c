/*
 * assay fit - how does y depend on x? Least squares: a line, several x, or a polynomial.
 *
 * Input: tables. Columns x and y, pairwise by row; each group is fitted on its own.
 * Summary: n, dof, r2, residual_sd, f, and log10_p of all terms together. Source: stats/fits/fit.h.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cli/number.h"
#include "table/model/p_text.h"
#include "table/model/table_round.h"
#include "analyze/driver/tables/groups_table.h"
#include "analyze/driver/tables/leave_out.h"
#include "analyze/driver/tables/report_stats.h"
#include "analyze/driver/tables/table_analyzer.h"
#include "base/text.h"
#include "stats/fits/fit.h"

enum { CURVE_POINTS = 200 };

static struct {
    char *x, *y;
    uint64_t degree;
    bool no_intercept;
    const char *columns[FIT_COLUMNS_MAX + 2]; /* y, then x, as requested: names or positions */
} options = {.degree = 1};

static const bool keeps_values = true;
static const char *const figures[] = {"scatter", NULL};

/* ------------------------------------------------------------------------------------------ columns -- */

struct fit_row {
    const char *term, *p;
    struct fit_term fitted;
    struct column_estimate estimate;
    double half_width;
};

static const struct column term_columns[] = {
    COLUMN(fit_row, "term", TABLE_TEXT, term, "The term: intercept, a column of --x, or its power (--degree)."),
    COLUMN(fit_row, "estimate", TABLE_REAL, fitted.estimate, "Its coefficient, in units of y per unit of the term.",
           .half_width = offsetof(struct fit_row, half_width), .readers = COLUMN_MACHINE),
    COLUMN(fit_row, "estimate", TABLE_ESTIMATE, estimate, NULL, .readers = COLUMN_HUMAN),
    COLUMN(fit_row, "se", TABLE_REAL, fitted.se,
           "Its standard error. Text, Markdown and LaTeX round it and the coefficient separately.",
           .half_width = offsetof(struct fit_row, fitted.se)), /* with few dof far below the half width */
    COLUMN(fit_row, "lo", TABLE_REAL, fitted.lo, "The lower end of the coefficient's interval, by Student's t.",
           .half_width = offsetof(struct fit_row, half_width), .readers = COLUMN_MACHINE),
    COLUMN(fit_row, "hi", TABLE_REAL, fitted.hi, "Its upper end.", .half_width = offsetof(struct fit_row, half_width),
           .readers = COLUMN_MACHINE),
    COLUMN(fit_row, "t", TABLE_REAL, fitted.t, "Student's t of the hypothesis that the coefficient is 0."),
    COLUMN(fit_row, "p", TABLE_REAL, fitted.p, "The two-sided p-value of this hypothesis.", .readers = COLUMN_MACHINE),
    COLUMN(fit_row, "p", TABLE_TEXT, p, NULL, .readers = COLUMN_HUMAN),
    COLUMN(fit_row, "log10_p", TABLE_REAL, fitted.log10_p,
           "The decimal logarithm of p; it stays exact where p is too small for a double.", .readers = COLUMN_MACHINE)};
static const struct columns tables[] = {
    COLUMNS("One row for each term, after the group columns; each group is fitted separately", term_columns)};

/* A point of the figure: of the data, or of the curve; NAN where it has no such coordinate. */
struct point {
    double x, y, fitted;
    const char *legend;
};

static const struct column point_columns[] = {
    COLUMN(point, "x", TABLE_REAL, x, NULL), COLUMN(point, "y", TABLE_REAL, y, NULL),
    COLUMN(point, "fit", TABLE_REAL, fitted, NULL), COLUMN(point, "legend", TABLE_TEXT, legend, NULL)};
static const struct columns points = COLUMNS("One row for each point", point_columns);

/* ------------------------------------------------------------------------------------------ report -- */

/* By the names of the columns found: y, then x. */
static void fit_term_name(const struct rows_columns *found, bool intercept, size_t term, char *text, size_t size)
{
    size_t power = intercept ? term : term + 1;
    if (power == 0)
        snprintf(text, size, "intercept");
    else if (options.degree > 1 && power > 1)
        snprintf(text, size, "%s^%zu", found->values[1], power);
    else
        snprintf(text, size, "%s", found->values[options.degree > 1 ? 1 : power]);
}

static void fit_add_terms(const struct groups *groups, size_t g, const struct fit *fit, struct report *report)
{
    for (size_t i = 0; i < fit->terms; i++) {
        const struct fit_term *term = &fit->term[i];
        char name[256], p[P_TEXT_MAX];
        fit_term_name(&groups->columns, fit->intercept, i, name, sizeof name);
        p_text(term->p, term->log10_p, p);
        const struct fit_row row = {.term = name,
                                    .p = p,
                                    .fitted = *term,
                                    .estimate = {term->estimate, term->lo, term->hi},
                                    .half_width = (term->hi - term->lo) / 2};
        groups_report_row(report, groups, g, GROUPS_NO_METRIC, &row);
    }
}

static json_t *fit_number_json(double value)
{
    if (isinf(value)) /* as the table has it */
        return json_string(value > 0 ? "inf" : "-inf");
    return json_real(value);
}

static void fit_add_summary(const struct fit *fit, const char *name, bool alone, struct report *report)
{
    json_t *object =
        json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:b}", "n", (json_int_t)fit->n, "dof", (json_int_t)fit->dof, "r2",
                  fit_number_json(fit->r2), "residual_sd", fit_number_json(fit->residual_sd), "f",
                  fit_number_json(fit->f), "log10_p", fit_number_json(fit->log10_p), "exact", fit->exact);
    if (alone) {
        report->summary = object;
    } else {
        if (!report->summary)
            report->summary = json_pack("{s:[]}", "fits");
        json_object_set_new(object, "name", text_json(name, strlen(name)));
        json_array_append_new(json_object_get(report->summary, "fits"), object);
    }
    char p[P_TEXT_MAX];
    p_text(fit->p, fit->log10_p, p);
    report_note(report, "%s%sn = %" PRIu64 ", dof = %" PRIu64 ", r2 = %.5g%s, residual sd = %.5g, F = %.5g, p = %s%s",
                alone ? "" : name, alone ? "" : ": ", fit->n, fit->dof, fit->r2,
                fit->intercept ? "" : " (around 0: can't be compared with fits that have an intercept)",
                fit->residual_sd, fit->f, p, fit->exact ? "; every residual is exactly 0" : "");
}

static void fit_add_point(struct report *report, const struct groups *groups, size_t g, struct point point)
{
    groups_table_begin(report->figure, groups, g, GROUPS_NO_METRIC);
    columns_add(report->figure, &points, COLUMNS_MACHINE, 0, &point);
}

/* The points, and the curve between the smallest and the largest x. */
static void fit_add_figure(const struct groups *groups, size_t g, const struct fit *fit, struct report *report)
{
    const struct series *y = groups_series(groups, g, 0), *x = groups_series(groups, g, 1);
    const struct fit_term *last = &fit->term[fit->terms - 1];
    char estimate[TABLE_ROUND_MAX], legend[TABLE_ROUND_MAX + 8] = "";
    double least = INFINITY, most = -INFINITY;
    table_round_estimate(last->estimate, last->lo, last->hi, 0, false, estimate);
    if (options.degree == 1)
        snprintf(legend, sizeof legend, "slope %s", estimate);
    else
        snprintf(legend, sizeof legend, "degree %" PRIu64 ", r² = %.4g", options.degree, fit->r2);
    for (size_t i = 0; i < x->n; i++) {
        double at = series_double(x, i);
        least = fmin(least, at);
        most = fmax(most, at);
        fit_add_point(report, groups, g, (struct point){at, series_double(y, i), NAN, legend});
    }
    for (size_t i = 0; i < CURVE_POINTS; i++) {
        struct fit_prediction there;
        double at = least + (most - least) * (double)i / (CURVE_POINTS - 1);
        if (report_stats_exist(report, fit_predict(fit, &at, 0.95, &there)))
            fit_add_point(report, groups, g, (struct point){at, NAN, there.y, legend});
    }
}

/* A group without a fit is left out, for a reason. */
static void fit_leave_out(const struct groups *groups, size_t g, enum stats_status status, size_t dependent,
                          struct report *report, struct error_text *first)
{
    char term[256];
    const char *name = groups_name(groups, g);
    size_t n = groups_series(groups, g, 0)->n;
    switch (status) {
    case STATS_DEPENDENT:
        fit_term_name(&groups->columns, !options.no_intercept, dependent, term, sizeof term);
        leave_out(report, first, name, "",
                  "term '%s' is a linear combination of the terms before it (constant, or a duplicate): "
                  "its coefficient does not exist; leave it out",
                  term);
        break;
    case STATS_CONSTANT:
        leave_out(report, first, name, "", "'%s' is constant: there is nothing to explain", groups->columns.values[0]);
        break;
    case STATS_TOO_FEW:
        leave_out(report, first, name, "", "%zu %s too few for so many terms", n, n == 1 ? "row is" : "rows are");
        break;
    default:
        leave_out(report, first, name, "", "%s", stats_status_text(status));
    }
}

static int fit_report(void *state, const struct table_settings *settings, void *own, struct report *report,
                      struct error_text *message)
{
    (void)own;
    const struct groups *groups = state;
    const struct fit_options how = {(unsigned)options.degree, options.no_intercept, settings->confidence};
    size_t count = groups->columns.value_count - 1;
    struct error_text first = {""};
    int error = groups_report_tables(report, groups, false, tables, 0);
    report->x_label = groups->columns.values[1];
    report->y_label = groups->columns.values[0];
    if (report->wants_figure)
        report->figure = groups_table_new(groups, false, &points);
    if (error || (report->wants_figure && !report->figure))
        return error_set(message, STATUS_BAD, "out of memory");
    for (size_t g = 0; g < groups->count; g++) {
        const struct series *x[FIT_COLUMNS_MAX];
        size_t dependent = 0;
        struct fit fit;
        for (size_t i = 0; i < count; i++)
            x[i] = groups_series(groups, g, i + 1);
        enum stats_status status = fit_least_squares(groups_series(groups, g, 0), x, count, how, &fit, &dependent);
        if (status) {
            fit_leave_out(groups, g, status, dependent, report, &first);
            continue;
        }
        fit_add_terms(groups, g, &fit, report);
        fit_add_summary(&fit, groups_name(groups, g), groups->count == 1, report);
        if (report->figure)
            fit_add_figure(groups, g, &fit, report);
        fit_free(&fit);
    }
    bool any = table_row_count(report->table) > 0 || table_failed(report->table);
    return any ? STATUS_GOOD : error_set(message, STATUS_BAD, "%s", first.text);
}

static int fit_finalize(void *own, struct table_settings *settings, struct error_text *message)
{
    (void)own;
    if (!options.x || !options.y)
        return error_set(message, STATUS_USAGE, "name the columns: --x COL[,COL…] --y COL");
    size_t count = table_analyzer_split(options.x, options.columns + 1, FIT_COLUMNS_MAX);
    if (count == 0)
        return error_set(message, STATUS_USAGE, "--x: at most %d column names, separated by commas", FIT_COLUMNS_MAX);
    if (options.degree > 1 && count > 1)
        return error_set(message, STATUS_USAGE, "--degree needs exactly one column in --x");
    if (settings->common.result.plot && count > 1)
        return error_set(message, STATUS_USAGE, "--plot needs exactly one column in --x");
    if (count > 1)
        settings->common.result.figure = NULL;
    options.columns[0] = options.y;
    settings->request.values = options.columns;
    settings->request.value_count = count + 1;
    settings->request.whole_groups_default = false; /* y over x, whatever a benchmark tool calls a group */
    return STATUS_GOOD;
}

static int fit_parse_option(int key, char *arg, void *own)
{
    (void)own;
    switch (key) {
    case 0x100:
        options.x = arg;
        return 0;
    case 0x101:
        options.y = arg;
        return 0;
    case 0x102:
        return number_parse_count(arg, 1, FIT_DEGREE_MAX, &options.degree);
    case 0x103:
        options.no_intercept = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv)
{
    static const struct argp_option own_options[] = {
        {"x", 0x100, "COL[,COL…]", 0, "what y depends on", 0},
        {"y", 0x101, "COL", 0, "what is explained", 0},
        {"degree", 0x102, "N", 0, "a polynomial of that degree in one x (default 1, at most 20)", 0},
        {"no-intercept", 0x103, NULL, 0, "through the origin", 0},
        {0}};
    static const struct table_analyzer program = {
        .name = "fit",
        .doc = "How does y depend on x? Least squares, exact to the last digit.\v"
               "Examples:\n"
               "  assay fit --x slowdown_method --y slowdown_program causality.csv\n"
               "  assay fit --x size --y time --degree 2 --plot fit.pdf scaling.csv\n"
               "  assay fit --x loads,stores --y time --no-intercept --by machine counts.csv",
        .options = own_options,
        .parse = fit_parse_option,
        .figures = figures,
        .tables = tables,
        .table_count = 1,
        .no_values = true,
        .finalize = fit_finalize,
        .consumer = GROUPS_CONSUMER(&keeps_values),
        .report = fit_report};
    return table_analyzer_main(&program, argc, argv);
}
