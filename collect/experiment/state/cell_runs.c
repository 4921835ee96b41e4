#include "collect/experiment/state/cell_runs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *cell_runs_text(struct obstack *memory, const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? memory_print(memory, "%s", text) : "";
}

static double cell_runs_seconds(const json_t *exit, const char *key)
{
    return (double)json_integer_value(json_object_get(exit, key)) / 1e9;
}

static void cell_runs_fill(struct obstack *memory, const json_t *entry, struct cell_run *run)
{
    const json_t *exit = json_object_get(entry, "exit"), *traces = json_object_get(entry, "traces");
    run->number = (uint64_t)json_integer_value(json_object_get(entry, "run"));
    run->clock = cell_runs_text(memory, entry, "clock");
    run->started = cell_runs_text(memory, entry, "started");
    run->status = json_integer_value(json_object_get(exit, "status"));
    run->signal = json_integer_value(json_object_get(exit, "signal"));
    run->failed = run->status != 0 || run->signal != 0;
    run->wall_s = cell_runs_seconds(exit, "wall_ns");
    run->user_s = cell_runs_seconds(exit, "user_ns");
    run->system_s = cell_runs_seconds(exit, "system_ns");
    run->stolen_s = cell_runs_seconds(exit, "stolen_ns");
    run->max_rss_bytes = (uint64_t)json_integer_value(json_object_get(exit, "max_rss_bytes"));
    run->traces = memory_allocate(memory, json_array_size(traces) + 1, sizeof *run->traces);
    for (size_t i = 0; i < json_array_size(traces); i++)
        run->traces[run->trace_count++] = cell_runs_text(memory, json_array_get(traces, i), "file");
}

/* Counts the clocks that each run is finished with. */
static void cell_runs_count_clocks(struct cell_runs *runs)
{
    enum { NUMBER_MAX = 1 << 20 }; /* of a damaged file */
    for (size_t i = 0; i < runs->count; i++)
        if (runs->runs[i].number >= runs->number_end && runs->runs[i].number < NUMBER_MAX)
            runs->number_end = runs->runs[i].number + 1;
    runs->clocks_had = memory_allocate(runs->memory, runs->number_end, sizeof *runs->clocks_had);
    for (size_t i = 0; i < runs->count; i++)
        if (runs->runs[i].number < runs->number_end)
            runs->clocks_had[runs->runs[i].number]++;
}

void cell_runs_free(struct cell_runs *runs)
{
    if (runs->memory) {
        obstack_free(runs->memory, NULL);
        free(runs->memory);
    }
    *runs = (struct cell_runs){.clocks = 1};
}

int cell_runs_read(const char *data, const struct plan_cell *cell, struct cell_runs *runs, struct error_text *message)
{
    enum { CHUNK_BYTES = 1024 };
    char path[PATH_MAX];
    json_error_t problem;
    cell_runs_free(runs);
    snprintf(path, sizeof path, "%s/recordings/%s/series.json", data, cell->id);
    if (access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR))
        return STATUS_GOOD;
    json_t *root = json_load_file(path, 0, &problem), *done = json_object_get(root, "done");
    size_t clocks = json_array_size(json_object_get(json_object_get(root, "configuration"), "clocks"));
    if (!json_is_array(done)) {
        json_decref(root);
        return error_set(message, STATUS_BAD, "%.400s: %.80s; remove the directory to record it again", path,
                         root ? "it is not the state of a series" : problem.text);
    }
    runs->memory = malloc(sizeof *runs->memory);
    if (!runs->memory)
        obstack_alloc_failed_handler();
    obstack_begin(runs->memory, CHUNK_BYTES);
    runs->clocks = clocks ? clocks : 1;
    runs->runs = memory_allocate(runs->memory, json_array_size(done) + 1, sizeof *runs->runs);
    for (size_t i = 0; i < json_array_size(done); i++)
        if (!json_is_true(json_object_get(json_array_get(done, i), "interrupted")))
            cell_runs_fill(runs->memory, json_array_get(done, i), &runs->runs[runs->count++]);
    cell_runs_count_clocks(runs);
    json_decref(root);
    return STATUS_GOOD;
}

bool cell_runs_have(const struct cell_runs *runs, uint64_t number)
{
    return number < runs->number_end && runs->clocks_had[number] >= runs->clocks;
}
