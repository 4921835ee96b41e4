#include "analyze/anova/pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/inference/compare.h"
#include "table/model/p_text.h"

static const char log10_p_meaning[] = "The decimal logarithm of p; it stays exact where p is too small for a double.";

struct pair_row {
    const char *metric, *first, *second, *method, *p_text;
    struct column_estimate estimate;
    double difference, low, high, half_width, p, log10_p;
};

static const struct column columns[] = {
    COLUMN(pair_row, "metric", TABLE_TEXT, metric, "The column of values that the row is about."),
    COLUMN(pair_row, "first", TABLE_TEXT, first, "A group. Groups are in the order of their appearance."),
    COLUMN(pair_row, "second", TABLE_TEXT, second, "A later one."),
    COLUMN(pair_row, "difference", TABLE_REAL, difference, "Mean of second - mean of first.",
           .readers = COLUMN_MACHINE),
    COLUMN(pair_row, "difference", TABLE_ESTIMATE, estimate, NULL, .readers = COLUMN_HUMAN),
    COLUMN(pair_row, "lo", TABLE_REAL, low,
           "The lower end of the interval of the difference. All intervals of the table hold simultaneously with the "
           "given confidence.",
           .readers = COLUMN_MACHINE),
    COLUMN(pair_row, "hi", TABLE_REAL, high, "Its upper end.", .readers = COLUMN_MACHINE),
    COLUMN(pair_row, "half_width", TABLE_REAL, half_width, "Half its width.", .readers = COLUMN_MACHINE),
    COLUMN(pair_row, "p", TABLE_REAL, p,
           "The p-value of the hypothesis that the two means are equal, corrected for the number of pairs. It and the "
           "interval are blank, with a warning, if Games and Howell's test finds both groups constant.",
           .readers = COLUMN_MACHINE),
    COLUMN(pair_row, "p", TABLE_TEXT, p_text, NULL, .readers = COLUMN_HUMAN),
    COLUMN(pair_row, "log10_p", TABLE_REAL, log10_p, log10_p_meaning, .readers = COLUMN_MACHINE),
    COLUMN(pair_row, "method", TABLE_TEXT, method, "The test: tukey or games-howell.")};

const struct columns pairs_table =
    COLUMNS("With --pairs tukey or games-howell, one row for each pair of groups and metric", columns);

enum stats_status pairs_report(const struct metric *metric, const char *test, double confidence, struct report *report)
{
    struct compare_pair *pairs;
    enum stats_status status = strcmp(test, "tukey") == 0
                                   ? compare_tukey(metric->tested, metric->count, confidence, &pairs)
                                   : compare_games_howell(metric->tested, metric->count, confidence, &pairs);
    if (status)
        return status;
    for (size_t i = 0; i < compare_pair_count(metric->count); i++) {
        const struct compare_pair *pair = &pairs[i];
        bool known = pair->status == STATS_OK;
        char p[P_TEXT_MAX];
        p_text(known ? pair->p : NAN, known ? pair->log10_p : NAN, p);
        const struct pair_row row = {.metric = metric->name,
                                     .first = metric_group_name(metric, pair->first),
                                     .second = metric_group_name(metric, pair->second),
                                     .method = test,
                                     .p_text = p,
                                     .estimate = {pair->difference, known ? pair->low : NAN, known ? pair->high : NAN},
                                     .difference = pair->difference,
                                     .low = known ? pair->low : NAN,
                                     .high = known ? pair->high : NAN,
                                     .half_width = known ? pair->half : NAN,
                                     .p = known ? pair->p : NAN,
                                     .log10_p = known ? pair->log10_p : NAN};
        report_row(report, &row);
        if (!known)
            report_warn(report, "%s: the values of %s are all equal, and so are those of %s: the pair has no p",
                        row.metric, row.first, row.second);
    }
    free(pairs);
    return STATS_OK;
}
