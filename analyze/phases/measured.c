/* The measured cost of recording: the program with all probes compared with fewer or none. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/phases/rows.h"

/* The verdict on the ratio with / without, from its interval. */
static const char *phases_ratio_verdict(double low, double high)
{
    return isnan(low) ? "unknown" : low > 1 ? "slower" : high < 1 ? "faster" : "same";
}

/* ------------------------------------------------------------------------------------------ the program -- */

static double phases_pairs_per_run(const struct phases_totals *totals)
{
    return totals->run_count ? (double)totals->invocations / (double)totals->run_count : 0;
}

static void phases_measured_set_summary(struct report *report, const char *key, double value)
{
    json_object_set_new(report->summary, key, isfinite(value) ? json_real(value) : json_null());
}

/* The sum of the parts of the recording's cost, and a text about them. */
struct parts {
    double sum, program_s;
    bool is_reported; /* the runs with fewer probes know what these took */
    char text[256];
};

/* A part, minus that of the runs with fewer probes: nothing is subtracted if that is unknown. */
static void phases_measured_add_part(struct parts *parts, double with, double without, const char *what,
                                     const char *key, struct report *report)
{
    size_t used = strlen(parts->text);
    double more = with - (isnan(without) ? 0 : without);
    phases_measured_set_summary(report, key, more / parts->program_s);
    if (isnan(with))
        return;
    if (isnan(without) && parts->is_reported)
        report_note(report, "the runs with fewer probes do not show what %s took: all of it counts here", what);
    parts->sum += more;
    snprintf(parts->text + used, sizeof parts->text - used, "%s%.3g s per run by %s", used ? ", " : "", more, what);
}

static double phases_compilers_s(const struct phases_totals *totals)
{
    return phases_component_s(totals, COMPONENT_C1) + phases_component_s(totals, COMPONENT_C2) +
           phases_component_s(totals, COMPONENT_JIT);
}

/* Sets the recording's own estimate of its cost, in CPU time, in the summary. `program_s`: s of CPU time per run with
 * fewer probes. */
static void phases_measured_estimate(const struct phases_totals *without, const struct phases_totals *with,
                                     double program_s, struct report *report)
{
    const struct phases_cost *few = &without->cost, *all = &with->cost;
    struct parts parts = {.program_s = program_s, .is_reported = !isnan(few->probes)};
    phases_measured_set_summary(report, "program_cpu_s", program_s);
    if (isnan(all->probes)) {
        report_note(report, "no overhead is estimated: the traces don't say what probes cost");
        parts.sum = NAN;
    } else {
        phases_measured_add_part(&parts, all->probes, few->probes, "probes", "estimated_probes_overhead", report);
        phases_measured_add_part(&parts, all->start, few->start, "the recorder's start and giving methods their probes",
                                 "estimated_start_overhead", report);
        phases_measured_add_part(&parts, all->writer, few->writer, "the recorder's own thread",
                                 "estimated_writer_overhead", report);
        report_note(report, "estimated, in CPU time: %.2f %% (%s)%s", 100 * parts.sum / program_s, parts.text,
                    isnan(all->writer) ? "; what the recorder's own thread took is unknown" : "");
    }
    phases_measured_set_summary(report, "estimated_cpu_overhead", parts.sum / program_s);

    /* Methods with probes are compiled again, and are longer: no estimate includes this, but both sides' traces have
     * its cost. */
    double few_s = phases_compilers_s(without), all_s = phases_compilers_s(with);
    bool known = few_s > 0 && all_s > 0;
    phases_measured_set_summary(report, "measured_compilers_overhead", known ? (all_s - few_s) / program_s : NAN);
    if (known)
        report_note(report,
                    "of what was measured in CPU time, %.2f points are the virtual machine's compilers', which took "
                    "%.3g and %.3g s per run: not in the estimate",
                    100 * (all_s - few_s) / program_s, all_s, few_s);
}

/* Adds rows for the whole program to the table: its measured CPU time and wall time, for runs that have them; adds the
 * estimates to the summary. */
static void phases_measure_program(const struct phases_totals *without, const struct phases_totals *with,
                                   const char *prefix, struct report *report)
{
    static const struct {
        const char *row, *note, *keys[3];
    } names[PHASES_OWN_TIMES] = {
        {"[program: CPU time]", "CPU", {"measured_cpu_overhead", "measured_cpu_lo", "measured_cpu_hi"}},
        {"[program: wall time]", "wall", {"measured_wall_overhead", "measured_wall_lo", "measured_wall_hi"}}};
    for (enum phases_own_time kind = 0; kind < PHASES_OWN_TIMES; kind++) {
        struct group few, all;
        if (!phases_program_time(with->phases, (struct phases_filter){prefix, false}, kind, &few) ||
            !phases_program_time(with->phases, (struct phases_filter){prefix, true}, kind, &all))
            return;
        struct ratio ratio = phases_ratio(&all, &few, report->options->confidence);
        ratio.ratio = (double)(all.mean / few.mean); /* even if a side has only one run */
        const struct phases_without_row row = {.method = names[kind].row,
                                               .probes = phases_pairs_per_run(with),
                                               .probes_without = phases_pairs_per_run(without),
                                               .with_ns = (double)all.mean,
                                               .without_ns = (double)few.mean,
                                               .ratio = ratio.ratio,
                                               .low = ratio.low,
                                               .high = ratio.high,
                                               .verdict = phases_ratio_verdict(ratio.low, ratio.high),
                                               .sample = "runs"};
        report_row(report, &row);
        char interval[80] = "";
        const double values[3] = {ratio.ratio - 1, ratio.low - 1, ratio.high - 1};
        for (size_t i = 0; i < 3; i++)
            phases_measured_set_summary(report, names[kind].keys[i], values[i]);
        if (!isnan(values[1]))
            snprintf(interval, sizeof interval, " [%.2f, %.2f]", 100 * values[1], 100 * values[2]);
        report_note(report, "measured, in %s time: %.2f %%%s more than with fewer probes, of %llu and %llu runs",
                    names[kind].note, 100 * values[0], interval, (unsigned long long)all.n, (unsigned long long)few.n);
        if (kind == PHASES_CPU)
            phases_measured_estimate(without, with, (double)few.mean * 1e-9, report);
    }
    size_t untimed = phases_untimed(with->phases);
    if (untimed > 0)
        report_warn(report, "%zu run%s not show how long the program took, and %s not in what was measured", untimed,
                    untimed == 1 ? " does" : "s do", untimed == 1 ? "is" : "are");
}

/* ------------------------------------------------------------------------------------------ its methods -- */

/* For a call of a method: pairs of probes in it, including its own, and the uncertainty of what was subtracted for
 * them, from the interval of a probe's cost. */
struct probed {
    double pairs, slack_ns;
};

static struct probed phases_find_probed(const struct phases_side *side)
{
    double pairs = 0, slack = 0;
    for (size_t r = 0; r < side->totals->run_count; r++) {
        if (side->item->entries[r] == 0)
            continue;
        const struct phases_entry *entry = phases_entry_at(side->totals->phases, side->item->entries[r] - 1);
        const double *probe = phases_run_at(side->totals->phases, side->totals->runs[r])->probe[0];
        double cost = ldexp((double)entry->inclusive.probe[0], -PROBE_COST_SHIFT);
        pairs += probe[0] > 0 ? cost / probe[0] : 0;
        slack += probe[0] > 0 && probe[2] > probe[1] ? cost * (probe[2] - probe[1]) / 2 / probe[0] : 0;
    }
    double calls = side->item->calls ? (double)side->item->calls : 1;
    return (struct probed){pairs / calls, slack / calls};
}

static void phases_add_without(struct phases_side *without, struct phases_side *with, struct report *report)
{
    const struct analysis_options *options = report->options;
    bool by_runs = phases_run_means(without->totals, without->item, 0, without->means) > 1 &&
                   phases_run_means(with->totals, with->item, 0, with->means) > 1;
    if (!phases_sample(without, options, by_runs) || !phases_sample(with, options, by_runs))
        return;
    struct ratio ratio = phases_ratio(&with->group, &without->group, options->confidence);
    struct probed more = phases_find_probed(with), fewer = phases_find_probed(without);
    double mean = (double)without->group.mean;
    double slack = mean > 0 ? (more.slack_ns + ratio.ratio * fewer.slack_ns) / mean : NAN;
    double low = isnan(ratio.low) ? NAN : fmax(ratio.low - slack, 0), high = ratio.high + slack;
    const struct phases_without_row row = {.method = phases_text(with->totals->phases, with->item->method),
                                           .probes = more.pairs,
                                           .probes_without = fewer.pairs,
                                           .with_ns = (double)with->group.mean,
                                           .without_ns = mean,
                                           .ratio = ratio.ratio,
                                           .low = low,
                                           .high = high,
                                           .verdict = phases_ratio_verdict(low, high),
                                           .sample = by_runs ? "runs" : "calls"};
    report_row(report, &row);
}

int phases_without_table(const struct phases_totals *without, const struct phases_totals *with, const char *prefix,
                         struct report *report)
{
    double *means[2] = {calloc(without->run_count + 1, sizeof(double)), calloc(with->run_count + 1, sizeof(double))};
    size_t alone = 0;
    bool good = means[0] && means[1];
    if (good)
        phases_measure_program(without, with, prefix, report);
    for (size_t i = 0; good && i < with->count; i++) {
        const struct phases_total *other = phases_find(without, phases_text(with->phases, with->items[i].method));
        struct phases_side sides[2] = {{without, other, 0, means[0], {0}}, {with, &with->items[i], 0, means[1], {0}}};
        alone += !other;
        if (other)
            phases_add_without(&sides[0], &sides[1], report);
    }
    free(means[0]);
    free(means[1]);
    if (!good)
        return ENOMEM;
    report_note(report, "elapsed time of a call with all probes and with fewer, minus their cost in both; probes: "
                        "pairs in a call, including its own; ratio: with / without, Fieller's interval, "
                        "widened by the uncertainty of a probe's cost");
    report_note(report, "slower: probes cost more than an empty method shows, for example by preventing inlining; "
                        "sample: means of runs; where a side has only one run, its calls, taken as independent");
    if (alone > 0)
        report_note(report, "%zu methods have probes in only one set, and no time to compare", alone);
    return 0;
}
