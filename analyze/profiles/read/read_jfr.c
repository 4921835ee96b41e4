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

#include "analyze/profiles/grow.h"
#include "analyze/profiles/read/jfr.h"
#include "analyze/profiles/read/reading.h"
#include "analyze/profiles/read/stack.h"

enum { HEADER_BYTES = 68, TEXT_BYTES = 1 << 14, METADATA = 0, CHECKPOINT = 1 };

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

struct named { /* texts are offsets; 0 is "" */
    uint64_t text;
};
struct method {
    uint64_t class, name, descriptor; /* keys */
};
struct thread {
    uint64_t tid;
    uint32_t name;
    unsigned role;
};
struct stack_frame {
    uint32_t method; /* index of its key; once the stack is resolved, the sink's frame */
    uint32_t line;
    uint16_t position;
    uint8_t type;
};
struct trace {
    size_t first, count; /* of frames */
    bool resolved, truncated;
};

/* The pools of a chunk that samples refer to; values by the indices of their keys. */
struct pools {
    struct idmap symbols, strings, classes, methods, threads, traces, types;
    uint64_t *symbol, *string, *class; /* offset of a text; for a class the key of its symbol */
    struct method *method;
    bool *has_method;
    struct thread *thread;
    struct trace *trace;
    unsigned *type; /* enum trace_state */
    size_t symbol_room, string_room, class_room, method_room, has_method_room, thread_room, trace_room, type_room;
    struct stack_frame *frames;
    size_t frame_count, frame_room;
    char *texts;
    size_t text_size, text_room;
};

struct jfr {
    struct reading *reading;
    struct source *metadata, *constants, *samples;
    struct chunk chunk;
    struct jfr_types types;
    struct pools pools;
    struct stack stack;
    bool full;              /* out of memory */
    bool execution, of_jvm; /* samples of execution; a chunk that a JVM's own recorder wrote */
    unsigned java;
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

static uint32_t keep_text(struct jfr *jfr, const struct jfr_text *text)
{
    char copy[TEXT_BYTES];
    struct pools *pools = &jfr->pools;
    jfr_text_copy(text, copy, sizeof copy);
    size_t length = strlen(copy) + 1, at = pools->text_size;
    char *room = grow(pools->texts, &pools->text_room, at + length, 1);
    if (!room || at + length > UINT32_MAX) {
        jfr->full = true;
        return 0;
    }
    pools->texts = room;
    memcpy(room + at, copy, length);
    pools->text_size += length;
    return (uint32_t)at;
}

/* Makes room for the value of a key: its index, or 0 without memory. `array` is one of the arrays of the pools. */
#define PLACE(jfr, map, array, key)                                                                                    \
    place_in((jfr), &(jfr)->pools.map, (key), (void **)&(jfr)->pools.array, &(jfr)->pools.array##_room,                \
             sizeof *(jfr)->pools.array)
static uint32_t place_in(struct jfr *jfr, struct idmap *map, uint64_t key, void **array, size_t *room, size_t bytes)
{
    uint32_t place = idmap_add(map, key);
    void *grown = grow(*array, room, place, bytes);
    if (!place || !grown) {
        jfr->full = true;
        return 0;
    }
    *array = grown;
    return place;
}

static void add_symbol(struct jfr *jfr, const struct jfr_class *class, struct jfr_cursor *cursor, uint64_t key)
{
    struct jfr_wanted wanted[] = {{.name = "string"}};
    jfr_take(&jfr->types, cursor, class, wanted, 1, NULL, NULL);
    uint32_t place = PLACE(jfr, symbols, symbol, key);
    if (place && !cursor->bad)
        jfr->pools.symbol[place] = keep_text(jfr, &wanted[0].text);
}

static void add_string(struct jfr *jfr, const struct jfr_class *class, struct jfr_cursor *cursor, uint64_t key)
{
    struct jfr_text text;
    (void)class;
    jfr_text(cursor, &text);
    uint32_t place = PLACE(jfr, strings, string, key);
    if (place && !cursor->bad)
        jfr->pools.string[place] = keep_text(jfr, &text);
}

static void add_class(struct jfr *jfr, const struct jfr_class *class, struct jfr_cursor *cursor, uint64_t key)
{
    struct jfr_wanted wanted[] = {{.name = "name"}};
    jfr_take(&jfr->types, cursor, class, wanted, 1, NULL, NULL);
    uint32_t place = PLACE(jfr, classes, class, key);
    if (place && !cursor->bad)
        jfr->pools.class[place] = wanted[0].number;
}

static void add_method(struct jfr *jfr, const struct jfr_class *class, struct jfr_cursor *cursor, uint64_t key)
{
    struct jfr_wanted wanted[] = {{.name = "type"}, {.name = "name"}, {.name = "descriptor"}};
    jfr_take(&jfr->types, cursor, class, wanted, 3, NULL, NULL);
    uint32_t place = PLACE(jfr, methods, method, key), same = PLACE(jfr, methods, has_method, key);
    if (!place || !same || cursor->bad)
        return;
    jfr->pools.method[place] = (struct method){wanted[0].number, wanted[1].number, wanted[2].number};
    jfr->pools.has_method[place] = true;
}

static const char *pooled_text(const struct jfr *jfr, const struct idmap *map, const uint64_t *offsets, size_t room,
                               uint64_t key)
{
    uint32_t place = idmap_find(map, key);
    return place && place < room && jfr->pools.text_size > 0 ? jfr->pools.texts + offsets[place] : "";
}

/* Threads that Java knows are its own, except for the compilers'; nothing is known about others. */
static unsigned role_of(const char *name, bool java)
{
    bool compiler = name[0] == 'C' && name[1] != '\0' && strncmp(name + 2, " CompilerThre", 13) == 0;
    return compiler ? ROLE_JIT : java ? ROLE_JAVA : ROLE_NATIVE;
}

static void add_thread(struct jfr *jfr, const struct jfr_class *class, struct jfr_cursor *cursor, uint64_t key)
{
    struct jfr_wanted wanted[] = {
        {.name = "osThreadId"}, {.name = "javaName"}, {.name = "osName"}, {.name = "javaThreadId"}};
    char name[256] = "";
    jfr_take(&jfr->types, cursor, class, wanted, 4, NULL, NULL);
    for (size_t i = 1; i < 3 && !*name && !cursor->bad; i++)
        if (wanted[i].text.pooled)
            snprintf(name, sizeof name, "%.200s",
                     pooled_text(jfr, &jfr->pools.strings, jfr->pools.string, jfr->pools.string_room,
                                 wanted[i].text.pooled - 1));
        else if (wanted[i].found && wanted[i].text.bytes)
            jfr_text_copy(&wanted[i].text, name, sizeof name);
    struct jfr_text text = {.bytes = (const unsigned char *)name, .length = strlen(name)};
    uint32_t place = PLACE(jfr, threads, thread, key);
    if (place && !cursor->bad)
        jfr->pools.thread[place] = (struct thread){wanted[0].number ? wanted[0].number : wanted[3].number,
                                                   keep_text(jfr, &text), role_of(name, wanted[3].number > 0)};
}

static void add_frame_type(struct jfr *jfr, const struct jfr_class *class, struct jfr_cursor *cursor, uint64_t key)
{
    static const struct {
        const char *name;
        unsigned state;
    } states[] = {{"Interpreted", STATE_INTERPRETED},
                  {"JIT compiled", STATE_COMPILED},
                  {"Inlined", STATE_COMPILED},
                  {"Native", STATE_NATIVE}};
    struct jfr_wanted wanted[] = {{.name = "description"}};
    char name[64] = "";
    jfr_take(&jfr->types, cursor, class, wanted, 1, NULL, NULL);
    if (!cursor->bad && wanted[0].found && wanted[0].text.bytes)
        jfr_text_copy(&wanted[0].text, name, sizeof name);
    uint32_t place = PLACE(jfr, types, type, key);
    for (size_t i = 0; place && i < sizeof states / sizeof *states; i++)
        if (strcmp(states[i].name, name) == 0)
            jfr->pools.type[place] = states[i].state;
}

static void add_frame(struct jfr_cursor *cursor, const struct jfr_class *class, void *user)
{
    struct jfr *jfr = user;
    struct jfr_wanted wanted[] = {
        {.name = "method"}, {.name = "lineNumber"}, {.name = "bytecodeIndex"}, {.name = "type"}};
    jfr_take(&jfr->types, cursor, class, wanted, 4, NULL, NULL);
    struct stack_frame *room = grow(jfr->pools.frames, &jfr->pools.frame_room, jfr->pools.frame_count, sizeof *room);
    uint32_t method = idmap_add(&jfr->pools.methods, wanted[0].number);
    if (!room || !method) {
        jfr->full = true;
        return;
    }
    jfr->pools.frames = room;
    int64_t line = (int32_t)wanted[1].number;
    room[jfr->pools.frame_count++] = (struct stack_frame){method, line > 0 ? (uint32_t)line : 0,
                                                          (uint16_t)wanted[2].number, (uint8_t)wanted[3].number};
}

static void add_trace(struct jfr *jfr, const struct jfr_class *class, struct jfr_cursor *cursor, uint64_t key)
{
    struct jfr_wanted wanted[] = {{.name = "truncated"}};
    size_t first = jfr->pools.frame_count;
    jfr_take(&jfr->types, cursor, class, wanted, 1, add_frame, jfr);
    uint32_t place = PLACE(jfr, traces, trace, key);
    if (place && !cursor->bad)
        jfr->pools.trace[place] = (struct trace){first, jfr->pools.frame_count - first, false, wanted[0].number != 0};
}

static void pass_over(struct jfr *jfr, const struct jfr_class *class, struct jfr_cursor *cursor, uint64_t key)
{
    struct jfr_text text;
    (void)key;
    if (class->primitive == JFR_STRING)
        jfr_text(cursor, &text);
    else
        jfr_take(&jfr->types, cursor, class, NULL, 0, NULL, NULL);
}

typedef void add_entry(struct jfr *jfr, const struct jfr_class *class, struct jfr_cursor *cursor, uint64_t key);

static add_entry *adder_of(const char *name)
{
    static const struct {
        const char *name;
        add_entry *add;
    } adders[] = {{"Symbol", add_symbol},       {"String", add_string}, {"Class", add_class},
                  {"Method", add_method},       {"Thread", add_thread}, {"StackTrace", add_trace},
                  {"FrameType", add_frame_type}};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; i < sizeof adders / sizeof *adders; i++)
        if (strcmp(adders[i].name, dot ? dot + 1 : name) == 0)
            return adders[i].add;
    return pass_over;
}

/* Start time, duration, delta, kind of checkpoint; then pools: class, count, and for each value its key and fields. */
static bool read_checkpoint(struct jfr *jfr, struct jfr_cursor *cursor)
{
    for (int i = 0; i < 3; i++)
        jfr_number(cursor);
    jfr_fixed(cursor, 1);
    uint64_t pools = jfr_number(cursor);
    for (uint64_t p = 0; p < pools && !cursor->bad && !jfr->full; p++) {
        const struct jfr_class *class = jfr_class_of(&jfr->types, jfr_number(cursor));
        uint64_t count = jfr_number(cursor);
        if (!class || cursor->bad || count > (size_t)(cursor->end - cursor->at))
            return false;
        add_entry *add = adder_of(jfr_class_name(&jfr->types, class));
        for (uint64_t i = 0; i < count && !cursor->bad && !jfr->full; i++) {
            uint64_t key = jfr_number(cursor);
            add(jfr, class, cursor, key);
        }
    }
    return !cursor->bad;
}

static void pools_free(struct pools *pools)
{
    struct idmap *const maps[] = {&pools->symbols, &pools->strings, &pools->classes, &pools->methods,
                                  &pools->threads, &pools->traces,  &pools->types};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        idmap_free(maps[i]);
    free(pools->symbol);
    free(pools->string);
    free(pools->class);
    free(pools->method);
    free(pools->has_method);
    free(pools->thread);
    free(pools->trace);
    free(pools->type);
    free(pools->frames);
    free(pools->texts);
    *pools = (struct pools){0};
}

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

static const char *symbol(const struct jfr *jfr, uint64_t key)
{
    return pooled_text(jfr, &jfr->pools.symbols, jfr->pools.symbol, jfr->pools.symbol_room, key);
}

static const char *class_text(const struct jfr *jfr, uint64_t key)
{
    uint32_t place = idmap_find(&jfr->pools.classes, key);
    return place && place < jfr->pools.class_room ? symbol(jfr, jfr->pools.class[place]) : "";
}

static uint32_t frame_of_method(struct jfr *jfr, uint32_t place, uint32_t line, int64_t position)
{
    char class[2048];
    bool known = place < jfr->pools.has_method_room && jfr->pools.has_method[place];
    const struct method *method = known ? &jfr->pools.method[place] : NULL;
    const char *name = known ? symbol(jfr, method->name) : "";
    if (!*name)
        reading_bad(jfr->reading, "chunk at byte %" PRIu64 ": a frame whose method is not defined", jfr->chunk.start);
    class_name(*name ? class_text(jfr, method->class) : "", class, sizeof class);
    return sink_frame(jfr->reading->sink,
                      &(struct sink_frame){.class_name = class,
                                           .method = *name ? name : "[unknown]",
                                           .signature = *name ? symbol(jfr, method->descriptor) : "",
                                           .line = line,
                                           .position = position});
}

static void resolve(struct jfr *jfr, struct trace *trace)
{
    for (size_t i = 0; i < trace->count; i++) {
        struct stack_frame *frame = &jfr->pools.frames[trace->first + i];
        frame->method = frame_of_method(jfr, frame->method, frame->line, frame->position);
    }
    trace->resolved = true;
}

/* Pushes the stack of a sample onto jfr->stack; returns the state of its innermost frame. False without memory. */
static bool push_stack(struct jfr *jfr, uint64_t key, unsigned *state)
{
    uint32_t place = idmap_find(&jfr->pools.traces, key);
    struct trace *trace = place && place < jfr->pools.trace_room ? &jfr->pools.trace[place] : NULL;
    if (!trace || trace->count == 0) {
        if (key != 0 && !trace)
            reading_bad(jfr->reading, "chunk at byte %" PRIu64 ": a sample whose stack is not defined",
                        jfr->chunk.start);
        return true;
    }
    if (!trace->resolved)
        resolve(jfr, trace);
    const struct stack_frame *frames = jfr->pools.frames + trace->first;
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
    const struct thread *thread = &jfr->pools.thread[place];
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
    jfr_take(&jfr->types, &event->body, jfr_class_of(&jfr->types, event->type), wanted, 5, NULL, NULL);
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
    jfr_take(&jfr->types, &event->body, jfr_class_of(&jfr->types, event->type), wanted, 2, NULL, NULL);
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
    while ((more = next_event(jfr, jfr->constants, wants_checkpoints, &event, complaint)) > 0)
        if (event.type == CHECKPOINT && !read_checkpoint(jfr, &event.body))
            reading_bad(jfr->reading, "byte %" PRIu64 ": damaged constants", event.at);
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
    pools_free(&jfr->pools);
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
