/*
 * JDK Flight Recorder, versions 1.0 to 2.x: chunks, each with metadata, constant pools and events of its own. Each type
 * of samples is a profile. Source: see jfr.h.
 *
 * Three sources walk through a chunk, one after the other: the first looks for the metadata, the second for the pools,
 * which come after their uses, the third reads the samples. So memory holds only the pools of one chunk.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyze/profiles/read/jfr/jfr_pools.h"
#include "analyze/profiles/read/reading.h"
#include "analyze/profiles/read/stack.h"

enum { HEADER_BYTES = 68, METADATA = 0, CHECKPOINT = 1 };

/* The types of events that are samples. */
struct event_type {
    const char *name;   /* after the package */
    const char *thread; /* the field that identifies its thread */
    const char *weight; /* the field with its weight; NULL: 1 */
    const char *unit;
    unsigned state;
};
static const struct event_type event_types[] = {
    {"ExecutionSample", "sampledThread", NULL, "samples", STATE_UNKNOWN},
    {"NativeMethodSample", "sampledThread", NULL, "samples", STATE_NATIVE},
    {"CPUTimeSample", "eventThread", NULL, "samples", STATE_UNKNOWN},
    {"WallClockSample", "sampledThread", "samples", "samples", STATE_UNKNOWN},
    {"MethodTrace", "eventThread", "duration", "ns", STATE_UNKNOWN},
};
/* Any other type that --profile names. */
static const struct event_type asked_type = {"", "eventThread", NULL, "events", STATE_UNKNOWN};
enum { EXECUTION_SAMPLE, EVENT_TYPES = sizeof event_types / sizeof *event_types };

struct chunk {
    uint64_t start, end; /* in the file; end: UINT64_MAX if the chunk was not finished */
    uint64_t start_ns, start_ticks, ticks_per_s;
};

struct jfr {
    struct reading *reading;
    struct source *metadata, *constants, *samples;
    struct chunk chunk;
    struct jfr_types types;
    struct jfr_pools pools;
    struct stack stack;
    bool full;              /* out of memory */
    bool execution, of_jvm; /* samples of execution; a chunk that a JVM's own recorder wrote */
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

/* ------------------------------------------------------------------------------------------ pools -- */

/* ------------------------------------------------------------------------------------------ frames -- */

/* "java/util/HashMap" with dots, and without the address that follows the name of a hidden class. */
static void class_name(const char *text, char *out, size_t size)
{
    snprintf(out, size, "%s", text);
    char *end = strstr(out, "+0x");
    end = end ? end : strstr(out, "/0x");
    if (end && end > out && end[3 + strspn(end + 3, "0123456789abcdef")] == '\0')
        *end = '\0';
    for (char *c = out; *c; c++)
        *c = *c == '/' ? '.' : *c;
}

static uint32_t frame_of_method(struct jfr *jfr, uint32_t place, uint32_t line, int64_t position)
{
    char class[2048];
    bool known = place < jfr->pools.has_method_room && jfr->pools.has_method[place];
    const struct jfr_method *method = known ? &jfr->pools.method[place] : NULL;
    const char *name = known ? jfr_pools_symbol(&jfr->pools, method->name) : "";
    if (!*name)
        reading_bad(jfr->reading, "chunk at byte %" PRIu64 ": a frame whose method is not defined", jfr->chunk.start);
    class_name(*name ? jfr_pools_class(&jfr->pools, method->class) : "", class, sizeof class);
    return sink_frame(jfr->reading->sink,
                      &(struct sink_frame){.class_name = class,
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

/* Other recorders, such as async-profiler, do not declare types that they never write. */
static bool is_of_jvm(const struct jfr *jfr)
{
    for (size_t i = 0; i < jfr->types.class_room; i++)
        if (jfr->types.classes[i].name &&
            strcmp(jfr_class_name(&jfr->types, &jfr->types.classes[i]), "jdk.NativeMethodSample") == 0)
            return true;
    return false;
}

static uint64_t time_of(const struct chunk *chunk, uint64_t ticks)
{
    __int128 since = (__int128)ticks - chunk->start_ticks;
    __int128 time = (__int128)chunk->start_ns + since * 1000000000 / chunk->ticks_per_s;
    return time > 0 && time < INT64_MAX ? (uint64_t)time : 0;
}

static uint32_t thread_of(const struct jfr *jfr, uint64_t key)
{
    uint32_t place = idmap_find(&jfr->pools.threads, key);
    if (!place || place >= jfr->pools.thread_room)
        return sink_thread(jfr->reading->sink, 0, "[unknown]");
    const struct jfr_thread *thread = &jfr->pools.thread[place];
    uint32_t number = sink_thread(jfr->reading->sink, thread->tid, jfr->pools.texts + thread->name);
    sink_thread_role(jfr->reading->sink, number, thread->role);
    return number;
}

static void add_sample(struct jfr *jfr, struct event *event)
{
    const char *name;
    const struct event_type *type = event_type_of(jfr, event->type, &name);
    struct jfr_wanted wanted[] = {{.name = "startTime"},
                                  {.name = "stackTrace"},
                                  {.name = type->thread},
                                  {.name = type->weight ? type->weight : ""},
                                  {.name = "method"}};
    jfr_take(&jfr->types, &event->body, jfr_class_of(&jfr->types, event->type),
             &(struct jfr_request){.wanted = wanted, .count = 5});
    if (event->body.bad) {
        reading_bad(jfr->reading, "byte %" PRIu64 ": a damaged event %s", event->at, name);
        return;
    }
    struct sink_sample sample = {
        .profile = sink_profile(jfr->reading->sink, &(struct sink_profile){name, type->unit, 0, UNKNOWN_PERIOD}),
        .thread = thread_of(jfr, wanted[2].number),
        .state = type->state,
        .time_ns = time_of(&jfr->chunk, wanted[0].number),
        .weight = 1};
    jfr->execution |= type == &event_types[EXECUTION_SAMPLE];
    jfr->stack.depth = 0;
    if (strcmp(type->unit, "ns") == 0) {
        sample.weight = (uint64_t)((unsigned __int128)wanted[3].number * 1000000000 / jfr->chunk.ticks_per_s);
        uint32_t method = idmap_find(&jfr->pools.methods, wanted[4].number);
        jfr->full |= wanted[4].found && !stack_push(&jfr->stack, frame_of_method(jfr, method, 0, -1));
    } else if (type->weight && wanted[3].found) {
        sample.weight = wanted[3].number;
    }
    jfr->full |= !push_stack(jfr, wanted[1].number, &sample.state);
    sample.frames = jfr->stack.frames;
    sample.depth = jfr->stack.depth;
    sink_sample(jfr->reading->sink, &sample);
}

static void add_loss(struct jfr *jfr, struct event *event)
{
    struct jfr_wanted wanted[] = {{.name = "lostSamples"}, {.name = "eventThread"}};
    jfr_take(&jfr->types, &event->body, jfr_class_of(&jfr->types, event->type),
             &(struct jfr_request){.wanted = wanted, .count = 2});
    if (event->body.bad)
        reading_bad(jfr->reading, "byte %" PRIu64 ": a damaged event", event->at);
    else
        sink_lost(
            jfr->reading->sink,
            sink_profile(jfr->reading->sink, &(struct sink_profile){"jdk.CPUTimeSample", "samples", 0, UNKNOWN_PERIOD}),
            thread_of(jfr, wanted[1].number), wanted[0].number);
}

/* ------------------------------------------------------------------------------------------ chunks -- */

static bool wants_metadata(const struct jfr *jfr, uint64_t type)
{
    (void)jfr;
    return type == METADATA;
}

static bool wants_checkpoints(const struct jfr *jfr, uint64_t type)
{
    (void)jfr;
    return type == CHECKPOINT;
}

/* Start time, duration and id, then the texts. */
static int load_metadata(struct jfr *jfr, struct complaint *complaint)
{
    struct event event;
    int more;
    bool found = false;
    while (!found && (more = next_event(jfr, jfr->metadata, wants_metadata, &event, complaint)) > 0) {
        if (event.type != METADATA)
            continue;
        for (int i = 0; i < 3; i++)
            jfr_number(&event.body);
        found = jfr_types_read(&jfr->types, &event.body);
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

static int load_pools(struct jfr *jfr, struct complaint *complaint)
{
    struct event event;
    int more;
    jfr->pools.chunk_types = &jfr->types;
    while ((more = next_event(jfr, jfr->constants, wants_checkpoints, &event, complaint)) > 0)
        if (event.type == CHECKPOINT && !jfr_pools_read(&jfr->pools, &event.body))
            reading_bad(jfr->reading, "byte %" PRIu64 ": damaged constants", event.at);
    jfr->full |= jfr->pools.full;
    return more < 0 ? STATUS_BAD : STATUS_GOOD;
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

/* Damage ends a pass over the chunk, but not the following passes: samples before the damage are valid. */
static int read_chunk(struct jfr *jfr, struct complaint *complaint)
{
    struct complaint first = {""}, next = {""};
    int status = load_metadata(jfr, &first);
    if (status == STATUS_GOOD) {
        status = load_pools(jfr, &first);
        int last = take_samples(jfr, status ? &next : &first);
        jfr->of_jvm |= is_of_jvm(jfr);
        status = status ? status : last;
    }
    if (status)
        *complaint = first;
    jfr_types_free(&jfr->types);
    jfr_pools_free(&jfr->pools);
    return status;
}

static bool seek(struct source *source, uint64_t at)
{
    return source_at(source) <= at && source_skip(source, at - source_at(source));
}

/* The header of the chunk at the position of all three sources: 1; 0 at the end of the file; -1 with a complaint.
 */
static int read_header(struct jfr *jfr, struct complaint *complaint)
{
    size_t got;
    uint64_t start = source_at(jfr->metadata);
    const unsigned char *bytes = source_peek(jfr->metadata, HEADER_BYTES, &got);
    if (!bytes)
        return 0;
    if (got < HEADER_BYTES || memcmp(bytes, "FLR", 4) != 0) {
        complain(complaint, STATUS_BAD, "byte %" PRIu64 ": a chunk begins here that is cut or damaged", start);
        return -1;
    }
    struct jfr_cursor cursor = {bytes + 4, bytes + HEADER_BYTES, 0, false};
    uint64_t major = jfr_fixed(&cursor, 2), minor = jfr_fixed(&cursor, 2), size = jfr_fixed(&cursor, 8);
    jfr_fixed(&cursor, 16);
    jfr->chunk =
        (struct chunk){.start = start, .end = size ? start + size : UINT64_MAX, .start_ns = jfr_fixed(&cursor, 8)};
    jfr_fixed(&cursor, 8);
    jfr->chunk.start_ticks = jfr_fixed(&cursor, 8);
    jfr->chunk.ticks_per_s = jfr_fixed(&cursor, 8);
    bool compressed = jfr_fixed(&cursor, 4) & 1;
    if (major < 1 || major > 2)
        complain(complaint, STATUS_BAD, "byte %" PRIu64 ": version %" PRIu64 ".%" PRIu64 " of JFR; 1.0 to 2.x are read",
                 start, major, minor);
    else if (!compressed)
        complain(complaint, STATUS_BAD,
                 "byte %" PRIu64
                 ": the chunk's integers are not compressed, which is not supported; record with the default",
                 start);
    else if (jfr->chunk.ticks_per_s == 0 || (size > 0 && (size < HEADER_BYTES || size > INT64_MAX)))
        complain(complaint, STATUS_BAD, "byte %" PRIu64 ": the header of the chunk is damaged", start);
    else if (seek(jfr->metadata, start + HEADER_BYTES) && seek(jfr->constants, start + HEADER_BYTES) &&
             seek(jfr->samples, start + HEADER_BYTES))
        return 1;
    else
        complain(complaint, STATUS_BAD, "byte %" PRIu64 ": cannot be read again", start);
    return -1;
}

/* Reads one chunk after the other, even after a damaged one, if its end is known. */
static int read_chunks(struct jfr *jfr, struct complaint *complaint)
{
    int status = STATUS_GOOD, more = 0;
    struct complaint own = {""};
    while (!jfr->full && !sink_failed(jfr->reading->sink) && (more = read_header(jfr, &own)) > 0) {
        uint64_t end = jfr->chunk.end;
        int chunk = read_chunk(jfr, &own);
        if (chunk && !status)
            *complaint = own;
        status = status ? status : chunk;
        if (end == UINT64_MAX)
            return status ? status
                          : complain(complaint, STATUS_BAD,
                                     "chunk at byte %" PRIu64 ": its recording was not finished; events may be missing",
                                     jfr->chunk.start);
        if (!seek(jfr->metadata, end) || !seek(jfr->constants, end) || !seek(jfr->samples, end))
            return status ? status
                          : complain(complaint, STATUS_BAD, "chunk at byte %" PRIu64 ": the file ends within it",
                                     jfr->chunk.start);
    }
    if (more < 0 && !status) {
        *complaint = own;
        status = STATUS_BAD;
    }
    return status;
}

static int read_jfr(struct reading *reading, struct complaint *complaint)
{
    struct jfr jfr = {.reading = reading, .metadata = reading->source};
    sink_origin(reading->sink, "jfr", "JDK Flight Recorder", NULL);
    int status = source_open(reading->path, &jfr.constants, complaint);
    if (!status)
        status = source_open(reading->path, &jfr.samples, complaint);
    if (!status)
        status = read_chunks(&jfr, complaint);
    if (jfr.execution && jfr.of_jvm && (!reading->profile || strcmp(reading->profile, "jdk.ExecutionSample") == 0))
        complain(&reading->note, STATUS_GOOD,
                 "jdk.ExecutionSample covers threads that run Java code, without the time that they spend in native "
                 "code and in the JVM (jdk.NativeMethodSample covers native code, with a period of its own; since JDK "
                 "25, jdk.CPUTimeSample covers all of their CPU time)");
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
