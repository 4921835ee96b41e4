#include "analyze/profiles/read/v8/v8_events.h"

#include <inttypes.h>
#include <string.h>

#include "base/grow.h"

struct v8_profile {
    struct v8_tree tree;
    bool begun, opened;
    uint64_t tid, sample_count;
    double at_us;   /* of the previous sample, or of the start */
    double last_us; /* ts of the previous chunk */
    struct sink_sample sample;
};

/* A sample that waits. */
struct v8_sample {
    uint64_t node;
    double delta_us;
    uint32_t profile;
    bool timed;
};

int v8_events_enter(struct v8_events *events, int state, const char *key)
{
    if (state >= V8_NODES && state <= V8_CHILDREN)
        return v8_enter(&events->nodes, state, key);
    if (!key)
        return JSON_OTHER;
    if (state == V8_ARGS)
        return strcmp(key, "data") == 0 ? V8_DATA : JSON_OTHER;
    if (state == V8_DATA && strcmp(key, "cpuProfile") == 0)
        return V8_PROFILE;
    if (state == V8_PROFILE && strcmp(key, "nodes") == 0)
        return V8_NODES;
    if (state == V8_PROFILE && strcmp(key, "samples") == 0)
        return V8_SAMPLES;
    return (state == V8_DATA || state == V8_PROFILE) && strcmp(key, "timeDeltas") == 0 ? V8_DELTAS : JSON_OTHER;
}

bool v8_events_value(struct v8_events *events, int state, const char *key, const struct json_value *value)
{
    if (state >= V8_NODES && state <= V8_CHILDREN)
        return v8_value(&events->nodes, state, key, value);
    if (state == V8_SAMPLES) {
        uint64_t *samples = grow(events->samples, &events->sample_room, events->sample_count, sizeof *samples);
        if (!samples)
            return false;
        events->samples = samples;
        samples[events->sample_count++] = (uint64_t)value->integer;
    } else if (state == V8_DELTAS) {
        double *deltas = grow(events->deltas, &events->delta_room, events->delta_count, sizeof *deltas);
        if (!deltas)
            return false;
        events->deltas = deltas;
        deltas[events->delta_count++] = value->real;
    } else if (strcmp(key, "startTime") == 0 && value->type == VALUE_NUMBER) {
        events->start_us = value->real;
        events->has_start = true;
    }
    return true;
}

bool v8_events_leave(struct v8_events *events, int state)
{
    return state > V8_CHILDREN || v8_leave(&events->nodes, state, events->reading->sink);
}

/* ------------------------------------------------------------------------------------------ events -- */

static struct v8_profile *profile_of(struct v8_events *events, const char *pid, const char *id, uint32_t *number)
{
    char key[160];
    snprintf(key, sizeof key, "%s-%s", pid, id);
    *number = text_set_add(&events->keys, key);
    struct v8_profile *profiles = grow(events->profiles, &events->profile_room, *number, sizeof *profiles);
    if (*number == TEXT_SET_FULL || !profiles)
        return NULL;
    events->profiles = profiles;
    return &profiles[*number];
}

/* Its samples wait, each with the time since the previous one. */
static bool keep_samples(struct v8_events *events, struct v8_profile *profile, uint32_t number)
{
    if (events->sample_count != events->delta_count)
        reading_bad(events->reading, "byte %" PRIu64 ": a chunk of %zu samples and %zu times",
                    source_at(events->reading->source), events->sample_count, events->delta_count);
    profile->sample_count += events->sample_count;
    if (!events->waiting)
        events->waiting = tmpfile();
    for (size_t i = 0; events->waiting && i < events->sample_count; i++) {
        const bool timed = i < events->delta_count;
        const struct v8_sample sample = {events->samples[i], timed ? events->deltas[i] : 0, number, timed};
        if (fwrite(&sample, sizeof sample, 1, events->waiting) != 1)
            return false;
    }
    return events->waiting;
}

static bool take_event(struct v8_events *events, const struct v8_event *event)
{
    const bool chunk = strcmp(event->name, "ProfileChunk") == 0, whole = strcmp(event->name, "CpuProfile") == 0;
    if (!chunk && !whole && strcmp(event->name, "Profile") != 0)
        return true;
    uint32_t number;
    struct v8_profile *profile = profile_of(events, event->pid, *event->id ? event->id : event->tid, &number);
    if (!profile)
        return false;
    if (!chunk) {
        profile->begun = true;
        profile->at_us = events->has_start ? events->start_us : event->ts_us;
        profile->tid = strtoull(event->tid, NULL, 10);
    }
    if (chunk && event->ts_us < profile->last_us)
        reading_bad(events->reading,
                    "byte %" PRIu64 ": a chunk of a CPU profile at %g us, after one at %g us; sort events by ts",
                    source_at(events->reading->source), event->ts_us, profile->last_us);
    profile->last_us = event->ts_us;
    return v8_tree_add(&profile->tree, events->nodes.links, events->nodes.count) &&
           keep_samples(events, profile, number);
}

bool v8_events_end(struct v8_events *events, const struct v8_event *event)
{
    bool good = take_event(events, event);
    events->nodes.count = events->sample_count = events->delta_count = 0;
    events->has_start = false;
    return good;
}

/* ------------------------------------------------------------------------------------------ samples -- */

static bool is_single(const struct v8_events *events)
{
    uint32_t sampled = 0;
    for (uint32_t i = 0; i < events->keys.count; i++)
        sampled += events->profiles[i].sample_count > 0;
    return sampled == 1;
}

static void open_profile(struct v8_events *events, uint32_t number)
{
    struct v8_profile *profile = &events->profiles[number];
    struct sink *sink = events->reading->sink;
    char name[192];
    snprintf(name, sizeof name, is_single(events) ? "samples" : "samples-%s", events->keys.texts[number]);
    profile->opened = true;
    profile->sample.profile = sink_profile(
        sink, &(struct sink_profile){name, "samples", 0,
                                     UNKNOWN_PERIOD | (profile->begun ? 0 : UNKNOWN_TIMES | UNKNOWN_THREADS)});
    profile->sample.thread = sink_thread(sink, profile->tid, "");
    profile->sample.weight = 1;
    events->unbegun += profile->begun ? 0 : profile->sample_count;
}

bool v8_events_finish(struct v8_events *events)
{
    struct v8_sample waiting;
    struct stack stack = {0};
    bool good = !events->waiting || fseek(events->waiting, 0, SEEK_SET) == 0;
    while (good && events->waiting && !sink_failed(events->reading->sink) &&
           fread(&waiting, sizeof waiting, 1, events->waiting) == 1) {
        struct v8_profile *profile = &events->profiles[waiting.profile];
        if (!profile->opened)
            open_profile(events, waiting.profile);
        profile->at_us += waiting.delta_us;
        const bool timed = profile->begun && waiting.timed && profile->at_us > 0 && profile->at_us < 9e15;
        profile->sample.time_ns = timed ? (uint64_t)(profile->at_us * 1e3) : 0;
        good = v8_tree_stack(&profile->tree, waiting.node, events->reading, &stack);
        profile->sample.frames = stack.frames;
        profile->sample.depth = stack.depth;
        if (good)
            sink_sample(events->reading->sink, &profile->sample);
    }
    stack_free(&stack);
    return good && !(events->waiting && ferror(events->waiting));
}

void v8_events_free(struct v8_events *events)
{
    for (uint32_t i = 0; i < events->keys.count && i < events->profile_room; i++)
        v8_tree_free(&events->profiles[i].tree);
    text_set_free(&events->keys);
    free(events->profiles);
    free(events->samples);
    free(events->deltas);
    v8_nodes_free(&events->nodes);
    if (events->waiting)
        fclose(events->waiting);
}
