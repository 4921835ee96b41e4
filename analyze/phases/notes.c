/* What accompanies the tables: how the numbers were made, what is missing from them, the summary. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyze/phases/request.h"
#include "analyze/cli/number.h"

/* Mean over runs of one of the three numbers about a probe's cost in a metric, each with its own slot of it; NAN if no
 * run knows it. */
static double phases_slot_probe(const struct phases_totals *totals, const int *slots, size_t which)
{
    double sum = 0;
    size_t known = 0;
    for (size_t r = 0; r < totals->run_count; r++) {
        int slot = slots ? slots[r] : 0;
        double value = slot < 0 ? NAN : phases_run_at(totals->phases, totals->runs[r])->probe[slot][which];
        sum += isnan(value) ? 0 : value;
        known += isnan(value) ? 0 : 1;
    }
    return known ? sum / (double)known : NAN;
}

static double phases_probe_cost(const struct phases_totals *totals, size_t which)
{
    return phases_slot_probe(totals, NULL, which);
}

/* What is subtracted for probes, from times and from counters. */
static void phases_note_probe(const struct phases_totals *totals, struct report *report)
{
    double pair = phases_probe_cost(totals, 0), low = phases_probe_cost(totals, 1), high = phases_probe_cost(totals, 2),
           time, cost;
    if (isnan(pair)) {
        report_note(report, "nothing is subtracted for probes: the traces don't say what they cost");
        return;
    }
    bool counters = false;
    json_t *probes = json_object();
    for (size_t m = 0; m < totals->metric_count; m++) {
        const struct phases_metric *metric = &totals->metrics[m];
        double each[3];
        for (size_t which = 0; which < 3; which++)
            each[which] = phases_slot_probe(totals, metric->slots, which);
        if (metric->is_rate || isnan(each[1]) || each[1] <= 0 || strcmp(metric->name, "time_ns") == 0)
            continue;
        report_note(report, "%s: %.6g [%.6g, %.6g] is subtracted from each call for what its probes count",
                    metric->name, each[0], each[1], each[2]);
        json_object_set_new(probes, metric->name,
                            json_pack("{s:f, s:f, s:f}", "pair", each[0], "lo", each[1], "hi", each[2]));
        counters = true;
    }
    json_object_set_new(report->summary, "probe_counters", probes);

    phases_probe_total(totals, &time, &cost);
    report_note(
        report,
        "times exclude the %.4g ns [%.4g, %.4g] that probes cost per call, %.2f %% of all time; other metrics are %s",
        pair, low, high, time > 0 ? 100 * cost / time : 0,
        counters ? "reduced as the notes above say, or else as counted" : "as counted");
    double rewriting = totals->cost.start, writing = totals->cost.writer, outside = totals->cost.outside;
    if (!isnan(rewriting) && !isnan(writing))
        report_note(report,
                    "in addition, each run took %.3g s of CPU time to start the recorder and give methods their "
                    "probes, and %.3g s in the recorder's own thread to write the trace",
                    rewriting, writing);
    if (!isnan(outside))
        report_note(report, "another process took %.3g s of CPU time per run to write the traces", outside);
    uint64_t below = 0;
    for (size_t r = 0; r < totals->run_count; r++)
        below += phases_run_at(totals->phases, totals->runs[r])->below_probe;
    if (below > 0)
        report_note(report, "%" PRIu64 " calls took less than their probes cost, and count as 0 ns", below);
}

static json_t *phases_real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static void phases_summarize(const struct phases_request *request, const struct phases_totals *totals,
                             const struct phases_choice *choice, struct report *report)
{
    /* Elapsed time of the threads between their first and last event, and the part of it that is in calls. */
    double span = 0, inside = 0;
    for (size_t i = 0; i < phases_role_count(totals->phases); i++) {
        span += (double)phases_role_at(totals->phases, i)->span.metrics[0];
        inside += (double)phases_role_at(totals->phases, i)->inside[0];
    }
    json_object_update_new(
        report->summary,
        json_pack("{s:f, s:f, s:I, s:I, s:I, s:I, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:I}",
                  "theta_weight", choice->weight, "theta_grain", choice->granularity, "phases",
                  (json_int_t)choice->phases, "methods", (json_int_t)totals->count, "invocations",
                  (json_int_t)choice->invocations, "all_invocations", (json_int_t)totals->invocations,
                  "estimated_overhead", choice->overhead, "estimated_time_overhead",
                  phases_real_or_null(choice->time_overhead), "outside_share",
                  phases_real_or_null(span > 0 ? 1 - inside / span : NAN), "probe_ns",
                  phases_real_or_null(phases_probe_cost(totals, 0)), "probe_lo_ns",
                  phases_real_or_null(phases_probe_cost(totals, 1)), "probe_hi_ns",
                  phases_real_or_null(phases_probe_cost(totals, 2)), "rewriting_s",
                  phases_real_or_null(totals->cost.start), "writer_s", phases_real_or_null(totals->cost.writer),
                  "outside_writer_s", phases_real_or_null(totals->cost.outside), "share_of", totals->basis, "runs",
                  (json_int_t)totals->run_count));
    if (request->view != PHASES_VIEW_WITHOUT)
        json_object_set_new(report->summary, "estimated_cpu_overhead", phases_real_or_null(choice->cpu_overhead));
}

static void phases_note_selection(const struct phases_request *request, const struct phases_totals *totals,
                                  const struct phases_choice *choice, struct report *report)
{
    report_note(report,
                "%zu of %zu methods are phases: total share above %.4g %%, mean share per call above %.4g %% of %s of "
                "the program%s",
                choice->phases, totals->count, 100 * choice->weight, 100 * choice->granularity, totals->basis,
                request->has_thetas ? "" : " (thresholds chosen by --auto)");
    report_note(report, "mean share per call is of the whole program (Georges et al. 2004, Figure 3; in their text it "
                        "is of the method's own total)");
    report_note(report, "estimated overhead %.4g %%: %" PRIu64 " calls of phases of %" PRIu64 " calls of all methods",
                100 * choice->overhead, choice->invocations, totals->invocations);
    const struct phases_cost *cost = &totals->cost;
    if (!isnan(choice->cpu_overhead))
        report_note(report,
                    "estimated of the program's CPU time: %.3g %%, with %.3g s per run in probes, %.3g s%s in the "
                    "recorder's own thread and %.3g s%s for its start and for giving methods their probes (as in these "
                    "runs); excluding the extra work of a virtual machine's compilers",
                    100 * choice->cpu_overhead, choice->overhead * cost->probes,
                    choice->overhead * (isnan(cost->writer) ? 0 : cost->writer),
                    isnan(cost->writer) ? " (not known)" : "", isnan(cost->start) ? 0 : cost->start,
                    isnan(cost->start) ? " (not known)" : "");
    if (request->has_thetas)
        return;
    if (!phases_is_below(choice, request->overhead))
        report_warn(report, "no thresholds with a phase have an estimated overhead below %.4g %%",
                    100 * request->overhead);
    else if (choice->by_time)
        report_note(report,
                    "no thresholds leave less than %.4g %% of the calls, which are few: phases are chosen by time, of "
                    "which their probes take %.2g %%",
                    100 * request->overhead, 100 * choice->time_overhead);
}

static void phases_note_missing(const struct phases_totals *totals, struct report *report)
{
    uint64_t unfinished[UNFINISHED_COUNT] = {0}, orphans = 0, deep = 0, backwards = 0;
    for (size_t i = 0; i < totals->count; i++)
        for (size_t u = 0; u < UNFINISHED_COUNT; u++)
            unfinished[u] += totals->items[i].unfinished[u];
    for (size_t r = 0; r < totals->run_count; r++) {
        const struct phases_run *run = phases_run_at(totals->phases, totals->runs[r]);
        orphans += run->orphans;
        deep += run->too_deep;
        backwards += run->backwards;
    }
    json_object_update_new(report->summary,
                           json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "unfinished",
                                     (json_int_t)unfinished[UNFINISHED_REPORTED], "exits_missing",
                                     (json_int_t)unfinished[UNFINISHED_OVERTAKEN], "open_at_end",
                                     (json_int_t)unfinished[UNFINISHED_OPEN], "enters_missing", (json_int_t)orphans,
                                     "too_deep", (json_int_t)deep, "backwards", (json_int_t)backwards));
    uint64_t all = unfinished[0] + unfinished[1] + unfinished[2];
    if (all > 0)
        report_note(report,
                    "%" PRIu64 " calls are unfinished (%" PRIu64 " according to the recorder, %" PRIu64
                    " without an exit, %" PRIu64 " open at the end): in totals and calls, not in n and means",
                    all, unfinished[UNFINISHED_REPORTED], unfinished[UNFINISHED_OVERTAKEN],
                    unfinished[UNFINISHED_OPEN]);
    if (unfinished[UNFINISHED_OVERTAKEN] + orphans > 0)
        report_warn(report, "events do not nest: %" PRIu64 " exits and %" PRIu64 " enters are missing",
                    unfinished[UNFINISHED_OVERTAKEN], orphans);
    if (deep > 0)
        report_warn(report, "%" PRIu64 " calls are nested deeper than 2^20 and not told apart", deep);
    if (backwards > 0)
        report_warn(report,
                    "%" PRIu64
                    " events have a lower time or counter than the event before them: the values are taken as equal",
                    backwards);
}

/* Calls whose code was replaced while they ran, which only the number of such compilations shows. */
static void phases_note_replacement(const struct phases_totals *totals, struct report *report)
{
    uint64_t compiles = phases_vm_total(totals, VM_OSR_COMPILES);
    json_object_set_new(report->summary, "osr_compiles", json_integer((json_int_t)compiles));
    if (compiles > 0)
        report_note(report,
                    "compilers replaced the code of running methods (OSR, %" PRIu64
                    " compilations): such a call stays one call, with all of its time",
                    compiles);
}

/* Counters that some runs have, and others lack. */
static void phases_note_turns(const struct phases_totals *totals, struct report *report)
{
    char text[1024] = "";
    for (size_t m = 0; m < totals->metric_count; m++) {
        size_t runs = 0;
        for (size_t r = 0; r < totals->run_count; r++)
            runs += totals->metrics[m].slots[r] >= 0;
        if (totals->metrics[m].is_rate || runs == totals->run_count)
            continue;
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%s in %zu", length > 0 ? ", " : "", totals->metrics[m].name,
                 runs);
    }
    if (*text)
        report_note(report, "not all of the %zu runs have all counters: %s", totals->run_count, text);
}

void phases_notes(const struct phases_request *request, const struct phases_totals *totals,
                  const struct phases_choice *choice, struct report *report)
{
    enum phases_view view = request->view;
    phases_summarize(request, totals, choice, report);
    if (view != PHASES_VIEW_PERCENTILES && view != PHASES_VIEW_HISTOGRAM && view != PHASES_VIEW_COMPONENTS &&
        view != PHASES_VIEW_WITHOUT)
        phases_note_selection(request, totals, choice, report);

    char percent[NUMBER_PERCENT_MAX];
    number_percent(report->options->confidence, percent);
    const char *quantile = report->options->use_z ? "the normal quantile (z)" : "Student's t";
    bool has_intervals = view == PHASES_VIEW_PHASES || view == PHASES_VIEW_TOTALS || view == PHASES_VIEW_COMPONENTS;
    if (has_intervals && totals->run_count > 1)
        report_note(report, "lo-hi: %s %% interval by %s over %zu runs", percent, quantile, totals->run_count);
    else if (has_intervals)
        report_note(
            report,
            "lo-hi: %s %% interval by %s over calls, taken as independent; record more runs with assay record --runs",
            percent, quantile);

    report_note(report, "totals are inclusive: they contain all callees; of recursive calls, the outermost counts");
    phases_note_probe(totals, report);
    bool simulated = false;
    for (size_t m = 0; m < totals->metric_count; m++)
        simulated |= strncmp(totals->metrics[m].name, "simulated-", strlen("simulated-")) == 0;
    if (simulated)
        report_note(report, "simulated-…: counted by a model of a processor (assay record), not by this machine's; the "
                            "time of these runs is that of the simulation, many times the program's");
    phases_note_replacement(totals, report);
    phases_note_turns(totals, report);
    phases_note_missing(totals, report);
    if (totals->left_out > 0)
        report_warn(report, "the result leaves out %zu runs: no events with %s", totals->left_out, totals->basis);
}
