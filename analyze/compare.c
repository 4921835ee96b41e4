/*
 * assay compare - how many times slower or faster than the baseline is each group?
 *
 * Input: tables. Values (times) by group.
 * Columns: name, baseline (groups); n, n_baseline (values); ratio = mean / mean of the baseline, with the interval
 * ratio_lo … ratio_hi; speedup = 1/ratio; p of the hypothesis that there is no difference, and log10_p; method of both.
 * Methods: Welch's t with the delta method (stats/compare.h, stats/ratio.h); the same test with a bootstrap interval
 * (BCa); Mann and Whitney's test (stats/rank.h) with a bootstrap interval.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/lib/baseline.h"
#include "analyze/lib/number.h"
#include "analyze/lib/p_text.h"
#include "analyze/lib/tabular.h"
#include "stats/compare.h"
#include "stats/rank.h"
#include "stats/ratio.h"

static struct {
    const char *baseline;
    bool several_files; /* which are what is compared */
} options;

static const bool keeps_values = true;
static const char *const methods[] = {"welch", "bootstrap", "mann-whitney", NULL};
static const char *const figures[] = {"ratios", NULL};

static const struct table_column columns[] = {
    {"metric", TABLE_TEXT},      {"name", TABLE_TEXT},  {"baseline", TABLE_TEXT}, {"n", TABLE_COUNT},
    {"n_baseline", TABLE_COUNT}, {"ratio", TABLE_REAL}, {"ratio_lo", TABLE_REAL}, {"ratio_hi", TABLE_REAL},
    {"speedup", TABLE_REAL},     {"p", TABLE_REAL},     {"log10_p", TABLE_REAL},  {"method", TABLE_TEXT}};
static const struct table_column people_columns[] = {
    {"metric", TABLE_TEXT},      {"name", TABLE_TEXT}, {"n", TABLE_COUNT},    {"ratio", TABLE_ESTIMATE},
    {"speedup", TABLE_ESTIMATE}, {"p", TABLE_TEXT},    {"method", TABLE_TEXT}};

/* A group in a value column, as the methods want it. */
struct side {
    struct group group;
    double *x;
    size_t n;
    double mean, sd;
};

struct comparison {
    struct ratio ratio;
    double p, log10_p;
    const char *method;
};

static int side_init(struct side *side, const struct series *series)
{
    struct real_moments moments;
    side->n = series->n;
    side->x = malloc((series->n ? series->n : 1) * sizeof *side->x);
    if (!side->x)
        return STATS_NO_MEMORY;
    series_to_doubles(series, side->x);
    real_moments_of_series(series, &moments);
    enum stats_status status = group_of_moments(&moments, &side->group);
    if (!status)
        status = real_moments_mean(&moments, &side->mean);
    if (!status)
        status = real_moments_sd(&moments, &side->sd);
    return status;
}

static enum stats_status test(const struct side *a, const struct side *b, bool ranks, double confidence,
                              struct comparison *out)
{
    struct welch_t welch;
    struct mann_whitney mann_whitney;
    enum stats_status status;
    if (ranks) {
        struct rank_group x = {a->x, a->n}, y = {b->x, b->n};
        status = rank_mann_whitney(&x, &y, &mann_whitney);
        if (!status)
            *out = (struct comparison){out->ratio, mann_whitney.p, mann_whitney.log10_p,
                                       mann_whitney.method == RANK_EXACT ? "Mann-Whitney (exact), BCa"
                                                                         : "Mann-Whitney (normal), BCa"};
    } else {
        status = compare_welch(&a->group, &b->group, confidence, &welch);
        if (!status)
            out->p = welch.p, out->log10_p = welch.log10_p;
    }
    return status;
}

static enum stats_status compare(const struct side *a, const struct side *b, const struct tabular_settings *settings,
                                 struct comparison *out)
{
    struct ratio_side x = {a->n, a->mean, a->sd}, y = {b->n, b->mean, b->sd};
    bool delta = strcmp(settings->method, "welch") == 0, ranks = strcmp(settings->method, "mann-whitney") == 0;
    *out = (struct comparison){.p = NAN, .log10_p = NAN, .method = delta ? "Welch t, delta" : "Welch t, BCa"};
    enum stats_status status =
        delta ? ratio_delta(x, y, settings->confidence, &out->ratio)
              : ratio_bootstrap(a->x, a->n, b->x, b->n, RATIO_RESAMPLES, settings->confidence, &out->ratio);
    if (status)
        return status;
    status = test(a, b, ranks, settings->confidence, out);
    return status == STATS_CONSTANT ? STATS_OK : status; /* the ratio stands; there is no test */
}

static void add_row(struct report *report, const char *names[3], const struct side *a, const struct side *b,
                    const struct comparison *found)
{
    const struct ratio *ratio = &found->ratio;
    double half = (ratio->high - ratio->low) / 2, faster = 1 / ratio->ratio;
    double faster_half = ratio->low > 0 ? (1 / ratio->low - 1 / ratio->high) / 2 : NAN;
    int places = table_places(half);
    for (int i = names[0] ? 0 : 1; i < 3; i++)
        table_text(report->table, names[i]);
    table_count(report->table, a->n);
    table_count(report->table, b->n);
    table_rounded(report->table, ratio->ratio, places);
    table_rounded(report->table, ratio->low, places);
    table_rounded(report->table, ratio->high, places);
    table_rounded(report->table, faster, table_places(faster_half));
    table_real(report->table, found->p);
    table_real(report->table, found->log10_p);
    table_text(report->table, found->method);
    char p[P_TEXT_MAX];
    for (int i = names[0] ? 0 : 1; i < 2; i++)
        table_text(report->people, names[i]);
    table_count(report->people, a->n);
    table_estimate(report->people, ratio->ratio, half);
    table_estimate(report->people, faster, faster_half);
    p_text(found->p, found->log10_p, p);
    table_text(report->people, p);
    table_text(report->people, found->method);
}

/* ------------------------------------------------------------------------------------------ report -- */

static enum stats_status compare_pair(const struct groups *groups, size_t g, size_t baseline, size_t value,
                                      const struct tabular_settings *settings, struct report *report)
{
    struct side side = {0}, below = {0};
    struct comparison found;
    const char *name = groups_name(groups, g), *base_name = groups_name(groups, baseline);
    const char *metric = groups->columns.value_count > 1 ? groups->columns.values[value] : NULL;
    enum stats_status status = side_init(&side, groups_series(groups, g, value));
    if (!status)
        status = side_init(&below, groups_series(groups, baseline, value));
    if (!status)
        status = compare(&side, &below, settings, &found);
    if (status)
        report_warn(report, "%s (%zu values): no comparison with %s (%zu values): %s", name, side.n, base_name, below.n,
                    stats_status_text(status));
    else
        add_row(report, (const char *[3]){metric, name, base_name}, &side, &below, &found);
    free(side.x);
    free(below.x);
    return status;
}

static void compare_groups(const struct groups *groups, size_t value, const struct baseline *baseline,
                           const struct tabular_settings *settings, struct report *report)
{
    for (size_t g = 0; g < groups->count; g++) {
        size_t partner = baseline_of(groups, baseline, g);
        if (partner == BASELINE_NONE)
            report_warn(report, "%s: %s has no such group to compare with", groups_name(groups, g), baseline->text);
        else if (partner != g)
            compare_pair(groups, g, partner, value, settings, report);
    }
}

static int report(void *state, const struct tabular_settings *settings, void *own, struct report *report,
                  struct complaint *complaint)
{
    (void)own;
    const struct groups *groups = state;
    struct baseline baseline;
    size_t first = groups->columns.value_count > 1 ? 0 : 1; /* is there a column "metric"? */
    int status = baseline_find(groups, options.baseline, options.several_files, &baseline, complaint);
    if (status)
        return status;
    report->table = table_new(columns + first, sizeof columns / sizeof columns[0] - first);
    report->people = table_new(people_columns + first, sizeof people_columns / sizeof people_columns[0] - first);
    if (!report->table || !report->people)
        return complain(complaint, STATUS_BAD, "out of memory");
    for (size_t v = 0; v < groups->columns.value_count; v++)
        compare_groups(groups, v, &baseline, settings, report);
    char percent[NUMBER_PERCENT_MAX];
    report_note(report, "ratio of the means to that of %s, with its %s %% interval; each p is of one comparison alone",
                options.baseline ? options.baseline : "the first group", number_percent(settings->confidence, percent));
    if (table_row_count(report->table) == 0)
        return complain(complaint, STATUS_BAD, "nothing can be compared: a group needs two values, and a mean above 0");
    return STATUS_GOOD;
}

static int settle(void *own, struct tabular_settings *settings, struct complaint *complaint)
{
    (void)own, (void)complaint;
    options.several_files = settings->path_count > 1 && settings->request.group_count == 0;
    settings->request.one_series_a_file |= options.several_files;
    return STATUS_GOOD;
}

static int parse(int key, char *arg, void *own)
{
    (void)own;
    if (key != 0x100)
        return ARGP_ERR_UNKNOWN;
    options.baseline = arg;
    return 0;
}

int main(int argc, char **argv)
{
    static const struct argp_option own_options[] = {
        {"baseline", 0x100, "NAME", 0,
         "the group to compare with (default: the first one); with several group columns also a text of the first", 0},
        {0}};
    static const struct tabular program = {
        .name = "compare",
        .doc =
            "How many times slower or faster than the baseline is each group?\v"
            "Examples:\n"
            "  assay compare --value time --by version --baseline v1 times.csv\n"
            "  assay compare hyperfine.json                      values and names are those of the tool\n"
            "  assay compare --baseline old.json old.json new.json    each benchmark with its like in the other file\n"
            "  assay compare --by version,program --baseline v1 --method bootstrap --format latex times.csv",
        .options = own_options,
        .parse = parse,
        .methods = methods,
        .figures = figures,
        .settle = settle,
        .consumer = {groups_init, groups_feed, groups_merge, groups_free, &keeps_values},
        .report = report};
    return tabular_main(&program, argc, argv);
}
