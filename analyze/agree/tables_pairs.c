/* A row for each pair of profilers, or the methods that each pair differs in most. */
#include "analyze/agree/tables_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/agree/finding.h"
#include "analyze/agree/observer.h"
#include "base/text.h"

static const struct table_column pair_columns[] = {
    {"a", TABLE_TEXT},         {"b", TABLE_TEXT},     {"hottest_a", TABLE_TEXT}, {"hottest_b", TABLE_TEXT},
    {"same", TABLE_TEXT},      {"class", TABLE_TEXT}, {"tau", TABLE_REAL},       {"overlap", TABLE_SHARE},
    {"distance", TABLE_SHARE}, {"lo", TABLE_SHARE},   {"hi", TABLE_SHARE}};
static const struct table_column method_columns[] = {
    {"a", TABLE_TEXT},          {"b", TABLE_TEXT},          {"method", TABLE_TEXT},
    {"hotness_a", TABLE_SHARE}, {"hotness_b", TABLE_SHARE}, {"difference", TABLE_SHARE},
    {"lo", TABLE_SHARE},        {"hi", TABLE_SHARE},        {"distance", TABLE_SHARE}};

/* -------------------------------------------------------------------------------------- pairs -- */

enum { UNKNOWN_CLASS, AGREE, CALLER_CALLEE, DISAGREE };
static const char *const class_names[] = {"unknown", "agree", "caller/callee", "disagree"};

/* The classes are those in the paper's Fig. 5. */
static int tables_pair_class(const struct tables *tables, uint32_t a, uint32_t b)
{
    const struct profiles *profiles = tables->profiles;
    if (a == b)
        return AGREE;
    if (profiles_call_count(profiles) == 0)
        return UNKNOWN_CLASS;
    return profiles_calls(profiles, a, b) || profiles_calls(profiles, b, a) ? CALLER_CALLEE : DISAGREE;
}

static void tables_note_finding(const struct tables *tables, const struct view *view, double noise)
{
    const struct finding found = finding_of(view, noise, &tables->options->intervals);
    const char *a = tables_profiler_name(tables, view->side[0].profiler),
               *b = tables_profiler_name(tables, view->side[1].profiler);
    if (found.kind == FINDING_NONE)
        return;
    const char *from = view_text(view, found.from), *to = view_text(view, found.to);
    const char *relation = "";
    if (profiles_calls(tables->profiles, found.to, found.from))
        relation = ", its caller";
    else if (profiles_calls(tables->profiles, found.from, found.to))
        relation = ", its callee";
    if (found.kind == FINDING_MOVED)
        report_warn(tables->report, "%s, %s: in the latter a share of %.3g moved from %s to %s%s; the rest is the same",
                    a, b, found.amount, from, to, relation);
    else
        report_warn(
            tables->report,
            "%s, %s: in the latter %s has %.3g times the weight relative to all others, which keep their proportions",
            a, b, to, found.amount);
}

static void tables_add_pair(const struct tables *tables, const struct view *view, const struct measured_pair *found)
{
    struct table *table = tables->report->table;
    const char *names[2], *hottest[2] = {"", ""};
    uint32_t top[2];
    for (size_t s = 0; s < 2; s++) {
        names[s] = tables_profiler_name(tables, view->side[s].profiler);
        top[s] = view_hottest(view, s);
        if (top[s] != UINT32_MAX)
            hottest[s] = view_text(view, top[s]);
        table_text(table, names[s]);
    }
    table_text(table, hottest[0]);
    table_text(table, hottest[1]);
    table_text(table, top[0] == top[1] ? "yes" : "no");
    table_text(table, class_names[tables_pair_class(tables, top[0], top[1])]);
    table_real(table, found->tau.value);
    table_real(table, found->overlap.value);
    table_real(table, found->distance.value);
    table_real(table, found->distance.lo);
    table_real(table, found->distance.hi);
    if (!isnan(found->overlap.lo))
        report_note(tables->report,
                    "%s, %s: overlap %.3g [%.3g, %.3g], tau %.3g [%.3g, %.3g]; noise makes up to %.2g of the distance",
                    names[0], names[1], found->overlap.value, found->overlap.lo, found->overlap.hi, found->tau.value,
                    found->tau.lo, found->tau.hi, found->noise);
    size_t m = 0;
    while (m < view->methods && !(view->side[0].mean[m] > 0 && view->side[1].mean[m] > 0))
        m++;
    if (m == view->methods)
        report_warn(tables->report, "%s, %s: no method in common: if names differ by signatures, --without-signatures",
                    names[0], names[1]);
}

static json_t *tables_real_or_null(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static json_t *tables_measured_json(const struct measured *measured)
{
    return json_pack("{s:o, s:o, s:o}", "value", tables_real_or_null(measured->value), "lo",
                     tables_real_or_null(measured->lo), "hi", tables_real_or_null(measured->hi));
}

static void tables_add_pair_summary(const struct tables *tables, const struct view *view,
                                    const struct measured_pair *found)
{
    const char *a = tables_profiler_name(tables, view->side[0].profiler),
               *b = tables_profiler_name(tables, view->side[1].profiler);
    if (!tables->report->summary)
        tables->report->summary = json_pack("{s:[]}", "pairs");
    json_array_append_new(json_object_get(tables->report->summary, "pairs"),
                          json_pack("{s:o, s:o, s:o, s:o, s:o, s:f, s:i, s:i}", "a", text_json(a, strlen(a)), "b",
                                    text_json(b, strlen(b)), "overlap", tables_measured_json(&found->overlap), "tau",
                                    tables_measured_json(&found->tau), "distance",
                                    tables_measured_json(&found->distance), "noise", found->noise, "runs_a",
                                    (int)view->side[0].runs, "runs_b", (int)view->side[1].runs));
}

static int tables_report_pair(const struct tables *tables, const struct view *view)
{
    struct measured_pair found;
    int error = measure_pair(view, tables->options->top, &tables->options->intervals, &found);
    if (error)
        return error;
    tables_add_pair(tables, view, &found);
    tables_add_pair_summary(tables, view, &found);
    tables_note_finding(tables, view, found.noise);
    return 0;
}

/* -------------------------------------------------------------------------------------- methods -- */

struct difference {
    uint32_t method;
    struct measured measured;
};

static int tables_compare_differences(const void *a, const void *b, void *view)
{
    const struct difference *x = a, *y = b;
    double dx = fabs(x->measured.value), dy = fabs(y->measured.value);
    if (dx != dy)
        return dx > dy ? -1 : 1;
    return strcmp(view_text(view, x->method), view_text(view, y->method));
}

static int tables_report_methods(const struct tables *tables, const struct view *view)
{
    struct table *table = tables->report->table;
    struct difference *differences = malloc((view->methods + 1) * sizeof *differences);
    size_t count = 0;
    if (!differences)
        return ENOMEM;
    for (uint32_t m = 0; m < view->methods; m++)
        if (view->side[0].mean[m] > 0 || view->side[1].mean[m] > 0)
            differences[count++] = (struct difference){m, measure_difference(view, m, &tables->options->intervals)};
    qsort_r(differences, count, sizeof *differences, tables_compare_differences, (void *)(uintptr_t)view);
    for (size_t i = 0; i < count && i < tables->options->top; i++) {
        const struct difference *one = &differences[i];
        table_text(table, tables_profiler_name(tables, view->side[0].profiler));
        table_text(table, tables_profiler_name(tables, view->side[1].profiler));
        table_text(table, view_text(view, one->method));
        table_real(table, view->side[0].mean[one->method]);
        table_real(table, view->side[1].mean[one->method]);
        table_real(table, one->measured.value);
        table_real(table, one->measured.lo);
        table_real(table, one->measured.hi);
        table_real(table, fabs(one->measured.value) / 2);
    }
    free(differences);
    return 0;
}

/* -------------------------------------------------------------------------------------- an observer -- */

static int tables_report_observer(const struct tables *tables, const struct view *view)
{
    struct observed observed;
    int error = observer_measure(view, &tables->options->intervals, &observed);
    if (error)
        return error;
    observer_row(view, &observed, tables->report->table);
    if (isnan(observed.wall.value))
        report_warn(tables->report, "%s, %s: the time of runs is not known: only traces of assay record hold it",
                    tables_profiler_name(tables, view->side[0].profiler),
                    tables_profiler_name(tables, view->side[1].profiler));
    return 0;
}

/* -------------------------------------------------------------------------------------- each pair -- */

typedef int report_view(const struct tables *tables, const struct view *view);

struct table *tables_of_pairs(enum tables_question question)
{
    switch (question) {
    case TABLES_METHODS:
        return table_new(method_columns, sizeof method_columns / sizeof method_columns[0]);
    case TABLES_OBSERVER:
        return observer_table();
    default:
        return table_new(pair_columns, sizeof pair_columns / sizeof pair_columns[0]);
    }
}

int tables_each_pair(const struct tables *tables)
{
    report_view *const report = tables->options->question == TABLES_METHODS    ? tables_report_methods
                                : tables->options->question == TABLES_OBSERVER ? tables_report_observer
                                                                               : tables_report_pair;
    int error = 0;
    for (size_t i = 0; !error && i < tables->count; i++)
        for (size_t j = i + 1; !error && j < tables->count; j++) {
            const uint32_t pair[] = {tables->profilers[i], tables->profilers[j]};
            struct view view;
            if (tables->options->question == TABLES_OBSERVER && i > 0)
                break; /* the one without is the first */
            error = view_make(tables->profiles, pair, 2, tables->options->question == TABLES_OBSERVER, &view);
            if (!error && (view.disjoint || view.side[0].runs == 0 || view.side[1].runs == 0))
                tables_warn_of_nothing(tables, &view);
            else if (!error) {
                tables_note_population(tables, &view);
                for (size_t s = i + j > 1; i == 0 && s < 2; s++) /* each profiler once */
                    tables_warn_of_runs(tables, &view.side[s]);
                error = report(tables, &view);
            }
            view_free(&view);
        }
    return error;
}
