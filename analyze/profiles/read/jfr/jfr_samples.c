/* What samples of a chunk lead to: their stacks, threads, weights and states. */
#include "analyze/profiles/read/jfr/jfr_samples.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The types of events that are samples. */
struct event_type {
    const char *name;   /* after the package */
    const char *weight; /* the field with its weight; NULL: 1 */
    const char *unit;
    unsigned state;
};
static const struct event_type event_types[] = {
    {"ExecutionSample", NULL, "samples", STATE_UNKNOWN}, {"NativeMethodSample", NULL, "samples", STATE_NATIVE},
    {"CPUTimeSample", NULL, "samples", STATE_UNKNOWN},   {"WallClockSample", "samples", "samples", STATE_UNKNOWN},
    {"MethodTrace", "duration", "ns", STATE_UNKNOWN},
};
/* Any other type that --profile names. */
static const struct event_type asked_type = {"", NULL, "events", STATE_UNKNOWN};
enum { EXECUTION_SAMPLE, EVENT_TYPES = sizeof event_types / sizeof *event_types };

/* ------------------------------------------------------------------------------------------ frames -- */

static uint32_t frame_of_method(struct jfr_samples *samples, uint32_t place, uint32_t line, int64_t position)
{
    bool known = place < samples->pools->has_method_room && samples->pools->has_method[place];
    const struct jfr_method *method = known ? &samples->pools->method[place] : NULL;
    const char *name = known ? jfr_pools_symbol(samples->pools, method->name) : "";
    if (!*name)
        reading_bad(samples->reading, "chunk at byte %" PRIu64 ": a frame whose method is not defined",
                    samples->chunk->start);
    return sink_frame(
        samples->reading->sink,
        &(struct sink_frame){.class_name = *name ? jfr_pools_class(samples->pools, method->class) : "",
                             .method = *name ? name : "[unknown]",
                             .signature = *name ? jfr_pools_symbol(samples->pools, method->descriptor) : "",
                             .line = line,
                             .position = position});
}

static void resolve(struct jfr_samples *samples, struct jfr_trace *trace)
{
    for (size_t i = 0; i < trace->count; i++) {
        struct jfr_frame *frame = &samples->pools->frames[trace->first + i];
        frame->method = frame_of_method(samples, frame->method, frame->line, frame->position);
    }
    trace->resolved = true;
}

/* Pushes the stack of a sample onto samples->stack; returns the state of its innermost frame. False without memory. */
static bool push_stack(struct jfr_samples *samples, uint64_t key, unsigned *state)
{
    uint32_t place = idmap_find(&samples->pools->traces, key);
    struct jfr_trace *trace = place && place < samples->pools->trace_room ? &samples->pools->trace[place] : NULL;
    if (!trace || trace->count == 0) {
        if (key != 0 && !trace)
            reading_bad(samples->reading, "chunk at byte %" PRIu64 ": a sample whose stack is not defined",
                        samples->chunk->start);
        return true;
    }
    if (!trace->resolved)
        resolve(samples, trace);
    const struct jfr_frame *frames = samples->pools->frames + trace->first;
    uint32_t type = idmap_find(&samples->pools->types, frames[0].type);
    if (*state == STATE_UNKNOWN && type && type < samples->pools->type_room)
        *state = samples->pools->type[type];
    for (size_t i = 0; i < trace->count; i++)
        if (!stack_push(&samples->stack, frames[i].method))
            return false;
    return !trace->truncated ||
           stack_push(&samples->stack, sink_frame(samples->reading->sink,
                                                  &(struct sink_frame){.method = "[truncated stack]", .position = -1}));
}

/* ------------------------------------------------------------------------------------------ samples -- */

static const struct event_type *event_type_of(const struct jfr_samples *samples, uint64_t id, const char **name)
{
    const struct jfr_class *class = jfr_class_of(samples->types, id);
    if (!class)
        return NULL;
    *name = jfr_class_name(samples->types, class);
    const char *dot = strrchr(*name, '.');
    for (size_t i = 0; i < EVENT_TYPES; i++)
        if (strcmp(event_types[i].name, dot ? dot + 1 : *name) == 0)
            return &event_types[i];
    return samples->reading->profile && strcmp(samples->reading->profile, *name) == 0 ? &asked_type : NULL;
}

/* Samples of CPU time that the recorder had no room for. */
static bool is_lost(const struct jfr_samples *samples, uint64_t id)
{
    const struct jfr_class *class = jfr_class_of(samples->types, id);
    return class && strcmp(jfr_class_name(samples->types, class), "jdk.CPUTimeSamplesLost") == 0;
}

bool jfr_samples_wants(const struct jfr_samples *samples, uint64_t type)
{
    const char *name;
    return event_type_of(samples, type, &name) != NULL || is_lost(samples, type);
}

static uint64_t time_of(const struct jfr_chunk *chunk, uint64_t ticks)
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

static bool has_thread(const struct jfr_wanted *wanted)
{
    return wanted[SAMPLED_THREAD].found || wanted[EVENT_THREAD].found;
}

/* A thread that is not defined is reported, and the sample is kept. */
static uint32_t thread_of(struct jfr_samples *samples, const struct jfr_wanted *wanted)
{
    const uint64_t key = wanted[wanted[SAMPLED_THREAD].found ? SAMPLED_THREAD : EVENT_THREAD].number;
    uint32_t place = idmap_find(&samples->pools->threads, key);
    if (!has_thread(wanted))
        return sink_thread(samples->reading->sink, 0, "");
    if (!place || place >= samples->pools->thread_room) {
        if (key != 0)
            reading_bad(samples->reading, "chunk at byte %" PRIu64 ": a sample whose thread is not defined",
                        samples->chunk->start);
        samples->threadless++;
        return sink_thread(samples->reading->sink, 0, "[unknown]");
    }
    const struct jfr_thread *thread = &samples->pools->thread[place];
    uint32_t number = sink_thread(samples->reading->sink, thread->tid, samples->pools->texts + thread->name);
    sink_thread_role(samples->reading->sink, number, thread->role);
    return number;
}

/* Counts what a trace has no place for: whether the thread ran or waited. */
static void count_state(struct jfr_samples *samples, uint64_t key)
{
    const char *name = jfr_pools_thread_state(samples->pools, key);
    size_t i = 0;
    if (!*name)
        return;
    while (i < samples->state_count && strcmp(samples->states[i].name, name) != 0)
        i++;
    if (i == JFR_STATES_MAX)
        i--;
    if (i == samples->state_count) {
        snprintf(samples->states[i].name, sizeof samples->states[i].name, "%s",
                 i + 1 < JFR_STATES_MAX ? name : "other states");
        samples->state_count++;
    }
    samples->states[i].count++;
    samples->states_of++;
}

static void add_sample(struct jfr_samples *samples, struct jfr_event *event)
{
    const char *name;
    const struct event_type *type = event_type_of(samples, event->type, &name);
    enum { START_TIME = THREAD_FIELDS, STACK, STATE, METHOD, WEIGHT };
    struct jfr_wanted wanted[] = {THREAD_WANTED,     {.name = "startTime"}, {.name = "stackTrace"},
                                  {.name = "state"}, {.name = "method"},    {.name = type->weight ? type->weight : ""}};
    jfr_take(samples->types, &event->body, jfr_class_of(samples->types, event->type),
             &(struct jfr_request){.wanted = wanted, .count = sizeof wanted / sizeof *wanted});
    if (event->body.bad) {
        reading_bad(samples->reading, "byte %" PRIu64 ": a damaged event %s", event->at, name);
        return;
    }
    struct sink_sample sample = {
        .profile = sink_profile(
            samples->reading->sink,
            &(struct sink_profile){.name = name,
                                   .unit = type->unit,
                                   .unknown = UNKNOWN_PERIOD | (has_thread(wanted) ? 0 : UNKNOWN_THREADS)}),
        .thread = thread_of(samples, wanted),
        .state = type->state,
        .time_ns = time_of(samples->chunk, wanted[START_TIME].number),
        .weight = 1};
    samples->execution |= type == &event_types[EXECUTION_SAMPLE];
    samples->stack.depth = 0;
    if (strcmp(type->unit, "ns") == 0) {
        sample.weight = (uint64_t)((unsigned __int128)wanted[WEIGHT].number * 1000000000 / samples->chunk->ticks_per_s);
        uint32_t method = idmap_find(&samples->pools->methods, wanted[METHOD].number);
        samples->full |= wanted[METHOD].found && !stack_push(&samples->stack, frame_of_method(samples, method, 0, -1));
    } else if (type->weight && wanted[WEIGHT].found) {
        sample.weight = wanted[WEIGHT].number;
    }
    samples->full |= !push_stack(samples, wanted[STACK].number, &sample.state);
    if (wanted[STATE].found)
        count_state(samples, wanted[STATE].number);
    sample.frames = samples->stack.frames;
    sample.depth = samples->stack.depth;
    sink_sample(samples->reading->sink, &sample);
}

static void add_loss(struct jfr_samples *samples, struct jfr_event *event)
{
    struct jfr_wanted wanted[] = {THREAD_WANTED, {.name = "lostSamples"}};
    jfr_take(samples->types, &event->body, jfr_class_of(samples->types, event->type),
             &(struct jfr_request){.wanted = wanted, .count = 3});
    if (event->body.bad)
        reading_bad(samples->reading, "byte %" PRIu64 ": a damaged event", event->at);
    else
        sink_lost(samples->reading->sink,
                  sink_profile(samples->reading->sink, &(struct sink_profile){.name = "jdk.CPUTimeSample",
                                                                              .unit = "samples",
                                                                              .unknown = UNKNOWN_PERIOD}),
                  thread_of(samples, wanted), wanted[THREAD_FIELDS].number);
}

void jfr_samples_take(struct jfr_samples *samples, struct jfr_event *event)
{
    if (is_lost(samples, event->type))
        add_loss(samples, event);
    else if (jfr_samples_wants(samples, event->type))
        add_sample(samples, event);
}

/* ------------------------------------------------------------------------------------------ notes -- */

static void note_states(const struct jfr_samples *samples)
{
    char list[512] = "", one[128];
    for (size_t i = 0; i < samples->state_count; i++) {
        const struct jfr_state_count *state = &samples->states[i];
        snprintf(one, sizeof one, "%" PRIu64 " %s", state->count, state->name);
        if (strcmp(state->name, "STATE_RUNNABLE") != 0 && strcmp(state->name, "STATE_DEFAULT") != 0)
            complaint_list(list, sizeof list, one);
    }
    if (*list)
        complain_too(&samples->reading->note,
                     "the states of threads were left out, for which a trace has no place: of %" PRIu64
                     " samples these were not running: %s",
                     samples->states_of, list);
}

void jfr_samples_note(const struct jfr_samples *samples, bool of_jvm)
{
    struct complaint *note = &samples->reading->note;
    const char *profile = samples->reading->profile;
    if (samples->execution && of_jvm && (!profile || strcmp(profile, "jdk.ExecutionSample") == 0))
        complain_too(note,
                     "jdk.ExecutionSample covers threads that run Java code, without the time that they spend in "
                     "native code and in the JVM (jdk.NativeMethodSample covers native code, with a period of its own; "
                     "since JDK 25, jdk.CPUTimeSample covers all of their CPU time)");
    if (samples->threadless > 0)
        complain_too(note, "samples without a thread, which are in '[unknown]': %" PRIu64, samples->threadless);
    note_states(samples);
}
