/*
 * assay phases - which methods are phases of a program, and what happens in them?
 *
 * Records: event (method entries and exits, with counters). A phase is a method, with all that it calls, in which the
 * program spends more than `weight` of its time, and more than `grain` per call. Columns: phase; calls: in all
 * runs; total_share: of the program's time, mean over runs; mean_share: total_share / calls in a run; metric: time_ns,
 * each counter, and its rate per instruction or second; n: finished calls; mean, sd (n−1), cv of a call; lo, hi:
 * interval of the mean. Summary: theta_weight, theta_grain, phases, invocations, estimated_overhead, probe_ns … Other
 * tables:
 * --totals, --plane, --anova, --components, --bottlenecks, --percentiles,
 * --histogram, --boxes, --baseline, --without, --timeline, --over-time.
 * Source: Georges, Buytaert, Eeckhout, De Bosschere, "Method-Level Phase Behavior in Java Workloads", OOPSLA 2004.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/driver/analyzer.h"
#include "analyze/driver/run_label.h"
#include "analyze/phases/sums/calls.h"
#include "analyze/phases/rows.h"
#include "analyze/cli/number.h"
#include "base/replace.h"

enum {
    KEY_WEIGHT = 0x100,
    KEY_GRANULARITY,
    KEY_AUTO,
    KEY_SELECT,
    KEY_SHARE_OF,
    KEY_BINS,
    KEY_VIEWS, /* and one for each view, in its order */
};

static struct analyzer analyzer; /* its figure is that of the request */
static struct phases_request own = {.weight = 0.1, .granularity = 0.05, .overhead = 0.01, .bins = 100};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "Which methods are phases:", 1},
    {"weight", KEY_WEIGHT, "SHARE", 0,
     "only methods with more than this share of the program's time: 10% or 0.1 (10% if only --grain is given)", 1},
    {"grain", KEY_GRANULARITY, "SHARE", 0,
     "only methods with more than this share of the program's time per call, on average (5% if only --weight is given)",
     1},
    {"auto", KEY_AUTO, "SHARE", 0, "as many as leave the estimated overhead of recording them below this (default: 1%)",
     1},
    {"share-of", KEY_SHARE_OF, "METRIC", 0,
     "the metric that counts as the program's time (default: CPU cycles, simulated instructions or CPU time, where "
     "recorded; else time_ns)",
     1},
    {"select", KEY_SELECT, "FILE", 0, "write the names of the phases to FILE, for assay record --methods", 1},
    {NULL, 0, NULL, 0, "What to show of them:", 2},
    {"totals", KEY_VIEWS + PHASES_VIEW_TOTALS, NULL, 0, "inclusive and exclusive totals of all methods", 2},
    {"plane", KEY_VIEWS + PHASES_VIEW_PLANE, NULL, 0, "number of phases and estimated overhead over both thresholds",
     2},
    {"anova", KEY_VIEWS + PHASES_VIEW_ANOVA, NULL, 0, "do the phases differ? one row per metric", 2},
    {"components", KEY_VIEWS + PHASES_VIEW_COMPONENTS, NULL, 0, "shares of the application and of the VM's components",
     2},
    {"bottlenecks", KEY_VIEWS + PHASES_VIEW_BOTTLENECKS, NULL, 0,
     "what happens in a phase per 1,000 instructions or per ms", 2},
    {"percentiles", KEY_VIEWS + PHASES_VIEW_PERCENTILES, NULL, 0,
     "how long calls take: all methods, p50 to the maximum", 2},
    {"histogram", KEY_VIEWS + PHASES_VIEW_HISTOGRAM, "METHOD", 0, "how long the calls of one method take", 2},
    {"boxes", KEY_VIEWS + PHASES_VIEW_BOXES, "METRIC", 0,
     "mean, standard deviation and range of one metric in each phase, for the box plot", 2},
    {"baseline", KEY_VIEWS + PHASES_VIEW_BASELINE, "PREFIX", 0,
     "compare: traces whose path begins with PREFIX are the old ones, all others the new ones", 2},
    {"without", KEY_VIEWS + PHASES_VIEW_WITHOUT, "PREFIX", 0,
     "do probes cost more than is subtracted, for example because they prevent inlining? traces whose path begins with "
     "PREFIX were recorded with fewer probes or none, all others with all probes",
     2},
    {"timeline", KEY_VIEWS + PHASES_VIEW_TIMELINE, NULL, 0, "which phase each thread is in, over time", 2},
    {"over-time", KEY_VIEWS + PHASES_VIEW_OVER_TIME, "METRIC", 0, "one metric of each thread, over time", 2},
    {"bins", KEY_BINS, "N", 0, "number of time bins for --timeline and --over-time (default: 100)", 2},
    {"top", 'n', "N", 0,
     "only the first N rows of --totals and --percentiles (default: 20 for people, all for machines; 0: all)", 2},
    {0}};

/* What a view fills, and its figure. NULL: it compares two sets of traces. */
static const struct {
    phases_fill *fill;
    const char *figure;
} views[] = {[PHASES_VIEW_PHASES] = {phases_table, "phases-cov"},
             [PHASES_VIEW_TOTALS] = {phases_totals_table, "phases-cov"},
             [PHASES_VIEW_PLANE] = {phases_plane_table, "phases-plane"},
             [PHASES_VIEW_ANOVA] = {phases_anova_table, "phases-cov"},
             [PHASES_VIEW_COMPONENTS] = {phases_components_table, "stacked"},
             [PHASES_VIEW_BOTTLENECKS] = {phases_bottlenecks_table, "phases-cov"},
             [PHASES_VIEW_PERCENTILES] = {phases_percentiles_table, "phases-cov"},
             [PHASES_VIEW_HISTOGRAM] = {phases_histogram_table, "phases-cov"},
             [PHASES_VIEW_BOXES] = {phases_boxes_table, "phases-boxes"},
             [PHASES_VIEW_BASELINE] = {NULL, "phases-cov"},
             [PHASES_VIEW_WITHOUT] = {NULL, "phases-cov"},
             [PHASES_VIEW_TIMELINE] = {phases_timeline_table, "phases-timeline"},
             [PHASES_VIEW_OVER_TIME] = {phases_timeline_table, "scatter"}};

static int phases_parse_option(int key, char *arg, void *unused)
{
    (void)unused;
    switch (key) {
    case KEY_WEIGHT:
    case KEY_GRANULARITY:
        own.has_thetas = true;
        return number_parse_share(arg, key == KEY_WEIGHT ? &own.weight : &own.granularity);
    case KEY_AUTO:
        own.has_thetas = false;
        return number_parse_share(arg, &own.overhead);
    case KEY_SHARE_OF:
        own.basis = arg;
        return 0;
    case KEY_SELECT:
        own.select = arg;
        return 0;
    case KEY_BINS:
        return number_parse_count(arg, 1, 100000, &own.bins);
    case 'n':
        own.has_top = true;
        return number_parse_count(arg, 0, UINT32_MAX, &own.top);
    default:
        if (key <= KEY_VIEWS || key > KEY_VIEWS + PHASES_VIEW_LAST)
            return ARGP_ERR_UNKNOWN;
        own.view = (enum phases_view)(key - KEY_VIEWS);
        analyzer.figure = views[own.view].figure;
        own.metric = own.view == PHASES_VIEW_BOXES || own.view == PHASES_VIEW_OVER_TIME ? arg : NULL;
        own.method = own.view == PHASES_VIEW_HISTOGRAM ? arg : own.method;
        own.baseline = own.view == PHASES_VIEW_BASELINE || own.view == PHASES_VIEW_WITHOUT ? arg : own.baseline;
        return 0;
    }
}

/* Paths tell old and new runs apart. */
static unsigned phases_label(const void *unused)
{
    (void)unused;
    return own.baseline ? RUN_LABEL_FILE : RUN_LABELS;
}

static const char *phases_conflict_by(const void *unused)
{
    (void)unused;
    return own.baseline ? "--baseline and --without compare all traces: leave --by out"
           : own.select ? "--select writes the phases of all traces: leave --by out"
                        : NULL;
}

/* ------------------------------------------------------------------------------------------ state -- */

static void *phases_state_init(const struct analysis_options *unused)
{
    (void)unused;
    return phases_new(own.view == PHASES_VIEW_ANOVA);
}

static json_t *phases_state_save(void *state)
{
    return calls_end(state) ? NULL : relations_save(state);
}

/* ------------------------------------------------------------------------------------------ report -- */

static struct phases_choice phases_mark_chosen(struct phases_totals *totals)
{
    struct phases_choice choice =
        own.has_thetas ? phases_count(totals, own.weight, own.granularity) : phases_choose(totals, own.overhead);
    phases_mark(totals, choice.weight, choice.granularity);
    return choice;
}

static int phases_report_totals(struct phases_totals *totals, struct report *report)
{
    struct phases_choice choice = phases_mark_chosen(totals);
    int error = report_tables(report, &phases_columns[own.view], 0);
    if (!error)
        error = views[own.view].fill(&own, totals, report);
    bool own_figure = strcmp(analyzer.figure, "phases-cov") != 0;
    if (!error && (own.view == PHASES_VIEW_PHASES || (report->wants_figure && !own_figure)))
        error = phases_overall_cov(totals, report);
    if (error)
        return error;
    if (own.select) { /* one name per line, as in tables */
        struct replacement file;
        size_t written = 0;
        error = replace_open(&file, own.select);
        if (!error) {
            for (size_t i = 0; i < totals->count; i++) {
                const char *name = phases_text(totals->phases, totals->items[i].method);
                /* Collections need no probes. */
                if (totals->items[i].selected && !phases_is_collector(totals->phases, totals->items[i].method)) {
                    fprintf(file.out, "%s\n", name);
                    written++;
                }
            }
            error = replace_close(&file, 0);
        }
        if (error)
            report_warn(report, "--select %s: %s", own.select, strerror(error));
        else
            report_note(report, "%s: %zu methods, for assay record --mode methods --methods %s", own.select, written,
                        own.select);
        report->no_result |= error != 0;
    }
    phases_notes(&own, totals, &choice, report);
    return 0;
}

static int phases_warn_of_no_events(const char *which, struct report *report)
{
    report_warn(report, "no events%s%s%s%s: record them with assay record --mode methods",
                own.basis ? " with metric " : "", own.basis ? own.basis : "", *which ? " in traces " : "", which);
    report->no_result = true;
    if (!report->table)
        report->table = table_new((const struct table_column[]){{"phase", TABLE_TEXT}}, 1);
    return report->table ? 0 : ENOMEM;
}

/* Traces of the baseline and the others; both use the same time, so that shares can be compared. */
static int phases_report_baseline(const struct phases *phases, struct report *report)
{
    struct phases_totals totals[2];
    const char *basis = own.basis;
    int errors[2];
    for (int side = 0; side < 2; side++) {
        errors[side] = phases_totals(phases, (struct phases_filter){own.baseline, side == 1}, basis, report->options,
                                     &totals[side]);
        basis = basis || errors[side] ? basis : totals[side].basis;
    }
    int error = errors[0] == ENOMEM || errors[1] == ENOMEM ? ENOMEM : 0;
    struct group timed;
    if (own.view == PHASES_VIEW_WITHOUT && errors[0] == EINVAL && !errors[1] &&
        phases_program_time(phases, (struct phases_filter){own.baseline, false}, PHASES_CPU, &timed))
        errors[0] = 0; /* without any probes */
    if (!error && (errors[0] || errors[1])) {
        const char *which = own.view == PHASES_VIEW_WITHOUT ? "with fewer probes" : "of the baseline";
        const char *rest = own.view == PHASES_VIEW_WITHOUT ? "with all probes" : "other than the baseline";
        error = phases_warn_of_no_events(errors[0] ? which : rest, report);
    } else if (!error) {
        phases_mark_chosen(&totals[0]);
        struct phases_choice choice = phases_mark_chosen(&totals[1]);
        error = report_tables(report, &phases_columns[own.view], 0);
        if (!error)
            error = own.view == PHASES_VIEW_WITHOUT ? phases_without_table(&totals[0], &totals[1], own.baseline, report)
                                                    : phases_baseline_table(&totals[0], &totals[1], report);
        if (!error && report->wants_figure)
            error = phases_overall_cov(&totals[1], report);
        if (!error)
            phases_notes(&own, &totals[1], &choice, report);
    }
    phases_totals_free(&totals[0]);
    phases_totals_free(&totals[1]);
    return error;
}

static int phases_report(void *state, struct report *report)
{
    struct phases_totals totals;
    int error = calls_end(state);
    if (error)
        return error;
    report->summary = json_object();
    report->figure_is_single = own.view == PHASES_VIEW_TIMELINE || own.view == PHASES_VIEW_PLANE;
    if (own.view == PHASES_VIEW_BASELINE || own.view == PHASES_VIEW_WITHOUT)
        return phases_report_baseline(state, report);
    error = phases_totals(state, (struct phases_filter){0}, own.basis, report->options, &totals);
    if (error == EINVAL)
        error = phases_warn_of_no_events("", report);
    else if (!error)
        error = phases_report_totals(&totals, report);
    phases_totals_free(&totals);
    return error;
}

static const struct analyzer_input inputs[] = {{TRACE_EVENT, TRACE_ALL_COLUMNS}, {0, 0}};

static struct analyzer analyzer = {
    .name = "phases",
    .doc = "Which methods are phases of a program, and what happens in them?\v"
           "Examples:\n"
           "  assay record --mode methods -o all -- java -jar app.jar\n"
           "  assay phases --auto 1% --select phases.txt all/*.trace\n"
           "  assay record --mode methods --methods phases.txt --runs 10 -o phases -- \\\n"
           "      java -jar app.jar\n"
           "  assay phases --weight 0 --grain 0 phases/*.trace\n"
           "  assay phases --weight 10% --grain 5% --anova all/*.trace\n"
           "  assay phases --percentiles --top 10 all/*.trace\n"
           "  assay phases --baseline old/ old/*.trace new/*.trace\n"
           "  assay phases --without phases/ phases/*.trace all/*.trace\n",
    .pools = true,
    .by = true,
    .own_by = phases_label,
    .conflict_by = phases_conflict_by,
    .options = options,
    .parse = phases_parse_option,
    .own = &own,
    .inputs = inputs,
    .figure = "phases-cov",
    .tables = phases_columns,
    .table_count = PHASES_VIEW_LAST + 1,
    .relations = phases_relations,
    .relation_count = PHASES_RELATIONS,
    .init = phases_state_init,
    .feed = calls_feed,
    .finalize = phases_count_threads,
    .merge = calls_merge,
    .save = phases_state_save,
    .report = phases_report,
    .free = phases_free,
};

int main(int argc, char **argv)
{
    return analyzer_main(&analyzer, argc, argv);
}
