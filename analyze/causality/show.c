#include "analyze/causality/verdicts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cli/number.h"
#include "table/model/table_round.h"
#include "base/text.h"

static const struct table_column columns[] = {
    {"method", TABLE_TEXT}, {"slope", TABLE_REAL},   {"lo", TABLE_REAL},    {"hi", TABLE_REAL},
    {"r2", TABLE_REAL},     {"points", TABLE_COUNT}, {"runs", TABLE_COUNT}, {"invalid_points", TABLE_COUNT},
    {"verdict", TABLE_TEXT}};
static const struct table_column figure_columns[] = {{"method", TABLE_TEXT},    {"x", TABLE_REAL},
                                                     {"y", TABLE_REAL},         {"fit", TABLE_REAL},
                                                     {"reference", TABLE_REAL}, {"reference_legend", TABLE_TEXT},
                                                     {"legend", TABLE_TEXT}};
static const char *const verdicts[] = {"actionable", "not actionable", "undecided"};

/* A slope that only changed programs could have is not a wrong one: it is none. */
static const char *show_verdict_text(const struct points_method *method, const struct slope_verdict *found)
{
    return found->reason == VERDICT_NO_SLOPE && method->invalid > 0 ? "invalid" : verdicts[found->verdict];
}

enum { COLUMNS_MAX = 80, NAME_MAX_BYTES = 600 };

/* The columns of --by first; one that is called as another column gets "group_" before its name. */
static struct table *show_new_table(const struct show *show, const struct table_column *own, size_t own_count)
{
    struct table_column all[COLUMNS_MAX];
    char names[COLUMNS_MAX][256];
    for (size_t i = 0; i < show->by_count; i++) {
        bool taken = false;
        for (size_t j = 0; j < own_count; j++)
            taken |= strcmp(own[j].name, show->by[i]) == 0;
        snprintf(names[i], sizeof names[i], "%s%s", taken ? "group_" : "", show->by[i]);
        all[i] = (struct table_column){names[i], TABLE_TEXT};
    }
    memcpy(all + show->by_count, own, own_count * sizeof *own);
    return table_new(all, show->by_count + own_count);
}

static void show_add_texts(const struct show *show, struct table *table, const struct points_method *method)
{
    for (size_t i = 0; i <= show->by_count; i++)
        table_text(table, method->texts[i]);
}

/* "hprof, PyFrame.setlocal" */
static void show_method_name(const struct show *show, const struct points_method *method, char name[NAME_MAX_BYTES])
{
    *name = '\0';
    for (size_t i = 0; i <= show->by_count; i++)
        error_list(name, NAME_MAX_BYTES, method->texts[i]);
}

/* 1 - confidence, without what binary fractions add to it. */
static const char *show_risk_text(const struct verdict_options *how, char percent[NUMBER_PERCENT_MAX])
{
    return number_percent(rint((1 - how->confidence) * 1e12) / 1e12, percent);
}

bool show_begin(struct show *show, bool share)
{
    struct report *report = show->report;
    char percent[NUMBER_PERCENT_MAX], risk[NUMBER_PERCENT_MAX];
    const char *confidence = number_percent(verdict_confidence(show->how, show->how->look), percent);
    report->table = show_new_table(show, columns, sizeof columns / sizeof *columns);
    report->summary =
        json_pack("{s:s, s:f, s:f, s:[], s:[]}", "regression", show->how->instrument ? "instrument" : "least squares",
                  "tolerance", show->how->tolerance, "confidence", verdict_confidence(show->how, show->how->look),
                  "methods", "means");
    if (report->wants_figure)
        report->figure = show_new_table(show, figure_columns, sizeof figure_columns / sizeof *figure_columns);
    report->x_label = "Change of the program's time";
    report->y_label = "Change that the profiler reported";
    report_note(report, "slope of reported over real time by %s; lo-hi: %s %% interval by %s%s over runs",
                show->how->instrument ? "the injected amount (an instrument: S_zy/S_zx, all runs together)"
                                      : "least squares, one per run, mean over runs",
                confidence, show->how->instrument ? "Fieller's method and " : "",
                show->how->use_z ? "the normal quantile (z)" : "Student's t");
    if (show->how->look > 0)
        report_note(report,
                    "look %" PRIu64 ": all looks together, however many, are wrong with a probability of %s %% at most",
                    show->how->look, show_risk_text(show->how, risk));
    if (!show->how->instrument)
        report_note(report,
                    "least squares takes the program's time as exact: its noise pulls a slope towards %s; "
                    "--amount COL is free of that",
                    share ? "the share itself" : "0 (at most from slope/r2)");
    report_note(report,
                "actionable: the whole interval lies within %g to %g (--tolerance); not actionable: all of it outside",
                1 - show->how->tolerance, 1 + show->how->tolerance);
    return report->table && report->summary && (!report->wants_figure || report->figure);
}

/* The slopes of one subject of --by, for their mean: the last row of the paper's Tables 2 and 3. */
static void show_add_to_mean(struct show *show, const struct points_method *method, double slope)
{
    char name[NAME_MAX_BYTES] = "";
    for (size_t i = 0; i < show->by_count; i++)
        error_list(name, sizeof name, method->texts[i]);
    json_t *means = json_object_get(show->report->summary, "means");
    size_t i = 0;
    while (i < json_array_size(means) &&
           strcmp(json_string_value(json_object_get(json_array_get(means, i), "name")), name) != 0)
        i++;
    if (i == json_array_size(means))
        json_array_append_new(
            means, json_pack("{s:o, s:i, s:f}", "name", text_json(name, strlen(name)), "methods", 0, "slope", 0.0));
    json_t *mean = json_array_get(means, i);
    double before = json_real_value(json_object_get(mean, "slope"));
    json_int_t count = json_integer_value(json_object_get(mean, "methods")) + 1;
    json_object_set_new(mean, "methods", json_integer(count));
    json_object_set_new(mean, "slope", json_real(before + (slope - before) / (double)count));
}

/* -------------------------------------------------------------------------------------- messages -- */

/* Beyond this an extrapolation is of no use to anyone. */
enum { MORE_RUNS_MOST = 1000, MORE_RUNS_TEXT_MAX = 192 };

/* How many more runs would decide, as a sentence without its subject; false: nothing can be said. */
static bool show_more_runs_text(const struct slope_verdict *found, char text[MORE_RUNS_TEXT_MAX])
{
    static const char above[] = "more than 1,000";
    char most[32];
    snprintf(most, sizeof most, "%" PRIu64, found->more_runs_hi);
    if (found->more_runs_lo > MORE_RUNS_MOST)
        snprintf(text, MORE_RUNS_TEXT_MAX, "%s more runs would be needed, if the slope stays", above);
    else if (found->more_runs > MORE_RUNS_MOST)
        snprintf(text, MORE_RUNS_TEXT_MAX,
                 "%s more runs would be needed, if the slope stays (at least %" PRIu64 ", by the scatter of %zu runs)",
                 above, found->more_runs_lo, found->runs);
    else
        snprintf(text, MORE_RUNS_TEXT_MAX,
                 "about %" PRIu64 " more run%s would decide, if the slope stays (%" PRIu64
                 " to %s, by the scatter of %zu runs)",
                 found->more_runs, found->more_runs == 1 ? "" : "s", found->more_runs_lo,
                 found->more_runs_hi > MORE_RUNS_MOST ? above : most, found->runs);
    return found->more_runs > 0;
}

static void show_warn_of_reason(struct show *show, const struct points_method *method,
                                const struct slope_verdict *found)
{
    char name[NAME_MAX_BYTES], more[MORE_RUNS_TEXT_MAX];
    struct report *report = show->report;
    show_method_name(show, method, name);
    if (found->reason == VERDICT_NO_SLOPE && method->run_count == 0)
        report_warn(report, "%s: all its points are invalid: it has no slope", name);
    else if (found->reason == VERDICT_NO_SLOPE && method->invalid > 0)
        report_warn(report, "%s: %zu points are invalid, and those that are left have no slope", name, method->invalid);
    else if (found->reason == VERDICT_NO_SLOPE)
        report_warn(report, "%s: no slope: it takes a run with two valid points in which the program's time changes%s",
                    name, show->how->instrument ? " with the amount" : "");
    else if (found->reason == VERDICT_NO_INTERVAL)
        report_warn(report, "%s: one run of two points has no interval", name);
    else if (found->reason == VERDICT_WEAK)
        report_warn(report, "%s: the program's time hardly follows the amount (a weak instrument): inject more", name);
    else if (found->reason == VERDICT_ATTENUATED)
        report_warn(
            report,
            "%s: more runs would not decide: noise in the program's time leaves the slope open up to slope/r2 = "
            "%.3g; inject more, or give --amount",
            name, found->slope / found->r2);
    else if (show_more_runs_text(found, more))
        report_note(report, "%s: %s%s", name,
                    found->reason == VERDICT_FAMILY
                        ? "its own interval decides, but not with all methods judged together: "
                        : "",
                    more);
    else if (found->reason == VERDICT_FAMILY)
        report_warn(report, "%s: its own interval decides, but not with all methods judged together: more runs may",
                    name);
    else if (found->verdict == VERDICT_UNDECIDED)
        report_warn(report, "%s: %s", name,
                    found->of_one_run ? "one run does not decide; with two or more runs, a note says how many would"
                                      : "no number of runs would decide: the slope lies on the bound");
    if (found->runs < method->run_count && found->runs > 0)
        report_warn(report, "%s: the result leaves out %zu of %zu runs: no slope", name,
                    method->run_count - found->runs, method->run_count);
    show->any_of_one_run |= found->of_one_run;
}

static json_t *show_runs_json(uint64_t runs)
{
    return runs > 0 && runs <= MORE_RUNS_MOST ? json_integer((json_int_t)runs) : json_null();
}

static json_t *show_summary_json(const struct show *show, const struct points_method *method,
                                 const struct slope_verdict *found)
{
    static const char *const reasons[] = {"interval",        "no slope", "no interval",
                                          "weak instrument", "family",   "attenuation"};
    char name[NAME_MAX_BYTES], more[MORE_RUNS_TEXT_MAX];
    bool has_text = show_more_runs_text(found, more);
    show_method_name(show, method, name);
    return json_pack("{s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:b}", "name", text_json(name, strlen(name)), "verdict",
                     show_verdict_text(method, found), "reason", reasons[found->reason], "more_runs",
                     show_runs_json(found->more_runs), "more_runs_lo", show_runs_json(found->more_runs_lo),
                     "more_runs_hi", show_runs_json(found->more_runs_hi), "more_runs_text",
                     has_text ? json_string(more) : json_null(), "of_one_run", found->of_one_run);
}

/* -------------------------------------------------------------------------------------- figure -- */

static void show_add_point(struct show *show, const struct points_method *method, double x, double y, double fit,
                           const char *legend)
{
    struct table *figure = show->report->figure;
    show_add_texts(show, figure, method);
    table_real(figure, x);
    table_real(figure, y);
    table_real(figure, fit);
    table_real(figure, x);
    table_text(figure, "actionable (slope 1)");
    table_text(figure, legend);
}

/* As changes: runs are laid over each other by their means, and the line begins where the program is fastest, at 0. */
static void show_plot_method(struct show *show, const struct points_method *method, const struct slope_verdict *found)
{
    char legend[2 * TABLE_ROUND_MAX + 32], estimate[TABLE_ROUND_MAX];
    double least = INFINITY, most = -INFINITY;
    table_round_estimate(found->slope, found->lo, found->hi, false, estimate);
    snprintf(legend, sizeof legend, "slope %s", estimate);
    for (int pass = 0; pass < 2; pass++)
        for (size_t r = 0; r < method->run_count; r++) {
            const struct points_run *run = &method->runs[r];
            struct slope_sums sums;
            if (slope_sums(run->real, run->real, run->reported, run->n, &sums) != STATS_OK)
                continue;
            for (size_t i = 0; i < run->n; i++) {
                double x = run->real[i] - sums.x, y = run->reported[i] - sums.y;
                if (pass == 1)
                    show_add_point(show, method, x - least, y - found->slope * least, NAN, legend);
                least = fmin(least, x);
                most = fmax(most, x);
            }
        }
    show_add_point(show, method, 0, NAN, 0, legend);
    show_add_point(show, method, most - least, NAN, found->slope * (most - least), legend);
}

void show_method(struct show *show, const struct points_method *method, const struct slope_verdict *found)
{
    struct table *table = show->report->table;
    int decimal_places = table_places((found->hi - found->lo) / 2);
    show_add_texts(show, table, method);
    table_rounded(table, found->slope, decimal_places);
    table_rounded(table, found->lo, decimal_places);
    table_rounded(table, found->hi, decimal_places);
    table_real(table, found->r2);
    table_count(table, found->points);
    table_count(table, found->runs);
    table_count(table, method->invalid);
    table_text(table, show_verdict_text(method, found));
    json_array_append_new(json_object_get(show->report->summary, "methods"), show_summary_json(show, method, found));
    show_warn_of_reason(show, method, found);
    if (show->report->figure && isfinite(found->slope))
        show_plot_method(show, method, found);
    if (isfinite(found->slope))
        show_add_to_mean(show, method, found->slope);
}

static void show_note_family(const struct show *show)
{
    char risk[NUMBER_PERCENT_MAX];
    const char *percent = show_risk_text(show->how, risk);
    if (show->how->family > 1)
        report_note(show->report,
                    "verdicts are those of one in %" PRIu64 " methods: any of all these is wrong with a probability of "
                    "%s %% at most (Bonferroni's inequality); lo-hi is each method's own interval",
                    show->how->family, percent);
    else if (show->family > 1)
        report_note(show->report,
                    "verdicts are of all methods%s together: any of them is wrong with a probability of %s %% at most "
                    "(Holm's method, up to %" PRIu64 " methods); lo-hi is each method's own interval",
                    show->by_count > 0 ? " of a profiler or group" : "", percent, show->family);
}

void show_end(struct show *show)
{
    json_t *mean;
    size_t i;
    json_array_foreach(json_object_get(show->report->summary, "means"), i, mean)
    {
        json_int_t methods = json_integer_value(json_object_get(mean, "methods"));
        const char *name = json_string_value(json_object_get(mean, "name"));
        if (methods > 1)
            report_note(show->report, "%s%smean slope of %" JSON_INTEGER_FORMAT " methods: %.2f", name,
                        *name ? ": " : "", methods, json_real_value(json_object_get(mean, "slope")));
    }
    show_note_family(show);
    if (show->any_of_one_run)
        report_note(show->report, "where runs is 1, the interval is that of the points around the line, not of runs");
}
