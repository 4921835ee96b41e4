/*
 * assay fit - how does y depend on x? Least squares: a line, several x, or a polynomial.
 *
 * Input: tables. Columns x and y, pairwise by row; each group is fitted on its own.
 * Columns: term (intercept, the columns of x or their powers); estimate and se in unit of y / unit of the term; lo, hi,
 * its confidence interval; t and p of the hypothesis that the term is 0 (log10_p in the summary is of all terms
 * together). Summary: n, dof, r2, residual_sd, f, log10_p. Source: stats/fits/fit.h.
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
static const struct table_column columns[] = {{"term", TABLE_TEXT}, {"estimate", TABLE_REAL}, {"se", TABLE_REAL},
                                              {"lo", TABLE_REAL},   {"hi", TABLE_REAL},       {"t", TABLE_REAL},
                                              {"p", TABLE_REAL},    {"log10_p", TABLE_REAL}};
static const struct table_column human_columns[] = {
    {"term", TABLE_TEXT}, {"estimate", TABLE_ESTIMATE}, {"se", TABLE_REAL}, {"t", TABLE_REAL}, {"p", TABLE_TEXT}};
static const struct table_column figure_columns[] = {
    {"x", TABLE_REAL}, {"y", TABLE_REAL}, {"fit", TABLE_REAL}, {"legend", TABLE_TEXT}};

/* By the names of the columns found: y, then x. */
static void fit_term_name(const struct rows_columns *found, const struct fit *fit, size_t term, char *text, size_t size)
{
    size_t power = fit->intercept ? term : term + 1;
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
        char name[256];
        fit_term_name(&groups->columns, fit, i, name, sizeof name);
        int decimal_places = table_places((term->hi - term->lo) / 2), se_places = table_places(term->se);
        groups_texts(report->table, groups, g);
        table_text(report->table, name);
        table_rounded(report->table, term->estimate, decimal_places);
        table_rounded(report->table, term->se, se_places); /* with few dof far below the half width */
        table_rounded(report->table, term->lo, decimal_places);
        table_rounded(report->table, term->hi, decimal_places);
        table_real(report->table, term->t);
        table_real(report->table, term->p);
        table_real(report->table, term->log10_p);
        groups_texts(report->human, groups, g);
        table_text(report->human, name);
        table_estimate(report->human, term->estimate, term->lo, term->hi);
        table_rounded(report->human, term->se, se_places);
        table_real(report->human, term->t);
        table_p(report->human, term->p, term->log10_p);
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

/* ------------------------------------------------------------------------------------------ figure -- */

/* NAN where there is none. */
struct point {
    double x, y, fitted;
};

static void fit_add_point(struct table *table, const struct groups *groups, size_t g, struct point point,
                          const char *legend)
{
    groups_texts(table, groups, g);
    table_real(table, point.x);
    table_real(table, point.y);
    table_real(table, point.fitted);
    table_text(table, legend);
}

/* The points, and the curve between the smallest and the largest x. */
static void fit_add_figure(const struct groups *groups, size_t g, const struct fit *fit, struct report *report)
{
    const struct series *y = groups_series(groups, g, 0), *x = groups_series(groups, g, 1);
    const struct fit_term *last = &fit->term[fit->terms - 1];
    char estimate[TABLE_ROUND_MAX], legend[TABLE_ROUND_MAX + 8] = "";
    double least = INFINITY, most = -INFINITY;
    table_round_estimate(last->estimate, last->lo, last->hi, false, estimate);
    if (options.degree == 1)
        snprintf(legend, sizeof legend, "slope %s", estimate);
    else
        snprintf(legend, sizeof legend, "degree %" PRIu64 ", r² = %.4g", options.degree, fit->r2);
    for (size_t i = 0; i < x->n; i++) {
        double at = series_double(x, i);
        least = fmin(least, at);
        most = fmax(most, at);
        fit_add_point(report->figure, groups, g, (struct point){at, series_double(y, i), NAN}, legend);
    }
    for (size_t i = 0; i < CURVE_POINTS; i++) {
        struct fit_prediction there;
        double at = least + (most - least) * (double)i / (CURVE_POINTS - 1);
        if (fit_predict(fit, &at, 0.95, &there) == STATS_OK)
            fit_add_point(report->figure, groups, g, (struct point){at, NAN, there.y}, legend);
    }
}

/* ------------------------------------------------------------------------------------------ report -- */

/* Why a group has no fit. */
static void fit_warn_of_status(const struct groups *groups, size_t g, enum stats_status status, size_t dependent,
                               struct report *report, struct error_text *first)
{
    const struct fit terms = {.intercept = !options.no_intercept};
    char term[256];
    const char *name = groups_name(groups, g);
    if (status == STATS_DEPENDENT) {
        fit_term_name(&groups->columns, &terms, dependent, term, sizeof term);
        leave_out(report, first, name, "",
                  "term '%s' is a linear combination of the terms before it (constant, or a duplicate): "
                  "its coefficient does not exist; leave it out",
                  term);
    } else if (status == STATS_CONSTANT) {
        leave_out(report, first, name, "", "'%s' is constant: there is nothing to explain", groups->columns.values[0]);
    } else if (status == STATS_TOO_FEW) {
        size_t n = groups_series(groups, g, 0)->n;
        leave_out(report, first, name, "", "%zu %s too few for so many terms", n, n == 1 ? "row is" : "rows are");
    } else {
        leave_out(report, first, name, "", "%s", stats_status_text(status));
    }
}

static void fit_add_group(const struct groups *groups, size_t g, double confidence, struct report *report,
                          struct error_text *first)
{
    const struct series *y = groups_series(groups, g, 0), *x[FIT_COLUMNS_MAX];
    size_t count = groups->columns.value_count - 1, dependent = 0;
    struct fit_options how = {(unsigned)options.degree, options.no_intercept, confidence};
    struct fit fit;
    const char *name = groups_name(groups, g);
    for (size_t i = 0; i < count; i++)
        x[i] = groups_series(groups, g, i + 1);
    enum stats_status status = fit_least_squares(y, x, count, how, &fit, &dependent);
    if (status) {
        fit_warn_of_status(groups, g, status, dependent, report, first);
        return;
    }
    fit_add_terms(groups, g, &fit, report);
    fit_add_summary(&fit, name, groups->count == 1, report);
    if (report->figure)
        fit_add_figure(groups, g, &fit, report);
    fit_free(&fit);
}

static int fit_report(void *state, const struct table_settings *settings, void *own, struct report *report,
                      struct error_text *message)
{
    (void)own;
    const struct groups *groups = state;
    struct error_text first = {""};
    report->table = groups_texts_table(groups, TABLE_COLUMNS(columns));
    report->human = groups_texts_table(groups, TABLE_COLUMNS(human_columns));
    report->x_label = groups->columns.values[1];
    report->y_label = groups->columns.values[0];
    if (report->wants_figure)
        report->figure = groups_texts_table(groups, TABLE_COLUMNS(figure_columns));
    if (!report->table || !report->human || (report->wants_figure && !report->figure))
        return error_set(message, STATUS_BAD, "out of memory");
    for (size_t g = 0; g < groups->count; g++)
        fit_add_group(groups, g, settings->confidence, report, &first);
    return table_row_count(report->table) ? STATUS_GOOD : error_set(message, STATUS_BAD, "%s", first.text);
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
        .no_values = true,
        .finalize = fit_finalize,
        .consumer = GROUPS_CONSUMER(&keeps_values),
        .report = fit_report};
    return table_analyzer_main(&program, argc, argv);
}
