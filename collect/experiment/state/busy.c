#include "collect/experiment/state/busy.h"

#include <stdio.h>

struct busy_sums {
    size_t runs, busy;
    double load, wall_s, cpu_s; /* of those that were busy: the highest; sums */
    json_int_t cores;           /* of their machines, the fewest */
};

static void busy_add_run(const struct experiment *experiment, const struct plan_cell *cell, const struct cell_run *run,
                         struct busy_sums *sums)
{
    const struct state_start *start = state_find_start(&experiment->state, cell->id, run->number);
    const json_t *machines = json_object_get(experiment->state.root, "machines");
    const json_t *machine = start ? json_array_get(machines, start->machine) : NULL;
    json_int_t cores = json_integer_value(json_object_get(machine, "cores"));
    double cpu_s = run->user_s + run->system_s;
    sums->runs++;
    if (cores <= 0 || start->load <= (double)cores || run->wall_s < 1.2 * cpu_s)
        return;
    sums->busy++;
    sums->load = start->load > sums->load ? start->load : sums->load;
    sums->wall_s += run->wall_s;
    sums->cpu_s += cpu_s;
    sums->cores = sums->cores == 0 || cores < sums->cores ? cores : sums->cores;
}

const char *busy_describe(struct experiment *experiment)
{
    struct busy_sums sums = {0};
    for (size_t c = 0; c < experiment->plan.cell_count; c++)
        for (size_t i = 0; i < experiment->runs[c].count && experiment->plan.cells[c].runs == 0; i++)
            if (!experiment->runs[c].runs[i].failed &&
                plan_has_run(&experiment->plan, c, experiment->runs[c].runs[i].number))
                busy_add_run(experiment, &experiment->plan.cells[c], &experiment->runs[c].runs[i], &sums);
    if (sums.busy == 0 || 4 * sums.busy < sums.runs)
        return NULL;
    return memory_print(
        &experiment->memory,
        "the machine was too busy for wall times: %zu of %zu runs began at a load above its %lld cores "
        "(up to %.1f), and took %.1f s for %.1f s of CPU time; compare cpu_s, or run on an idle machine",
        sums.busy, sums.runs, (long long)sums.cores, sums.load, sums.wall_s, sums.cpu_s);
}
