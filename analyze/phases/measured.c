/* The measured cost of recording: the program with all probes compared with fewer or none. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/phases/request.h"

static uint64_t time_of(const struct phases *phases, size_t which, enum phases_own_time kind)
{
    const struct phases_run *run = phases_run_at(phases, which);
    return kind == PHASES_CPU ? run->cpu_ns : run->wall_ns;
}

/* Processes of a run may have different counters: then it occurs more than once. Of these, `which` has its time if it
 * is the first that has one. */
static bool has_time(const struct phases *phases, size_t which, enum phases_own_time kind)
{
    for (size_t r = 0; r < which; r++)
        if (phases_run_at(phases, r)->id == phases_run_at(phases, which)->id && time_of(phases, r, kind) > 0)
            return false;
    return time_of(phases, which, kind) > 0;
}

/* Runs without any trace that has the program's time. */
static size_t count_untimed(const struct phases *phases)
{
    size_t untimed = 0;
    for (size_t r = 0; r < phases->runs.count; r++) {
        bool first = true, timed = false;
        for (size_t other = 0; other < phases->runs.count; other++) {
            bool same = phases_run_at(phases, other)->id == phases_run_at(phases, r)->id;
            first &= !same || other >= r;
            timed |= same && time_of(phases, other, PHASES_WALL) > 0;
        }
        untimed += first && !timed;
    }
    return untimed;
}

bool phases_program_time(const struct phases *phases, struct phases_filter filter, enum phases_own_time kind,
                         struct group *group)
{
    struct real_moments moments = {0};
    for (size_t r = 0; r < phases->runs.count; r++)
        if (phases_takes(phases, phases_run_at(phases, r), filter) && has_time(phases, r, kind))
            moments_add_unsigned(&moments.fixed, time_of(phases, r, kind));
    return group_of_moments(&moments, group) == STATS_OK;
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

/* The sum of the parts of the recording's cost, and a text about them. */
struct parts {
    double sum, program_s;
    bool told; /* the runs with fewer probes know what these took */
    char text[256];
};

/* A part, minus that of the runs with fewer probes: nothing is subtracted if that is unknown. */
static void add_part(struct parts *parts, double with, double without, const char *what, const char *key,
                     struct report *report)
{
    size_t used = strlen(parts->text);
    double more = with - (isnan(without) ? 0 : without);
    set(report, key, more / parts->program_s);
    if (isnan(with))
        return;
    if (isnan(without) && parts->told)
        report_note(report, "the runs with fewer probes do not show what %s took: all of it counts here", what);
    parts->sum += more;
    snprintf(parts->text + used, sizeof parts->text - used, "%s%.3g s per run by %s", used ? ", " : "", more, what);
}

/* The recording's own estimate of its cost, s of CPU time per run; NAN if it does not know the cost of the probes. */
static double estimate(const struct phases_totals *without, const struct phases_totals *with, double program_s,
                       struct report *report)
{
    const struct phases_cost *few = &without->cost, *all = &with->cost;
    struct parts parts = {.program_s = program_s, .told = !isnan(few->probes)};
    if (isnan(all->probes)) {
        report_note(report, "no overhead is estimated: the traces don't say what probes cost");
        return NAN;
    }
    add_part(&parts, all->probes, few->probes, "probes", "estimated_probes_overhead", report);
    add_part(&parts, all->start, few->start, "the recorder's start and giving methods their probes",
             "estimated_start_overhead", report);
    add_part(&parts, all->writer, few->writer, "the recorder's own thread", "estimated_writer_overhead", report);
    report_note(report, "estimated, in CPU time: %.2f %% (%s)%s", 100 * parts.sum / program_s, parts.text,
                isnan(all->writer) ? "; what the recorder's own thread took is unknown" : "");
    return parts.sum / program_s;
}

static double compilers_s(const struct phases_totals *totals)
{
    return phases_component_s(totals, COMPONENT_C1) + phases_component_s(totals, COMPONENT_C2) +
           phases_component_s(totals, COMPONENT_JIT);
}

/* Methods with probes are compiled again, and are longer: no estimate includes this, but both sides' traces have its
 * cost. */
static void measure_compilers(const struct phases_totals *without, const struct phases_totals *with, double program_s,
                              struct report *report)
{
    double few = compilers_s(without), all = compilers_s(with);
    bool known = few > 0 && all > 0;
    set(report, "measured_compilers_overhead", known ? (all - few) / program_s : NAN);
    if (known)
        report_note(report,
                    "of what was measured in CPU time, %.2f points are the virtual machine's compilers', which took "
                    "%.3g and %.3g s per run: not in the estimate",
                    100 * (all - few) / program_s, all, few);
}

static void note_measured(enum phases_own_time kind, const double values[3], const struct group groups[2],
                          struct report *report)
{
    char interval[80] = "";
    if (!isnan(values[1]))
        snprintf(interval, sizeof interval, " [%.2f, %.2f]", 100 * values[1], 100 * values[2]);
    report_note(report, "measured, in %s time: %.2f %%%s more than with fewer probes, of %llu and %llu runs",
                kind == PHASES_CPU ? "CPU" : "wall", 100 * values[0], interval, (unsigned long long)groups[1].n,
                (unsigned long long)groups[0].n);
}

void phases_measured(const struct phases_totals *without, const struct phases_totals *with, const char *prefix,
                     struct report *report)
{
    static const char *const names[PHASES_OWN_TIMES] = {"[program: CPU time]", "[program: wall time]"};
    static const char *const keys[PHASES_OWN_TIMES][3] = {
        {"measured_cpu_overhead", "measured_cpu_lo", "measured_cpu_hi"},
        {"measured_wall_overhead", "measured_wall_lo", "measured_wall_hi"}};
    const struct phases_totals *sides[2] = {without, with};
    for (enum phases_own_time kind = 0; kind < PHASES_OWN_TIMES; kind++) {
        struct group groups[2];
        if (!phases_program_time(with->phases, (struct phases_filter){prefix, false}, kind, &groups[0]) ||
            !phases_program_time(with->phases, (struct phases_filter){prefix, true}, kind, &groups[1]))
            return;
        struct ratio ratio = phases_ratio(&groups[1], &groups[0], report->options->confidence);
        ratio.ratio = (double)(groups[1].mean / groups[0].mean); /* even if a side has only one run */
        add_row(names[kind], sides, groups, ratio, report);
        const double values[3] = {ratio.ratio - 1, ratio.low - 1, ratio.high - 1};
        for (size_t i = 0; i < 3; i++)
            set(report, keys[kind][i], values[i]);
        note_measured(kind, values, groups, report);
        if (kind == PHASES_CPU) {
            double program_s = (double)groups[0].mean * 1e-9;
            set(report, "program_cpu_s", program_s);
            set(report, "estimated_cpu_overhead", estimate(without, with, program_s, report));
            measure_compilers(without, with, program_s, report);
        }
    }
    size_t untimed = count_untimed(with->phases);
    if (untimed > 0)
        report_warn(report, "%zu run%s not show how long the program took, and %s not in what was measured", untimed,
                    untimed == 1 ? " does" : "s do", untimed == 1 ? "is" : "are");
}
