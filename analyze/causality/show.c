#include "analyze/causality/verdicts.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cli/number.h"
#include "analyze/driver/tables/groups_table.h"
#include "table/model/table_round.h"
#include "base/text.h"

/* ------------------------------------------------------------------------------------------- columns -- */

struct verdict_row {
    const char *method, *verdict;
    struct slope_verdict found;
    double half_width;
    uint64_t points, runs, invalid;
};

static const struct column verdict_columns[] = {
    COLUMN(verdict_row, "method", TABLE_TEXT, method, "The method that was made slower."),
    COLUMN(verdict_row, "slope", TABLE_REAL, found.slope,
           "The slope of reported against real time, of all runs: 1 if the profiler attributes every second that the "
           "program lost to the method, 0 if it sees none of them. It is blank if there is no slope.",
           .half_width = offsetof(struct verdict_row, half_width)),
    COLUMN(verdict_row, "lo", TABLE_REAL, found.lo,
           "The lower end of the method's own interval of the slope, see --confidence and --look.",
           .half_width = offsetof(struct verdict_row, half_width)),
    COLUMN(verdict_row, "hi", TABLE_REAL, found.hi, "The upper end.",
           .half_width = offsetof(struct verdict_row, half_width)),
    COLUMN(verdict_row, "r2", TABLE_REAL, found.r2,
           "The squared correlation of reported and real time around the means of their runs."),
    COLUMN(verdict_row, "points", TABLE_COUNT, points, "The number of points that the slope uses."),
    COLUMN(verdict_row, "runs", TABLE_COUNT, runs, "The number of runs that the slope uses."),
    COLUMN(verdict_row, "invalid_points", TABLE_COUNT, invalid,
           "The number of points that --injected or --valid left out."),
    COLUMN(verdict_row, "verdict", TABLE_TEXT, verdict,
           "actionable if the whole interval lies within the tolerance, not actionable if all of it lies outside, and "
           "undecided otherwise; invalid if invalid points leave no slope. With several methods the verdict uses an "
           "interval that accounts for their number (--family).")};

struct listed_row {
    const char *profiler, *work, *method, *run;
    double amount, program_ms, method_ms;
};

static const struct column listed_columns[] = {
    COLUMN(listed_row, "profiler", TABLE_TEXT, profiler, "What --by names: the profiler."),
    COLUMN(listed_row, "work", TABLE_TEXT, work, "The work that was injected."),
    COLUMN(listed_row, "method", TABLE_TEXT, method, "The method that was made slower."),
    COLUMN(listed_row, "run", TABLE_TEXT, run, "The run."),
    COLUMN(listed_row, "amount", TABLE_REAL, amount, "The amount of work that was injected."),
    COLUMN(listed_row, "program_ms", TABLE_REAL, program_ms, "The real time: the program's, in ms."),
    COLUMN(listed_row, "method_ms", TABLE_REAL, method_ms,
           "The time that the profiler reported for the method, in ms.")};

const struct columns causality_tables[CAUSALITY_TABLES] = {
    [CAUSALITY_VERDICTS] = COLUMNS("One row for each method, after the columns that --by names; of traces, these are "
                                   "always profiler and work",
                                   verdict_columns),
    [CAUSALITY_POINTS] = COLUMNS("With --points, one row for each point", listed_columns)};

struct plotted_row {
    const char *method, *reference_legend, *legend;
    double x, y, fit;
};

static const struct column plotted_columns[] = {
    COLUMN(plotted_row, "method", TABLE_TEXT, method, NULL),
    COLUMN(plotted_row, "x", TABLE_REAL, x, NULL),
    COLUMN(plotted_row, "y", TABLE_REAL, y, NULL),
    COLUMN(plotted_row, "fit", TABLE_REAL, fit, NULL),
    COLUMN(plotted_row, "reference", TABLE_REAL, x, NULL),
    COLUMN(plotted_row, "reference_legend", TABLE_TEXT, reference_legend, NULL),
    COLUMN(plotted_row, "legend", TABLE_TEXT, legend, NULL)};
static const struct columns plotted =
    COLUMNS("One row for each point, and for both ends of each line", plotted_columns);

int causality_list_points(const struct points *points, struct report *report)
{
    size_t invalid = 0;
    if (report_tables(report, &causality_tables[CAUSALITY_POINTS], 0) != 0)
        return ENOMEM;
    for (const struct points_method *method = points->methods; method < points->methods + points->count; method++) {
        invalid += method->invalid;
        for (const struct points_run *run = method->runs; run < method->runs + method->run_count; run++)
            for (size_t i = 0; i < run->n; i++) {
                const struct listed_row row = {method->texts[0], method->texts[1], method->texts[2], run->name,
                                               run->amount[i],   run->real[i],     run->reported[i]};
                report_row(report, &row);
            }
    }
    if (invalid > 0)
        report_note(report, "%zu of the points are left out: the guard of assay inject calls them invalid", invalid);
    return 0;
}

/* ------------------------------------------------------------------------------------------- verdicts -- */

static const char *const verdicts[] = {"actionable", "not actionable", "undecided"};

/* A slope that only changed programs could have is not a wrong one: it is none. */
static const char *show_verdict_text(const struct points_method *method, const struct slope_verdict *found)
{
    return found->reason == VERDICT_NO_SLOPE && method->invalid > 0 ? "invalid" : verdicts[found->verdict];
}

enum { NAME_MAX_BYTES = 600 };

/* Adds a row for a method to a table whose first columns are those of --by. */
static void show_add_row(const struct show *show, struct table *table, const struct columns *columns,
                         const struct points_method *method, const void *row)
{
    for (size_t i = 0; i < show->by_count; i++)
        table_text(table, method->texts[i]);
    columns_add(table, columns, COLUMNS_MACHINE, 0, row);
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
    report->table = groups_texts_table(show->by, show->by_count, &causality_tables[CAUSALITY_VERDICTS]);
    report->summary =
        json_pack("{s:s, s:f, s:f, s:[], s:[]}", "regression", show->how->instrument ? "instrument" : "least squares",
                  "tolerance", show->how->tolerance, "confidence", verdict_confidence(show->how, show->how->look),
                  "methods", "means");
    if (report->wants_figure)
        report->figure = groups_texts_table(show->by, show->by_count, &plotted);
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

/* -------------------------------------------------------------------------------------- figure -- */

/* As changes: runs are laid over each other by their means, and the line begins where the program is fastest, at 0. */
static void show_plot_method(struct show *show, const struct points_method *method, const struct slope_verdict *found)
{
    char legend[2 * TABLE_ROUND_MAX + 32], estimate[TABLE_ROUND_MAX];
    double least = INFINITY, most = -INFINITY;
    struct plotted_row row = {method->texts[show->by_count], "actionable (slope 1)", legend, 0, 0, NAN};
    table_round_estimate(found->slope, found->lo, found->hi, 0, false, estimate);
    snprintf(legend, sizeof legend, "slope %s", estimate);
    for (int pass = 0; pass < 2; pass++)
        for (size_t r = 0; r < method->run_count; r++) {
            const struct points_run *run = &method->runs[r];
            struct slope_sums sums;
            if (slope_sums(run->real, run->real, run->reported, run->n, &sums) != STATS_OK)
                continue;
            for (size_t i = 0; i < run->n; i++) {
                double x = run->real[i] - sums.x, y = run->reported[i] - sums.y;
                if (pass == 1) {
                    row.x = x - least;
                    row.y = y - found->slope * least;
                    show_add_row(show, show->report->figure, &plotted, method, &row);
                }
                least = fmin(least, x);
                most = fmax(most, x);
            }
        }
    row.y = NAN;
    row.x = row.fit = 0;
    show_add_row(show, show->report->figure, &plotted, method, &row);
    row.x = most - least;
    row.fit = found->slope * (most - least);
    show_add_row(show, show->report->figure, &plotted, method, &row);
}

void show_method(struct show *show, const struct points_method *method, const struct slope_verdict *found)
{
    static const char *const reasons[] = {"interval",        "no slope", "no interval",
                                          "weak instrument", "family",   "attenuation"};
    char name[NAME_MAX_BYTES], more[MORE_RUNS_TEXT_MAX];
    bool has_text = show_more_runs_text(found, more);
    const struct verdict_row row = {.method = method->texts[show->by_count],
                                    .verdict = show_verdict_text(method, found),
                                    .found = *found,
                                    .half_width = (found->hi - found->lo) / 2,
                                    .points = found->points,
                                    .runs = found->runs,
                                    .invalid = method->invalid};
    show_add_row(show, show->report->table, &causality_tables[CAUSALITY_VERDICTS], method, &row);
    show_method_name(show, method, name);
    json_array_append_new(json_object_get(show->report->summary, "methods"),
                          json_pack("{s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:b}", "name", text_json(name, strlen(name)),
                                    "verdict", row.verdict, "reason", reasons[found->reason], "more_runs",
                                    show_runs_json(found->more_runs), "more_runs_lo",
                                    show_runs_json(found->more_runs_lo), "more_runs_hi",
                                    show_runs_json(found->more_runs_hi), "more_runs_text",
                                    has_text ? json_string(more) : json_null(), "of_one_run", found->of_one_run));
    show_warn_of_reason(show, method, found);
    if (show->report->figure && isfinite(found->slope))
        show_plot_method(show, method, found);
    if (isfinite(found->slope))
        show_add_to_mean(show, method, found->slope);
}

void show_end(struct show *show)
{
    char risk[NUMBER_PERCENT_MAX];
    const char *percent = show_risk_text(show->how, risk);
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
    if (show->any_of_one_run)
        report_note(show->report, "where runs is 1, the interval is that of the points around the line, not of runs");
}
