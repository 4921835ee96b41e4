/*
 * assay variance - which functions take a different amount each time they are called, and why?
 *
 * Records: event (method entries and exits, with counters), or instance and sample (calls that were chosen at random).
 * Methods: estimate.h; guidance by Table 5.1. Source: Su, "Pinpointing Performance Inefficiencies via Lightweight
 * Variance Profiling", SC 2019; dissertation 2020, ch. 5.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/driver/analyzer.h"
#include "analyze/cli/number.h"
#include "analyze/variance/tables.h"

enum {
    KEY_CONTEXTS = 0x100,
    KEY_INSTANCES,
    KEY_EXPLAIN,
    KEY_CORRELATE,
    KEY_METRIC,
    KEY_SHARE_OF,
    KEY_SHARE,
    KEY_WITHIN,
    KEY_BETWEEN,
    KEY_UNWEIGHTED
};

static struct analyzer analyzer; /* its figure is that of the request */
static struct variance_request own = {.thresholds = {.share = 0.1, .within = 0.2, .between = 0.1}};

static const struct argp_option options[] = {
    {"contexts", KEY_CONTEXTS, NULL, 0, "a row for each calling context of a function", 0},
    {"instances", KEY_INSTANCES, "FUNCTION", 0, "the single instances of FUNCTION, by thread and time", 0},
    {"explain", KEY_EXPLAIN, "FUNCTION", 0,
     "where the variance of FUNCTION comes from: a tree of what it calls, with each one's share of the variance", 0},
    {"correlate", KEY_CORRELATE, "FUNCTION", 0,
     "what FUNCTION's instances go with: their arguments (record --mode calls --arguments), when they began, the "
     "previous "
     "instance, and the other metrics, such as page faults",
     0},
    {"metric", KEY_METRIC, "NAME", 0,
     "only this metric (--explain, --correlate: of this one instead of the program's time)", 0},
    {"share-of", KEY_SHARE_OF, "METRIC", 0,
     "the metric that counts as the program's time (default: CPU cycles, simulated instructions or CPU time, where "
     "recorded; else time_ns)",
     0},
    {"high-share", KEY_SHARE, "SHARE", 0, "guidance: a higher share of the program's time is high (default: 10%)", 0},
    {"high-within", KEY_WITHIN, "SHARE", 0, "guidance: a higher cv within threads is high (default: 20%)", 0},
    {"high-between", KEY_BETWEEN, "SHARE", 0, "guidance: a higher cv between threads is high (default: 10%)", 0},
    {"unweighted", KEY_UNWEIGHTED, NULL, 0,
     "mode calls: chosen calls count alike; else each counts as often as it represents others, since a clock in time "
     "finds calls after long stretches without any too often",
     0},
    {"top", 'n', "N", 0, "only the first N functions (default: 20 for people, all for machines; 0: all)", 0},
    {0}};

static int variance_parse_option(int key, char *arg, void *unused)
{
    (void)unused;
    switch (key) {
    case KEY_CONTEXTS:
        own.wish.contexts = true;
        return 0;
    case KEY_INSTANCES:
        own.wish.instances = arg;
        analyzer.figure = "scatter";
        return 0;
    case KEY_EXPLAIN:
        own.wish.explain = arg;
        return 0;
    case KEY_CORRELATE:
        own.wish.correlate = arg;
        return 0;
    case KEY_METRIC:
        own.metric = arg;
        return 0;
    case KEY_SHARE_OF:
        own.basis = arg;
        return 0;
    case KEY_SHARE:
        return number_parse_share(arg, &own.thresholds.share);
    case KEY_WITHIN:
        return number_parse_share(arg, &own.thresholds.within);
    case KEY_BETWEEN:
        return number_parse_share(arg, &own.thresholds.between);
    case KEY_UNWEIGHTED:
        own.wish.unweighted = true;
        return 0;
    case 'n':
        own.has_top = true;
        return number_parse_count(arg, 0, UINT32_MAX, &own.top);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void *variance_new_state(const struct analysis_options *unused)
{
    (void)unused;
    return variance_new(&own.wish);
}

/* No run has the metric of an option. */
static void variance_check_metric(const struct variance *variance, const char *option, const char *name,
                                  struct report *report)
{
    bool known = !name;
    for (size_t r = 0; r < variance_run_count(variance); r++)
        known |= name && variance_metric(variance, variance_run_at(variance, r), name) >= 0;
    if (known)
        return;
    report_warn(report, "--%s %s: there is no such metric; assay variance lists all", option, name);
    report->no_result = true;
}

static int variance_report(void *state, struct report *report)
{
    const struct variance *variance = state;
    if (variance_cell_count(variance) == 0) {
        report_warn(report,
                    "no calls: record them with assay record --mode calls, or --mode methods, which needs probes in "
                    "the program, as --mode calls does with engine hooks");
        report->no_result = true;
        report->table = table_new((const struct table_column[]){{"function", TABLE_TEXT}}, 1);
        return report->table ? 0 : ENOMEM;
    }
    variance_check_metric(variance, "metric", own.metric, report);
    variance_check_metric(variance, "share-of", own.basis, report);
    if (own.wish.explain)
        return variance_explain_table(variance, &own, report);
    if (own.wish.correlate)
        return variance_correlate_table(variance, &own, report);
    if (own.wish.instances)
        return variance_instances_table(variance, &own, report);
    return variance_table(variance, &own, report);
}

static struct analyzer analyzer = {
    .name = "variance",
    .doc = "Which functions take a different amount each time they are called, and why?\v"
           "Examples:\n"
           "  assay record --mode calls -o c -- ./program    any program: some calls\n"
           "  assay variance c/*.trace\n"
           "  assay record --mode methods -o m -- ./program  with probes: every call\n"
           "  assay variance m/*.trace\n"
           "  assay variance --explain solve m/*.trace       where its variance comes from\n"
           "  assay variance --correlate solve c/*.trace      what goes with its variance\n"
           "  assay variance --instances solve --format csv m/*.trace\n"
           "  assay variance --contexts --high-within 30% m/*.trace\n",
    .pools = true,
    .by = true,
    .options = options,
    .parse = variance_parse_option,
    .own = &own,
    .inputs = variance_inputs,
    .whole_streams = true,
    .tables = variance_tables,
    .table_count = VARIANCE_TABLES,
    .init = variance_new_state,
    .feed = variance_feed,
    .finalize = variance_finalize,
    .merge = variance_merge,
    .save = variance_save,
    .load = variance_load,
    .report = variance_report,
    .free = variance_free,
};

int main(int argc, char **argv)
{
    return analyzer_main(&analyzer, argc, argv);
}
