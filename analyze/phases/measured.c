/* What recording costs, measured: the program with its probes beside the program with fewer or with none. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/phases/request.h"

/* An own time of the program in a run, as `assay record` measured it. */
enum kind { KIND_CPU, KIND_WALL, KINDS };

static uint64_t time_of(const struct phases *phases, size_t which, enum kind kind)
{
    const struct phases_run *run = phases_run_at(phases, which);
    return kind == KIND_CPU ? run->cpu_ns : run->wall_ns;
}

/* Processes of a run may have different counters: then it is there more than once. Of these, `which` has its time if it
 * is the first that has one. */
static bool has_time(const struct phases *phases, size_t which, enum kind kind)
{
    for (size_t r = 0; r < which; r++)
        if (phases_run_at(phases, r)->id == phases_run_at(phases, which)->id && time_of(phases, r, kind) > 0)
            return false;
    return time_of(phases, which, kind) > 0;
}

/* Runs none of whose traces tells how long the program took. */
static size_t count_untimed(const struct phases *phases)
{
    size_t untimed = 0;
    for (size_t r = 0; r < phases->runs.count; r++) {
        bool first = true, timed = false;
        for (size_t other = 0; other < phases->runs.count; other++) {
            bool same = phases_run_at(phases, other)->id == phases_run_at(phases, r)->id;
            first &= !same || other >= r;
            timed |= same && time_of(phases, other, KIND_WALL) > 0;
        }
        untimed += first && !timed;
    }
    return untimed;
}

static bool side_of(const struct phases *phases, struct phases_filter filter, enum kind kind, struct group *group)
{
    struct real_moments moments = {0};
    for (size_t r = 0; r < phases->runs.count; r++)
        if (phases_takes(phases, phases_run_at(phases, r), filter) && has_time(phases, r, kind))
            moments_add_unsigned(&moments.fixed, time_of(phases, r, kind));
    return group_of_moments(&moments, group) == STATS_OK;
}

bool phases_is_timed(const struct phases *phases, struct phases_filter filter)
{
    struct group group;
    return side_of(phases, filter, KIND_CPU, &group);
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

static void add_part(char text[256], double *sum, double seconds, const char *what)
{
    size_t used = strlen(text);
    if (isnan(seconds))
        return;
    *sum += seconds;
    snprintf(text + used, 256 - used, "%s%.3g s a run by %s", used ? ", " : "", seconds, what);
}

/* What the recording itself says that it took, s of CPU time a run, of the program's; NAN if it does not say what the
 * probes did. */
static double estimate(const struct phases_totals *with, double program_s, struct report *report)
{
    char parts[256] = "";
    double time, cost, sum = 0;
    phases_probe_total(with, &time, &cost);
    if (isnan(with->probe_overhead)) {
        report_note(report, "no overhead is estimated: the traces don't say what probes cost");
        return NAN;
    }
    double writing = phases_recorder_s(with, VM_WRITER);
    add_part(parts, &sum, cost * 1e-9 / (double)with->run_count, "probes");
    add_part(parts, &sum, phases_recorder_s(with, VM_REWRITE), "the recorder's start and giving methods their probes");
    add_part(parts, &sum, writing, "the recorder's own thread");
    report_note(report, "estimated, in CPU time: %.2f %% (%s)%s", 100 * sum / program_s, parts,
                isnan(writing) ? "; what the recorder's own thread took is not known" : "");
    return sum / program_s;
}

static void note_measured(enum kind kind, const double values[3], const struct group groups[2], struct report *report)
{
    char interval[80] = "";
    if (!isnan(values[1]))
        snprintf(interval, sizeof interval, " [%.2f, %.2f]", 100 * values[1], 100 * values[2]);
    report_note(report, "measured, in %s time: %.2f %%%s more than with fewer probes, of %llu and %llu runs",
                kind == KIND_CPU ? "CPU" : "wall", 100 * values[0], interval, (unsigned long long)groups[1].n,
                (unsigned long long)groups[0].n);
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
        struct ratio ratio = phases_ratio(&groups[1], &groups[0], report->options->confidence);
        ratio.ratio = (double)(groups[1].mean / groups[0].mean); /* also where a side has one run */
        add_row(names[kind], sides, groups, ratio, report);
        const double values[3] = {ratio.ratio - 1, ratio.low - 1, ratio.high - 1};
        for (size_t i = 0; i < 3; i++)
            set(report, keys[kind][i], values[i]);
        note_measured(kind, values, groups, report);
        if (kind == KIND_CPU)
            set(report, "estimated_cpu_overhead", estimate(with, (double)groups[0].mean * 1e-9, report));
    }
    size_t untimed = count_untimed(with->phases);
    if (untimed > 0)
        report_warn(report, "%zu run%s not tell how long the program took, and %s not in what was measured", untimed,
                    untimed == 1 ? " does" : "s do", untimed == 1 ? "is" : "are");
}
