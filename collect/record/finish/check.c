#include "collect/record/finish/check.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/record/finish/amend.h"
#include "collect/record/finish/leftover.h"
#include "collect/record/finish/raws.h"
#include "collect/record/run_files.h"
#include "collect/symbols/resolve.h"
#include "trace/trace.h"

static const char FINISHED[] = "finished", UNFINISHED[] = "unfinished", RUNNING[] = "running", DAMAGED[] = "damaged";

/* ------------------------------------------------------------------------------------------ probes -- */

static uint64_t check_thread_cpu_ns(const struct trace_thread *thread)
{
    return thread->last_cpu_ns > thread->first_cpu_ns ? thread->last_cpu_ns - thread->first_cpu_ns : 0;
}

/*
 * What the probes of mode methods took of a thread's CPU time: the number of events in its trace times what one of them
 * costs, which each process measured when it started (metadata `probe`). The thread of which they took the largest
 * share: {"tid", "thread": its name if that is UTF-8, "events", "cpu_ns": of the thread from its first event to its
 * last, "share"}, a new reference. NULL if the trace has no such cost, or the time of a simulation, or no thread with
 * 10 ms of CPU time, below which a share says little; or without memory. Cost: O(chunks).
 */
static json_t *check_probes_largest(const struct trace *trace)
{
    static const uint64_t LONG_NS = 10000000;
    const json_t *probe = json_object_get(trace_metadata(trace), "probe");
    if (json_object_get(trace_metadata(trace), "simulated"))
        return NULL; /* its time is that of the simulation */
    double event_ns = json_number_value(json_object_get(probe, "pair_ns")) / 2;
    struct trace_names names;
    struct trace_loss loss = {0};
    if (event_ns <= 0 || trace_names_load(trace, &names, &loss) != 0)
        return NULL;
    uint64_t *events = calloc(names.thread_count, sizeof *events);
    for (size_t i = 0; events && i < trace_chunk_count(trace); i++) {
        const struct trace_chunk *chunk = trace_chunk_at(trace, i);
        if (chunk->kind == TRACE_EVENT && chunk->thread < names.thread_count)
            events[chunk->thread] += chunk->count;
    }
    double most = 0;
    json_t *largest = NULL;
    for (size_t i = 1; events && i < names.thread_count; i++) {
        const struct trace_thread *thread = &names.threads[i];
        uint64_t cpu_ns = check_thread_cpu_ns(thread);
        double share = cpu_ns >= LONG_NS ? (double)events[i] * event_ns / (double)cpu_ns : 0;
        if (share <= most)
            continue;
        most = share;
        json_decref(largest);
        largest = json_pack("{s:I, s:I, s:I, s:f}", "tid", (json_int_t)thread->tid, "events", (json_int_t)events[i],
                            "cpu_ns", (json_int_t)cpu_ns, "share", share);
        json_object_set_new(largest, "thread", json_string(thread->name)); /* none if it is not UTF-8 */
    }
    free(events);
    trace_names_free(&names);
    return largest;
}

/* ------------------------------------------------------------------------------------------ traces -- */

/* The result of inspecting a trace. */
struct look {
    const char *state;
    uint64_t cpu_ns;
    json_t *probes; /* or NULL */
    bool problematic;
};

/* A trace may be sealed while its process continues, with the file `held` open: then it must not be rewritten. */
static void check_look_at_trace(const struct trace *trace, bool held, struct cache *cache, const json_t *ending,
                                struct look *look, struct error_text *message)
{
    struct trace_names names;
    struct trace_loss loss = {0};
    look->state = held ? RUNNING : trace_has_index(trace) ? FINISHED : UNFINISHED;
    look->probes = check_probes_largest(trace);
    if (trace_names_load(trace, &names, &loss) != 0) {
        error_set(message, STATUS_BAD, "out of memory");
        look->problematic = !held;
        return;
    }
    /* CPU time between the first and the last observation of each thread. */
    for (size_t i = 1; i < names.thread_count; i++)
        look->cpu_ns += check_thread_cpu_ns(&names.threads[i]);
    if (!held) {
        /* Nobody writes to it any more. How the command ended, the cost of probes (NULL: nothing) and the names of
         * native code are added in a single rewrite. The trace is valid either way. */
        struct resolve_report report;
        json_t *more = json_pack("{s:O, s:O*}", "exit", ending, "probes", look->probes);
        enum resolve_status status =
            more ? resolve_opened(trace, &names, cache, more, &report, message) : RESOLVE_FAILED;
        int error = status == RESOLVE_NOTHING ? amend_metadata(trace, more) : 0;
        if (!more)
            error_set(message, STATUS_BAD, "out of memory");
        if (error)
            error_set(message, STATUS_BAD, "how the command ended could not be written into it: %s", strerror(error));
        look->problematic = status == RESOLVE_FAILED || error;
        json_decref(more);
    }
    trace_names_free(&names);
}

static json_t *check_trace(const struct check_location *location, const char *name, const json_t *ending)
{
    char path[RECORD_PATH_MAX + 256];
    struct trace *trace;
    struct error_text message = {""};
    snprintf(path, sizeof path, "%s/%s", location->directory, name);
    /* Before we look inside: it may end, but not come back. Another process may write it. */
    bool held = leftover_has_open(run_files_pid(name), path);
    if (!held && trace_open(path, &trace, &message) == 0) {
        pid_t writer = (pid_t)json_integer_value(json_object_get(trace_metadata(trace), "writer_pid"));
        trace_close(trace);
        held = writer > 0 && leftover_has_open(writer, path);
    }
    struct look look = {.state = held ? RUNNING : DAMAGED, .problematic = !held};
    if (trace_open(path, &trace, &message) == 0) {
        look.problematic = false;
        check_look_at_trace(trace, held, location->cache, ending, &look, &message);
        trace_close(trace);
    }
    json_t *entry = json_pack("{s:s, s:s, s:I, s:o*}", "file", name, "state", look.state, "sampled_cpu_ns",
                              (json_int_t)look.cpu_ns, "probes", look.probes);
    if (entry && look.problematic)
        json_object_set_new(entry, "problem", json_string(message.text));
    return entry;
}

int check_run(const struct check_location *location, const json_t *before, const json_t *ending, json_t **traces)
{
    assert(location->directory && location->prefix);
    json_t *checked = json_array(), *problems = json_object();
    int error = checked && problems ? 0 : ENOMEM;
    if (!error && location->raw_problems)
        json_object_update(problems, (json_t *)(uintptr_t)location->raw_problems);
    if (!error && location->raw_metadata)
        error = raws_convert(location->directory, location->prefix, location->raw_metadata, checked, problems);
    struct run_files_list names = {0};
    if (!error)
        error = run_files_list(location->directory, location->prefix, &names);
    for (size_t i = 0; i < names.count && !error; i++) {
        json_t *problem = json_object_get(problems, names.names[i]), *known = NULL, *found;
        size_t k;
        json_array_foreach(before, k, found)
        {
            const char *file = json_string_value(json_object_get(found, "file"));
            const char *state = json_string_value(json_object_get(found, "state"));
            if (!known && file && state && strcmp(file, names.names[i]) == 0 && strcmp(state, RUNNING) != 0)
                known = found; /* finalized before */
        }
        json_t *entry = known ? json_incref(known) : check_trace(location, names.names[i], ending);
        if (entry && problem && !json_object_get(entry, "problem"))
            json_object_set(entry, "problem", problem);
        if (!entry || json_array_append_new(checked, entry) != 0)
            error = ENOMEM;
    }
    run_files_free(&names);
    json_decref(problems);
    if (error)
        json_decref(checked);
    else
        *traces = checked;
    return error;
}

uint64_t check_count_samples(const char *directory, const json_t *traces)
{
    const json_t *entry;
    uint64_t samples = 0;
    size_t i;
    json_array_foreach(traces, i, entry)
    {
        char path[RECORD_PATH_MAX + 256];
        struct trace *trace;
        struct error_text unused;
        snprintf(path, sizeof path, "%s/%s", directory, json_string_value(json_object_get(entry, "file")));
        if (trace_open(path, &trace, &unused) != 0)
            continue;
        for (size_t k = 0; k < trace_chunk_count(trace); k++)
            samples += trace_chunk_at(trace, k)->kind == TRACE_SAMPLE ? trace_chunk_at(trace, k)->count : 0;
        trace_close(trace);
    }
    return samples;
}

void check_summarize(const json_t *traces, struct check_summary *summary)
{
    *summary = (struct check_summary){.traces = json_array_size(traces)};
    const json_t *entry;
    size_t i;
    json_array_foreach(traces, i, entry)
    {
        const char *state = json_string_value(json_object_get(entry, "state"));
        summary->unfinished += state && strcmp(state, UNFINISHED) == 0;
        summary->running += state && strcmp(state, RUNNING) == 0;
        summary->damaged += state && strcmp(state, DAMAGED) == 0;
        summary->sampled_cpu_ns += (uint64_t)json_integer_value(json_object_get(entry, "sampled_cpu_ns"));
    }
}

void check_list_names(const json_t *traces, const char *state, char *text, size_t size)
{
    const json_t *entry;
    size_t i, length = 0;
    *text = '\0';
    json_array_foreach(traces, i, entry)
    {
        const char *file = json_string_value(json_object_get(entry, "file"));
        const char *found = json_string_value(json_object_get(entry, "state"));
        if (!file || !found || strcmp(found, state) != 0)
            continue;
        if (length + strlen(file) + 2 * sizeof ", ..." > size) {
            strcpy(text + length, ", ...");
            return;
        }
        length += (size_t)snprintf(text + length, size - length, "%s%s", length ? ", " : "", file);
    }
}
