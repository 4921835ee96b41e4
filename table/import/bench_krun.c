/*
 * Krun's results: {"wallclock_times": {"BENCHMARK:VM:VARIANT": [[seconds, …], …]}, …}, a list of in-process iterations
 * for each process execution. One that crashed has an empty list.
 */
#include "table/import/bench_rows.h"

static const char *const own[] = {"name", "process", "iteration", "run", "time", NULL};

static void krun_read_benchmark(struct bench *bench, const char *name, const json_t *processes)
{
    size_t process, iteration, run = 0;
    json_t *times, *time;
    bench_subject(bench, name);
    bench_set_location(bench, "benchmark '%.120s'", name);
    if (!json_is_array(processes))
        bench_fail(bench, "its process executions are not a list");
    json_array_foreach(processes, process, times)
    {
        if (!json_is_array(times))
            bench_fail(bench, "process execution %zu is not a list of times", process + 1);
        else if (json_array_size(times) == 0)
            bench_leave_out(bench, "crashed, or has not run yet");
        json_array_foreach(times, iteration, time)
        {
            run++;
            if (!bench_measured(bench, "wallclock_times", iteration, time))
                continue;
            bench_row(bench);
            bench_text(bench, "name", name);
            bench_count(bench, "process", process + 1);
            bench_count(bench, "iteration", iteration + 1);
            bench_count(bench, "run", run);
            bench_json(bench, "time", time);
        }
    }
}

void bench_read_krun(struct bench *bench, const json_t *root)
{
    const char *name;
    json_t *processes;
    bench->own = own;
    bench->meaning.value = "time";
    bench->meaning.unit = "s";
    bench->meaning.process = "process";
    bench_label_columns(bench, NULL, NULL);
    for (size_t i = 1; own[i]; i++)
        bench_column(bench, own[i]);
    json_object_foreach(json_object_get(root, "wallclock_times"), name, processes)
    {
        if (!bench->status)
            krun_read_benchmark(bench, name, processes);
    }
    bench_set_location(bench, "%s", "");
    bench_group_labels(bench);
}
