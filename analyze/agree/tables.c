#include "analyze/agree/tables.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/agree/finding.h"
#include "analyze/agree/measure.h"
#include "analyze/agree/observer.h"
#include "analyze/frame/number.h"
#include "analyze/names/unseen.h"
#include "base/complaint.h"
#include "base/text.h"
#include "stats/estimates/proportion.h"

enum { FEW_RUNS = 5 };

/* The share of missing samples, relative to CPU time and clock period, from which a warning is due. */
static const double COVERAGE_LEAST = 0.9;

static const struct table_column pair_columns[] = {
    {"a", TABLE_TEXT},         {"b", TABLE_TEXT},     {"hottest_a", TABLE_TEXT}, {"hottest_b", TABLE_TEXT},
    {"same", TABLE_TEXT},      {"class", TABLE_TEXT}, {"tau", TABLE_REAL},       {"overlap", TABLE_SHARE},
    {"distance", TABLE_SHARE}, {"lo", TABLE_SHARE},   {"hi", TABLE_SHARE}};
static const struct table_column union_columns[] = {
    {"n", TABLE_COUNT}, {"union", TABLE_COUNT}, {"lo", TABLE_REAL}, {"hi", TABLE_REAL}};
static const struct table_column hotness_columns[] = {{"profiler", TABLE_TEXT},
                                                      {"method", TABLE_TEXT},
                                                      {"hotness", TABLE_SHARE},
                                                      {"lo", TABLE_SHARE},
                                                      {"hi", TABLE_SHARE}};
static const struct table_column method_columns[] = {
    {"a", TABLE_TEXT},          {"b", TABLE_TEXT},          {"method", TABLE_TEXT},
    {"hotness_a", TABLE_SHARE}, {"hotness_b", TABLE_SHARE}, {"difference", TABLE_SHARE},
    {"lo", TABLE_SHARE},        {"hi", TABLE_SHARE},        {"distance", TABLE_SHARE}};

enum { HOTNESS_COLUMNS = sizeof hotness_columns / sizeof hotness_columns[0] };

struct tables {
    const struct profiles *profiles;
    const struct tables_options *options;
    struct report *report;
    uint32_t *profilers;
    size_t count;
};

static const char *name_of(const struct tables *tables, uint32_t profiler)
{
    const char *name = tables->profiles->texts.texts[profiler];
    return *name ? name : "(no name)";
}

/* -------------------------------------------------------------------------------------- what is compared -- */

static void list_roles(unsigned roles, char *text, size_t size)
{
    *text = '\0';
    for (unsigned role = 0; role < ROLE_COUNT; role++)
        if (roles & 1u << role)
            complaint_list(text, size, trace_role_name(role));
}

/* The subject of a comparison. */
static void tell_population(const struct tables *tables, const struct view *view)
{
    char seen[128], names[256];
    list_roles(view->roles, seen, sizeof seen);
    for (size_t s = 0; s < view->count; s++) {
        const struct view_side *side = &view->side[s];
        const char *name = name_of(tables, side->profiler);
        if (side->left_out > 0)
            report_warn(tables->report,
                        "%s also sees other threads (%.2f %% of its samples): profilers are compared on the roles that "
                        "all of them see: %s",
                        name, 100 * side->left_out, seen);
        if (side->roles & 1u << PROFILES_ROLE_UNKNOWN && !tables->profiles->shares)
            report_warn(tables->report,
                        side->roles == 1u << PROFILES_ROLE_UNKNOWN
                            ? "%s does not tell its threads apart: it is compared with all threads of the others"
                            : "%s does not know the roles of all its threads: the others are compared with all of "
                              "their threads",
                        name);
        unseen_list(&view->profiles->texts, view->unseen, side->weight, names, sizeof names);
        if (side->unnamed > 0)
            report_warn(tables->report, UNSEEN_WARNING, name, 100 * side->unnamed, names);
    }
}

/* Why there is nothing to compare. */
static void tell_nothing(const struct tables *tables, const struct view *view)
{
    char names[256] = "";
    for (size_t s = 0; s < view->count; s++)
        if (view->side[s].roles == 0)
            complaint_list(names, sizeof names, name_of(tables, view->side[s].profiler));
    if (*names) {
        report_warn(tables->report, "nothing to compare: no samples of %s", names);
        return;
    }
    for (size_t s = 0; s < view->count; s++)
        complaint_list(names, sizeof names, name_of(tables, view->side[s].profiler));
    report_warn(tables->report, "nothing to compare: %s have no threads in common", names);
}

static void tell_runs(const struct tables *tables, const struct view_side *side)
{
    const char *name = name_of(tables, side->profiler);
    if (side->empty_runs > 0)
        report_warn(tables->report, "%s: %zu of %zu runs have nothing to compare and are left out", name,
                    side->empty_runs, side->empty_runs + side->runs);
    if (side->runs == 1)
        report_note(tables->report, "%s: one run gives no interval", name);
    else if (side->runs < FEW_RUNS)
        report_note(tables->report, "%s: %zu runs: intervals from fewer than %d are rough", name, side->runs, FEW_RUNS);
}

/* Whether a profiler has as many samples as expected from its clock and its threads' CPU time. */
static void tell_coverage(const struct tables *tables)
{
    for (size_t p = 0; p < tables->count; p++) {
        double cpu_ns = 0, sampled_ns = 0;
        for (size_t r = 0; r < tables->profiles->runs.count; r++) {
            const struct profiles_run *run = keyed_at(&tables->profiles->runs, r);
            cpu_ns += run->profiler == tables->profilers[p] ? (double)run->cpu_ns : 0;
            sampled_ns += run->profiler == tables->profilers[p] ? (double)run->sampled_ns : 0;
        }
        if (cpu_ns > 0 && sampled_ns < COVERAGE_LEAST * cpu_ns)
            report_warn(tables->report,
                        "%s has %.1f %% of the samples that its period and its threads' CPU time call for: the rest "
                        "were dropped or never taken",
                        name_of(tables, tables->profilers[p]), 100 * sampled_ns / cpu_ns);
    }
}

/* -------------------------------------------------------------------------------------- pairs -- */

enum { UNKNOWN_CLASS, AGREE, CALLER_CALLEE, DISAGREE };
static const char *const class_names[] = {"unknown", "agree", "caller/callee", "disagree"};

/* Of the paper's Fig. 5. */
static int class_of(const struct tables *tables, uint32_t a, uint32_t b)
{
    const struct profiles *profiles = tables->profiles;
    if (a == b)
        return AGREE;
    if (profiles->calls.count == 0)
        return UNKNOWN_CLASS;
    return profiles_calls(profiles, a, b) || profiles_calls(profiles, b, a) ? CALLER_CALLEE : DISAGREE;
}

static void tell_finding(const struct tables *tables, const struct view *view, double noise)
{
    const struct finding found = finding_of(view, noise, &tables->options->intervals);
    const char *a = name_of(tables, view->side[0].profiler), *b = name_of(tables, view->side[1].profiler);
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

static bool share_a_method(const struct view *view)
{
    size_t m = 0;
    while (m < view->methods && !(view->side[0].mean[m] > 0 && view->side[1].mean[m] > 0))
        m++;
    return m < view->methods;
}

static void add_pair(const struct tables *tables, const struct view *view, const struct measured_pair *found)
{
    struct table *table = tables->report->table;
    const char *names[2], *hottest[2] = {"", ""};
    uint32_t top[2];
    for (size_t s = 0; s < 2; s++) {
        names[s] = name_of(tables, view->side[s].profiler);
        top[s] = view_hottest(view, s);
        if (top[s] != UINT32_MAX)
            hottest[s] = view_text(view, top[s]);
        table_text(table, names[s]);
    }
    table_text(table, hottest[0]);
    table_text(table, hottest[1]);
    table_text(table, top[0] == top[1] ? "yes" : "no");
    table_text(table, class_names[class_of(tables, top[0], top[1])]);
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
    if (!share_a_method(view))
        report_warn(tables->report, "%s, %s: no method in common: if names differ by signatures, --without-signatures",
                    names[0], names[1]);
}

static json_t *real_or_null(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static json_t *measured_json(const struct measured *measured)
{
    return json_pack("{s:o, s:o, s:o}", "value", real_or_null(measured->value), "lo", real_or_null(measured->lo), "hi",
                     real_or_null(measured->hi));
}

static void add_pair_summary(const struct tables *tables, const struct view *view, const struct measured_pair *found)
{
    const char *a = name_of(tables, view->side[0].profiler), *b = name_of(tables, view->side[1].profiler);
    if (!tables->report->summary)
        tables->report->summary = json_pack("{s:[]}", "pairs");
    json_array_append_new(json_object_get(tables->report->summary, "pairs"),
                          json_pack("{s:o, s:o, s:o, s:o, s:o, s:f, s:i, s:i}", "a", text_json(a, strlen(a)), "b",
                                    text_json(b, strlen(b)), "overlap", measured_json(&found->overlap), "tau",
                                    measured_json(&found->tau), "distance", measured_json(&found->distance), "noise",
                                    found->noise, "runs_a", (int)view->side[0].runs, "runs_b",
                                    (int)view->side[1].runs));
}

static int report_pair(const struct tables *tables, const struct view *view)
{
    struct measured_pair found;
    int error = measure_pair(view, tables->options->top, &tables->options->intervals, &found);
    if (error)
        return error;
    add_pair(tables, view, &found);
    add_pair_summary(tables, view, &found);
    tell_finding(tables, view, found.noise);
    return 0;
}

/* -------------------------------------------------------------------------------------- methods -- */

struct difference {
    uint32_t method;
    struct measured measured;
};

static int by_size(const void *a, const void *b, void *view)
{
    const struct difference *x = a, *y = b;
    double dx = fabs(x->measured.value), dy = fabs(y->measured.value);
    if (dx != dy)
        return dx > dy ? -1 : 1;
    return strcmp(view_text(view, x->method), view_text(view, y->method));
}

static int report_methods(const struct tables *tables, const struct view *view)
{
    struct table *table = tables->report->table;
    struct difference *differences = malloc((view->methods + 1) * sizeof *differences);
    size_t count = 0;
    if (!differences)
        return ENOMEM;
    for (uint32_t m = 0; m < view->methods; m++)
        if (view->side[0].mean[m] > 0 || view->side[1].mean[m] > 0)
            differences[count++] = (struct difference){m, measure_difference(view, m, &tables->options->intervals)};
    qsort_r(differences, count, sizeof *differences, by_size, (void *)(uintptr_t)view);
    for (size_t i = 0; i < count && i < tables->options->top; i++) {
        const struct difference *one = &differences[i];
        table_text(table, name_of(tables, view->side[0].profiler));
        table_text(table, name_of(tables, view->side[1].profiler));
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

static int report_observer(const struct tables *tables, const struct view *view)
{
    struct observed observed;
    int error = observer_measure(view, &tables->options->intervals, &observed);
    if (error)
        return error;
    observer_row(view, &observed, tables->report->table);
    if (isnan(observed.wall.value))
        report_warn(tables->report, "%s, %s: the time of runs is not known: only traces of assay record hold it",
                    name_of(tables, view->side[0].profiler), name_of(tables, view->side[1].profiler));
    return 0;
}

/* For each pair, on the part that both see. */
static int each_pair(const struct tables *tables, int (*report)(const struct tables *, const struct view *))
{
    int error = 0;
    for (size_t i = 0; !error && i < tables->count; i++)
        for (size_t j = i + 1; !error && j < tables->count; j++) {
            const uint32_t pair[] = {tables->profilers[i], tables->profilers[j]};
            struct view view;
            if (tables->options->question == TABLES_OBSERVER && i > 0)
                break; /* the one without is the first */
            error = view_make(tables->profiles, pair, 2, tables->options->question == TABLES_OBSERVER, &view);
            if (!error && (view.disjoint || view.side[0].runs == 0 || view.side[1].runs == 0))
                tell_nothing(tables, &view);
            else if (!error) {
                tell_population(tables, &view);
                for (size_t s = i + j > 1; i == 0 && s < 2; s++) /* each profiler once */
                    tell_runs(tables, &view.side[s]);
                error = report(tables, &view);
            }
            view_free(&view);
        }
    return error;
}

/* -------------------------------------------------------------------------------------- all together -- */

static int report_unions(const struct tables *tables, const struct view *view)
{
    struct measured unions[MEASURE_TOP_MAX];
    struct table *table = tables->report->table;
    int error = measure_unions(view, tables->options->top, &tables->options->intervals, unions);
    for (size_t n = 0; !error && n < tables->options->top; n++) {
        table_count(table, n + 1);
        table_count(table, (uint64_t)unions[n].value);
        table_real(table, unions[n].lo);
        table_real(table, unions[n].hi);
    }
    if (!error)
        report_note(tables->report,
                    "%zu profilers: Union_n is n if all agree on the n hottest methods, %zun if none do", view->count,
                    view->count);
    return error;
}

/* The methods with the largest HOTNESS in any profiler (§4.3), each of them in all profilers. */
static int fill_hotness(const struct tables *tables, const struct view *view, struct table *table)
{
    const enum interval_method method = tables->options->intervals.use_z ? INTERVAL_Z : INTERVAL_T;
    uint32_t top[MEASURE_TOP_MAX];
    double *most = calloc(view->methods + 1, sizeof *most);
    double *shares = NULL;
    if (!most)
        return ENOMEM;
    for (size_t s = 0; s < view->count; s++)
        for (size_t m = 0; m < view->methods; m++)
            most[m] = fmax(most[m], view->side[s].mean[m]);
    size_t count = view_top(view, most, tables->options->top, top);
    free(most);
    for (size_t s = 0; s < view->count; s++) {
        const struct view_side *side = &view->side[s];
        double *grown = realloc(shares, side->runs * sizeof *shares);
        if (!grown) {
            free(shares);
            return ENOMEM;
        }
        shares = grown;
        for (size_t i = 0; i < count; i++) {
            struct interval interval = {.low = NAN, .high = NAN};
            for (size_t r = 0; r < side->runs; r++)
                shares[r] = side->shares[r * (view->methods + 1) + top[i]];
            proportion_mean_interval(shares, side->runs, method, tables->options->intervals.confidence, &interval);
            table_text(table, name_of(tables, side->profiler));
            table_text(table, view_text(view, top[i]));
            table_real(table, side->mean[top[i]]);
            table_real(table, interval.low);
            table_real(table, interval.high);
        }
    }
    free(shares);
    return 0;
}

static int report_hotness(const struct tables *tables, const struct view *view)
{
    return fill_hotness(tables, view, tables->report->table);
}

/* --plot draws HOTNESS, whatever the table. The table has already given all notes. */
static int draw_hotness(const struct tables *tables)
{
    struct view view;
    int error = view_make(tables->profiles, tables->profilers, tables->count, false, &view);
    bool empty = view.disjoint;
    for (size_t s = 0; !error && !empty && s < view.count; s++)
        empty = view.side[s].runs == 0;
    tables->report->figure = error ? NULL : table_new(hotness_columns, HOTNESS_COLUMNS);
    if (!error && !tables->report->figure)
        error = ENOMEM;
    if (!error && !empty)
        error = fill_hotness(tables, &view, tables->report->figure);
    view_free(&view);
    return error;
}

static int all_together(const struct tables *tables, int (*report)(const struct tables *, const struct view *))
{
    struct view view;
    int error = view_make(tables->profiles, tables->profilers, tables->count, false, &view);
    bool empty = view.disjoint;
    for (size_t s = 0; !error && !empty && s < view.count; s++)
        empty = view.side[s].runs == 0;
    if (!error && empty)
        tell_nothing(tables, &view);
    else if (!error) {
        tell_population(tables, &view);
        for (size_t s = 0; s < view.count; s++)
            tell_runs(tables, &view.side[s]);
        error = report(tables, &view);
    }
    view_free(&view);
    return error;
}

/* -------------------------------------------------------------------------------------- report -- */

#define COLUMNS(columns) columns, sizeof columns / sizeof columns[0]

static struct table *new_table(enum tables_question question)
{
    switch (question) {
    case TABLES_UNION:
        return table_new(COLUMNS(union_columns));
    case TABLES_HOTNESS:
        return table_new(COLUMNS(hotness_columns));
    case TABLES_METHODS:
        return table_new(COLUMNS(method_columns));
    case TABLES_OBSERVER:
        return observer_table();
    default:
        return table_new(COLUMNS(pair_columns));
    }
}

static void tell_method(const struct tables *tables)
{
    char percent[NUMBER_PERCENT_MAX];
    const char *confidence = number_percent(tables->options->intervals.confidence, percent);
    struct report *report = tables->report;
    bool use_z = tables->options->intervals.use_z;
    switch (tables->options->question) {
    case TABLES_UNION:
        report_note(report, "lo-hi: %s %% bootstrap interval over runs%s", confidence,
                    use_z ? "" : ", widened for few runs (Hesterberg 2015)");
        break;
    case TABLES_HOTNESS:
        report_note(report, "self share of a run, mean over runs; lo-hi: %s %% interval by %s", confidence,
                    use_z ? "the normal quantile (z)" : "Student's t");
        break;
    case TABLES_METHODS:
        report_note(report,
                    "difference: b minus a; lo-hi: its %s %% interval by %s; distance: its part of the total variation",
                    confidence, use_z ? "the normal quantile (z)" : "Welch's t");
        break;
    case TABLES_OBSERVER:
        report_note(
            report,
            "distance: total variation of the profiles, noise adds up to `noise`; overhead: mean time of b over that "
            "of a, minus 1 (wall: elapsed; cpu: user and system); %s %% intervals: bootstrap over runs, and "
            "the delta method with Welch's t",
            confidence);
        break;
    default:
        report_note(
            report,
            "overlap and tau: of the %zu hottest methods; distance: total variation of the profiles (0 the same, 1 "
            "nothing in common); lo-hi: its %s %% interval, bootstrap over runs, widened by what noise adds",
            tables->options->top, confidence);
    }
}

static int answer(const struct tables *tables)
{
    switch (tables->options->question) {
    case TABLES_UNION:
        return all_together(tables, report_unions);
    case TABLES_HOTNESS:
        return all_together(tables, report_hotness);
    case TABLES_METHODS:
        return each_pair(tables, report_methods);
    case TABLES_OBSERVER:
        return each_pair(tables, report_observer);
    default:
        return each_pair(tables, report_pair);
    }
}

/* Puts the profiler that the others are compared with first. False if there is none of its name. */
static bool lead_with(struct tables *tables, const char *name)
{
    for (size_t p = 0; p < tables->count; p++) {
        uint32_t found = tables->profilers[p];
        if (strcmp(tables->profiles->texts.texts[found], name) != 0)
            continue;
        memmove(tables->profilers + 1, tables->profilers, p * sizeof *tables->profilers);
        tables->profilers[0] = found;
        return true;
    }
    return false;
}

int tables_report(const struct profiles *profiles, const struct tables_options *options, struct report *report)
{
    struct tables tables = {.profiles = profiles, .options = options, .report = report};
    report->table = new_table(options->question);
    tables.profilers = view_profilers(profiles, &tables.count);
    int error = report->table && tables.profilers ? 0 : ENOMEM;
    if (!error && tables.count < 2 && options->question != TABLES_HOTNESS)
        report_warn(report, "%s: there are fewer than two profilers to compare (--by says what tells them apart)",
                    tables.count ? name_of(&tables, tables.profilers[0]) : "no profile");
    else if (!error && options->question == TABLES_OBSERVER && !lead_with(&tables, options->baseline))
        report_warn(report, "no profiles of '%s', with which to compare the others", options->baseline);
    else if (!error && tables.count > 0)
        error = answer(&tables);
    if (!error && report->wants_figure && options->question != TABLES_HOTNESS && tables.count > 0)
        error = draw_hotness(&tables);
    if (!error) {
        tell_coverage(&tables);
        tell_method(&tables);
        report->unanswered = table_row_count(report->table) == 0;
        if (options->question == TABLES_PAIRS && profiles->calls.count == 0)
            report_note(report, "class: without call stacks it is unknown whether one hottest method calls the other");
    }
    free(tables.profilers);
    return error;
}
