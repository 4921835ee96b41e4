/* Do the phases differ? Analysis of variance of each metric over the calls of the phases. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/phases/rows.h"
#include "table/model/p_text.h"
#include "stats/inference/rank_counted.h"

/* The calls of the phases in one metric; phases without any are left out. */
struct calls {
    struct group *groups,
        *varying; /* varying: those with two or more calls that are not all equal, as Welch's test needs */
    struct rank_counted *ranks;
    double error; /* of the values that are ranked, at most */
    size_t count, varying_count;
    bool complete; /* all values are there to be ranked */
};

static bool phases_anova_add_ranks(struct calls *calls, const struct phases_totals *totals,
                                   const struct phases_total *item, size_t metric)
{
    struct spread spread = {.limit = SPREAD_TIMES};
    if (!phases_spread(totals, item, metric, &spread)) {
        spread_free(&spread);
        return false;
    }
    calls->ranks[calls->count] = (struct rank_counted){spread_sorted(&spread), spread.used};
    calls->complete &= spread.n == calls->groups[calls->count].n;
    calls->error = fmax(calls->error, spread_error(&spread));
    bool good = calls->ranks[calls->count].values || spread.used == 0;
    spread_free(&spread);
    return good;
}

static bool phases_anova_init_calls(struct calls *calls, const struct phases_totals *totals, size_t metric,
                                    const struct analysis_options *options)
{
    *calls = (struct calls){.groups = calloc(totals->count + 1, sizeof *calls->groups),
                            .varying = calloc(totals->count + 1, sizeof *calls->varying),
                            .ranks = calloc(totals->count + 1, sizeof *calls->ranks),
                            .complete = true};
    bool good = calls->groups && calls->varying && calls->ranks;
    for (size_t i = 0; good && i < totals->count; i++) {
        struct phases_estimate estimate;
        if (!totals->items[i].selected)
            continue;
        phases_estimate(totals, &totals->items[i], metric, options, &estimate);
        if (estimate.n == 0)
            continue;
        calls->groups[calls->count] = estimate.group;
        if (estimate.n > 1 && estimate.group.deviations > 0)
            calls->varying[calls->varying_count++] = estimate.group;
        good = phases_anova_add_ranks(calls, totals, &totals->items[i], metric);
        calls->count += good;
    }
    return good;
}

/* The largest p over all metrics, as in Table 4. */
struct largest {
    double p, log10_p;
    const char *metric;
};

static void phases_anova_add_metric(const char *metric, const struct calls *calls, struct largest *largest,
                                    struct report *report)
{
    char p[P_TEXT_MAX], welch_p[P_TEXT_MAX], kruskal_p[P_TEXT_MAX];
    struct phases_anova_row row = {.metric = metric,
                                   .p = p,
                                   .welch_p = welch_p,
                                   .kruskal_p = kruskal_p,
                                   .welch = {.f = NAN, .dof_within = NAN, .p = NAN, .log10_p = NAN},
                                   .kruskal = {.h = NAN, .p = NAN, .log10_p = NAN}};
    enum stats_status status = anova_one_way(calls->groups, calls->count, &row.anova);
    if (status) {
        report_warn(report, "%s: no analysis of variance: %s", metric,
                    status == STATS_TOO_FEW ? "it needs two phases, and more calls than phases"
                                            : stats_status_text(status));
        return;
    }
    status = anova_welch(calls->varying, calls->varying_count, &row.welch);
    if (!status && calls->varying_count < calls->count)
        report_note(report, "%s: Welch's test leaves out %zu of %zu phases, whose calls do not vary", metric,
                    calls->count - calls->varying_count, calls->count);
    if (calls->complete)
        rank_kruskal_wallis_counted(calls->ranks, calls->count, &row.kruskal);
    else
        report_warn(report, "%s: no Kruskal-Wallis test: a state was saved without --anova", metric);
    p_text(row.anova.p, row.anova.log10_p, p);
    p_text(row.welch.p, row.welch.log10_p, welch_p);
    p_text(row.kruskal.p, row.kruskal.log10_p, kruskal_p);
    row.whole_dof_between = (uint64_t)row.anova.dof_between;
    row.whole_dof_within = (uint64_t)row.anova.dof_within;
    row.phases = row.anova.groups;
    row.n = row.anova.n;
    report_row(report, &row);
    if (!largest->metric || row.anova.log10_p > largest->log10_p)
        *largest = (struct largest){row.anova.p, row.anova.log10_p, metric};
}

int phases_anova_table(const struct phases_request *request, const struct phases_totals *totals, struct report *report)
{
    (void)request;
    struct largest largest = {0};
    double error = 0;
    bool good = true;
    for (size_t m = 0; good && m < totals->metric_count; m++) {
        struct calls calls;
        good = phases_anova_init_calls(&calls, totals, m, report->options);
        if (good)
            phases_anova_add_metric(totals->metrics[m].name, &calls, &largest, report);
        error = fmax(error, calls.error);
        for (size_t i = 0; calls.ranks && i < calls.count; i++)
            free((struct rank_value *)(uintptr_t)calls.ranks[i].values);
        free(calls.groups);
        free(calls.varying);
        free(calls.ranks);
    }
    if (!good)
        return ENOMEM;
    report_note(report, "values are the finished calls of each phase, in all runs; calls within calls count in both");
    if (error > 0)
        report_note(report, "Kruskal-Wallis: values that differ by less than %.2g %% may share a rank", 200 * error);
    if (!largest.metric) {
        report->no_result = true;
        return 0;
    }
    char text[P_TEXT_MAX];
    p_text(largest.p, largest.log10_p, text);
    report_note(report, "largest p: %s, of %s (Georges et al. 2004, Table 4)", text, largest.metric);
    json_object_update_new(report->summary,
                           json_pack("{s:f, s:o, s:s}", "max_p", largest.p, "max_log10_p",
                                     isfinite(largest.log10_p) ? json_real(largest.log10_p) : json_null(),
                                     "max_p_metric", largest.metric));
    return 0;
}
