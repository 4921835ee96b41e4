/* What samples refer to: frames, modules and threads. */
#include "trace/import/sink_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/names/normal_name.h"
#include "base/grow.h"

void sink_set_error(struct sink *sink, int error, const char *what)
{
    if (sink->error)
        return;
    sink->error = error;
    snprintf(sink->what, sizeof sink->what, "%s", what);
}

bool sink_has_failed(const struct sink *sink)
{
    return sink->error != 0;
}

static uint32_t sink_intern_text(struct sink *sink, const char *text)
{
    uint32_t id = text_set_add(&sink->texts, text ? text : "");
    if (id == TEXT_SET_FULL)
        sink_set_error(sink, ENOMEM, "names");
    return id == TEXT_SET_FULL ? 0 : id;
}

struct sink *sink_new(const struct sink_options *options)
{
    struct sink *sink = calloc(1, sizeof *sink);
    if (!sink)
        return NULL;
    sink->options = options;
    sink_intern_text(sink, ""); /* number 0 */
    return sink;
}

void sink_set_origin(struct sink *sink, const char *format, const char *tool, const json_t *more)
{
    free(sink->format);
    free(sink->tool);
    json_decref(sink->more);
    sink->format = strdup(format);
    sink->tool = tool && *tool ? strdup(tool) : NULL;
    sink->more = more ? json_deep_copy(more) : NULL;
    if (!sink->format || (tool && *tool && !sink->tool) || (more && !sink->more))
        sink_set_error(sink, ENOMEM, "names");
}

void sink_free(struct sink *sink)
{
    if (!sink)
        return;
    for (size_t i = 0; i < sink->profile_count; i++) {
        struct profile *profile = &sink->profiles[i];
        if (profile->writer)
            trace_finish(profile->writer);
        if (profile->fd >= 0)
            close(profile->fd);
        else if (profile->temporary)
            unlink(profile->temporary);
        free(profile->temporary);
        free(profile->name);
        free(profile->unit);
        free(profile->group);
        free(profile->threads);
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

/* ------------------------------------------------------------------------------------------ frames -- */

struct frame_key {
    const struct sink *sink;
    struct frame frame;
};

static bool sink_frame_equal(const void *user, uint32_t id)
{
    const struct frame_key *key = user;
    const struct frame *a = &key->sink->frames[id], *b = &key->frame;
    return a->class_name == b->class_name && a->method == b->method && a->signature == b->signature &&
           a->file == b->file && a->module == b->module && a->line == b->line && a->position == b->position;
}

static uint32_t sink_intern_module(struct sink *sink, const char *path)
{
    uint32_t text = sink_intern_text(sink, path);
    for (uint32_t i = 1; i <= sink->module_count; i++)
        if (sink->modules[i] == text)
            return i;
    uint32_t *modules = realloc(sink->modules, (sink->module_count + 2) * sizeof *modules);
    if (!modules) {
        sink_set_error(sink, ENOMEM, "modules");
        return 0;
    }
    sink->modules = modules;
    modules[++sink->module_count] = text;
    return sink->module_count;
}

/* The number of a frame as it is, added if it is new: then it stands for itself. 0 after an error. */
static uint32_t sink_intern_frame(struct sink *sink, const struct frame *frame)
{
    const struct frame_key key = {sink, *frame};
    uint64_t hash = hash_mix(hash_mix(frame->class_name, frame->method),
                             hash_mix(frame->line, hash_mix((uint64_t)frame->position, frame->signature)));
    uint32_t id = hash_find(&sink->frame_hash, hash, sink_frame_equal, &key);
    if (id || sink->error)
        return id;
    void *frames = grow_unset(sink->frames, &sink->frame_capacity, sink->frame_count + 1, sizeof *sink->frames);
    if (!frames) {
        sink_set_error(sink, ENOMEM, "frames");
        return 0;
    }
    sink->frames = frames;
    id = ++sink->frame_count;
    sink->frames[id] = *frame;
    if (hash_add(&sink->frame_hash, hash, id))
        sink_set_error(sink, ENOMEM, "frames");
    return id;
}

uint32_t sink_add_frame(struct sink *sink, const struct sink_frame *wanted)
{
    const struct frame frame = {sink_intern_text(sink, wanted->class_name),
                                sink_intern_text(sink, wanted->method),
                                sink_intern_text(sink, wanted->signature),
                                sink_intern_text(sink, wanted->file),
                                wanted->module ? sink_intern_module(sink, wanted->module) : 0,
                                wanted->line,
                                wanted->position,
                                0};
    uint32_t id = sink_intern_frame(sink, &frame);
    if (id && !sink->frames[id].same) {
        uint32_t same = id;
        if (!sink->options->raw_names) {
            /* The frame whose method has its normal name; a library before the name is the file, if there is no better
             * one. */
            char *const *texts = sink->texts.texts;
            struct normal_name normal;
            struct frame named = frame;
            normal_name(&(struct trace_method){.class_name = texts[frame.class_name],
                                               .name = texts[frame.method],
                                               .signature = texts[frame.signature],
                                               .file = ""},
                        &normal);
            named.class_name = sink_intern_text(sink, normal.class_name);
            named.method = sink_intern_text(sink, normal.name);
            named.signature = sink_intern_text(sink, normal.signature);
            if (normal.library[0] && !named.file)
                named.file = sink_intern_text(sink, normal.library);
            same = sink_intern_frame(sink, &named);
        }
        sink->frames[id].same = same;
        if (same)
            sink->frames[same].same = same;
    }
    return id ? sink->frames[id].same : 0;
}

/* ------------------------------------------------------------------------------------------ threads -- */

struct thread_key {
    const struct sink *sink;
    uint64_t tid;
    uint32_t name;
};

static bool sink_thread_equal(const void *user, uint32_t id)
{
    const struct thread_key *key = user;
    return key->sink->threads[id].tid == key->tid && key->sink->threads[id].name == key->name;
}

uint32_t sink_add_thread(struct sink *sink, uint64_t tid, const char *name)
{
    struct thread_key key = {sink, tid, sink_intern_text(sink, name)};
    uint64_t hash = hash_mix(tid, key.name);
    uint32_t id = hash_find(&sink->thread_hash, hash, sink_thread_equal, &key);
    if (id || sink->error)
        return id;
    void *threads = grow_unset(sink->threads, &sink->thread_capacity, sink->thread_count + 1, sizeof *sink->threads);
    if (!threads) {
        sink_set_error(sink, ENOMEM, "threads");
        return 0;
    }
    sink->threads = threads;
    id = ++sink->thread_count;
    sink->threads[id].tid = tid;
    sink->threads[id].name = key.name;
    sink->threads[id].role = ROLE_NATIVE;
    if (hash_add(&sink->thread_hash, hash, id))
        sink_set_error(sink, ENOMEM, "threads");
    return id;
}

void sink_set_thread_role(struct sink *sink, uint32_t thread, unsigned role)
{
    if (thread > 0)
        sink->threads[thread].role = role;
}
