#include "analyze/driver/tables/steady_part.h"

#include <stdlib.h>

#include "analyze/driver/tables/groups_table.h"

/* What was left out of several processes. */
struct steady_totals {
    size_t processes, unsteady, short_ones; /* with values in this column */
    size_t iterations, before;              /* of all; before the steady state, in those that have one */
    size_t unsteady_iterations, short_iterations;
};

static void steady_part_count(const struct steady_cut *cut, struct steady_totals *totals)
{
    totals->processes += cut->iterations > 0;
    totals->iterations += cut->iterations;
    totals->unsteady += cut->unsteady;
    totals->short_ones += cut->short_one;
    if (cut->unsteady)
        totals->unsteady_iterations += cut->before;
    else if (cut->short_one)
        totals->short_iterations += cut->before;
    else
        totals->before += cut->before;
}

static enum stats_status steady_part_cut_series(struct series *series, const struct warmup_options *options,
                                                struct steady_cut *cut)
{
    struct warmup found;
    *cut = (struct steady_cut){.iterations = series->n, .before = series->n};
    if (series->n == 0)
        return STATS_OK;
    enum stats_status status = warmup_of_series(series, options, &found);
    cut->short_one = status == STATS_TOO_FEW;
    if (status == STATS_OK) {
        cut->before = found.steady_from;
        cut->unsteady = found.class == WARMUP_UNSTEADY;
        warmup_free(&found);
    }
    if (status && status != STATS_TOO_FEW)
        return status;
    series_drop_first(series, cut->before);
    return STATS_OK;
}

int steady_part_keep(struct groups *groups, const struct warmup_options *options, struct steady_cut **cuts,
                     struct error_text *message)
{
    size_t count = groups->count * groups->columns.value_count;
    struct steady_totals totals = {0};
    if (groups->columns.within_count == 0 && !groups->columns.lone_process)
        return error_set(message, STATUS_USAGE,
                         "--steady needs the iterations of each process; --within COL names the column that tells the "
                         "processes of a group apart");
    struct steady_cut *made = calloc(count + 1, sizeof *made);
    enum stats_status status = made ? STATS_OK : STATS_NO_MEMORY;
    for (size_t i = 0; i < count && !status; i++) {
        status = steady_part_cut_series(&groups->series[i], options, &made[i]);
        steady_part_count(&made[i], &totals);
    }
    if (!status && totals.processes > totals.unsteady + totals.short_ones) {
        *cuts = made;
        return STATUS_GOOD;
    }
    free(made);
    if (status)
        return error_set(message, STATUS_BAD, "--steady: %s", stats_status_text(status));
    return error_set(message, STATUS_BAD,
                     "--steady leaves nothing: of %zu processes %zu have no steady state, and %zu fewer than the %d "
                     "iterations that are needed; assay warmup --processes shows them",
                     totals.processes, totals.unsteady, totals.short_ones, (int)WARMUP_N_MIN);
}

/* ------------------------------------------------------------------------------------------ report -- */

static void steady_part_note(const struct steady_totals *totals, const char *metric, struct report *report)
{
    char unsteady[120] = "", short_ones[120] = "";
    if (totals->unsteady > 0)
        snprintf(unsteady, sizeof unsteady,
                 "; %zu of %zu processes %s no steady state and %s left out whole (%zu iterations)", totals->unsteady,
                 totals->processes, totals->unsteady == 1 ? "has" : "have", totals->unsteady == 1 ? "is" : "are",
                 totals->unsteady_iterations);
    if (totals->short_ones > 0)
        snprintf(short_ones, sizeof short_ones, "; %zu of %zu processes %s too few iterations and %s left out (%zu)",
                 totals->short_ones, totals->processes, totals->short_ones == 1 ? "has" : "have",
                 totals->short_ones == 1 ? "is" : "are", totals->short_iterations);
    report_note(report, "%s%s%zu of %zu iterations come before the steady state and are left out%s%s", metric,
                *metric ? ": " : "", totals->before, totals->iterations, unsteady, short_ones);
}

/* What remains of such a group are the processes that became steady. */
static void steady_part_warn(const struct steady_totals *totals, const struct groups *groups, size_t group,
                             size_t value, struct report *report)
{
    char detail[80], *label = groups_table_label(groups, group, value);
    size_t lost = totals->unsteady + totals->short_ones;
    snprintf(detail, sizeof detail, " (%zu of %zu)", lost, totals->processes);
    if (lost > 0 && lost == totals->processes)
        report_warn_of(report, label ? label : "", "",
                       totals->unsteady == 0     ? "no process has enough iterations: it is not in this result"
                       : totals->short_ones == 0 ? "no process has a steady state: it is not in this result"
                                                 : "no process has a steady state, or enough iterations: it is not in "
                                                   "this result");
    else if (lost > 0)
        report_warn_of(report, label ? label : "", detail,
                       totals->unsteady == 0     ? "processes with too few iterations are left out"
                       : totals->short_ones == 0 ? "processes without a steady state are left out"
                                                 : "processes without a steady state, or with too few iterations, are "
                                                   "left out");
    free(label);
}

int steady_part_report(const struct steady_cut *cuts, size_t process_count, const uint32_t *into,
                       const struct groups *groups, struct report *report, struct error_text *message)
{
    size_t values = groups->columns.value_count;
    struct steady_totals *of_group = calloc(groups->count + 1, sizeof *of_group);
    if (!of_group)
        return error_set(message, STATUS_BAD, "out of memory");
    for (size_t v = 0; v < values; v++) {
        struct steady_totals all = {0};
        for (size_t g = 0; g < groups->count; g++)
            of_group[g] = (struct steady_totals){0};
        for (size_t p = 0; p < process_count; p++) {
            steady_part_count(&cuts[p * values + v], &all);
            steady_part_count(&cuts[p * values + v], &of_group[into ? into[p] : p]);
        }
        steady_part_note(&all, values > 1 ? groups->columns.values[v] : "", report);
        for (size_t g = 0; g < groups->count; g++)
            steady_part_warn(&of_group[g], groups, g, v, report);
    }
    free(of_group);
    return STATUS_GOOD;
}

bool steady_part_is_empty(const struct groups *groups, size_t group)
{
    for (size_t v = 0; v < groups->columns.value_count; v++)
        if (groups_series(groups, group, v)->n > 0)
            return false;
    return true;
}
