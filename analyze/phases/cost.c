/* What a program took in its runs, and what recording took of that. */
#include <math.h>
#include <string.h>

#include "analyze/phases/totals.h"

bool phases_takes(const struct phases *phases, const struct phases_run *run, struct phases_filter filter)
{
    const char *path = phases_text(phases, run->path);
    return !filter.prefix || (strncmp(path, filter.prefix, strlen(filter.prefix)) != 0) == filter.without;
}

static uint64_t phases_run_time(const struct phases *phases, size_t which, enum phases_own_time kind)
{
    const struct phases_run *run = phases_run_at(phases, which);
    return kind == PHASES_CPU ? run->cpu_ns : run->wall_ns;
}

size_t phases_untimed(const struct phases *phases)
{
    size_t untimed = 0;
    for (size_t r = 0; r < phases_run_count(phases); r++) {
        bool first = true, timed = false;
        for (size_t other = 0; other < phases_run_count(phases); other++) {
            bool same = phases_run_at(phases, other)->id == phases_run_at(phases, r)->id;
            first &= !same || other >= r;
            timed |= same && phases_run_time(phases, other, PHASES_WALL) > 0;
        }
        untimed += first && !timed;
    }
    return untimed;
}

bool phases_program_time(const struct phases *phases, struct phases_filter filter, enum phases_own_time kind,
                         struct group *group)
{
    struct real_moments moments = {0};
    for (size_t r = 0; r < phases_run_count(phases); r++) {
        const struct phases_run *run = phases_run_at(phases, r);
        /* Processes of a run may have different counters: then it occurs more than once, and the first occurrence that
         * has a time counts. */
        bool counts = phases_takes(phases, run, filter) && phases_run_time(phases, r, kind) > 0;
        for (size_t other = 0; counts && other < r; other++)
            counts = phases_run_at(phases, other)->id != run->id || phases_run_time(phases, other, kind) == 0;
        if (counts)
            moments_add_unsigned(&moments.fixed, phases_run_time(phases, r, kind));
    }
    return group_of_moments(&moments, group) == STATS_OK;
}

/* ------------------------------------------------------------------------------------------ recording -- */

static bool phases_totals_have_run(const struct phases_totals *totals, uint32_t run)
{
    for (size_t r = 0; r < totals->run_count; r++)
        if (totals->runs[r] == run)
            return true;
    return false;
}

void phases_probe_total(const struct phases_totals *totals, double *time, double *cost)
{
    *time = *cost = 0;
    for (size_t i = 0; i < phases_role_count(totals->phases); i++) {
        const struct phases_role *role = phases_role_at(totals->phases, i);
        if (!phases_totals_have_run(totals, role->run))
            continue;
        *time += (double)role->span.metrics[0];
        *cost += ldexp((double)role->span.probe[0], -PROBE_COST_SHIFT);
    }
}

/* The number of runs of the program: a run whose processes have different counters occurs more than once. */
static double phases_recorded_runs(const struct phases_totals *totals)
{
    size_t runs = 0;
    for (size_t r = 0; r < totals->run_count; r++) {
        size_t first = 0;
        while (phases_run_at(totals->phases, totals->runs[first])->id !=
               phases_run_at(totals->phases, totals->runs[r])->id)
            first++;
        runs += first == r;
    }
    return (double)runs;
}

uint64_t phases_vm_total(const struct phases_totals *totals, enum trace_vm what)
{
    const struct phases *phases = totals->phases;
    uint64_t sum = 0;
    for (size_t i = 0; i < phases_trace_count(phases); i++) {
        const struct phases_trace *trace = phases_trace_at(phases, i);
        sum += phases_totals_have_run(totals, trace->run) ? trace->vm_ns[what] : 0;
    }
    return sum;
}

/* What the recorder itself took in the mean run: VM_REWRITE, VM_WRITER or VM_OUTSIDE_WRITER; NAN: unknown. */
static double phases_recorder_s(const struct phases_totals *totals, enum trace_vm what)
{
    uint64_t sum = phases_vm_total(totals, what);
    return sum ? (double)sum * 1e-9 / phases_recorded_runs(totals) : NAN;
}

struct phases_cost phases_cost(const struct phases_totals *totals, struct phases_filter filter)
{
    double time, probes;
    struct group group;
    struct phases_cost cost = {.writer = phases_recorder_s(totals, VM_WRITER),
                               .outside = phases_recorder_s(totals, VM_OUTSIDE_WRITER),
                               .start = phases_recorder_s(totals, VM_REWRITE)};
    if (isnan(cost.writer) && !isnan(cost.outside))
        cost.writer = 0;
    phases_probe_total(totals, &time, &probes);
    cost.probes = probes > 0 ? probes * 1e-9 / phases_recorded_runs(totals) : NAN;
    cost.program = phases_program_time(totals->phases, filter, PHASES_CPU, &group) ? (double)group.mean * 1e-9 : NAN;
    return cost;
}

double phases_component_s(const struct phases_totals *totals, enum phases_component component)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < phases_trace_count(totals->phases); i++) {
        const struct phases_trace *trace = phases_trace_at(totals->phases, i);
        sum += phases_totals_have_run(totals, trace->run) ? trace->cpu_ns[component] : 0;
    }
    return totals->run_count ? (double)sum * 1e-9 / phases_recorded_runs(totals) : 0;
}
