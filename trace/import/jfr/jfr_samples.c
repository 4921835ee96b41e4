/* What samples of a chunk lead to: their stacks, threads, weights and states. */
#include "trace/import/jfr/jfr_samples.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * The types of events that become profiles. Samples of execution do in any case; the others, `aside`, if --profile
 * names them, or if a recording has no samples of execution. Each counts as one, or as its field `count`; its duration
 * and its bytes are further weights. A sample of allocation stands for as many bytes as were allocated since the
 * previous one: its weight, or the new buffer of its thread. Source: OpenJDK,
 * src/hotspot/share/jfr/metadata/metadata.xml; async-profiler, src/jfrMetadata.cpp.
 */
struct event_type {
    const char *name;              /* after the package */
    const char *count;             /* the field with the number of samples; NULL: 1 */
    const char *bytes, *own_bytes; /* fields with the bytes that it stands for, and those of the object alone */
    unsigned state;
    bool duration, aside;
    bool is_time; /* the duration is the first weight */
};
static const struct event_type event_types[JFR_EVENT_TYPES] = {
    {.name = "ExecutionSample"},
    {.name = "NativeMethodSample", .state = STATE_NATIVE},
    {.name = "CPUTimeSample"},
    {.name = "WallClockSample", .count = "samples"},
    {.name = "MethodTrace", .duration = true, .is_time = true},
    {.name = "JavaMonitorEnter", .duration = true, .aside = true},
    {.name = "JavaMonitorWait", .duration = true, .aside = true},
    {.name = "ThreadPark", .duration = true, .aside = true},
    {.name = "ThreadSleep", .duration = true, .aside = true},
    {.name = "NativeLock", .duration = true, .aside = true},
    {.name = "ObjectAllocationSample", .bytes = "weight", .aside = true},
    {.name = "ObjectAllocationInNewTLAB", .bytes = "tlabSize", .own_bytes = "allocationSize", .aside = true},
    {.name = "ObjectAllocationOutsideTLAB", .bytes = "allocationSize", .aside = true},
    {.name = "Malloc", .bytes = "size", .aside = true},
    {.name = "LiveObject", .bytes = "allocationSize", .aside = true},
    {.name = "FileRead", .bytes = "bytesRead", .duration = true, .aside = true},
    {.name = "FileWrite", .bytes = "bytesWritten", .duration = true, .aside = true},
    {.name = "SocketRead", .bytes = "bytesRead", .duration = true, .aside = true},
    {.name = "SocketWrite", .bytes = "bytesWritten", .duration = true, .aside = true},
};
/* Any other type that --profile names. */
static const struct event_type asked_type = {.name = "", .duration = true, .aside = true};
enum { EXECUTION_SAMPLE };

/* ------------------------------------------------------------------------------------------ frames -- */

static uint32_t jfr_samples_make_frame(struct jfr_samples *samples, uint32_t index, uint32_t line, int64_t position)
{
    bool known = index < samples->pools->has_method_capacity && samples->pools->has_method[index];
    const struct jfr_method *method = known ? &samples->pools->method[index] : NULL;
    const char *name = known ? jfr_pools_symbol(samples->pools, method->name) : "";
    if (!*name)
        reading_report_bad(samples->reading, "chunk at byte %" PRIu64 ": a frame whose method is not defined",
                           samples->chunk->start);
    return sink_add_frame(
        samples->reading->sink,
        &(struct sink_frame){.class_name = *name ? jfr_pools_class(samples->pools, method->class) : "",
                             .method = *name ? name : "[unknown]",
                             .signature = *name ? jfr_pools_symbol(samples->pools, method->descriptor) : "",
                             .line = line,
                             .position = position});
}

/* Pushes the stack of a sample onto samples->stack; returns the state of its innermost frame. False without memory. */
static bool jfr_samples_push_stack(struct jfr_samples *samples, uint64_t key, unsigned *state)
{
    uint32_t index = idmap_find(&samples->pools->traces, key);
    struct jfr_trace *trace = index && index < samples->pools->trace_capacity ? &samples->pools->trace[index] : NULL;
    if (!trace || trace->count == 0) {
        if (key != 0 && !trace)
            reading_report_bad(samples->reading, "chunk at byte %" PRIu64 ": a sample whose stack is not defined",
                               samples->chunk->start);
        return true;
    }
    struct jfr_frame *frames = samples->pools->frames + trace->first;
    for (size_t i = 0; !trace->resolved && i < trace->count; i++)
        frames[i].method = jfr_samples_make_frame(samples, frames[i].method, frames[i].line, frames[i].position);
    trace->resolved = true;
    uint32_t type = idmap_find(&samples->pools->types, frames[0].type);
    if (*state == STATE_UNKNOWN && type && type < samples->pools->type_capacity)
        *state = samples->pools->type[type];
    for (size_t i = 0; i < trace->count; i++)
        if (!stack_push(&samples->stack, frames[i].method))
            return false;
    return !trace->truncated ||
           stack_push(&samples->stack,
                      sink_add_frame(samples->reading->sink,
                                     &(struct sink_frame){.method = "[truncated stack]", .position = -1}));
}

/* ------------------------------------------------------------------------------------------ samples -- */

/* NULL: no profile. */
static const struct event_type *jfr_samples_event_type(const struct jfr_samples *samples, uint64_t id,
                                                       const char **name)
{
    const struct jfr_class *class = jfr_find_class(samples->types, id);
    if (!class)
        return NULL;
    *name = jfr_class_name(samples->types, class);
    const char *dot = strrchr(*name, '.');
    for (size_t i = 0; i < JFR_EVENT_TYPES; i++)
        if (strcmp(event_types[i].name, dot ? dot + 1 : *name) == 0)
            return &event_types[i];
    return samples->reading->profile && strcmp(samples->reading->profile, *name) == 0 ? &asked_type : NULL;
}

/* Samples of CPU time that the recorder had no capacity for. */
static bool jfr_samples_is_loss(const struct jfr_samples *samples, uint64_t id)
{
    const struct jfr_class *class = jfr_find_class(samples->types, id);
    return class && strcmp(jfr_class_name(samples->types, class), "jdk.CPUTimeSamplesLost") == 0;
}

bool jfr_samples_wants(const struct jfr_samples *samples, uint64_t type)
{
    const char *name;
    return jfr_samples_event_type(samples, type, &name) != NULL || jfr_samples_is_loss(samples, type);
}

/* Counts an event that is left out, since only samples of execution are taken. */
static bool jfr_samples_leave_out(struct jfr_samples *samples, const struct event_type *type, const char *name)
{
    const char *wanted = samples->reading->profile;
    if (!type->aside || samples->aside || (wanted && strcmp(wanted, name) == 0))
        return false;
    struct jfr_left_out *left = &samples->left_out[type - event_types];
    if (left->count++ == 0)
        snprintf(left->name, sizeof left->name, "%s", name);
    return true;
}

static uint64_t jfr_samples_time_ns(const struct jfr_chunk *chunk, uint64_t ticks)
{
    __int128 since = (__int128)ticks - chunk->start_ticks;
    __int128 time = (__int128)chunk->start_ns + since * 1000000000 / chunk->ticks_per_s;
    return time > 0 && time < INT64_MAX ? (uint64_t)time : 0;
}

/* The fields of an event with its thread: that which was sampled, or that which had the event. */
enum { SAMPLED_THREAD, EVENT_THREAD, THREAD_FIELDS };
#define THREAD_WANTED                                                                                                  \
    {.name = "sampledThread"},                                                                                         \
    {                                                                                                                  \
        .name = "eventThread"                                                                                          \
    }

static bool jfr_samples_has_thread(const struct jfr_wanted *wanted)
{
    return wanted[SAMPLED_THREAD].found || wanted[EVENT_THREAD].found;
}

/* A thread that is not defined is reported, and the sample is kept. */
static uint32_t jfr_samples_open_thread(struct jfr_samples *samples, const struct jfr_wanted *wanted)
{
    const uint64_t key = wanted[wanted[SAMPLED_THREAD].found ? SAMPLED_THREAD : EVENT_THREAD].number;
    uint32_t index = idmap_find(&samples->pools->threads, key);
    if (!jfr_samples_has_thread(wanted))
        return sink_add_thread(samples->reading->sink, 0, "");
    if (!index || index >= samples->pools->thread_capacity) {
        if (key != 0)
            reading_report_bad(samples->reading, "chunk at byte %" PRIu64 ": a sample whose thread is not defined",
                               samples->chunk->start);
        samples->threadless++;
        return sink_add_thread(samples->reading->sink, 0, "[unknown]");
    }
    const struct jfr_thread *thread = &samples->pools->thread[index];
    uint32_t number = sink_add_thread(samples->reading->sink, thread->tid, samples->pools->texts + thread->name);
    sink_set_thread_role(samples->reading->sink, number, thread->role);
    return number;
}

/* The state of a thread by the name that HotSpot or async-profiler gives it. */
static unsigned jfr_samples_count_thread_state(struct jfr_samples *samples, uint64_t key)
{
    static const struct {
        const char *name;
        unsigned state;
    } known[] = {{"STATE_RUNNABLE", THREAD_STATE_RUNNING},
                 {"STATE_SLEEPING", THREAD_STATE_SLEEPING},
                 {"STATE_IN_OBJECT_WAIT", THREAD_STATE_WAITING},
                 {"STATE_IN_OBJECT_WAIT_TIMED", THREAD_STATE_WAITING},
                 {"STATE_PARKED", THREAD_STATE_PARKED},
                 {"STATE_PARKED_TIMED", THREAD_STATE_PARKED},
                 {"STATE_BLOCKED_ON_MONITOR_ENTER", THREAD_STATE_BLOCKED},
                 {"STATE_NEW", THREAD_STATE_NEW},
                 {"STATE_TERMINATED", THREAD_STATE_TERMINATED},
                 {"STATE_DEFAULT", THREAD_STATE_DEFAULT}};
    const char *name = jfr_pools_thread_state(samples->pools, key);
    unsigned state = THREAD_STATE_UNKNOWN;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0)
            state = known[i].state;
    samples->states[state]++;
    return state;
}

/* The fields of an event, after those with its thread. */
enum { START_TIME = THREAD_FIELDS, STACK, STATE, METHOD, COUNT, DURATION, BYTES, OWN_BYTES, FIELDS };

/* The profile of an event, whose weights are those that its type has. */
static unsigned jfr_samples_open_profile(struct jfr_samples *samples, const struct event_type *type, const char *name,
                                         const struct jfr_wanted *wanted)
{
    struct sink_profile profile = {.name = name,
                                   .unit = type->is_time ? "ns"
                                           : type->aside ? "events"
                                                         : "samples",
                                   .unknown = UNKNOWN_PERIOD | (jfr_samples_has_thread(wanted) ? 0 : UNKNOWN_THREADS),
                                   .thread_states = wanted[STATE].found};
    size_t count = 0;
    if (type->duration && wanted[DURATION].found)
        profile.more[count++] =
            type->is_time ? (struct sink_weight){"samples", "samples"} : (struct sink_weight){"duration", "ns"};
    if (type->bytes)
        profile.more[count++] = (struct sink_weight){"bytes", "bytes"};
    if (type->own_bytes)
        profile.more[count++] = (struct sink_weight){type->own_bytes, "bytes"};
    if (count > 0)
        profile.weight = type->is_time ? "duration" : "samples";
    return sink_open_profile(samples->reading->sink, &profile);
}

/* In the order of jfr_samples_open_profile(). */
static void jfr_samples_set_weights(const struct jfr_samples *samples, const struct event_type *type,
                                    const struct jfr_wanted *wanted, struct sink_sample *sample)
{
    const uint64_t ns =
        (uint64_t)((unsigned __int128)wanted[DURATION].number * 1000000000 / samples->chunk->ticks_per_s);
    size_t count = 0;
    sample->weight = type->is_time ? ns : wanted[COUNT].found ? wanted[COUNT].number : 1;
    if (type->duration && wanted[DURATION].found)
        sample->more[count++] = type->is_time ? 1 : (int64_t)wanted[DURATION].number < 0 ? 0 : ns;
    if (type->bytes)
        sample->more[count++] = wanted[BYTES].number;
    if (type->own_bytes)
        sample->more[count] = wanted[OWN_BYTES].number;
}

static const char *jfr_samples_field_name(const char *field)
{
    return field ? field : "";
}

static void jfr_samples_add_sample(struct jfr_samples *samples, struct jfr_event *event)
{
    const char *name;
    const struct event_type *type = jfr_samples_event_type(samples, event->type, &name);
    if (jfr_samples_leave_out(samples, type, name))
        return;
    struct jfr_wanted wanted[FIELDS] = {THREAD_WANTED,
                                        {.name = "startTime"},
                                        {.name = "stackTrace"},
                                        {.name = "state"},
                                        {.name = "method"},
                                        {.name = jfr_samples_field_name(type->count)},
                                        {.name = "duration"},
                                        {.name = jfr_samples_field_name(type->bytes)},
                                        {.name = jfr_samples_field_name(type->own_bytes)}};
    jfr_read_object(samples->types, &event->body, jfr_find_class(samples->types, event->type),
                    &(struct jfr_request){.wanted = wanted, .count = FIELDS});
    if (event->body.bad) {
        reading_report_bad(samples->reading, "byte %" PRIu64 ": a damaged event %s", event->at, name);
        return;
    }
    struct sink_sample sample = {.profile = jfr_samples_open_profile(samples, type, name, wanted),
                                 .thread = jfr_samples_open_thread(samples, wanted),
                                 .state = type->state,
                                 .time_ns = jfr_samples_time_ns(samples->chunk, wanted[START_TIME].number)};
    jfr_samples_set_weights(samples, type, wanted, &sample);
    samples->execution |= type == &event_types[EXECUTION_SAMPLE];
    samples->stack.depth = 0;
    if (type->is_time) {
        uint32_t method = idmap_find(&samples->pools->methods, wanted[METHOD].number);
        samples->full |=
            wanted[METHOD].found && !stack_push(&samples->stack, jfr_samples_make_frame(samples, method, 0, -1));
    }
    samples->full |= !jfr_samples_push_stack(samples, wanted[STACK].number, &sample.state);
    if (wanted[STATE].found)
        sample.thread_state = jfr_samples_count_thread_state(samples, wanted[STATE].number);
    sample.frames = samples->stack.frames;
    sample.depth = samples->stack.depth;
    samples->taken++;
    sink_add_sample(samples->reading->sink, &sample);
}

void jfr_samples_add_event(struct jfr_samples *samples, struct jfr_event *event)
{
    if (jfr_samples_is_loss(samples, event->type)) {
        struct jfr_wanted wanted[] = {THREAD_WANTED, {.name = "lostSamples"}};
        jfr_read_object(samples->types, &event->body, jfr_find_class(samples->types, event->type),
                        &(struct jfr_request){.wanted = wanted, .count = 3});
        if (event->body.bad)
            reading_report_bad(samples->reading, "byte %" PRIu64 ": a damaged event", event->at);
        else
            sink_add_lost(samples->reading->sink,
                          sink_open_profile(samples->reading->sink, &(struct sink_profile){.name = "jdk.CPUTimeSample",
                                                                                           .unit = "samples",
                                                                                           .unknown = UNKNOWN_PERIOD}),
                          jfr_samples_open_thread(samples, wanted), wanted[THREAD_FIELDS].number);
    } else if (jfr_samples_wants(samples, event->type))
        jfr_samples_add_sample(samples, event);
}

/* ------------------------------------------------------------------------------------------ notes -- */

void jfr_samples_write_notes(const struct jfr_samples *samples, bool of_jvm)
{
    struct error_text *note = &samples->reading->note;
    const char *profile = samples->reading->profile;
    if (samples->execution && of_jvm && (!profile || strcmp(profile, "jdk.ExecutionSample") == 0))
        error_append(note,
                     "jdk.ExecutionSample covers threads that run Java code, without the time that they spend in "
                     "native code and in the JVM (jdk.NativeMethodSample covers native code, with a period of its own; "
                     "since JDK 25, jdk.CPUTimeSample covers all of their CPU time)");
    if (samples->threadless > 0)
        error_append(note, "samples without a thread, which are in '[unknown]': %" PRIu64, samples->threadless);
    /* States other than running, which samples of execution alone would have. */
    char list[512] = "", one[128];
    for (unsigned state = 0; state < THREAD_STATE_COUNT; state++) {
        snprintf(one, sizeof one, "%" PRIu64 " %s", samples->states[state], trace_thread_state_name(state));
        if (samples->states[state] > 0 && state != THREAD_STATE_RUNNING && state != THREAD_STATE_DEFAULT)
            error_list(list, sizeof list, one);
    }
    if (*list)
        error_append(&samples->reading->note, "not all of its threads were running, which --state can choose: %s",
                     list);
    /* Events with stacks other than samples of execution. */
    char left_out[512] = "", each[128];
    for (size_t i = 0; i < JFR_EVENT_TYPES; i++) {
        snprintf(each, sizeof each, "%s (%" PRIu64 ")", samples->left_out[i].name, samples->left_out[i].count);
        if (samples->left_out[i].count > 0)
            error_list(left_out, sizeof left_out, each);
    }
    if (*left_out && !samples->reading->profile)
        error_append(&samples->reading->note, "--profile chooses other events: %s", left_out);
    if (samples->aside && samples->taken > 0)
        error_append(&samples->reading->note,
                     "it has no samples of execution, so its events of locks, allocations and files were taken");
}

uint64_t jfr_samples_count_left_out(const struct jfr_samples *samples)
{
    uint64_t count = 0;
    for (size_t i = 0; i < JFR_EVENT_TYPES; i++)
        count += samples->left_out[i].count;
    return count;
}
