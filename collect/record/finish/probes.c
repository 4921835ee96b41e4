#include "collect/record/finish/probes.h"

#include <stdlib.h>

static uint64_t cpu_ns_of(const struct trace_thread *thread)
{
    return thread->last_cpu_ns > thread->first_cpu_ns ? thread->last_cpu_ns - thread->first_cpu_ns : 0;
}

static uint64_t *events_by_thread(const struct trace *trace, size_t threads)
{
    uint64_t *events = calloc(threads, sizeof *events);
    for (size_t i = 0; events && i < trace_chunk_count(trace); i++) {
        const struct trace_chunk *chunk = trace_chunk_at(trace, i);
        if (chunk->kind == TRACE_EVENT && chunk->thread < threads)
            events[chunk->thread] += chunk->count;
    }
    return events;
}

static json_t *largest_of(const struct trace_names *names, const uint64_t *events, double event_ns)
{
    static const uint64_t LONG_NS = 10000000;
    double most = 0;
    json_t *largest = NULL;
    for (size_t i = 1; i < names->thread_count; i++) {
        const struct trace_thread *thread = &names->threads[i];
        uint64_t cpu_ns = cpu_ns_of(thread);
        double share = cpu_ns >= LONG_NS ? (double)events[i] * event_ns / (double)cpu_ns : 0;
        if (share <= most)
            continue;
        most = share;
        json_decref(largest);
        largest = json_pack("{s:I, s:I, s:I, s:f}", "tid", (json_int_t)thread->tid, "events", (json_int_t)events[i],
                            "cpu_ns", (json_int_t)cpu_ns, "share", share);
        json_object_set_new(largest, "thread", json_string(thread->name)); /* none if it is not UTF-8 */
    }
    return largest;
}

json_t *probes_largest(const struct trace *trace)
{
    const json_t *probe = json_object_get(trace_metadata(trace), "probe");
    if (json_object_get(trace_metadata(trace), "simulated"))
        return NULL; /* its time is that of the simulation */
    double event_ns = json_number_value(json_object_get(probe, "pair_ns")) / 2;
    struct trace_names names;
    struct trace_loss loss = {0};
    if (event_ns <= 0 || trace_names_load(trace, &names, &loss) != 0)
        return NULL;
    uint64_t *events = events_by_thread(trace, names.thread_count);
    json_t *largest = events ? largest_of(&names, events, event_ns) : NULL;
    free(events);
    trace_names_free(&names);
    return largest;
}
