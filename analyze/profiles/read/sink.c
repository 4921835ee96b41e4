#include "analyze/profiles/read/sink.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/text_set.h"

enum { RING_BYTES = 1 << 17, CHUNK_RECORDS = 2048, PROFILES_MAX = 64, DEEPEST = 2 * TRACE_STACK_MAX + 16 };

struct frame {
    uint32_t class_name, method, signature, file, module; /* texts */
    uint64_t line;
    int64_t position;
};

struct module {
    uint32_t path, build_id; /* texts */
    uint64_t bias, low, high;
};

struct place { /* a thread in a profile */
    struct trace_stream *stream;
    size_t words; /* appended since the last drain */
    uint64_t tick;
};

struct profile {
    struct sink *sink;
    char *name, *unit, *temporary;
    struct trace_writer *writer; /* NULL: not wanted */
    struct place *places;        /* [thread], from 1 */
    uint32_t place_count;
    uint64_t *modules; /* [module]: its id in this trace */
    uint32_t module_count;
    struct sink_result result;
};

struct sink {
    const struct sink_options *options;
    char *format, *tool;
    json_t *more;
    struct text_set texts;
    struct frame *frames; /* from 1 */
    uint32_t frame_count, frame_capacity;
    struct hash frame_hash;
    struct module *modules; /* from 1 */
    uint32_t module_count;
    struct {
        uint64_t tid;
        uint32_t name;
        unsigned role;
    } * threads; /* from 1 */
    uint32_t thread_count, thread_capacity;
    struct hash thread_hash;
    struct profile profiles[PROFILES_MAX];
    size_t profile_count;
    uint32_t cut_frame;
    struct sink_result results[PROFILES_MAX];
    char *paths[PROFILES_MAX];
    int error; /* errno value */
    char what[256];
};

static void fail(struct sink *sink, int error, const char *what)
{
    if (sink->error)
        return;
    sink->error = error;
    snprintf(sink->what, sizeof sink->what, "%s", what);
}

bool sink_failed(const struct sink *sink)
{
    return sink->error != 0;
}

static uint32_t text_of(struct sink *sink, const char *text)
{
    uint32_t id = text_set_add(&sink->texts, text ? text : "");
    if (id == TEXT_SET_FULL)
        fail(sink, ENOMEM, "names");
    return id == TEXT_SET_FULL ? 0 : id;
}

struct sink *sink_new(const struct sink_options *options)
{
    struct sink *sink = calloc(1, sizeof *sink);
    if (!sink)
        return NULL;
    sink->options = options;
    text_of(sink, ""); /* number 0 */
    return sink;
}

void sink_origin(struct sink *sink, const char *format, const char *tool, const json_t *more)
{
    free(sink->format);
    free(sink->tool);
    json_decref(sink->more);
    sink->format = strdup(format);
    sink->tool = tool && *tool ? strdup(tool) : NULL;
    sink->more = more ? json_deep_copy(more) : NULL;
}

/* ------------------------------------------------------------------------------------------ frames -- */

struct frame_key {
    const struct sink *sink;
    struct frame frame;
};

static bool frame_equal(const void *user, uint32_t id)
{
    const struct frame_key *key = user;
    const struct frame *a = &key->sink->frames[id], *b = &key->frame;
    return a->class_name == b->class_name && a->method == b->method && a->signature == b->signature &&
           a->file == b->file && a->module == b->module && a->line == b->line && a->position == b->position;
}

static uint32_t module_of(struct sink *sink, const char *path)
{
    uint32_t text = text_of(sink, path);
    for (uint32_t i = 1; i <= sink->module_count; i++)
        if (sink->modules[i].path == text)
            return i;
    struct module *modules = realloc(sink->modules, (sink->module_count + 2) * sizeof *modules);
    if (!modules) {
        fail(sink, ENOMEM, "modules");
        return 0;
    }
    sink->modules = modules;
    modules[++sink->module_count] = (struct module){.path = text};
    return sink->module_count;
}

void sink_module(struct sink *sink, const char *path, const char *build_id, uint64_t bias, uint64_t low, uint64_t high)
{
    uint32_t id = module_of(sink, path);
    if (id)
        sink->modules[id] = (struct module){text_of(sink, path), text_of(sink, build_id), bias, low, high};
}

uint32_t sink_frame(struct sink *sink, const struct sink_frame *frame)
{
    struct frame_key key = {sink,
                            {text_of(sink, frame->class_name), text_of(sink, frame->method),
                             text_of(sink, frame->signature), text_of(sink, frame->file),
                             frame->module ? module_of(sink, frame->module) : 0, frame->line, frame->position}};
    uint64_t hash = hash_mix(hash_mix(key.frame.class_name, key.frame.method),
                             hash_mix(key.frame.line, hash_mix((uint64_t)key.frame.position, key.frame.signature)));
    uint32_t id = hash_find(&sink->frame_hash, hash, frame_equal, &key);
    if (id || sink->error)
        return id;
    if (sink->frame_count + 2 > sink->frame_capacity) {
        uint32_t capacity = sink->frame_capacity ? 2 * sink->frame_capacity : 1024;
        struct frame *frames = realloc(sink->frames, capacity * sizeof *frames);
        if (!frames) {
            fail(sink, ENOMEM, "frames");
            return 0;
        }
        sink->frames = frames;
        sink->frame_capacity = capacity;
    }
    id = ++sink->frame_count;
    sink->frames[id] = key.frame;
    if (hash_add(&sink->frame_hash, hash, id))
        fail(sink, ENOMEM, "frames");
    return id;
}

static uint64_t define_module(struct profile *profile, uint32_t id)
{
    const struct sink *sink = profile->sink;
    if (id >= profile->module_count) {
        uint64_t *modules = realloc(profile->modules, (id + 1) * sizeof *modules);
        if (!modules)
            return 0;
        memset(modules + profile->module_count, 0, (id + 1 - profile->module_count) * sizeof *modules);
        profile->modules = modules;
        profile->module_count = id + 1;
    }
    const struct module *module = &sink->modules[id];
    if (id > 0 && !profile->modules[id])
        profile->modules[id] =
            trace_define_module(profile->writer, sink->texts.texts[module->path], sink->texts.texts[module->build_id],
                                module->bias, module->low, module->high);
    return profile->modules[id];
}

static bool describe(void *user, const struct trace_raw_frame *raw, struct trace_frame_text *text)
{
    struct profile *profile = user;
    char **texts = profile->sink->texts.texts;
    const struct frame *frame = &profile->sink->frames[raw->code];
    *text = (struct trace_frame_text){.class_name = texts[frame->class_name],
                                      .method = texts[frame->method],
                                      .signature = texts[frame->signature],
                                      .file = texts[frame->file],
                                      .line = frame->line,
                                      .position = frame->position,
                                      .module = define_module(profile, frame->module)};
    return true;
}

/* ------------------------------------------------------------------------------------------ threads -- */

struct thread_key {
    const struct sink *sink;
    uint64_t tid;
    uint32_t name;
};

static bool thread_equal(const void *user, uint32_t id)
{
    const struct thread_key *key = user;
    return key->sink->threads[id].tid == key->tid && key->sink->threads[id].name == key->name;
}

uint32_t sink_thread(struct sink *sink, uint64_t tid, const char *name)
{
    struct thread_key key = {sink, tid, text_of(sink, name)};
    uint64_t hash = hash_mix(tid, key.name);
    uint32_t id = hash_find(&sink->thread_hash, hash, thread_equal, &key);
    if (id || sink->error)
        return id;
    if (sink->thread_count + 2 > sink->thread_capacity) {
        uint32_t capacity = sink->thread_capacity ? 2 * sink->thread_capacity : 64;
        void *threads = realloc(sink->threads, capacity * sizeof *sink->threads);
        if (!threads) {
            fail(sink, ENOMEM, "threads");
            return 0;
        }
        sink->threads = threads;
        sink->thread_capacity = capacity;
    }
    id = ++sink->thread_count;
    sink->threads[id].tid = tid;
    sink->threads[id].name = key.name;
    sink->threads[id].role = ROLE_NATIVE;
    if (hash_add(&sink->thread_hash, hash, id))
        fail(sink, ENOMEM, "threads");
    return id;
}

void sink_thread_role(struct sink *sink, uint32_t thread, unsigned role)
{
    if (thread > 0)
        sink->threads[thread].role = role;
}

/* ------------------------------------------------------------------------------------------ profiles -- */

static json_t *unknown_json(unsigned unknown)
{
    static const char *const names[] = {"times", "threads", "period", "stacks", "roles"};
    json_t *list = json_array();
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (unknown >> i & 1)
            json_array_append_new(list, json_string(names[i]));
    json_array_append_new(list, json_string("runs"));
    return list;
}

static json_t *metadata_of(const struct sink *sink, const struct sink_profile *profile)
{
    json_t *metadata = sink->more ? json_deep_copy(sink->more) : json_object();
    const char *source = sink->options->source;
    json_t *imported = json_pack(
        "{s:s, s:o, s:o, s:o}", "format", sink->format ? sink->format : "", "file", text_json(source, strlen(source)),
        "profile", text_json(profile->name, strlen(profile->name)), "unknown", unknown_json(profile->unknown));
    if (sink->tool)
        json_object_set_new(imported, "tool", text_json(sink->tool, strlen(sink->tool)));
    json_object_set_new(metadata, "assay", json_string(ASSAY_VERSION));
    json_object_set_new(metadata, "mode", text_json(profile->name, strlen(profile->name)));
    json_object_set_new(metadata, "engine", json_string(sink->format ? sink->format : ""));
    json_object_set_new(metadata, "sample_unit", text_json(profile->unit, strlen(profile->unit)));
    if (profile->period_ns > 0) {
        json_object_set_new(metadata, "period_ns", json_integer((json_int_t)profile->period_ns));
        json_object_set_new(metadata, "period_unit", json_string("ns"));
    }
    json_object_set_new(metadata, "imported", imported);
    return metadata;
}

static void open_writer(struct sink *sink, struct profile *profile, const struct sink_profile *wanted)
{
    const struct trace_writer_options options = {.ring_bytes = RING_BYTES,
                                                 .chunk_records = CHUNK_RECORDS,
                                                 .manual = true,
                                                 .describe = describe,
                                                 .user = profile};
    const char *base = sink->options->exact ? sink->options->exact : sink->options->base;
    if (asprintf(&profile->temporary, "%s.%d-%zu.tmp", base, (int)getpid(), sink->profile_count) < 0) {
        profile->temporary = NULL;
        fail(sink, ENOMEM, "trace");
        return;
    }
    json_t *metadata = metadata_of(sink, wanted);
    int error = metadata ? trace_create(profile->temporary, metadata, &options, &profile->writer) : ENOMEM;
    json_decref(metadata);
    if (error)
        fail(sink, error, profile->temporary);
}

unsigned sink_profile(struct sink *sink, const struct sink_profile *wanted)
{
    for (unsigned i = 0; i < sink->profile_count; i++)
        if (strcmp(sink->profiles[i].name, wanted->name) == 0)
            return i;
    if (sink->profile_count == PROFILES_MAX)
        fail(sink, E2BIG, "more than 64 profiles in one file; choose one with --profile");
    if (sink->error)
        return 0;
    struct profile *profile = &sink->profiles[sink->profile_count];
    *profile = (struct profile){.sink = sink, .name = strdup(wanted->name), .unit = strdup(wanted->unit)};
    profile->result.unknown = wanted->unknown;
    if (!profile->name || !profile->unit)
        fail(sink, ENOMEM, "profiles");
    else if (!sink->options->profile || strcmp(sink->options->profile, wanted->name) == 0)
        open_writer(sink, profile, wanted);
    return (unsigned)sink->profile_count++;
}

/* ------------------------------------------------------------------------------------------ samples -- */

static struct place *place_of(struct sink *sink, struct profile *profile, uint32_t thread)
{
    if (thread >= profile->place_count) {
        uint32_t count = thread + 16;
        struct place *places = realloc(profile->places, count * sizeof *places);
        if (!places) {
            fail(sink, ENOMEM, "threads");
            return NULL;
        }
        memset(places + profile->place_count, 0, (count - profile->place_count) * sizeof *places);
        profile->places = places;
        profile->place_count = count;
    }
    struct place *place = &profile->places[thread];
    if (!place->stream) {
        const char *name = thread ? sink->texts.texts[sink->threads[thread].name] : "";
        uint64_t tid = thread ? sink->threads[thread].tid : 0;
        unsigned role = thread ? sink->threads[thread].role : ROLE_NATIVE;
        int error = trace_stream_open(profile->writer, tid, name, role, &place->stream);
        if (error) {
            fail(sink, error, "threads");
            return NULL;
        }
        profile->result.threads++;
    }
    return place;
}

/* The rings are emptied before one of them is full, since records that do not fit would count as lost. */
static void make_room(struct sink *sink, struct profile *profile, struct place *place, size_t words)
{
    place->words += words;
    if (place->words + DEEPEST < RING_BYTES / sizeof(uint64_t))
        return;
    int error = trace_drain(profile->writer, false);
    if (error)
        fail(sink, error, profile->temporary);
    for (uint32_t i = 0; i < profile->place_count; i++)
        profile->places[i].words = 0;
    place->words = words;
}

/* The innermost frames of a too deep stack, and one that marks the cut. */
static size_t raw_stack(struct sink *sink, struct profile *profile, const struct sink_sample *sample,
                        struct trace_raw_frame *raw)
{
    size_t depth = sample->depth;
    if (depth == 0) {
        const uint32_t unknown = sink_frame(sink, &(struct sink_frame){.method = "[unknown]", .position = -1});
        raw[depth++] = (struct trace_raw_frame){unknown, 0};
        return depth;
    }
    if (depth > TRACE_STACK_MAX) {
        if (!sink->cut_frame)
            sink->cut_frame = sink_frame(sink, &(struct sink_frame){.method = "[stack cut here]", .position = -1});
        profile->result.cut++;
        depth = TRACE_STACK_MAX - 1;
    }
    for (size_t i = 0; i < depth; i++)
        raw[i] = (struct trace_raw_frame){sample->frames[i], 0};
    if (depth < sample->depth)
        raw[depth++] = (struct trace_raw_frame){sink->cut_frame, 0};
    return depth;
}

void sink_sample(struct sink *sink, const struct sink_sample *sample)
{
    struct trace_raw_frame raw[TRACE_STACK_MAX];
    if (sink->error)
        return;
    struct profile *profile = &sink->profiles[sample->profile];
    if (sample->weight == 0) {
        profile->result.zero++;
        return;
    }
    profile->result.samples++;
    if (profile->result.weight + sample->weight < sample->weight)
        fail(sink, EOVERFLOW, "the sum of all weights");
    profile->result.weight += sample->weight;
    struct place *place = profile->writer ? place_of(sink, profile, sample->thread) : NULL;
    if (!place)
        return;
    size_t depth = raw_stack(sink, profile, sample, raw);
    make_room(sink, profile, place, 16 + 2 * depth);
    if (sample->time_ns > 0)
        place->tick++;
    const uint64_t values[] = {[SAMPLE_TIME] = sample->time_ns,
                               [SAMPLE_CPU] = 0,
                               [SAMPLE_CONTEXT] = 0,
                               [SAMPLE_STATE] = sample->state,
                               [SAMPLE_TICK] = place->tick,
                               [SAMPLE_WEIGHT] = sample->weight};
    const size_t n = sizeof values / sizeof *values;
    if (!trace_append_stack(place->stream, TRACE_SAMPLE, values, n, SAMPLE_CONTEXT, raw, depth))
        fail(sink, ENOBUFS, "a ring");
}

void sink_lost(struct sink *sink, unsigned index, uint32_t thread, uint64_t count)
{
    if (sink->error)
        return;
    struct profile *profile = &sink->profiles[index];
    struct place *place = profile->writer ? place_of(sink, profile, thread) : NULL;
    profile->result.lost += count;
    if (place)
        trace_count_lost(place->stream, LOST_BUFFER_FULL, count);
}

/* ------------------------------------------------------------------------------------------ the end -- */

static void file_name(char *text)
{
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr("._-", *text))
            *text = '-';
}

static char *path_of(const struct sink *sink, const struct profile *profile, size_t wanted)
{
    char *path = NULL, name[64];
    snprintf(name, sizeof name, "%s", profile->name);
    file_name(name);
    int length = sink->options->exact ? asprintf(&path, "%s", sink->options->exact)
                 : wanted > 1         ? asprintf(&path, "%s.%s.trace", sink->options->base, name)
                                      : asprintf(&path, "%s.trace", sink->options->base);
    return length < 0 ? NULL : path;
}

static void list_profiles(const struct sink *sink, char *text, size_t size)
{
    *text = '\0';
    for (size_t i = 0; i < sink->profile_count; i++)
        complaint_list(text, size, sink->profiles[i].name);
}

static size_t finish_writers(struct sink *sink)
{
    size_t wanted = 0;
    for (size_t i = 0; i < sink->profile_count; i++) {
        struct profile *profile = &sink->profiles[i];
        if (!profile->writer)
            continue;
        int error = trace_finish(profile->writer);
        profile->writer = NULL;
        if (error)
            fail(sink, error, profile->temporary);
        wanted++;
    }
    return wanted;
}

static int publish(struct sink *sink, size_t wanted, size_t *count, struct complaint *complaint)
{
    for (size_t i = 0; i < sink->profile_count; i++) {
        struct profile *profile = &sink->profiles[i];
        if (!profile->temporary)
            continue;
        char *path = path_of(sink, profile, wanted);
        if (!path)
            return complain(complaint, STATUS_BAD, "out of memory");
        sink->paths[*count] = path;
        if (link(profile->temporary, path) != 0) {
            int error = errno;
            while (*count > 0)
                unlink(sink->paths[--*count]);
            return complain(complaint, STATUS_BAD, "%s: %s", path,
                            error == EEXIST ? "already exists; move it away, or name another with -o"
                                            : strerror(error));
        }
        struct sink_result *result = &sink->results[(*count)++];
        *result = profile->result;
        result->path = path;
        result->name = profile->name;
        result->unit = profile->unit;
    }
    return STATUS_GOOD;
}

int sink_finish(struct sink *sink, const struct sink_result **results, size_t *count, struct complaint *complaint)
{
    char names[256];
    size_t wanted = finish_writers(sink);
    *count = 0;
    *results = sink->results;
    if (sink->error)
        return complain(complaint, STATUS_BAD, "%s: %s", sink->what, strerror(sink->error));
    list_profiles(sink, names, sizeof names);
    if (wanted == 0 && sink->options->profile)
        return complain(complaint, STATUS_BAD, "holds no profile '%s', but: %s", sink->options->profile,
                        *names ? names : "none");
    if (wanted > 1 && sink->options->exact)
        return complain(complaint, STATUS_BAD,
                        "holds %zu profiles (%s): choose one with --profile NAME, or name a directory with -o", wanted,
                        names);
    return publish(sink, wanted, count, complaint);
}

void sink_free(struct sink *sink)
{
    if (!sink)
        return;
    for (size_t i = 0; i < sink->profile_count; i++) {
        struct profile *profile = &sink->profiles[i];
        if (profile->writer)
            trace_finish(profile->writer);
        if (profile->temporary)
            unlink(profile->temporary);
        free(profile->temporary);
        free(profile->name);
        free(profile->unit);
        free(profile->places);
        free(profile->modules);
    }
    for (size_t i = 0; i < PROFILES_MAX; i++)
        free(sink->paths[i]);
    text_set_free(&sink->texts);
    hash_free(&sink->frame_hash);
    hash_free(&sink->thread_hash);
    free(sink->frames);
    free(sink->modules);
    free(sink->threads);
    free(sink->format);
    free(sink->tool);
    json_decref(sink->more);
    free(sink);
}
