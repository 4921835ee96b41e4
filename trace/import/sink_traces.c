/* The traces that profiles become. */
#include "trace/import/sink_state.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/temporary.h"
#include "base/text.h"

enum { RING_BYTES = 1 << 17, CHUNK_RECORDS = 2048, DEEPEST = 2 * TRACE_STACK_MAX + 16 };

/* ------------------------------------------------------------------------------------------ frames -- */

static bool sink_describe_frame(void *user, const struct trace_raw_frame *raw, struct trace_frame_text *text)
{
    struct profile *profile = user;
    const struct sink *sink = profile->sink;
    char **texts = sink->texts.texts;
    const struct frame *frame = &sink->frames[raw->code];
    uint64_t *modules = grow(profile->modules, &profile->module_count, frame->module, sizeof *modules), module = 0;
    if (modules) {
        profile->modules = modules;
        if (frame->module > 0 && !modules[frame->module]) /* of a module only its path is known */
            modules[frame->module] =
                trace_define_module(profile->writer, texts[sink->modules[frame->module]], "", 0, 0, 0);
        module = modules[frame->module];
    }
    *text = (struct trace_frame_text){.class_name = texts[frame->class_name],
                                      .method = texts[frame->method],
                                      .signature = texts[frame->signature],
                                      .file = texts[frame->file],
                                      .line = frame->line,
                                      .position = frame->position,
                                      .module = module};
    return true;
}

/* ------------------------------------------------------------------------------------------ profiles -- */

static json_t *sink_unknown_json(unsigned unknown)
{
    static const char *const names[] = {"times", "threads", "period", "stacks", "roles"};
    json_t *list = json_array();
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (unknown >> i & 1)
            json_array_append_new(list, json_string(names[i]));
    json_array_append_new(list, json_string("runs"));
    return list;
}

static size_t sink_count_weights(const struct sink_profile *profile)
{
    size_t count = 0;
    while (count < SINK_MORE_MAX && profile->more[count].name)
        count++;
    return count;
}

/* A trace with one weight has no list of them: its unit says all. */
static json_t *sink_weights_json(const struct sink_profile *profile, size_t more)
{
    const char *first = profile->weight ? profile->weight : profile->unit;
    json_t *list = json_array();
    for (size_t i = 0; i <= more; i++) {
        const char *name = i ? profile->more[i - 1].name : first, *unit = i ? profile->more[i - 1].unit : profile->unit;
        json_array_append_new(list, json_pack("{s:o, s:o}", "name", text_json(name, strlen(name)), "unit",
                                              text_json(unit, strlen(unit))));
    }
    return list;
}

/* A file without a name: no signal can end the process while it still has one. */
static int sink_create_unnamed(struct profile *profile, const json_t *metadata,
                               const struct trace_writer_options *options)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = trace_create(profile->temporary, metadata, options, &profile->writer);
    if (!error) {
        profile->fd = open(profile->temporary, O_RDONLY | O_CLOEXEC);
        error = profile->fd < 0 ? errno : 0;
        unlink(profile->temporary);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static void sink_open_writer(struct sink *sink, struct profile *profile, const struct sink_profile *wanted)
{
    const struct trace_writer_options options = {.ring_bytes = RING_BYTES,
                                                 .chunk_records = CHUNK_RECORDS,
                                                 .manual = true,
                                                 .describe = sink_describe_frame,
                                                 .user = profile};
    const bool unnamed = sink->options->unnamed;
    const char *base = sink->options->exact ? sink->options->exact : sink->options->base;
    const int length = unnamed
                           ? asprintf(&profile->temporary, "%s/assay-%d-%" PRIu64 ".tmp", temporary_folder(),
                                      (int)getpid(), clock_ns(CLOCK_MONOTONIC))
                           : asprintf(&profile->temporary, "%s.%d-%zu.tmp", base, (int)getpid(), sink->profile_count);
    if (length < 0) {
        profile->temporary = NULL;
        sink_set_error(sink, ENOMEM, "trace");
        return;
    }
    json_t *metadata = sink->more ? json_deep_copy(sink->more) : json_object();
    const char *source = sink->options->source;
    json_t *imported = json_pack(
        "{s:s, s:o, s:o, s:o}", "format", sink->format ? sink->format : "", "file", text_json(source, strlen(source)),
        "profile", text_json(wanted->name, strlen(wanted->name)), "unknown", sink_unknown_json(wanted->unknown));
    if (sink->tool)
        json_object_set_new(imported, "tool", text_json(sink->tool, strlen(sink->tool)));
    json_object_set_new(metadata, "assay", json_string(ASSAY_VERSION));
    json_object_set_new(metadata, "mode", text_json(wanted->name, strlen(wanted->name)));
    json_object_set_new(metadata, "engine", json_string(sink->format ? sink->format : ""));
    json_object_set_new(metadata, "sample_unit", text_json(wanted->unit, strlen(wanted->unit)));
    const size_t more = sink_count_weights(wanted);
    if (more > 0 || wanted->weight)
        json_object_set_new(metadata, "weights", sink_weights_json(wanted, more));
    if (wanted->thread_states)
        json_object_set_new(metadata, "thread_states", json_true());
    if (wanted->period_ns > 0) {
        json_object_set_new(metadata, "period_ns", json_integer((json_int_t)wanted->period_ns));
        json_object_set_new(metadata, "period_unit", json_string("ns"));
    }
    json_object_set_new(metadata, "imported", imported);
    int error = !metadata ? ENOMEM
                : unnamed ? sink_create_unnamed(profile, metadata, &options)
                          : trace_create(profile->temporary, metadata, &options, &profile->writer);
    json_decref(metadata);
    if (error)
        sink_set_error(sink, error, profile->temporary);
}

unsigned sink_open_profile(struct sink *sink, const struct sink_profile *wanted)
{
    for (unsigned i = 0; i < sink->profile_count; i++)
        if (strcmp(sink->profiles[i].name, wanted->name) == 0)
            return i;
    if (sink->profile_count == PROFILES_MAX)
        sink_set_error(sink, E2BIG, "more than 64 profiles in one file; choose one with --profile");
    if (sink->error)
        return 0;
    struct profile *profile = &sink->profiles[sink->profile_count];
    *profile = (struct profile){.sink = sink,
                                .name = strdup(wanted->name),
                                .unit = strdup(wanted->unit),
                                .group = strdup(wanted->name),
                                .fd = -1};
    profile->result.unknown = wanted->unknown;
    profile->more_count = sink_count_weights(wanted);
    if (!profile->name || !profile->unit || !profile->group)
        sink_set_error(sink, ENOMEM, "profiles");
    else if (!sink->options->profile || strcmp(sink->options->profile, wanted->name) == 0)
        sink_open_writer(sink, profile, wanted);
    return (unsigned)sink->profile_count++;
}

void sink_set_profile_group(struct sink *sink, unsigned index, const char *group)
{
    struct profile *profile = &sink->profiles[index];
    char *copy = sink->error ? NULL : strdup(group);
    if (copy) {
        free(profile->group);
        profile->group = copy;
    } else {
        sink_set_error(sink, ENOMEM, "profiles");
    }
}

/* ------------------------------------------------------------------------------------------ samples -- */

static struct profile_thread *sink_open_stream(struct sink *sink, struct profile *profile, uint32_t thread)
{
    struct profile_thread *threads = grow(profile->threads, &profile->thread_count, thread, sizeof *threads);
    if (!threads) {
        sink_set_error(sink, ENOMEM, "threads");
        return NULL;
    }
    profile->threads = threads;
    struct profile_thread *profile_thread = &threads[thread];
    if (!profile_thread->stream) {
        const char *name = thread ? sink->texts.texts[sink->threads[thread].name] : "";
        uint64_t tid = thread ? sink->threads[thread].tid : 0;
        unsigned role = thread ? sink->threads[thread].role : ROLE_NATIVE;
        int error = trace_stream_open(profile->writer, tid, name, role, &profile_thread->stream);
        if (error) {
            sink_set_error(sink, error, "threads");
            return NULL;
        }
        profile->result.threads++;
    }
    return profile_thread;
}

/* The innermost frames of a too deep stack, and one that marks the cut. */
static size_t sink_fill_raw_stack(struct sink *sink, struct profile *profile, const struct sink_sample *sample,
                                  struct trace_raw_frame *raw)
{
    size_t depth = sample->depth;
    if (depth == 0) {
        const uint32_t unknown = sink_add_frame(sink, &(struct sink_frame){.method = "[unknown]", .position = -1});
        raw[depth++] = (struct trace_raw_frame){unknown, 0};
        return depth;
    }
    if (depth > TRACE_STACK_MAX) {
        if (!sink->cut_frame)
            sink->cut_frame = sink_add_frame(sink, &(struct sink_frame){.method = "[stack cut here]", .position = -1});
        profile->result.cut++;
        depth = TRACE_STACK_MAX - 1;
    }
    for (size_t i = 0; i < depth; i++)
        raw[i] = (struct trace_raw_frame){sample->frames[i], 0};
    if (depth < sample->depth)
        raw[depth++] = (struct trace_raw_frame){sink->cut_frame, 0};
    return depth;
}

/* Adds a weight to its sum, which must stay within 64 bits. */
static void sink_sum_weight(struct sink *sink, uint64_t *sum, uint64_t weight)
{
    if (*sum + weight < weight)
        sink_set_error(sink, EOVERFLOW, "the sum of all weights");
    *sum += weight;
}

/* Counts a sample; the kind of its record, or 0 if there is none. */
static unsigned sink_count_sample(struct sink *sink, struct profile *profile, const struct sink_sample *sample)
{
    bool weighs = false;
    for (size_t i = 0; i < profile->more_count; i++) {
        weighs |= sample->more[i] > 0;
        sink_sum_weight(sink, &profile->result.more[i], sample->more[i]);
    }
    sink_sum_weight(sink, &profile->result.weight, sample->weight);
    profile->result.samples += sample->weight > 0;
    profile->result.zero += sample->weight == 0;
    profile->result.aside += sample->weight == 0 && weighs;
    return sample->weight > 0 ? TRACE_SAMPLE : weighs ? TRACE_ZERO_SAMPLE : 0;
}

void sink_add_sample(struct sink *sink, const struct sink_sample *sample)
{
    struct trace_raw_frame raw[TRACE_STACK_MAX];
    if (sink->error)
        return;
    assert(sample->profile < sink->profile_count);
    struct profile *profile = &sink->profiles[sample->profile];
    unsigned kind = sink_count_sample(sink, profile, sample);
    struct profile_thread *profile_thread =
        kind && profile->writer ? sink_open_stream(sink, profile, sample->thread) : NULL;
    if (!profile_thread)
        return;
    size_t depth = sink_fill_raw_stack(sink, profile, sample, raw);
    /* The rings are emptied before one of them is full, since records that do not fit would count as lost. */
    size_t words = 16 + SINK_MORE_MAX + 2 * depth;
    profile_thread->words += words;
    if (profile_thread->words + DEEPEST >= RING_BYTES / sizeof(uint64_t)) {
        int error = trace_drain(profile->writer, false);
        if (error)
            sink_set_error(sink, error, profile->temporary);
        for (size_t i = 0; i < profile->thread_count; i++)
            profile->threads[i].words = 0;
        profile_thread->words = words;
    }
    if (sample->time_ns > 0)
        profile_thread->tick++;
    uint64_t values[SAMPLE_THREAD_STATE + 1] = {[SAMPLE_TIME] = sample->time_ns,
                                                [SAMPLE_STATE] = sample->state,
                                                [SAMPLE_TICK] = profile_thread->tick,
                                                [SAMPLE_WEIGHT] = sample->weight,
                                                [SAMPLE_THREAD_STATE] = sample->thread_state};
    memcpy(values + SAMPLE_WEIGHT_1, sample->more, profile->more_count * sizeof *values);
    const size_t n = sample->thread_state  ? SAMPLE_THREAD_STATE + 1
                     : profile->more_count ? SAMPLE_WEIGHT_1 + profile->more_count
                                           : SAMPLE_WEIGHT + 1;
    if (!trace_append_stacks(profile_thread->stream, kind, values, n, &(struct trace_stack){SAMPLE_CONTEXT, raw, depth},
                             1))
        sink_set_error(sink, ENOBUFS, "a ring");
}

void sink_add_lost(struct sink *sink, unsigned index, uint32_t thread, uint64_t count)
{
    if (sink->error)
        return;
    assert(index < sink->profile_count);
    struct profile *profile = &sink->profiles[index];
    struct profile_thread *profile_thread = profile->writer ? sink_open_stream(sink, profile, thread) : NULL;
    profile->result.lost += count;
    if (profile_thread)
        trace_count_lost(profile_thread->stream, LOST_BUFFER_FULL, count);
}

/* ------------------------------------------------------------------------------------------ the end -- */

/* Completes the traces; a profile without samples has none. The number of those that are wanted. */
static size_t sink_finish_writers(struct sink *sink)
{
    size_t wanted = 0;
    for (size_t i = 0; i < sink->profile_count; i++) {
        struct profile *profile = &sink->profiles[i];
        if (!profile->writer)
            continue;
        int error = trace_drain(profile->writer, true);
        if (!error && trace_lacked_memory(profile->writer))
            error = ENOMEM;
        int finished = trace_finish(profile->writer);
        error = error ? error : finished;
        profile->writer = NULL;
        if (error)
            sink_set_error(sink, error, profile->temporary);
        profile->is_wanted = true;
        wanted += profile->result.samples > 0;
    }
    return wanted;
}

/* Gives a trace its name, for which the sink keeps the memory. */
static int sink_publish_trace(struct sink *sink, const struct profile *profile, size_t wanted, char **path,
                              struct error_text *message)
{
    char *trace_path = NULL, name[64];
    snprintf(name, sizeof name, "%s", profile->name);
    for (char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("._-", *at))
            *at = '-';
    int length = sink->options->unnamed ? asprintf(&trace_path, "/proc/self/fd/%d", profile->fd)
                 : sink->options->exact ? asprintf(&trace_path, "%s", sink->options->exact)
                 : wanted > 1           ? asprintf(&trace_path, "%s.%s.trace", sink->options->base, name)
                                        : asprintf(&trace_path, "%s.trace", sink->options->base);
    *path = length < 0 ? NULL : trace_path;
    if (!*path)
        return error_set(message, STATUS_BAD, "out of memory");
    if (sink->options->unnamed || link(profile->temporary, *path) == 0)
        return STATUS_GOOD;
    error_set(message, STATUS_BAD, "%s: %s", *path,
              errno == EEXIST ? "already exists; move it away, or name another with -o" : strerror(errno));
    free(*path);
    *path = NULL;
    return STATUS_BAD;
}

int sink_finish(struct sink *sink, const struct sink_result **results, size_t *count, struct error_text *message)
{
    char names[256] = "";
    size_t wanted = sink_finish_writers(sink);
    bool has_wanted = false;
    for (size_t i = 0; i < sink->profile_count; i++)
        has_wanted |= sink->profiles[i].is_wanted;
    *count = 0;
    *results = sink->results;
    if (sink->error)
        return error_set(message, STATUS_BAD, "%s: %s", sink->what, strerror(sink->error));
    for (size_t i = 0; i < sink->profile_count; i++)
        error_list(names, sizeof names, sink->profiles[i].name);
    if (!has_wanted && sink->options->profile)
        return error_set(message, STATUS_BAD, "holds no profile '%s', but: %s", sink->options->profile,
                         *names ? names : "none");
    if (wanted > 1 && sink->options->exact)
        return error_set(message, STATUS_BAD,
                         "holds %zu profiles (%s): choose one with --profile NAME, or name a directory with -o", wanted,
                         names);
    int status = STATUS_GOOD;
    for (size_t i = 0; i < sink->profile_count && !status; i++) {
        struct profile *profile = &sink->profiles[i];
        if (!profile->is_wanted)
            continue;
        if (profile->result.samples > 0)
            status = sink_publish_trace(sink, profile, wanted, &sink->paths[*count], message);
        if (status)
            break;
        struct sink_result *result = &sink->results[*count];
        *result = profile->result;
        result->path = sink->paths[(*count)++];
        result->name = profile->name;
        result->unit = profile->unit;
        result->group = profile->group;
    }
    while (status && *count > 0)
        if (sink->paths[--*count] && !sink->options->unnamed)
            unlink(sink->paths[*count]);
    return status;
}
