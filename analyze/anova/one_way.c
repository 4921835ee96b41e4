#include "analyze/anova/one_way.h"

#include <math.h>
#include <stdlib.h>

#include "base/grow.h"
#include "stats/inference/anova.h"
#include "stats/inference/rank.h"
#include "table/model/p_text.h"

struct one_way_row {
    const char *metric;
    struct anova test;
    struct anova_welch welch;
    struct kruskal_wallis ranks;
    uint64_t whole_dof_between, whole_dof_within, groups, n;
    const char *p, *p_family_text;
    struct tail family; /* p, adjusted */
};

#define METRIC_COLUMN COLUMN(one_way_row, "metric", TABLE_TEXT, metric, "The column of values that the row is about.")
#define SIZE_COLUMNS                                                                                                   \
    COLUMN(one_way_row, "groups", TABLE_COUNT, groups, "The number of groups that the test compares."),                \
        COLUMN(one_way_row, "n", TABLE_COUNT, n, "The number of their values.")

static const char p_meaning[] = "The p-value of the hypothesis that all means are equal.";
static const char log10_p_meaning[] = "The decimal logarithm of p; it stays exact where p is too small for a double.";

/* The adjusted p, as all tests have it. */
#define FAMILY_COLUMNS                                                                                                 \
    COLUMN(one_way_row, "p_family", TABLE_REAL, family.p,                                                              \
           "p, adjusted for the number of tests in the table by the method of --family.", .readers = COLUMN_MACHINE,   \
           .when = ONE_WAY_FAMILY),                                                                                    \
        COLUMN(one_way_row, "p_family", TABLE_TEXT, p_family_text, NULL, .readers = COLUMN_HUMAN,                      \
               .when = ONE_WAY_FAMILY),                                                                                \
        COLUMN(one_way_row, "log10_p_family", TABLE_REAL, family.log10_p, "Its decimal logarithm.",                    \
               .readers = COLUMN_MACHINE, .when = ONE_WAY_FAMILY)

static const struct column variance_columns[] = {
    METRIC_COLUMN,
    COLUMN(one_way_row, "f", TABLE_REAL, test.f,
           "ms_between / ms_within. It is infinite, with a warning, if every group is constant and the groups differ."),
    COLUMN(one_way_row, "dof_between", TABLE_REAL, test.dof_between, "Degrees of freedom between groups: groups - 1.",
           .readers = COLUMN_MACHINE),
    COLUMN(one_way_row, "dof_within", TABLE_REAL, test.dof_within, "Degrees of freedom within groups: n - groups.",
           .readers = COLUMN_MACHINE),
    COLUMN(one_way_row, "dof_between", TABLE_COUNT, whole_dof_between, NULL, .readers = COLUMN_HUMAN),
    COLUMN(one_way_row, "dof_within", TABLE_COUNT, whole_dof_within, NULL, .readers = COLUMN_HUMAN),
    COLUMN(one_way_row, "p", TABLE_REAL, test.p, p_meaning, .readers = COLUMN_MACHINE),
    COLUMN(one_way_row, "p", TABLE_TEXT, p, NULL, .readers = COLUMN_HUMAN),
    COLUMN(one_way_row, "log10_p", TABLE_REAL, test.log10_p, log10_p_meaning, .readers = COLUMN_MACHINE),
    FAMILY_COLUMNS,
    COLUMN(one_way_row, "ss_between", TABLE_REAL, test.ss_between, "The sum of squares between groups.",
           .readers = COLUMN_MACHINE),
    COLUMN(one_way_row, "ss_within", TABLE_REAL, test.ss_within, "The sum of squares within groups.",
           .readers = COLUMN_MACHINE),
    COLUMN(one_way_row, "ms_between", TABLE_REAL, test.ms_between,
           "The mean square between groups: ss_between / dof_between.", .readers = COLUMN_MACHINE),
    COLUMN(one_way_row, "ms_within", TABLE_REAL, test.ms_within,
           "The mean square within groups: ss_within / dof_within.", .readers = COLUMN_MACHINE),
    COLUMN(one_way_row, "eta2", TABLE_REAL, test.eta2,
           "Effect size: the share of variance that groups explain in these values, ss_between / (ss_between + "
           "ss_within)."),
    COLUMN(one_way_row, "omega2", TABLE_REAL, test.omega2,
           "Effect size: an estimate of that share in the population. It is below 0 where f < 1."),
    COLUMN(one_way_row, "residual_sd", TABLE_REAL, test.residual_sd,
           "The square root of ms_within: the standard deviation within groups."),
    SIZE_COLUMNS};
static const struct column welch_columns[] = {
    METRIC_COLUMN,
    COLUMN(one_way_row, "f", TABLE_REAL, welch.f, "Welch's F, which weights each group by its own variance."),
    COLUMN(one_way_row, "dof_between", TABLE_REAL, welch.dof_between, "Degrees of freedom between groups: groups - 1."),
    COLUMN(one_way_row, "dof_within", TABLE_REAL, welch.dof_within,
           "Degrees of freedom within groups, by Welch's formula."),
    COLUMN(one_way_row, "p", TABLE_REAL, welch.p, p_meaning),
    COLUMN(one_way_row, "log10_p", TABLE_REAL, welch.log10_p, log10_p_meaning),
    FAMILY_COLUMNS,
    SIZE_COLUMNS};
static const struct column rank_columns[] = {
    METRIC_COLUMN,
    COLUMN(one_way_row, "h", TABLE_REAL, ranks.h, "Kruskal and Wallis' H, corrected for ties."),
    COLUMN(one_way_row, "dof", TABLE_REAL, ranks.dof, "Its degrees of freedom: groups - 1."),
    COLUMN(one_way_row, "p", TABLE_REAL, ranks.p,
           "The p-value of the hypothesis that all groups have the same distribution."),
    COLUMN(one_way_row, "log10_p", TABLE_REAL, ranks.log10_p, log10_p_meaning),
    FAMILY_COLUMNS,
    SIZE_COLUMNS};

const struct columns one_way_tables[] = {
    [ONE_WAY_FISHER] = COLUMNS("One row for each metric (value column), by Fisher's test", variance_columns),
    [ONE_WAY_WELCH] = COLUMNS("With --method welch", welch_columns),
    [ONE_WAY_RANKS] = COLUMNS("With --method kruskal-wallis", rank_columns)};

static enum stats_status one_way_test_ranks(const struct metric *metric, struct kruskal_wallis *found)
{
    struct rank_group *groups;
    enum stats_status status = metric_rank_groups(metric, &groups);
    if (!status)
        status = rank_kruskal_wallis(groups, metric->count, found);
    metric_rank_groups_free(metric, groups);
    return status;
}

enum stats_status one_way_add(struct one_way_rows *rows, const struct metric *metric)
{
    struct one_way_row row = {.metric = metric->name};
    enum stats_status status = rows->kind == ONE_WAY_FISHER  ? anova_one_way(metric->tested, metric->count, &row.test)
                               : rows->kind == ONE_WAY_WELCH ? anova_welch(metric->tested, metric->count, &row.welch)
                                                             : one_way_test_ranks(metric, &row.ranks);
    if (status)
        return status;
    struct one_way_row *items = grow_unset(rows->items, &rows->capacity, rows->count, sizeof *items);
    if (!items)
        return STATS_NO_MEMORY;
    row.whole_dof_between = (uint64_t)row.test.dof_between;
    row.whole_dof_within = (uint64_t)row.test.dof_within;
    row.groups = row.test.groups + row.welch.groups + row.ranks.groups; /* of the one that was made */
    row.n = row.test.n + row.welch.n + row.ranks.n;
    rows->items = items;
    items[rows->count++] = row;
    return STATS_OK;
}

static struct tail one_way_p(const struct one_way_rows *rows, size_t i)
{
    const struct one_way_row *row = &rows->items[i];
    return rows->kind == ONE_WAY_FISHER  ? (struct tail){row->test.p, row->test.log10_p}
           : rows->kind == ONE_WAY_WELCH ? (struct tail){row->welch.p, row->welch.log10_p}
                                         : (struct tail){row->ranks.p, row->ranks.log10_p};
}

enum stats_status one_way_report(struct one_way_rows *rows, const enum family_method *family, struct report *report)
{
    struct tail *adjusted = calloc(rows->count + 1, sizeof *adjusted);
    enum stats_status status = adjusted ? STATS_OK : STATS_NO_MEMORY;
    for (size_t i = 0; i < rows->count && !status; i++)
        adjusted[i] = one_way_p(rows, i);
    if (family && rows->count > 0 && !status)
        status = family_adjust(*family, adjusted, rows->count, adjusted);
    for (size_t i = 0; i < rows->count && !status; i++) {
        struct one_way_row *row = &rows->items[i];
        char p[P_TEXT_MAX], p_family[P_TEXT_MAX];
        row->family = adjusted[i];
        p_text(row->test.p, row->test.log10_p, p);
        p_text(row->family.p, row->family.log10_p, p_family);
        row->p = p;
        row->p_family_text = p_family;
        report_row(report, row);
        if (rows->kind == ONE_WAY_FISHER && isinf(row->test.f))
            report_warn(report, "%s: every group is constant, and they differ: F is infinite", row->metric);
    }
    if (family && rows->count > 0 && !status)
        report_note(report, "p_family: p adjusted by %s for the %zu test%s of this table", family_name(*family),
                    rows->count, rows->count == 1 ? "" : "s");
    free(adjusted);
    return status;
}

void one_way_free(struct one_way_rows *rows)
{
    free(rows->items);
    *rows = (struct one_way_rows){0};
}
