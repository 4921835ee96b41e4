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
#include "analyze/anova/pairs.h"
#include "analyze/anova/shares.h"
#include "table/model/p_text.h"
#include "analyze/driver/tables/groups_table.h"
#include "analyze/driver/tables/table_analyzer.h"
#include "base/text.h"
#include "stats/estimates/cov.h"
#include "stats/inference/anova.h"
#include "stats/inference/rank.h"

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

/* ------------------------------------------------------------------------------------------ the test -- */

struct test_row {
    const char *metric;
    struct anova test;
    struct anova_welch welch;
    struct kruskal_wallis ranks;
    uint64_t whole_dof_between, whole_dof_within, groups, n;
    const char *p;
};

#define METRIC_COLUMN COLUMN(test_row, "metric", TABLE_TEXT, metric, "The column of values that the row is about.")
#define SIZE_COLUMNS                                                                                                   \
    COLUMN(test_row, "groups", TABLE_COUNT, groups, "The number of groups that the test compares."),                   \
        COLUMN(test_row, "n", TABLE_COUNT, n, "The number of their values.")

static const char p_meaning[] = "The p-value of the hypothesis that all means are equal.";
static const char log10_p_meaning[] = "The decimal logarithm of p; it stays exact where p is too small for a double.";

static const struct column variance_columns[] = {
    METRIC_COLUMN,
    COLUMN(test_row, "f", TABLE_REAL, test.f,
           "ms_between / ms_within. It is infinite, with a warning, if every group is constant and the groups differ."),
    COLUMN(test_row, "dof_between", TABLE_REAL, test.dof_between, "Degrees of freedom between groups: groups - 1.",
           .readers = COLUMN_MACHINE),
    COLUMN(test_row, "dof_within", TABLE_REAL, test.dof_within, "Degrees of freedom within groups: n - groups.",
           .readers = COLUMN_MACHINE),
    COLUMN(test_row, "dof_between", TABLE_COUNT, whole_dof_between, NULL, .readers = COLUMN_HUMAN),
    COLUMN(test_row, "dof_within", TABLE_COUNT, whole_dof_within, NULL, .readers = COLUMN_HUMAN),
    COLUMN(test_row, "p", TABLE_REAL, test.p, p_meaning, .readers = COLUMN_MACHINE),
    COLUMN(test_row, "p", TABLE_TEXT, p, NULL, .readers = COLUMN_HUMAN),
    COLUMN(test_row, "log10_p", TABLE_REAL, test.log10_p, log10_p_meaning, .readers = COLUMN_MACHINE),
    COLUMN(test_row, "ss_between", TABLE_REAL, test.ss_between, "The sum of squares between groups.",
           .readers = COLUMN_MACHINE),
    COLUMN(test_row, "ss_within", TABLE_REAL, test.ss_within, "The sum of squares within groups.",
           .readers = COLUMN_MACHINE),
    COLUMN(test_row, "ms_between", TABLE_REAL, test.ms_between,
           "The mean square between groups: ss_between / dof_between.", .readers = COLUMN_MACHINE),
    COLUMN(test_row, "ms_within", TABLE_REAL, test.ms_within, "The mean square within groups: ss_within / dof_within.",
           .readers = COLUMN_MACHINE),
    COLUMN(test_row, "eta2", TABLE_REAL, test.eta2,
           "Effect size: the share of variance that groups explain in these values, ss_between / (ss_between + "
           "ss_within)."),
    COLUMN(test_row, "omega2", TABLE_REAL, test.omega2,
           "Effect size: an estimate of that share in the population. It is below 0 where f < 1."),
    COLUMN(test_row, "residual_sd", TABLE_REAL, test.residual_sd,
           "The square root of ms_within: the standard deviation within groups."),
    SIZE_COLUMNS};
static const struct column welch_columns[] = {
    METRIC_COLUMN,
    COLUMN(test_row, "f", TABLE_REAL, welch.f, "Welch's F, which weights each group by its own variance."),
    COLUMN(test_row, "dof_between", TABLE_REAL, welch.dof_between, "Degrees of freedom between groups: groups - 1."),
    COLUMN(test_row, "dof_within", TABLE_REAL, welch.dof_within,
           "Degrees of freedom within groups, by Welch's formula."),
    COLUMN(test_row, "p", TABLE_REAL, welch.p, p_meaning),
    COLUMN(test_row, "log10_p", TABLE_REAL, welch.log10_p, log10_p_meaning),
    SIZE_COLUMNS};
static const struct column rank_columns[] = {
    METRIC_COLUMN,
    COLUMN(test_row, "h", TABLE_REAL, ranks.h, "Kruskal and Wallis' H, corrected for ties."),
    COLUMN(test_row, "dof", TABLE_REAL, ranks.dof, "Its degrees of freedom: groups - 1."),
    COLUMN(test_row, "p", TABLE_REAL, ranks.p,
           "The p-value of the hypothesis that all groups have the same distribution."),
    COLUMN(test_row, "log10_p", TABLE_REAL, ranks.log10_p, log10_p_meaning),
    SIZE_COLUMNS};

static enum stats_status anova_add_by_variance(const struct metric *metric, struct report *report)
{
    struct test_row row = {.metric = metric->name};
    char p[P_TEXT_MAX];
    enum stats_status status = anova_one_way(metric->tested, metric->count, &row.test);
    if (status)
        return status;
    p_text(row.test.p, row.test.log10_p, p);
    row.p = p;
    row.whole_dof_between = (uint64_t)row.test.dof_between;
    row.whole_dof_within = (uint64_t)row.test.dof_within;
    row.groups = row.test.groups;
    row.n = row.test.n;
    report_row(report, &row);
    if (isinf(row.test.f))
        report_warn(report, "%s: every group is constant, and they differ: F is infinite", metric->name);
    return STATS_OK;
}

static enum stats_status anova_add_welch(const struct metric *metric, struct report *report)
{
    struct test_row row = {.metric = metric->name};
    enum stats_status status = anova_welch(metric->tested, metric->count, &row.welch);
    row.groups = row.welch.groups;
    row.n = row.welch.n;
    if (!status)
        report_row(report, &row);
    return status;
}

static enum stats_status anova_add_kruskal_wallis(const struct metric *metric, struct report *report)
{
    struct test_row row = {.metric = metric->name};
    struct rank_group *groups;
    enum stats_status status = metric_rank_groups(metric, &groups);
    if (!status)
        status = rank_kruskal_wallis(groups, metric->count, &row.ranks);
    metric_rank_groups_free(metric, groups);
    if (status)
        return status;
    row.groups = row.ranks.groups;
    row.n = row.ranks.n;
    report_row(report, &row);
    return STATS_OK;
}

enum { TEST_BY_VARIANCE, TEST_WELCH, TEST_RANKS, TABLE_PAIRS, TABLE_GROUPS, TABLE_FACTORS, TABLE_DUNN, TABLES };
static struct columns tables[TABLES] = {/* main() adds those of other files */
                                        [TEST_BY_VARIANCE] =
                                            COLUMNS("One row for each metric (value column), by Fisher's test",
                                                    variance_columns),
                                        [TEST_WELCH] = COLUMNS("With --method welch", welch_columns),
                                        [TEST_RANKS] = COLUMNS("With --method kruskal-wallis", rank_columns)};

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

static void anova_report_factors(const struct groups *groups, struct report *report, struct error_text *first)
{
    bool balanced = true;
    for (size_t v = 0; v < groups->columns.value_count; v++) {
        struct metric metric;
        enum stats_status status = metric_init(&metric, groups, v, false);
        if (!status)
            status = factors_report(&metric, options.type, report, first, &balanced);
        if (status)
            metric_explain(&metric, status, report, first);
        metric_free(&metric);
    }
    if (table_row_count(report->table) > 0)
        factors_note(options.type, balanced, report);
}

static void anova_report_metric(const struct groups *groups, size_t value, unsigned table, double confidence,
                                struct report *report, struct error_text *first)
{
    struct metric metric;
    /* Welch's and Games and Howell's tests use each group's own variance, which a single value does not have. */
    bool by_variance = table == TEST_WELCH || (options.pairs && strcmp(options.pairs, "games-howell") == 0);
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
                 : table == TEST_WELCH ? anova_add_welch(&metric, report)
                 : table == TEST_RANKS ? anova_add_kruskal_wallis(&metric, report)
                                       : anova_add_by_variance(&metric, report);
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
                     : strcmp(settings->method, "welch") == 0 ? TEST_WELCH
                     : strcmp(settings->method, "anova") != 0 ? TEST_RANKS
                                                              : TEST_BY_VARIANCE;
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
                               : report_tables(report, &tables[table], 0);
    if (report->wants_figure)
        report->figure = groups_values_table(groups);
    report->summary = json_object();
    if (error || !report->summary || (report->wants_figure && !report->figure))
        return error_set(message, STATUS_BAD, "out of memory");
    if (options.factors[0])
        anova_report_factors(groups, report, &first);
    for (size_t v = 0; v < groups->columns.value_count && !options.factors[0]; v++)
        anova_report_metric(groups, v, table, settings->confidence, report, &first);
    if (options.dunn)
        dunn_note(options.family, report);
    return table_row_count(report->table) ? STATUS_GOOD : error_set(message, STATUS_BAD, "%s", first.text);
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
    if (options.has_family && !options.dunn)
        return error_set(message, STATUS_USAGE,
                         "--family adjusts the p of --pairs dunn; those of tukey and games-howell are simultaneous");
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
        {"family", KEY_FAMILY, "METHOD", 0, "how --pairs dunn adjusts p for the number of pairs: holm (default) or bh",
         0},
        {"groups", KEY_GROUPS, NULL, 0, "n, mean, sd, CoV and share of each group", 0},
        {"factors", KEY_FACTORS, "COL,COL", 0, "two factors and their interaction: two-way analysis of variance", 0},
        {"type", KEY_TYPE, "1|2|3", 0, "the type of its sums of squares, where cells differ in size (default: 2)", 0},
        {0}};
    options.type = TWO_WAY_II;
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
