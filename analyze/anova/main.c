/*
 * assay anova - do groups differ by more than chance? One-way analysis of variance, and the variation within groups.
 *
 * Input: tables. Values (metrics) by group; only moments are kept, so memory does not grow with the rows (except with
 * --method kruskal-wallis and --plot, which need the values). Columns: metric; f; dof_between, dof_within; p, log10_p;
 * ss_between, ss_within, ms_between, ms_within (sums and means of squares, in the unit squared); eta2, omega2 (effect
 * sizes); residual_sd; groups; n. Methods: anova (Fisher); welch (unequal variances: no sums of squares);
 * kruskal-wallis (ranks: h instead of f).
 * --pairs: which groups differ, by Tukey's HSD or Games-Howell. --groups: n, mean, sd and CoV of each group, its share.
 * Summary: for each metric the overall CoV = Σ share·CoV. A metric without such a statistic is left out (leave_out.h).
 * Source: stats/inference/anova.h, stats/inference/compare.h, stats/inference/rank.h, stats/estimates/cov.h; Georges et
 * al. 2004, §4.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/anova/metric.h"
#include "table/model/p_text.h"
#include "analyze/driver/tables/groups_table.h"
#include "analyze/driver/tables/tabular.h"
#include "base/text.h"
#include "stats/estimates/cov.h"
#include "stats/inference/anova.h"
#include "stats/inference/compare.h"
#include "stats/inference/rank.h"

static struct {
    const char *pairs; /* "tukey", "games-howell" or NULL */
    bool groups, keeps_values;
} options;

static const char *const methods[] = {"anova", "welch", "kruskal-wallis", NULL};
static const char *const figures[] = {"boxplot", "boxplot-tukey", NULL};

/* ------------------------------------------------------------------------------------------ the test -- */

static const struct table_column anova_columns[] = {
    {"metric", TABLE_TEXT},      {"f", TABLE_REAL},         {"dof_between", TABLE_REAL}, {"dof_within", TABLE_REAL},
    {"p", TABLE_REAL},           {"log10_p", TABLE_REAL},   {"ss_between", TABLE_REAL},  {"ss_within", TABLE_REAL},
    {"ms_between", TABLE_REAL},  {"ms_within", TABLE_REAL}, {"eta2", TABLE_REAL},        {"omega2", TABLE_REAL},
    {"residual_sd", TABLE_REAL}, {"groups", TABLE_COUNT},   {"n", TABLE_COUNT}};
static const struct table_column human_columns[] = {
    {"metric", TABLE_TEXT},  {"f", TABLE_REAL},    {"dof_between", TABLE_COUNT}, {"dof_within", TABLE_COUNT},
    {"p", TABLE_TEXT},       {"eta2", TABLE_REAL}, {"omega2", TABLE_REAL},       {"residual_sd", TABLE_REAL},
    {"groups", TABLE_COUNT}, {"n", TABLE_COUNT}};
static const struct table_column welch_columns[] = {
    {"metric", TABLE_TEXT}, {"f", TABLE_REAL},       {"dof_between", TABLE_REAL}, {"dof_within", TABLE_REAL},
    {"p", TABLE_REAL},      {"log10_p", TABLE_REAL}, {"groups", TABLE_COUNT},     {"n", TABLE_COUNT}};
static const struct table_column rank_columns[] = {
    {"metric", TABLE_TEXT},  {"h", TABLE_REAL},       {"dof", TABLE_REAL}, {"p", TABLE_REAL},
    {"log10_p", TABLE_REAL}, {"groups", TABLE_COUNT}, {"n", TABLE_COUNT}};

static enum stats_status anova_add_by_variance(const struct metric *metric, struct report *report)
{
    struct anova a;
    enum stats_status status = anova_one_way(metric->tested, metric->count, &a);
    if (status)
        return status;
    table_text(report->table, metric->name);
    table_reals(report->table,
                (const double[]){a.f, a.dof_between, a.dof_within, a.p, a.log10_p, a.ss_between, a.ss_within,
                                 a.ms_between, a.ms_within, a.eta2, a.omega2, a.residual_sd},
                12);
    table_count(report->table, a.groups);
    table_count(report->table, a.n);
    table_text(report->human, metric->name);
    table_real(report->human, a.f);
    table_count(report->human, (uint64_t)a.dof_between);
    table_count(report->human, (uint64_t)a.dof_within);
    table_p(report->human, a.p, a.log10_p);
    table_reals(report->human, (const double[]){a.eta2, a.omega2, a.residual_sd}, 3);
    table_count(report->human, a.groups);
    table_count(report->human, a.n);
    if (isinf(a.f))
        report_warn(report, "%s: every group is constant, and they differ: F is infinite", metric->name);
    return STATS_OK;
}

static enum stats_status anova_add_welch(const struct metric *metric, struct report *report)
{
    struct anova_welch a;
    enum stats_status status = anova_welch(metric->tested, metric->count, &a);
    if (status)
        return status;
    table_text(report->table, metric->name);
    table_reals(report->table, (const double[]){a.f, a.dof_between, a.dof_within, a.p, a.log10_p}, 5);
    table_count(report->table, a.groups);
    table_count(report->table, a.n);
    return STATS_OK;
}

static enum stats_status anova_add_kruskal_wallis(const struct metric *metric, struct report *report)
{
    size_t count = 0, total = metric->groups->count;
    struct kruskal_wallis found;
    struct rank_group *groups = calloc(total, sizeof *groups);
    enum stats_status status = groups ? STATS_OK : STATS_NO_MEMORY;
    for (size_t g = 0; g < total && !status; g++) {
        const struct series *series = groups_series(metric->groups, g, metric->value);
        if (series->n == 0)
            continue;
        double *x = malloc(series->n * sizeof *x);
        groups[count++] = (struct rank_group){x, series->n};
        status = x ? STATS_OK : STATS_NO_MEMORY;
        if (x)
            series_to_doubles(series, x);
    }
    if (!status)
        status = rank_kruskal_wallis(groups, count, &found);
    for (size_t g = 0; groups && g < count; g++)
        free((double *)(uintptr_t)groups[g].x);
    free(groups);
    if (status)
        return status;
    table_text(report->table, metric->name);
    table_reals(report->table, (const double[]){found.h, found.dof, found.p, found.log10_p}, 4);
    table_count(report->table, found.groups);
    table_count(report->table, found.n);
    return STATS_OK;
}

/* ------------------------------------------------------------------------------------------ pairs, groups -- */

static const struct table_column pair_columns[] = {
    {"metric", TABLE_TEXT},  {"first", TABLE_TEXT}, {"second", TABLE_TEXT},     {"difference", TABLE_REAL},
    {"lo", TABLE_REAL},      {"hi", TABLE_REAL},    {"half_width", TABLE_REAL}, {"p", TABLE_REAL},
    {"log10_p", TABLE_REAL}, {"method", TABLE_TEXT}};

static void anova_add_pair(const struct metric *metric, const struct compare_pair *pair, struct table *table)
{
    bool known = pair->status == STATS_OK;
    int decimal_places = table_places(known ? pair->half : NAN);
    table_text(table, metric->name);
    table_text(table, metric_group_name(metric, pair->first));
    table_text(table, metric_group_name(metric, pair->second));
    table_rounded(table, pair->difference, decimal_places);
    table_rounded(table, known ? pair->low : NAN, decimal_places);
    table_rounded(table, known ? pair->high : NAN, decimal_places);
    table_rounded(table, known ? pair->half : NAN, decimal_places);
    table_real(table, known ? pair->p : NAN);
    table_real(table, known ? pair->log10_p : NAN);
    table_text(table, options.pairs);
}

static enum stats_status anova_add_pairs(const struct metric *metric, double confidence, struct report *report)
{
    struct compare_pair *pairs;
    enum stats_status status = strcmp(options.pairs, "tukey") == 0
                                   ? compare_tukey(metric->tested, metric->count, confidence, &pairs)
                                   : compare_games_howell(metric->tested, metric->count, confidence, &pairs);
    if (status)
        return status;
    for (size_t i = 0; i < compare_pair_count(metric->count); i++) {
        anova_add_pair(metric, &pairs[i], report->table);
        if (pairs[i].status)
            report_warn(report, "%s: the values of %s are all equal, and so are those of %s: the pair has no p",
                        metric->name, metric_group_name(metric, pairs[i].first),
                        metric_group_name(metric, pairs[i].second));
    }
    free(pairs);
    return STATS_OK;
}

static const struct table_column group_columns[] = {
    {"n", TABLE_COUNT}, {"mean", TABLE_REAL}, {"sd", TABLE_REAL}, {"cv", TABLE_REAL}, {"share", TABLE_SHARE}};

static __float128 anova_group_sum(const struct group *group)
{
    return group->mean * (__float128)group->n;
}

/* The denominator of shares; 0 if there are none, and a warning says why. */
static __float128 anova_grand_total(const struct metric *metric, struct report *report)
{
    __float128 total = 0;
    for (size_t g = 0; g < metric->groups->count; g++) {
        __float128 sum = anova_group_sum(&metric->group[g]);
        if (sum < 0) {
            report_warn(report, "%s: no shares: the sum of a group is below 0", metric->name);
            return 0;
        }
        total += sum;
    }
    if (total == 0)
        report_warn(report, "%s: no shares: the sum of all groups is 0", metric->name);
    return total;
}

static enum stats_status anova_add_groups(const struct metric *metric, struct report *report)
{
    __float128 total = anova_grand_total(metric, report);
    for (size_t g = 0; g < metric->groups->count; g++) {
        const struct group *group = &metric->group[g];
        double cv, sd;
        if (group->n == 0)
            continue;
        groups_table_begin(report->table, metric->groups, g, metric->value);
        table_count(report->table, group->n);
        table_real(report->table, (double)group->mean);
        table_real(report->table, group_sd(group, &sd) == STATS_OK ? sd : NAN);
        table_real(report->table, cov_of(group, &cv) == STATS_OK ? cv : NAN);
        table_real(report->table, total > 0 ? (double)(anova_group_sum(group) / total) : NAN);
    }
    return STATS_OK;
}

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

static bool anova_new_tables(const struct groups *groups, const struct tabular_settings *settings,
                             struct report *report)
{
    if (options.pairs)
        report->table = table_new(TABLE_COLUMNS(pair_columns));
    else if (options.groups)
        report->table = groups_table_new(groups, TABLE_COLUMNS(group_columns));
    else if (strcmp(settings->method, "welch") == 0)
        report->table = table_new(TABLE_COLUMNS(welch_columns));
    else if (*settings->method == 'k')
        report->table = table_new(TABLE_COLUMNS(rank_columns));
    else if ((report->table = table_new(TABLE_COLUMNS(anova_columns))))
        report->human = table_new(TABLE_COLUMNS(human_columns));
    if (report->wants_figure)
        report->figure = groups_values_table(groups);
    report->summary = json_object();
    return report->table && report->summary && (report->figure || !report->wants_figure);
}

static void anova_warn_of_left_out(const struct metric *metric, struct report *report)
{
    char names[300];
    size_t count = metric->groups->count;
    if (metric->count < 2 || metric->count == count || metric->value > 0) /* groups are as large in every metric */
        return;
    metric_left_out(metric, names, sizeof names);
    report_warn(report, "%zu of %zu groups left out, since one value says nothing about a variance: %s",
                count - metric->count, count, names);
}

static void anova_report_metric(const struct groups *groups, size_t value, const struct tabular_settings *settings,
                                struct report *report, struct error_text *first)
{
    struct metric metric;
    bool welch = strcmp(settings->method, "welch") == 0;
    /* Welch's and Games and Howell's tests use each group's own variance, which a single value does not have. */
    bool by_variance = welch || (options.pairs && strcmp(options.pairs, "games-howell") == 0);
    enum stats_status status = metric_init(&metric, groups, value, by_variance);
    if (!status) {
        anova_warn_of_left_out(&metric, report);
        status = options.pairs              ? anova_add_pairs(&metric, settings->confidence, report)
                 : options.groups           ? anova_add_groups(&metric, report)
                 : welch                    ? anova_add_welch(&metric, report)
                 : *settings->method == 'k' ? anova_add_kruskal_wallis(&metric, report)
                                            : anova_add_by_variance(&metric, report);
    }
    if (status)
        metric_explain(&metric, status, report, first);
    else
        anova_add_overall_cov(&metric, report);
    metric_free(&metric);
}

static int anova_check_units(const struct groups *groups, struct error_text *message)
{
    for (size_t v = 0; v < groups->columns.value_count; v++) {
        size_t other = groups_other_unit(groups, v);
        if (other != SIZE_MAX)
            return error_set(message, STATUS_BAD,
                             "different units can't be compared: '%.60s' of %.100s is not in %.60s like that of %.100s",
                             groups->columns.values[v], groups_name(groups, other), groups_unit(groups, 0, v),
                             groups_name(groups, 0));
    }
    return STATUS_GOOD;
}

static int anova_report(void *state, const struct tabular_settings *settings, void *own, struct report *report,
                        struct error_text *message)
{
    (void)own;
    const struct groups *groups = state;
    struct error_text first = {""};
    if (groups->count < 2 && !options.groups)
        return error_set(message, STATUS_BAD, "there is only one group; say with --by which column tells groups apart");
    if (anova_check_units(groups, message) != STATUS_GOOD)
        return STATUS_BAD;
    if (!anova_new_tables(groups, settings, report))
        return error_set(message, STATUS_BAD, "out of memory");
    for (size_t v = 0; v < groups->columns.value_count; v++)
        anova_report_metric(groups, v, settings, report, &first);
    return table_row_count(report->table) ? STATUS_GOOD : error_set(message, STATUS_BAD, "%s", first.text);
}

static int anova_finalize(void *own, struct tabular_settings *settings, struct error_text *message)
{
    (void)own;
    options.keeps_values = *settings->method == 'k' || settings->common.result.plot || settings->skip_first > 0;
    if (options.pairs && strcmp(settings->method, "anova") != 0)
        return error_set(message, STATUS_USAGE, "--pairs selects the test; leave --method out");
    if (options.groups && strcmp(settings->method, "anova") != 0)
        return error_set(message, STATUS_USAGE, "--groups is a table without a test; leave --method out");
    if (options.pairs && options.groups)
        return error_set(message, STATUS_USAGE, "--pairs and --groups are two tables; ask for one at a time");
    return STATUS_GOOD;
}

static int anova_parse_option(int key, char *arg, void *own)
{
    (void)own;
    if (key == 0x101)
        options.groups = true;
    else if (key != 0x100)
        return ARGP_ERR_UNKNOWN;
    else if (strcmp(arg, "tukey") != 0 && strcmp(arg, "games-howell") != 0)
        return EINVAL;
    else
        options.pairs = arg;
    return 0;
}

int main(int argc, char **argv)
{
    static const struct argp_option own_options[] = {
        {"pairs", 0x100, "TEST", 0, "which groups differ: tukey (equal variances) or games-howell", 0},
        {"groups", 0x101, NULL, 0, "n, mean, sd, CoV and share of each group", 0},
        {0}};
    static const struct tabular program = {
        .name = "anova",
        .doc = "Do groups differ by more than chance? One-way analysis of variance.\v"
               "Examples:\n"
               "  assay anova --value ipc,cpi --by phase samples.csv\n"
               "  assay anova --value time --by vm --pairs games-howell times.csv\n"
               "  assay anova --value time --by phase --groups times.csv    CoV of each phase",
        .options = own_options,
        .parse = anova_parse_option,
        .methods = methods,
        .figures = figures,
        .finalize = anova_finalize,
        .consumer = GROUPS_CONSUMER(&options.keeps_values),
        .report = anova_report};
    return tabular_main(&program, argc, argv);
}
