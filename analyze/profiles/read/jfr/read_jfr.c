/*
 * JDK Flight Recorder, versions 1.0 to 2.x: chunks, each with metadata, constant pools and events of its own. Each type
 * of samples is a profile. Source: see jfr.h.
 *
 * Three sources walk through a chunk, one after the other: the first goes to the metadata, the second looks for the
 * pools, which come after their uses, the third reads the samples. So memory holds only the pools of one chunk. A
 * fourth is ahead of them, and sees where a chunk ends.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyze/profiles/read/jfr/jfr_chunks.h"
#include "analyze/profiles/read/jfr/jfr_pools.h"
#include "analyze/profiles/read/reading.h"
#include "analyze/profiles/read/stack.h"

enum { METADATA = 0, CHECKPOINT = 1, STATES_MAX = 16 };

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

/* Samples of threads in one state. */
struct state_count {
    char name[64];
    uint64_t count;
};

struct jfr {
    struct reading *reading;
    struct source *ahead, *metadata, *constants, *samples;
    struct jfr_chunk chunk;
    struct jfr_types types;
    struct jfr_pools pools;
    struct stack stack;
    bool full;              /* out of memory */
    bool execution, of_jvm; /* samples of execution; a chunk that a JVM's own recorder wrote */
    char recorder[64];      /* of the chunk */
    bool mixed;             /* an earlier one had another */
    uint64_t chunks, damaged, lost_bytes;
    uint64_t states_of, threadless; /* samples with a state, and without a thread */
    struct state_count states[STATES_MAX];
    size_t state_count;
};

/* ------------------------------------------------------------------------------------------ walking -- */

struct event {
    uint64_t at, size, type;
    struct jfr_cursor body;
};

/* The next event of the chunk, its body only if `wants` says so: 1; 0 at the end of the chunk; -1 with a complaint. */
static int next_event(const struct jfr *jfr, struct source *source, bool (*wants)(const struct jfr *, uint64_t type),
                      struct event *event, struct complaint *complaint)
{
    size_t got;
    event->at = source_at(source);
    if (event->at >= jfr->chunk.end)
        return 0;
    const unsigned char *bytes = source_peek(source, 32, &got);
    if (!bytes && jfr->chunk.end == UINT64_MAX)
        return 0;
    struct jfr_cursor head = {bytes, bytes ? bytes + got : bytes, 0, false};
    event->size = jfr_number(&head);
    event->type = jfr_number(&head);
    size_t length = bytes && !head.bad ? (size_t)(head.at - bytes) : 0;
    if (length == 0 || event->size < length || event->size > jfr->chunk.end - event->at) {
        complain(complaint, STATUS_BAD,
                 bytes ? "byte %" PRIu64 ": an event with an impossible size"
                       : "byte %" PRIu64 ": the file ends within a chunk",
                 event->at);
        return -1;
    }
    bool wanted = wants(jfr, event->type);
    if (wanted && event->size <= SOURCE_PEEK_MAX) {
        bytes = source_peek(source, (size_t)event->size, &got);
        event->body = (struct jfr_cursor){bytes + length, bytes + (got < event->size ? got : event->size), 0, false};
    }
    if ((wanted && event->size > SOURCE_PEEK_MAX) || !source_skip(source, event->size)) {
        complain(complaint, STATUS_BAD, "byte %" PRIu64 ": the file ends within an event of %" PRIu64 " bytes",
                 event->at, event->size);
        return -1;
    }
    return 1;
}

/* ------------------------------------------------------------------------------------------ frames -- */

static uint32_t frame_of_method(struct jfr *jfr, uint32_t place, uint32_t line, int64_t position)
{
    bool known = place < jfr->pools.has_method_room && jfr->pools.has_method[place];
    const struct jfr_method *method = known ? &jfr->pools.method[place] : NULL;
    const char *name = known ? jfr_pools_symbol(&jfr->pools, method->name) : "";
    if (!*name)
        reading_bad(jfr->reading, "chunk at byte %" PRIu64 ": a frame whose method is not defined", jfr->chunk.start);
    return sink_frame(jfr->reading->sink,
                      &(struct sink_frame){.class_name = *name ? jfr_pools_class(&jfr->pools, method->class) : "",
                                           .method = *name ? name : "[unknown]",
                                           .signature = *name ? jfr_pools_symbol(&jfr->pools, method->descriptor) : "",
                                           .line = line,
                                           .position = position});
}

static void resolve(struct jfr *jfr, struct jfr_trace *trace)
{
    for (size_t i = 0; i < trace->count; i++) {
        struct jfr_frame *frame = &jfr->pools.frames[trace->first + i];
        frame->method = frame_of_method(jfr, frame->method, frame->line, frame->position);
    }
    trace->resolved = true;
}

/* Pushes the stack of a sample onto jfr->stack; returns the state of its innermost frame. False without memory. */
static bool push_stack(struct jfr *jfr, uint64_t key, unsigned *state)
{
    uint32_t place = idmap_find(&jfr->pools.traces, key);
    struct jfr_trace *trace = place && place < jfr->pools.trace_room ? &jfr->pools.trace[place] : NULL;
    if (!trace || trace->count == 0) {
        if (key != 0 && !trace)
            reading_bad(jfr->reading, "chunk at byte %" PRIu64 ": a sample whose stack is not defined",
                        jfr->chunk.start);
        return true;
    }
    if (!trace->resolved)
        resolve(jfr, trace);
    const struct jfr_frame *frames = jfr->pools.frames + trace->first;
    uint32_t type = idmap_find(&jfr->pools.types, frames[0].type);
    if (*state == STATE_UNKNOWN && type && type < jfr->pools.type_room)
        *state = jfr->pools.type[type];
    for (size_t i = 0; i < trace->count; i++)
        if (!stack_push(&jfr->stack, frames[i].method))
            return false;
    return !trace->truncated ||
           stack_push(&jfr->stack, sink_frame(jfr->reading->sink,
                                              &(struct sink_frame){.method = "[truncated stack]", .position = -1}));
}

/* ------------------------------------------------------------------------------------------ samples -- */

static const struct event_type *event_type_of(const struct jfr *jfr, uint64_t id, const char **name)
{
    const struct jfr_class *class = jfr_class_of(&jfr->types, id);
    if (!class)
        return NULL;
    *name = jfr_class_name(&jfr->types, class);
    const char *dot = strrchr(*name, '.');
    for (size_t i = 0; i < EVENT_TYPES; i++)
        if (strcmp(event_types[i].name, dot ? dot + 1 : *name) == 0)
            return &event_types[i];
    return jfr->reading->profile && strcmp(jfr->reading->profile, *name) == 0 ? &asked_type : NULL;
}

/* Samples of CPU time that the recorder had no room for. */
static bool is_lost(const struct jfr *jfr, uint64_t id)
{
    const struct jfr_class *class = jfr_class_of(&jfr->types, id);
    return class && strcmp(jfr_class_name(&jfr->types, class), "jdk.CPUTimeSamplesLost") == 0;
}

static bool wants_samples(const struct jfr *jfr, uint64_t type)
{
    const char *name;
    return event_type_of(jfr, type, &name) != NULL || is_lost(jfr, type);
}

/* Whether the chunk declares a type of events whose name begins like this. Recorders other than the JVM's do not
 * declare types that they never write. */
static bool declares(const struct jfr *jfr, const char *name)
{
    for (size_t i = 0; i < jfr->types.class_room; i++)
        if (jfr->types.classes[i].name &&
            strncmp(jfr_class_name(&jfr->types, &jfr->types.classes[i]), name, strlen(name)) == 0)
            return true;
    return false;
}

static bool is_recording(const struct jfr *jfr, uint64_t id)
{
    const struct jfr_class *class = jfr_class_of(&jfr->types, id);
    return class && strcmp(jfr_class_name(&jfr->types, class), "jdk.ActiveRecording") == 0;
}

/* async-profiler gives the recording its own name; in that of a JVM the user does. */
static void take_recorder(struct jfr *jfr, struct event *event)
{
    struct jfr_wanted wanted[] = {{.name = "name"}};
    char name[sizeof jfr->recorder] = "";
    jfr_take(&jfr->types, &event->body, jfr_class_of(&jfr->types, event->type),
             &(struct jfr_request){.wanted = wanted, .count = 1});
    if (!event->body.bad && wanted[0].text.bytes && !wanted[0].text.pooled)
        jfr_text_copy(&wanted[0].text, name, sizeof name);
    if (strncmp(name, "async-profiler", 14) == 0)
        snprintf(jfr->recorder, sizeof jfr->recorder, "%s", name);
}

/* Says who wrote the chunk, before its first sample. */
static void tell_recorder(struct jfr *jfr, const char *before)
{
    if (!jfr->recorder[0])
        snprintf(jfr->recorder, sizeof jfr->recorder, "%s",
                 !declares(jfr, "jdk.NativeMethodSample") && declares(jfr, "profiler.") ? "async-profiler"
                                                                                        : "JDK Flight Recorder");
    jfr->of_jvm |= declares(jfr, "jdk.NativeMethodSample") && strncmp(jfr->recorder, "async", 5) != 0;
    jfr->mixed |= *before && strcmp(before, jfr->recorder) != 0;
    sink_origin(jfr->reading->sink, "jfr", jfr->recorder, NULL);
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
static uint32_t thread_of(struct jfr *jfr, const struct jfr_wanted *wanted)
{
    const uint64_t key = wanted[wanted[SAMPLED_THREAD].found ? SAMPLED_THREAD : EVENT_THREAD].number;
    uint32_t place = idmap_find(&jfr->pools.threads, key);
    if (!has_thread(wanted))
        return sink_thread(jfr->reading->sink, 0, "");
    if (!place || place >= jfr->pools.thread_room) {
        if (key != 0)
            reading_bad(jfr->reading, "chunk at byte %" PRIu64 ": a sample whose thread is not defined",
                        jfr->chunk.start);
        jfr->threadless++;
        return sink_thread(jfr->reading->sink, 0, "[unknown]");
    }
    const struct jfr_thread *thread = &jfr->pools.thread[place];
    uint32_t number = sink_thread(jfr->reading->sink, thread->tid, jfr->pools.texts + thread->name);
    sink_thread_role(jfr->reading->sink, number, thread->role);
    return number;
}

/* Counts what a trace has no place for: whether the thread ran or waited. */
static void count_state(struct jfr *jfr, uint64_t key)
{
    const char *name = jfr_pools_thread_state(&jfr->pools, key);
    size_t i = 0;
    if (!*name)
        return;
    while (i < jfr->state_count && strcmp(jfr->states[i].name, name) != 0)
        i++;
    if (i == STATES_MAX)
        i--;
    if (i == jfr->state_count) {
        snprintf(jfr->states[i].name, sizeof jfr->states[i].name, "%s", i + 1 < STATES_MAX ? name : "other states");
        jfr->state_count++;
    }
    jfr->states[i].count++;
    jfr->states_of++;
}

static void add_sample(struct jfr *jfr, struct event *event)
{
    const char *name;
    const struct event_type *type = event_type_of(jfr, event->type, &name);
    enum { START_TIME = THREAD_FIELDS, STACK, STATE, METHOD, WEIGHT };
    struct jfr_wanted wanted[] = {THREAD_WANTED,     {.name = "startTime"}, {.name = "stackTrace"},
                                  {.name = "state"}, {.name = "method"},    {.name = type->weight ? type->weight : ""}};
    jfr_take(&jfr->types, &event->body, jfr_class_of(&jfr->types, event->type),
             &(struct jfr_request){.wanted = wanted, .count = sizeof wanted / sizeof *wanted});
    if (event->body.bad) {
        reading_bad(jfr->reading, "byte %" PRIu64 ": a damaged event %s", event->at, name);
        return;
    }
    struct sink_sample sample = {
        .profile = sink_profile(
            jfr->reading->sink,
            &(struct sink_profile){name, type->unit, 0, UNKNOWN_PERIOD | (has_thread(wanted) ? 0 : UNKNOWN_THREADS)}),
        .thread = thread_of(jfr, wanted),
        .state = type->state,
        .time_ns = time_of(&jfr->chunk, wanted[START_TIME].number),
        .weight = 1};
    jfr->execution |= type == &event_types[EXECUTION_SAMPLE];
    jfr->stack.depth = 0;
    if (strcmp(type->unit, "ns") == 0) {
        sample.weight = (uint64_t)((unsigned __int128)wanted[WEIGHT].number * 1000000000 / jfr->chunk.ticks_per_s);
        uint32_t method = idmap_find(&jfr->pools.methods, wanted[METHOD].number);
        jfr->full |= wanted[METHOD].found && !stack_push(&jfr->stack, frame_of_method(jfr, method, 0, -1));
    } else if (type->weight && wanted[WEIGHT].found) {
        sample.weight = wanted[WEIGHT].number;
    }
    jfr->full |= !push_stack(jfr, wanted[STACK].number, &sample.state);
    if (wanted[STATE].found)
        count_state(jfr, wanted[STATE].number);
    sample.frames = jfr->stack.frames;
    sample.depth = jfr->stack.depth;
    sink_sample(jfr->reading->sink, &sample);
}

static void add_loss(struct jfr *jfr, struct event *event)
{
    struct jfr_wanted wanted[] = {THREAD_WANTED, {.name = "lostSamples"}};
    jfr_take(&jfr->types, &event->body, jfr_class_of(&jfr->types, event->type),
             &(struct jfr_request){.wanted = wanted, .count = 3});
    if (event->body.bad)
        reading_bad(jfr->reading, "byte %" PRIu64 ": a damaged event", event->at);
    else
        sink_lost(
            jfr->reading->sink,
            sink_profile(jfr->reading->sink, &(struct sink_profile){"jdk.CPUTimeSample", "samples", 0, UNKNOWN_PERIOD}),
            thread_of(jfr, wanted), wanted[THREAD_FIELDS].number);
}

/* ------------------------------------------------------------------------------------------ chunks -- */

static bool wants_metadata(const struct jfr *jfr, uint64_t type)
{
    (void)jfr;
    return type == METADATA;
}

static bool wants_checkpoints(const struct jfr *jfr, uint64_t type)
{
    return type == CHECKPOINT || is_recording(jfr, type);
}

/* Start time, duration and id, then the texts. */
static bool take_metadata(struct jfr *jfr, struct event *event)
{
    for (int i = 0; i < 3; i++)
        jfr_number(&event->body);
    return jfr_types_read(&jfr->types, &event->body);
}

/* The metadata where the header says that they are. Damage before them does not matter then. */
static bool find_metadata(struct jfr *jfr)
{
    struct event event;
    struct complaint unused = {""};
    if (jfr->chunk.metadata < jfr->chunk.start + JFR_HEADER_BYTES || jfr->chunk.metadata >= jfr->chunk.available ||
        !jfr_move(jfr->metadata, jfr->chunk.metadata) ||
        next_event(jfr, jfr->metadata, wants_metadata, &event, &unused) <= 0 || event.type != METADATA)
        return false;
    bool good = take_metadata(jfr, &event);
    if (!good)
        jfr_types_free(&jfr->types);
    return good;
}

/* The metadata there, or else wherever they are in the chunk. */
static int load_metadata(struct jfr *jfr, struct complaint *complaint)
{
    struct event event;
    int more = 0;
    bool found = find_metadata(jfr);
    if (!found && !jfr_move(jfr->metadata, jfr->chunk.start + JFR_HEADER_BYTES))
        return complain(complaint, STATUS_BAD, "byte %" PRIu64 ": the file ends within a chunk", jfr->chunk.start);
    while (!found && (more = next_event(jfr, jfr->metadata, wants_metadata, &event, complaint)) > 0) {
        if (event.type != METADATA)
            continue;
        found = take_metadata(jfr, &event);
        if (!found)
            return complain(complaint, STATUS_BAD, "byte %" PRIu64 ": damaged metadata: their chunk can't be read",
                            event.at);
    }
    if (found)
        return STATUS_GOOD;
    return more < 0 ? STATUS_BAD
                    : complain(complaint, STATUS_BAD, "chunk at byte %" PRIu64 ": no metadata: the chunk can't be read",
                               jfr->chunk.start);
}

/* The constants from here to the end of the chunk, and who recorded it. */
static int take_pools(struct jfr *jfr, struct complaint *complaint)
{
    struct event event;
    int more;
    while ((more = next_event(jfr, jfr->constants, wants_checkpoints, &event, complaint)) > 0)
        if (event.type == CHECKPOINT && !jfr_pools_read(&jfr->pools, &event.body))
            reading_bad(jfr->reading, "byte %" PRIu64 ": damaged constants", event.at);
        else if (event.type != CHECKPOINT && is_recording(jfr, event.type))
            take_recorder(jfr, &event);
    return more < 0 ? STATUS_BAD : STATUS_GOOD;
}

/* After damage those constants are read that the header leads to: the last ones, which are most of them. */
static int load_pools(struct jfr *jfr, struct complaint *complaint)
{
    struct complaint unused = {""};
    jfr->pools.chunk_types = &jfr->types;
    int status = take_pools(jfr, complaint);
    if (status && jfr->chunk.constants > source_at(jfr->constants) && jfr_move(jfr->constants, jfr->chunk.constants))
        take_pools(jfr, &unused);
    jfr->full |= jfr->pools.full;
    return status;
}

static int take_samples(struct jfr *jfr, struct complaint *complaint)
{
    struct event event;
    int more;
    while (!jfr->full && !sink_failed(jfr->reading->sink) &&
           (more = next_event(jfr, jfr->samples, wants_samples, &event, complaint)) != 0) {
        if (more < 0)
            return STATUS_BAD;
        if (is_lost(jfr, event.type))
            add_loss(jfr, &event);
        else if (wants_samples(jfr, event.type))
            add_sample(jfr, &event);
    }
    return jfr->full ? complain(complaint, STATUS_BAD, "out of memory") : STATUS_GOOD;
}

/* Damage ends a pass over the chunk, but not the following passes: samples before the damage are valid. *end: of what
 * could be read. */
static int read_chunk(struct jfr *jfr, uint64_t *end, struct complaint *complaint)
{
    struct complaint first = {""}, next = {""};
    char before[sizeof jfr->recorder];
    *end = jfr->chunk.start;
    memcpy(before, jfr->recorder, sizeof before);
    jfr->recorder[0] = '\0';
    int status = load_metadata(jfr, &first);
    if (status == STATUS_GOOD) {
        status = load_pools(jfr, &first);
        tell_recorder(jfr, before);
        int last = take_samples(jfr, status ? &next : &first);
        *end = last ? source_at(jfr->samples) : jfr->chunk.available;
        status = status ? status : last;
    }
    if (status)
        *complaint = first;
    jfr_types_free(&jfr->types);
    jfr_pools_free(&jfr->pools);
    return status;
}

/* Reads the chunk that the header is of. */
static int enter_chunk(struct jfr *jfr, struct complaint *complaint)
{
    const struct jfr_chunk *chunk = &jfr->chunk;
    const uint64_t first = chunk->start + JFR_HEADER_BYTES;
    struct complaint own = {""};
    uint64_t end = chunk->start;
    int status = jfr_move(jfr->constants, first) && jfr_move(jfr->samples, first)
                     ? read_chunk(jfr, &end, &own)
                     : complain(&own, STATUS_BAD, "byte %" PRIu64 ": cannot be read again", chunk->start);
    if (!status && chunk->end == UINT64_MAX)
        status =
            complain(&own, STATUS_BAD,
                     "chunk at byte %" PRIu64 ": its recording was not finished; events may be missing", chunk->start);
    else if (!status && chunk->available < chunk->end)
        status = complain(&own, STATUS_BAD, "chunk at byte %" PRIu64 ": the file ends within it", chunk->start);
    if (complaint->text[0])
        status = STATUS_BAD;
    else if (status)
        *complaint = own;
    jfr->damaged += status != STATUS_GOOD;
    jfr->lost_bytes += end < chunk->available ? chunk->available - end : 0;
    return status;
}

/* Reads one chunk after the other, even after a damaged one. The first complaint counts, with what was lost in all. */
static int read_chunks(struct jfr *jfr, struct complaint *complaint)
{
    int status = STATUS_GOOD;
    uint64_t at = 0;
    enum jfr_next next;
    struct complaint own = {""};
    while (at != UINT64_MAX && !jfr->full && !sink_failed(jfr->reading->sink) &&
           (next = jfr_chunk_at(jfr->ahead, at, &jfr->chunk, &own)) != JFR_END) {
        int chunk = next == JFR_CHUNK ? enter_chunk(jfr, &own) : STATUS_BAD;
        jfr->chunks++;
        if (next == JFR_LOST) {
            jfr->damaged++;
            jfr->lost_bytes += jfr->chunk.end - at;
        }
        if (chunk && !status)
            *complaint = own;
        status = status ? status : chunk;
        own.text[0] = '\0';
        at = jfr->chunk.end;
    }
    if (jfr->lost_bytes > 0)
        complain_too(complaint, "%" PRIu64 " of %" PRIu64 " chunks %s damaged, and %" PRIu64 " bytes of them were lost",
                     jfr->damaged, jfr->chunks, jfr->damaged == 1 ? "is" : "are", jfr->lost_bytes);
    return status;
}

/* ------------------------------------------------------------------------------------------ the whole -- */

static void note_states(const struct jfr *jfr)
{
    char list[512] = "", one[128];
    for (size_t i = 0; i < jfr->state_count; i++) {
        const struct state_count *state = &jfr->states[i];
        snprintf(one, sizeof one, "%" PRIu64 " %s", state->count, state->name);
        if (strcmp(state->name, "STATE_RUNNABLE") != 0 && strcmp(state->name, "STATE_DEFAULT") != 0)
            complaint_list(list, sizeof list, one);
    }
    if (*list)
        complain_too(&jfr->reading->note,
                     "the states of threads were left out, for which a trace has no place: of %" PRIu64
                     " samples these were not running: %s",
                     jfr->states_of, list);
}

static void note_all(const struct jfr *jfr)
{
    struct complaint *note = &jfr->reading->note;
    const char *profile = jfr->reading->profile;
    if (jfr->execution && jfr->of_jvm && (!profile || strcmp(profile, "jdk.ExecutionSample") == 0))
        complain_too(note,
                     "jdk.ExecutionSample covers threads that run Java code, without the time that they spend in "
                     "native code and in the JVM (jdk.NativeMethodSample covers native code, with a period of its own; "
                     "since JDK 25, jdk.CPUTimeSample covers all of their CPU time)");
    if (jfr->mixed)
        complain_too(note, "its chunks are of more than one recorder; a trace names that of its first sample");
    if (jfr->threadless > 0)
        complain_too(note, "samples without a thread, which are in '[unknown]': %" PRIu64, jfr->threadless);
    note_states(jfr);
}

static int read_jfr(struct reading *reading, struct complaint *complaint)
{
    struct jfr jfr = {.reading = reading, .ahead = reading->source};
    sink_origin(reading->sink, "jfr", "JDK Flight Recorder", NULL);
    int status = source_open(reading->path, &jfr.metadata, complaint);
    if (!status)
        status = source_open(reading->path, &jfr.constants, complaint);
    if (!status)
        status = source_open(reading->path, &jfr.samples, complaint);
    if (!status)
        status = read_chunks(&jfr, complaint);
    note_all(&jfr);
    source_close(jfr.metadata);
    source_close(jfr.constants);
    source_close(jfr.samples);
    stack_free(&jfr.stack);
    return status;
}

static bool looks(const unsigned char *head, size_t length)
{
    return length >= 4 && memcmp(head, "FLR", 4) == 0;
}

const struct profile_format format_jfr = {"jfr", looks, read_jfr};
