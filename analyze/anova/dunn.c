#include "analyze/anova/dunn.h"

#include <stdlib.h>

#include "stats/inference/compare.h"
#include "stats/inference/rank.h"
#include "table/model/p_text.h"

struct dunn_row {
    const char *metric, *first, *second, *method, *p_text, *p_family_text;
    struct rank_dunn_pair pair;
    struct tail family;
};

static const char log10_p_meaning[] = "The decimal logarithm of p; it stays exact where p is too small for a double.";

static const struct column columns[] = {
    COLUMN(dunn_row, "metric", TABLE_TEXT, metric, "The column of values that the row is about."),
    COLUMN(dunn_row, "first", TABLE_TEXT, first, "A group. Groups are in the order of their appearance."),
    COLUMN(dunn_row, "second", TABLE_TEXT, second, "A later one."),
    COLUMN(dunn_row, "difference", TABLE_REAL, pair.difference,
           "Mean rank of second - mean rank of first, ranks being those among the values of all groups."),
    COLUMN(dunn_row, "z", TABLE_REAL, pair.z, "The difference in its standard errors."),
    COLUMN(dunn_row, "p", TABLE_REAL, pair.p.p,
           "The two-sided p-value of the hypothesis that neither tends to be greater, for this pair alone.",
           .readers = COLUMN_MACHINE),
    COLUMN(dunn_row, "p", TABLE_TEXT, p_text, NULL, .readers = COLUMN_HUMAN),
    COLUMN(dunn_row, "log10_p", TABLE_REAL, pair.p.log10_p, log10_p_meaning, .readers = COLUMN_MACHINE),
    COLUMN(dunn_row, "p_family", TABLE_REAL, family.p,
           "p, adjusted for the number of pairs of the metric by the method of --family.", .readers = COLUMN_MACHINE),
    COLUMN(dunn_row, "p_family", TABLE_TEXT, p_family_text, NULL, .readers = COLUMN_HUMAN),
    COLUMN(dunn_row, "log10_p_family", TABLE_REAL, family.log10_p, "Its decimal logarithm.", .readers = COLUMN_MACHINE),
    COLUMN(dunn_row, "method", TABLE_TEXT, method, "The test: dunn.")};

const struct columns dunn_table = COLUMNS("With --pairs dunn, one row for each pair of groups and metric", columns);

enum stats_status dunn_report(const struct metric *metric, enum family_method family, struct report *report)
{
    struct rank_group *groups = NULL;
    struct rank_dunn_pair *pairs = NULL;
    size_t count = compare_pair_count(metric->count);
    struct tail *adjusted = calloc(count + 1, sizeof *adjusted);
    enum stats_status status = adjusted ? metric_rank_groups(metric, &groups) : STATS_NO_MEMORY;
    if (!status)
        status = rank_dunn(groups, metric->count, &pairs);
    for (size_t i = 0; i < count && !status; i++)
        adjusted[i] = pairs[i].p;
    if (!status)
        status = family_adjust(family, adjusted, count, adjusted);
    for (size_t i = 0; i < count && !status; i++) {
        char p[P_TEXT_MAX], p_family[P_TEXT_MAX];
        p_text(pairs[i].p.p, pairs[i].p.log10_p, p);
        p_text(adjusted[i].p, adjusted[i].log10_p, p_family);
        const struct dunn_row row = {.metric = metric->name,
                                     .first = metric_group_name(metric, pairs[i].first),
                                     .second = metric_group_name(metric, pairs[i].second),
                                     .method = "dunn",
                                     .p_text = p,
                                     .p_family_text = p_family,
                                     .pair = pairs[i],
                                     .family = adjusted[i]};
        report_row(report, &row);
    }
    metric_rank_groups_free(metric, groups);
    free(pairs);
    free(adjusted);
    return status;
}

void dunn_note(enum family_method family, struct report *report)
{
    report_note(report,
                "p_family: p adjusted by %s for the pairs of a metric; p is of one pair alone, by the normal "
                "distribution",
                family_name(family));
}
