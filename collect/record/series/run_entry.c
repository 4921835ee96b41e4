#include "collect/record/series/run_entry.h"

#include <errno.h>
#include <sys/wait.h>

#include "collect/record/finish/run_notes.h"

static json_int_t run_entry_ns(struct timeval time)
{
    return (json_int_t)time.tv_sec * 1000000000 + (json_int_t)time.tv_usec * 1000;
}

json_t *run_entry_make(const struct backend *backend, const struct record_run *run,
                       const struct metadata_location *location, json_t *started, const struct launch_result *result,
                       bool interrupted, int *error)
{
    json_t *traces = NULL;
    json_t *ending = json_pack(
        "{s:n, s:n, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "status", "signal", "wall_ns", (json_int_t)result->wall_ns,
        "stolen_ns", (json_int_t)result->stolen_ns, "user_ns", run_entry_ns(result->usage.ru_utime), "system_ns",
        run_entry_ns(result->usage.ru_stime), "max_rss_bytes", (json_int_t)result->usage.ru_maxrss * 1024,
        "minor_faults", (json_int_t)result->usage.ru_minflt, "major_faults", (json_int_t)result->usage.ru_majflt);
    if (WIFSIGNALED(result->status))
        json_object_set_new(ending, "signal", json_integer(WTERMSIG(result->status)));
    else
        json_object_set_new(ending, "status", json_integer(WEXITSTATUS(result->status)));
    *error = ending ? backend_check(backend, run, location, NULL, ending, &traces) : ENOMEM;
    json_t *entry = *error
                        ? NULL
                        : json_pack("{s:I, s:s, s:s, s:O, s:I, s:b}", "run", (json_int_t)run->number, "clock",
                                    run->clock->name, "prefix", location->prefix, "started", started, "seed",
                                    (json_int_t)metadata_seed(backend->options, run), "interrupted", (int)interrupted);
    if (entry) {
        json_object_set(entry, "exit", ending);
        json_object_set_new(entry, "traces", traces);
        json_t *notes = run_notes_take(location->directory, location->prefix);
        if (json_array_size(notes) > 0)
            json_object_set(entry, "notes", notes);
        json_decref(notes);
    }
    json_decref(ending);
    return entry;
}
