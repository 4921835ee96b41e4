#include "analyze/phases/sums/calls.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct phases *phases_new(bool spreads)
{
    struct phases *phases = calloc(1, sizeof *phases);
    if (!phases)
        return NULL;
    relations_init(&phases->relations, phases_relations, PHASES_RELATIONS);
    phases->spreads = spreads;
    return phases;
}

void phases_free(void *state)
{
    struct phases *phases = state;
    calls_free(phases);
    relations_free(&phases->relations);
    free(phases);
}

/* ------------------------------------------------------------------------------------------ metrics -- */

struct phases_metrics phases_metrics(const struct phases *phases, const struct phases_run *run)
{
    struct phases_metrics metrics = {0};
    int instructions = -1;
    for (size_t m = 0; m < METRICS_MAX && run->metrics[m] != FIELD_NONE; m++) {
        const char *name = phases_text(phases, run->metrics[m]);
        metrics.count++;
        metrics.is_time[m] = m == 0 || event_metric_is_time(name);
        size_t length = strlen(name), tail = strlen(":instructions");
        bool counts_instructions = strcmp(name, "instructions") == 0 || strcmp(name, "ret_instr") == 0 ||
                                   (length >= tail && strcmp(name + length - tail, ":instructions") == 0) ||
                                   strncmp(name, "simulated-instructions", 22) == 0 ||
                                   strncmp(name, "instructions:", 13) == 0;
        if (instructions < 0 && m > 0 && counts_instructions)
            instructions = (int)m;
    }
    for (size_t m = 0; m < METRICS_MAX; m++) {
        bool has = instructions >= 0 ? m != (size_t)instructions : m > 0 && !metrics.is_time[m];
        metrics.denominator[m] = m < metrics.count && has ? (instructions >= 0 ? instructions : 0) : -1;
        metrics.factor[m] = instructions >= 0 ? 1 : 1e9; /* events per ns to events per second */
    }
    return metrics;
}

void phases_rate_name(const struct phases *phases, const struct phases_run *run, size_t m, char text[RATE_NAME_MAX])
{
    struct phases_metrics metrics = phases_metrics(phases, run);
    snprintf(text, RATE_NAME_MAX, "%.140s/%s", phases_text(phases, run->metrics[m]),
             metrics.denominator[m] > 0 ? "instruction" : "s");
}

/* ------------------------------------------------------------------------------------------ runs -- */

static double phases_number_in(const json_t *object, const char *key)
{
    const json_t *number = json_object_get(object, key);
    return json_is_number(number) ? json_number_value(number) : NAN;
}

/* From the recorder's data about the command's end; 0: none. */
static uint64_t phases_exit_number(const json_t *metadata, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(json_object_get(metadata, "exit"), key));
    return value > 0 ? (uint64_t)value : 0;
}

static void phases_read_probe(const json_t *probe, const char *pair, const char *low, const char *high, double out[3])
{
    out[0] = phases_number_in(probe, pair);
    out[1] = phases_number_in(probe, low);
    out[2] = phases_number_in(probe, high);
}

uint32_t phases_run_of(struct phases *phases, const struct analysis_trace *trace)
{
    const json_t *metadata = trace_metadata(trace->trace), *counters = json_object_get(metadata, "counters"), *name;
    const json_t *probe = json_object_get(metadata, "probe");
    struct phases_run run = {.id = relations_text(&phases->relations, trace->run)};
    run.path = relations_text(&phases->relations, trace->path);
    phases_read_probe(probe, "pair_ns", "lo_ns", "hi_ns", run.probe[0]);
    run.wall_ns = phases_exit_number(metadata, "wall_ns");
    run.cpu_ns = phases_exit_number(metadata, "user_ns") + phases_exit_number(metadata, "system_ns");
    run.metrics[0] = relations_text(&phases->relations, "time_ns");
    bool full = run.id == FIELD_NONE || run.metrics[0] == FIELD_NONE || run.path == FIELD_NONE;
    for (size_t m = 1; m < METRICS_MAX; m++) {
        run.metrics[m] = FIELD_NONE;
        phases_read_probe(json_array_get(json_object_get(probe, "counters"), m - 1), "pair", "lo", "hi", run.probe[m]);
    }
    size_t i;
    json_array_foreach((json_t *)(uintptr_t)counters, i, name)
    {
        if (i >= EVENT_COUNTERS_MAX)
            break;
        const char *text = json_is_string(name) ? json_string_value(name) : "[unnamed counter]";
        run.metrics[1 + i] = relations_text(&phases->relations, text);
        full |= run.metrics[1 + i] == FIELD_NONE;
    }
    return full ? FIELD_NONE : relations_add(&phases->relations, PHASES_RUNS, &run);
}

uint32_t phases_entry_of(struct phases *phases, uint32_t run, uint32_t method)
{
    const struct phases_entry entry = {.run = run, .method = method};
    return relations_add(&phases->relations, PHASES_ENTRIES, &entry);
}

uint32_t phases_role_of(struct phases *phases, uint32_t run, uint32_t role)
{
    const struct phases_role item = {.run = run, .role = role};
    return relations_add(&phases->relations, PHASES_ROLES, &item);
}

static bool phases_text_begins_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

enum phases_component phases_component_of(const struct trace_thread *thread)
{
    /* As cut to 15 bytes by the kernel. */
    static const char *const finalizers[] = {"Finalizer", "Reference Handl", "Common-Cleaner", "Cleaner-"};
    for (size_t i = 0; thread->role == ROLE_JAVA && i < sizeof finalizers / sizeof *finalizers; i++)
        if (phases_text_begins_with(thread->name, finalizers[i]))
            return COMPONENT_FINALIZER;
    switch (thread->role) {
    case ROLE_GC:
        return COMPONENT_GC;
    case ROLE_VM:
        return COMPONENT_OTHER;
    case ROLE_JIT:
        return phases_text_begins_with(thread->name, "C1 ")   ? COMPONENT_C1
               : phases_text_begins_with(thread->name, "C2 ") ? COMPONENT_C2
                                                              : COMPONENT_JIT;
    default:
        return COMPONENT_APPLICATION;
    }
}

static uint64_t phases_thread_cpu(const struct trace_thread *thread)
{
    return thread->last_cpu_ns > thread->first_cpu_ns ? thread->last_cpu_ns - thread->first_cpu_ns : 0;
}

/* The virtual machine's last report; 0 or ENOMEM. Damaged chunks are counted by the reader of the whole trace. */
static int phases_read_vm(struct phases_trace *counts, const struct trace *trace)
{
    const json_t *start = json_object_get(trace_metadata(trace), "start_monotonic_ns");
    uint64_t began = (uint64_t)json_integer_value(start);
    struct trace_batch batch = {0};
    struct error_text problem;
    int status = 0;
    for (size_t i = 0; began > 0 && i < trace_chunk_count(trace) && status != TRACE_NO_MEMORY; i++) {
        if (trace_chunk_at(trace, i)->kind != TRACE_VM)
            continue;
        status = trace_read(trace, i, TRACE_ALL_COLUMNS, &batch, &problem);
        if (status)
            continue;
        for (size_t r = 0; r < batch.count; r++) {
            uint64_t what = batch.integers[VM_WHAT][r], time = batch.integers[VM_TIME][r];
            if (what < VM_COUNT)
                counts->vm_ns[what] = batch.integers[VM_VALUE][r];
            if (what < VM_REWRITE)
                counts->vm_elapsed_ns = time > began ? time - began : 0;
        }
    }
    trace_batch_free(&batch);
    return status == TRACE_NO_MEMORY ? ENOMEM : 0;
}

static bool phases_is_elapsed(const struct phases *phases, const struct phases_run *run, size_t m)
{
    return m == 0 || strcmp(phases_text(phases, run->metrics[m]), "wall-ns") == 0;
}

/* A collection is a call, with what its threads took. Its elapsed time is already part of that of the threads that it
 * stops, so it does not add to the program's. */
static bool phases_add_collection(struct phases *phases, struct phases_entry *entry, struct phases_role *role,
                                  const struct phases_metrics *metrics, const uint64_t values[METRICS_MAX])
{
    const bool clear[METRICS_MAX] = {true, true, true, true, true};
    entry->calls++;
    for (size_t m = 0; m < metrics->count; m++) {
        bool elapsed = phases_is_elapsed(phases, phases_run_at(phases, entry->run), m);
        entry->inclusive.metrics[m] += values[m];
        entry->exclusive.metrics[m] += values[m];
        role->span.metrics[m] += elapsed ? 0 : values[m];
        role->inside[m] += elapsed ? 0 : values[m];
    }
    return phases_observe(phases, entry, metrics, values, clear);
}

/* Adds the collections of a trace, and sets *cpu_ns to the CPU time that they took. Damaged chunks are counted by the
 * reader of the whole trace. */
static bool phases_read_collections(struct phases *phases, uint32_t run, const struct trace *trace, uint64_t *cpu_ns)
{
    *cpu_ns = 0;
    struct trace_batch batch = {0};
    struct error_text problem;
    bool good = true;
    if (!json_is_true(json_object_get(trace_metadata(trace), "gc_counters")))
        return true;
    uint32_t text = relations_text(&phases->relations, PHASES_COLLECTOR);
    uint32_t entry = text == FIELD_NONE ? FIELD_NONE : phases_entry_of(phases, run, text);
    uint32_t role = phases_role_of(phases, run, COMPONENT_GC);
    if (entry == FIELD_NONE || role == FIELD_NONE)
        return false;
    struct phases_metrics metrics = phases_metrics(phases, phases_run_at(phases, run));
    size_t cpu = 1;
    while (cpu < metrics.count &&
           strcmp(phases_text(phases, phases_run_at(phases, run)->metrics[cpu]), "thread-cpu-ns") != 0)
        cpu++;
    for (size_t i = 0; good && i < trace_chunk_count(trace); i++) {
        int status = trace_chunk_at(trace, i)->kind == TRACE_GC
                         ? trace_read(trace, i, TRACE_ALL_COLUMNS, &batch, &problem)
                         : TRACE_NEWER;
        good = status != TRACE_NO_MEMORY;
        if (status)
            continue;
        for (size_t r = 0; good && r < batch.count; r++) {
            uint64_t values[METRICS_MAX] = {batch.integers[GC_DURATION][r]};
            for (size_t m = 1; m < metrics.count; m++) {
                values[m] = batch.integers[GC_COUNTER_0 + m - 1][r];
                *cpu_ns += m == cpu ? values[m] : 0;
            }
            good = phases_add_collection(phases, phases_entry_at(phases, entry), phases_role_at(phases, role), &metrics,
                                         values);
        }
    }
    trace_batch_free(&batch);
    return good && phases_flush(phases) == 0;
}

/* A collector without threads of its own, such as the serial one, runs in a thread of the virtual machine: what
 * collections took of the CPU time of such threads is the collector's. It may still have a stream, which holds the
 * collections and has no CPU time. */
static void phases_move_collections(struct phases_trace *counts, uint64_t cpu_ns)
{
    uint64_t *vm_ns = &counts->cpu_ns[COMPONENT_OTHER];
    if (counts->cpu_ns[COMPONENT_GC] > 0)
        return;
    uint64_t moved = cpu_ns < *vm_ns ? cpu_ns : *vm_ns;
    *vm_ns -= moved;
    counts->cpu_ns[COMPONENT_GC] += moved;
}

int phases_count_threads(void *state, const struct analysis_trace *trace)
{
    struct phases *phases = state;
    const struct trace_names *names = trace->names;
    uint64_t collections_ns;
    struct phases_trace counts = {.path = relations_text(&phases->relations, trace->path)};
    counts.run = phases_run_of(phases, trace);
    for (size_t i = 1; i < names->thread_count; i++) {
        const struct trace_thread *thread = &names->threads[i];
        enum phases_component component = phases_component_of(thread);
        uint64_t cpu_ns = phases_thread_cpu(thread);
        bool is_counted = thread->tid || *thread->name;
        /* A finalization thread that enters methods has two streams: one with its events, one with its CPU time since
         * the JVM was live. The one with more CPU time counts. */
        bool may_repeat = thread->tid && component == COMPONENT_FINALIZER;
        for (size_t j = 1; may_repeat && is_counted && j < names->thread_count; j++) {
            const struct trace_thread *other = &names->threads[j];
            uint64_t other_ns = phases_thread_cpu(other);
            is_counted = (other_ns < cpu_ns || (other_ns == cpu_ns && j >= i)) || other->tid != thread->tid ||
                         strcmp(other->name, thread->name) != 0;
        }
        if (is_counted) {
            counts.threads[component]++;
            counts.cpu_ns[component] += cpu_ns;
        }
    }
    bool full = counts.path == FIELD_NONE || counts.run == FIELD_NONE || phases_read_vm(&counts, trace->trace) != 0 ||
                !phases_read_collections(phases, counts.run, trace->trace, &collections_ns);
    if (!full)
        phases_move_collections(&counts, collections_ns);
    return full || relations_add(&phases->relations, PHASES_TRACES, &counts) == FIELD_NONE ? ENOMEM : 0;
}

/* ------------------------------------------------------------------------------------------ calls -- */

static bool phases_spread_value(struct phases_entry *entry, size_t which, double x)
{
    bool good = entry->spreads.others || phases_spreads_extend(&entry->spreads);
    return good && spread_add(&entry->spreads.others[which], x);
}

bool phases_observe(struct phases *phases, struct phases_entry *entry, const struct phases_metrics *metrics,
                    const uint64_t values[METRICS_MAX], const bool clear[METRICS_MAX])
{
    bool good = spread_add(&entry->spreads.times, (double)values[0]);
    for (size_t m = 0; m < metrics->count; m++) {
        moments_add_unsigned(&entry->moments[m], values[m]);
        if (m > 0 && phases->spreads)
            good &= phases_spread_value(entry, m, (double)values[m]);
        int below = metrics->denominator[m];
        if (below < 0 || values[below] == 0 || !clear[below])
            continue;
        double rate = (double)values[m] * metrics->factor[m] / (double)values[below];
        quotients_add(&entry->rates[m], rate);
        if (phases->spreads)
            good &= phases_spread_value(entry, METRICS_MAX + m, rate);
    }
    return good;
}

void phases_sums_add(struct phases_sums *sums, const struct phases_sums *other)
{
    for (size_t m = 0; m < METRICS_MAX; m++) {
        sums->metrics[m] += other->metrics[m];
        sums->probe[m] += other->probe[m];
    }
}

int phases_flush(struct phases *phases)
{
    bool good = true;
    for (size_t i = 0; good && i < phases_entry_count(phases); i++) {
        struct phases_spreads *spreads = &phases_entry_at(phases, i)->spreads;
        good = spread_flush(&spreads->times);
        for (size_t s = 0; good && spreads->others && s < OTHER_SPREADS; s++)
            good = spreads->others[s].waiting_count == 0 || spread_flush(&spreads->others[s]);
    }
    return good ? 0 : ENOMEM;
}

double phases_without_probe(wide_u128 value, wide_u128 probe)
{
    long double left = (long double)value - ldexpl((long double)probe, -PROBE_COST_SHIFT);
    return left > 0 ? (double)left : 0;
}
