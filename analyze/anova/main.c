/*
 * assay anova - do groups differ by more than chance? One-way analysis of variance, and the variation within groups.
 *
 * Input: tables. Values (metrics) by group; only moments are kept, so memory does not grow with the rows (except with
 * --method kruskal-wallis and --plot, which need the values).
 * Methods: anova (Fisher); welch (unequal variances: no sums of squares); kruskal-wallis (ranks: h instead of f).
 * --factors: two factors with their interaction (factors.h).
 * --pairs: which groups differ, by Tukey's HSD, Games-Howell or Dunn's test (dunn.h). --groups: n, mean, sd and CoV of
 * each group, its share. Summary: for each metric the overall CoV = Σ share·CoV. A metric without such a statistic is
 * left out (leave_out.h). Source: stats/inference/anova.h, stats/inference/compare.h, stats/inference/rank.h,
 * stats/estimates/cov.h; Georges et al. 2004, §4.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/anova/dunn.h"
#include "analyze/anova/factors.h"
#include "analyze/anova/metric.h"
#include "analyze/anova/one_way.h"
#include "analyze/anova/pairs.h"
#include "analyze/anova/shares.h"
#include "analyze/driver/tables/groups_table.h"
#include "analyze/driver/tables/table_analyzer.h"
#include "base/text.h"
#include "stats/estimates/cov.h"

static struct {
    const char *pairs; /* "tukey", "games-howell", "dunn" or NULL */
    bool dunn, has_family;
    enum family_method family;
    const char *factors[2]; /* NULL without --factors */
    enum two_way_type type;
    bool has_type;
    bool groups, keeps_values;
} options;

static const char *const methods[] = {"anova", "welch", "kruskal-wallis", NULL};
static const char *const figures[] = {"boxplot", "boxplot-tukey", NULL};

/* The first ones are those of enum one_way_kind. */
enum { TABLE_PAIRS = ONE_WAY_KINDS, TABLE_GROUPS, TABLE_FACTORS, TABLE_DUNN, TABLES };
static struct columns tables[TABLES]; /* main() collects them */

/* ------------------------------------------------------------------------------------------ all together -- */

static void anova_add_overall_cov(const struct metric *metric, struct report *report)
{
    struct cov_overall overall;
    char left_out[100] = "";
    enum stats_status status = cov_overall(metric->group, metric->groups->count, NULL, &overall);
    if (status) {
        text_json_set(report->summary, metric->name, json_pack("{s:n}", "overall_cov"));
        report_note(report, "%s: no overall CoV: %s", metric->name,
                    status == STATS_DOMAIN    ? "a mean is not above 0"
                    : status == STATS_TOO_FEW ? "no group has two values and a mean above 0"
                                              : stats_status_text(status));
        return;
    }
    if (overall.left_out)
        snprintf(left_out, sizeof left_out, " (%zu of %zu groups left out: they have one value or mean 0)",
                 overall.left_out, metric->groups->count);
    text_json_set(report->summary, metric->name,
                  json_pack("{s:f, s:I, s:f}", "overall_cov", overall.cov, "groups_left_out",
                            (json_int_t)overall.left_out, "share_left_out", overall.share_left_out));
    report_note(report, "%s: overall CoV %.4g: within groups, weighted by their share of the sum%s", metric->name,
                overall.cov, left_out);
}

static enum stats_status anova_report_factors(const struct groups *groups, const enum family_method *family,
                                              struct report *report, struct error_text *first)
{
    struct factors_rows rows = {.type = options.type, .balanced = true};
    for (size_t v = 0; v < groups->columns.value_count; v++) {
        struct metric metric;
        enum stats_status status = metric_init(&metric, groups, v, false);
        if (!status)
            status = factors_add(&rows, &metric, report, first);
        if (status)
            metric_explain(&metric, status, report, first);
        metric_free(&metric);
    }
    enum stats_status status = factors_report(&rows, family, report);
    factors_rows_free(&rows);
    return status;
}

static void anova_report_metric(const struct groups *groups, size_t value, unsigned table, double confidence,
                                struct one_way_rows *rows, struct report *report, struct error_text *first)
{
    struct metric metric;
    /* Welch's and Games and Howell's tests use each group's own variance, which a single value does not have. */
    bool by_variance = table == ONE_WAY_WELCH || (options.pairs && strcmp(options.pairs, "games-howell") == 0);
    enum stats_status status = metric_init(&metric, groups, value, by_variance);
    if (!status && metric.count >= 2 && metric.count < groups->count && value == 0) {
        char names[300]; /* the same in every metric, since groups are as large in each */
        metric_left_out(&metric, names, sizeof names);
        report_warn(report, "%zu of %zu groups left out, since one value says nothing about a variance: %s",
                    groups->count - metric.count, groups->count, names);
    }
    if (!status && table == TABLE_GROUPS)
        shares_report(&metric, report);
    else if (!status)
        status = table == TABLE_PAIRS  ? pairs_report(&metric, options.pairs, confidence, report)
                 : table == TABLE_DUNN ? dunn_report(&metric, options.family, report)
                                       : one_way_add(rows, &metric);
    if (status)
        metric_explain(&metric, status, report, first);
    else
        anova_add_overall_cov(&metric, report);
    metric_free(&metric);
}

static int anova_report(void *state, const struct table_settings *settings, void *own, struct report *report,
                        struct error_text *message)
{
    (void)own;
    const struct groups *groups = state;
    struct error_text first = {""};
    unsigned table = options.factors[0]                       ? TABLE_FACTORS
                     : options.dunn                           ? TABLE_DUNN
                     : options.pairs                          ? TABLE_PAIRS
                     : options.groups                         ? TABLE_GROUPS
                     : strcmp(settings->method, "welch") == 0 ? ONE_WAY_WELCH
                     : strcmp(settings->method, "anova") != 0 ? ONE_WAY_RANKS
                                                              : ONE_WAY_FISHER;
    if (groups->count < 2 && !options.groups)
        return error_set(message, STATUS_BAD, "there is only one group; say with --by which column tells groups apart");
    for (size_t v = 0; v < groups->columns.value_count; v++) {
        size_t other = groups_other_unit(groups, v);
        if (other != SIZE_MAX)
            return error_set(message, STATUS_BAD,
                             "different units can't be compared: '%.60s' of %.100s is not in %.60s like that of %.100s",
                             groups->columns.values[v], groups_name(groups, other), groups_unit(groups, 0, v),
                             groups_name(groups, 0));
    }
    int error = options.groups ? groups_report_tables(report, groups, true, &tables[table], 0)
                               : report_tables(report, &tables[table], options.has_family ? ONE_WAY_FAMILY : 0);
    if (report->wants_figure)
        report->figure = groups_values_table(groups);
    report->summary = json_object();
    if (error || !report->summary || (report->wants_figure && !report->figure))
        return error_set(message, STATUS_BAD, "out of memory");
    struct one_way_rows rows = {.kind = table < ONE_WAY_KINDS ? table : ONE_WAY_FISHER};
    const enum family_method *family = options.has_family ? &options.family : NULL;
    enum stats_status status = options.factors[0] ? anova_report_factors(groups, family, report, &first) : STATS_OK;
    for (size_t v = 0; v < groups->columns.value_count && !options.factors[0]; v++)
        anova_report_metric(groups, v, table, settings->confidence, &rows, report, &first);
    if (!status)
        status = one_way_report(&rows, family, report);
    one_way_free(&rows);
    if (status)
        return error_set(message, STATUS_BAD, "%s", stats_status_text(status));
    if (options.dunn)
        dunn_note(options.family, report);
    bool any = table_row_count(report->table) > 0 || table_failed(report->table);
    return any ? STATUS_GOOD : error_set(message, STATUS_BAD, "%s", first.text);
}

static int anova_finalize(void *own, struct table_settings *settings, struct error_text *message)
{
    (void)own;
    options.keeps_values = *settings->method == 'k' || options.dunn || result_wants_figure(&settings->common.result) ||
                           settings->skip_first > 0 || settings->only_steady;
    if (options.pairs && strcmp(settings->method, "anova") != 0)
        return error_set(message, STATUS_USAGE, "--pairs selects the test; leave --method out");
    if (options.groups && strcmp(settings->method, "anova") != 0)
        return error_set(message, STATUS_USAGE, "--groups is a table without a test; leave --method out");
    if (options.pairs && options.groups)
        return error_set(message, STATUS_USAGE, "--pairs and --groups are two tables; ask for one at a time");
    if (options.has_family && options.pairs && !options.dunn)
        return error_set(message, STATUS_USAGE,
                         "--family adjusts the p of single tests; those of tukey and games-howell are simultaneous");
    if (options.has_family && options.groups)
        return error_set(message, STATUS_USAGE, "--groups is a table without p; leave --family out");
    if (options.has_type && !options.factors[0])
        return error_set(message, STATUS_USAGE, "--type is of the sums of squares of --factors A,B");
    if (!options.factors[0])
        return STATUS_GOOD;
    if (options.pairs || options.groups || strcmp(settings->method, "anova") != 0)
        return error_set(message, STATUS_USAGE,
                         "--factors is a table of its own; leave --pairs, --groups and --method out");
    if (settings->request.group_count > 0 || settings->request.wide_count > 0 || settings->request.one_series_a_file)
        return error_set(message, STATUS_USAGE, "--factors names the groups; leave --by, --by-file and --wide out");
    settings->request.groups = options.factors;
    settings->request.group_count = 2;
    return STATUS_GOOD;
}

enum { KEY_PAIRS = 0x100, KEY_GROUPS, KEY_FACTORS, KEY_TYPE, KEY_FAMILY };

static int anova_parse_option(int key, char *arg, void *own)
{
    (void)own;
    switch (key) {
    case KEY_PAIRS:
        options.pairs = arg;
        options.dunn = strcmp(arg, "dunn") == 0;
        return options.dunn || strcmp(arg, "tukey") == 0 || strcmp(arg, "games-howell") == 0 ? 0 : EINVAL;
    case KEY_FAMILY:
        options.has_family = true;
        return family_parse(arg, &options.family) ? 0 : EINVAL;
    case KEY_GROUPS:
        options.groups = true;
        return 0;
    case KEY_FACTORS:
        if (table_analyzer_split(arg, options.factors, 2) != 2 || strcmp(options.factors[0], options.factors[1]) == 0)
            return EINVAL;
        return 0;
    case KEY_TYPE:
        options.has_type = true;
        options.type = strcmp(arg, "1") == 0 ? TWO_WAY_I : strcmp(arg, "2") == 0 ? TWO_WAY_II : TWO_WAY_III;
        return strlen(arg) == 1 && strchr("123", *arg) ? 0 : EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv)
{
    static const struct argp_option own_options[] = {
        {"pairs", KEY_PAIRS, "TEST", 0, "which groups differ: tukey (equal variances), games-howell or dunn (ranks)",
         0},
        {"family", KEY_FAMILY, "METHOD", 0,
         "adjust p for the number of tests in the table: holm or bh (--pairs dunn: for the pairs of a metric, by holm "
         "without this option)",
         0},
        {"groups", KEY_GROUPS, NULL, 0, "n, mean, sd, CoV and share of each group", 0},
        {"factors", KEY_FACTORS, "COL,COL", 0, "two factors and their interaction: two-way analysis of variance", 0},
        {"type", KEY_TYPE, "1|2|3", 0, "the type of its sums of squares, where cells differ in size (default: 2)", 0},
        {0}};
    options.type = TWO_WAY_II;
    for (size_t kind = 0; kind < ONE_WAY_KINDS; kind++)
        tables[kind] = one_way_tables[kind];
    tables[TABLE_PAIRS] = pairs_table;
    tables[TABLE_GROUPS] = shares_table;
    tables[TABLE_FACTORS] = factors_table;
    tables[TABLE_DUNN] = dunn_table;
    static const struct table_analyzer program = {
        .name = "anova",
        .doc = "Do groups differ by more than chance? One-way analysis of variance.\v"
               "Examples:\n"
               "  assay anova --value ipc,cpi --by phase samples.csv\n"
               "  assay anova --value time --by vm --pairs games-howell times.csv\n"
               "  assay anova --value time --by phase --groups times.csv    CoV of each phase\n"
               "  assay anova --value time --factors vm,program times.csv   two-way",
        .options = own_options,
        .parse = anova_parse_option,
        .methods = methods,
        .figures = figures,
        .tables = tables,
        .table_count = TABLES,
        .finalize = anova_finalize,
        .has_levels = true,
        .consumer = GROUPS_CONSUMER(&options.keeps_values),
        .report = anova_report};
    return table_analyzer_main(&program, argc, argv);
}
