/* A row for each pair of profilers, or the methods that each pair differs in most. */
#include "analyze/agree/tables_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/agree/finding.h"
#include "base/text.h"

/* -------------------------------------------------------------------------------------- pairs -- */

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
    const struct profiles *profiles = tables->profiles;
    struct measured_pair found;
    int error = measure_pair(view, tables->options->top, &tables->options->intervals, &found);
    if (error)
        return error;
    const char *a = tables_profiler_name(tables, view->side[0].profiler),
               *b = tables_profiler_name(tables, view->side[1].profiler);
    uint32_t top_a = view_hottest(view, 0), top_b = view_hottest(view, 1);
    const char *class = "disagree"; /* those of the paper's Fig. 5 */
    if (top_a == top_b)
        class = "agree";
    else if (profiles_call_count(profiles) == 0)
        class = "unknown";
    else if (profiles_calls(profiles, top_a, top_b) || profiles_calls(profiles, top_b, top_a))
        class = "caller/callee";
    const struct pair_row row = {.a = a,
                                 .b = b,
                                 .hottest_a = top_a == UINT32_MAX ? "" : view_text(view, top_a),
                                 .hottest_b = top_b == UINT32_MAX ? "" : view_text(view, top_b),
                                 .same = top_a == top_b ? "yes" : "no",
                                 .class = class,
                                 .verdict = tables_verdict(&found.distance),
                                 .tau = found.tau.value,
                                 .overlap = found.overlap.value,
                                 .distance = found.distance};
    report_row(tables->report, &row);
    if (!isnan(found.overlap.lo))
        report_note(tables->report,
                    "%s, %s: overlap %.3g [%.3g, %.3g], tau %.3g [%.3g, %.3g]; noise makes up to %.2g of the distance",
                    a, b, found.overlap.value, found.overlap.lo, found.overlap.hi, found.tau.value, found.tau.lo,
                    found.tau.hi, found.noise);
    size_t m = 0;
    while (m < view->methods && !(view->side[0].mean[m] > 0 && view->side[1].mean[m] > 0))
        m++;
    if (m == view->methods)
        report_warn(tables->report, "%s, %s: no method in common: if names differ by signatures, --without-signatures",
                    a, b);
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
        const struct method_row row = {.a = tables_profiler_name(tables, view->side[0].profiler),
                                       .b = tables_profiler_name(tables, view->side[1].profiler),
                                       .method = view_text(view, one->method),
                                       .hotness_a = view->side[0].mean[one->method],
                                       .hotness_b = view->side[1].mean[one->method],
                                       .difference = one->measured,
                                       .verdict = tables_verdict(&one->measured),
                                       .distance = fabs(one->measured.value) / 2};
        report_row(tables->report, &row);
    }
    free(differences);
    return 0;
}

/* -------------------------------------------------------------------------------------- an observer -- */

static int tables_report_observer(const struct tables *tables, const struct view *view)
{
    const char *a = tables_profiler_name(tables, view->side[0].profiler),
               *b = tables_profiler_name(tables, view->side[1].profiler);
    struct observer_row row = {.a = a, .b = b, .same = view_hottest(view, 0) == view_hottest(view, 1) ? "yes" : "no"};
    int error = observer_measure(view, &tables->options->intervals, &row.observed);
    if (error)
        return error;
    row.verdict = tables_verdict(&row.observed.distance);
    row.wall_verdict = tables_verdict(&row.observed.wall);
    row.cpu_verdict = tables_verdict(&row.observed.cpu);
    report_row(tables->report, &row);
    if (isnan(row.observed.wall.value))
        report_warn(tables->report, "%s, %s: the time of runs is not known: only traces of assay record hold it", a, b);
    return 0;
}

/* -------------------------------------------------------------------------------------- each pair -- */

typedef int report_view(const struct tables *tables, const struct view *view);

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
