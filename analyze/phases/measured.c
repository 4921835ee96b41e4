/* What recording costs, measured: the program with its probes beside the program with fewer or with none. */
#include <math.h>

#include "analyze/phases/request.h"
#include "stats/ratio.h"

/* An own time of the program in a run, as `assay record` measured it. */
enum kind { KIND_CPU, KIND_WALL, KINDS };

/* Processes of a run may have different counters: then it is there more than once. */
static bool is_again(const struct phases *phases, size_t which)
{
    for (size_t r = 0; r < which; r++)
        if (phases_run_at(phases, r)->id == phases_run_at(phases, which)->id)
            return true;
    return false;
}

static bool side_of(const struct phases *phases, struct phases_filter filter, enum kind kind, struct group *group)
{
    struct real_moments moments = {0};
    for (size_t r = 0; r < phases->runs.count; r++) {
        const struct phases_run *run = phases_run_at(phases, r);
        uint64_t ns = kind == KIND_CPU ? run->cpu_ns : run->wall_ns;
        if (ns > 0 && phases_takes(phases, run, filter) && !is_again(phases, r))
            moments_add_unsigned(&moments.fixed, ns);
    }
    return group_of_moments(&moments, group) == STATS_OK;
}

bool phases_is_timed(const struct phases *phases, struct phases_filter filter)
{
    struct group group;
    return side_of(phases, filter, KIND_CPU, &group);
}

static struct ratio ratio_of(const struct group *with, const struct group *without, double confidence)
{
    struct ratio ratio = {(double)(with->mean / without->mean), NAN, NAN};
    double sd_with, sd_without;
    if (group_sd(with, &sd_with) == STATS_OK && group_sd(without, &sd_without) == STATS_OK)
        ratio_delta((struct ratio_side){with->n, (double)with->mean, sd_with},
                    (struct ratio_side){without->n, (double)without->mean, sd_without}, confidence, &ratio);
    return ratio;
}

static double pairs_of(const struct phases_totals *totals)
{
    return totals->run_count ? (double)totals->invocations / (double)totals->run_count : 0;
}

static void add_row(const char *name, const struct phases_totals *sides[2], const struct group groups[2],
                    struct ratio ratio, struct report *report)
{
    table_text(report->table, name);
    table_real(report->table, pairs_of(sides[1]));
    table_real(report->table, pairs_of(sides[0]));
    table_real(report->table, (double)groups[1].mean);
    table_real(report->table, (double)groups[0].mean);
    table_real(report->table, ratio.ratio);
    table_real(report->table, ratio.low);
    table_real(report->table, ratio.high);
    table_text(report->table, phases_verdict(ratio.low, ratio.high));
    table_text(report->table, "runs");
}

static void set(struct report *report, const char *key, double value)
{
    json_object_set_new(report->summary, key, isfinite(value) ? json_real(value) : json_null());
}

/* What the recording itself says that it took, s of CPU time a run: probes, rewriting, writing. */
static double estimate(const struct phases_totals *with, double program_s, struct report *report)
{
    double time, cost, rewriting = phases_recorder_s(with, VM_REWRITE), writing = phases_recorder_s(with, VM_WRITER);
    phases_probe_total(with, &time, &cost);
    double probes = cost * 1e-9 / (double)with->run_count;
    rewriting = isnan(rewriting) ? 0 : rewriting;
    writing = isnan(writing) ? 0 : writing;
    report_note(report,
                "estimated, in CPU time: %.2f %% (%.3g s a run by probes, %.3g by rewriting classes, %.3g by the "
                "recorder's own thread)",
                100 * (probes + rewriting + writing) / program_s, probes, rewriting, writing);
    return (probes + rewriting + writing) / program_s;
}

void phases_measured(const struct phases_totals *without, const struct phases_totals *with, const char *prefix,
                     struct report *report)
{
    static const char *const names[KINDS] = {"[program: CPU time]", "[program: wall time]"};
    static const char *const keys[KINDS][3] = {{"measured_cpu_overhead", "measured_cpu_lo", "measured_cpu_hi"},
                                               {"measured_wall_overhead", "measured_wall_lo", "measured_wall_hi"}};
    const struct phases_totals *sides[2] = {without, with};
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct group groups[2];
        if (!side_of(with->phases, (struct phases_filter){prefix, false}, kind, &groups[0]) ||
            !side_of(with->phases, (struct phases_filter){prefix, true}, kind, &groups[1]))
            return;
        struct ratio ratio = ratio_of(&groups[1], &groups[0], report->options->confidence);
        add_row(names[kind], sides, groups, ratio, report);
        const double values[3] = {ratio.ratio - 1, ratio.low - 1, ratio.high - 1};
        for (size_t i = 0; i < 3; i++)
            set(report, keys[kind][i], values[i]);
        report_note(report,
                    "measured, in %s time: %.2f %% [%.2f, %.2f] more than with fewer probes, of %llu and %llu runs",
                    kind == KIND_CPU ? "CPU" : "wall", 100 * values[0], 100 * values[1], 100 * values[2],
                    (unsigned long long)groups[1].n, (unsigned long long)groups[0].n);
        if (kind == KIND_CPU)
            set(report, "estimated_cpu_overhead", estimate(with, (double)groups[0].mean * 1e-9, report));
    }
}
