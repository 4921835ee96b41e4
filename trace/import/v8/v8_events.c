#include "trace/import/v8/v8_events.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* A sample that waits. */
struct v8_sample {
    uint64_t node;
    double delta_us;
    bool timed;
};

struct v8_profile {
    struct v8_tree tree;
    bool begun, opened;
    uint64_t tid, sample_count;
    double at_us; /* of the previous sample, or of the start */
    struct sink_sample sample;
    struct v8_sample pending; /* the previous sample, whose duration the next one shows */
    bool has_pending;
};

/* Samples of one event, which wait. */
struct v8_chunk {
    double ts_us;
    uint64_t first, count;
    uint32_t profile;
};

/* ------------------------------------------------------------------------------------------ lists -- */

static void v8_list_end(struct v8_list *list)
{
    list->differs |= list->at != list->count;
}

static int v8_list_begin(struct v8_list *list, int state)
{
    v8_list_end(list);
    list->repeated = list->count > 0;
    list->at = 0;
    return state;
}

/* False without memory. */
static bool v8_list_add(struct v8_list *list, double number)
{
    const size_t at = list->at++;
    if (list->repeated) {
        list->differs |= at >= list->count || list->numbers[at] != number;
        return true;
    }
    double *numbers = grow(list->numbers, &list->capacity, at, sizeof *numbers);
    if (!numbers)
        return false;
    list->numbers = numbers;
    numbers[list->count++] = number;
    return true;
}

static void v8_list_clear(struct v8_list *list)
{
    list->count = list->at = 0;
    list->differs = false;
}

/* ------------------------------------------------------------------------------------------ values -- */

int v8_events_enter(struct v8_events *events, int state, const char *key)
{
    if (state >= V8_NODES && state <= V8_CHILDREN)
        return v8_nodes_enter(&events->nodes, state, key);
    if (!key)
        return JSON_OTHER;
    if (state == V8_ARGS)
        return strcmp(key, "data") == 0 ? V8_DATA : JSON_OTHER;
    if (state == V8_DATA && strcmp(key, "cpuProfile") == 0)
        return V8_PROFILE;
    if (state == V8_PROFILE && strcmp(key, "nodes") == 0)
        return V8_NODES;
    if (state == V8_PROFILE && strcmp(key, "samples") == 0)
        return v8_list_begin(&events->samples, V8_SAMPLES);
    if ((state == V8_DATA || state == V8_PROFILE) && strcmp(key, "timeDeltas") == 0)
        return v8_list_begin(&events->deltas, V8_DELTAS);
    return JSON_OTHER;
}

bool v8_events_value(struct v8_events *events, int state, const char *key, const struct json_value *value)
{
    if (state >= V8_NODES && state <= V8_CHILDREN)
        return v8_nodes_value(&events->nodes, state, key, value);
    if (state == V8_SAMPLES)
        return v8_list_add(&events->samples, (double)value->integer);
    if (state == V8_DELTAS)
        return v8_list_add(&events->deltas, value->real);
    if (strcmp(key, "startTime") == 0 && value->type == VALUE_NUMBER) {
        events->start_us = value->real;
        events->has_start = true;
    }
    return true;
}

bool v8_events_leave(struct v8_events *events, int state)
{
    return state > V8_CHILDREN || v8_nodes_leave(&events->nodes, state, events->reading->sink);
}

/* ------------------------------------------------------------------------------------------ events -- */

static struct v8_profile *v8_events_find_profile(struct v8_events *events, const char *pid, const char *id,
                                                 uint32_t *number)
{
    char key[192];
    snprintf(key, sizeof key, "%zu %s-%s", strlen(pid), pid, id); /* the length distinguishes 1-2, 3 from 1, 2-3 */
    *number = text_set_add(&events->keys, key);
    struct v8_profile *profiles = grow(events->profiles, &events->profile_capacity, *number, sizeof *profiles);
    if (*number == TEXT_SET_FULL || !profiles)
        return NULL;
    events->profiles = profiles;
    return &profiles[*number];
}

static bool v8_events_read_event(struct v8_events *events, const struct v8_event *event)
{
    const bool chunk = strcmp(event->name, "ProfileChunk") == 0, whole = strcmp(event->name, "CpuProfile") == 0;
    if (!chunk && !whole && strcmp(event->name, "Profile") != 0)
        return true;
    uint32_t number;
    struct v8_profile *profile =
        v8_events_find_profile(events, event->pid, *event->id ? event->id : event->tid, &number);
    if (!profile)
        return false;
    if (!chunk) {
        profile->begun = true;
        profile->at_us = events->has_start ? events->start_us : event->ts_us;
        profile->tid = strtoull(event->tid, NULL, 10);
    }
    const struct v8_chunk kept = {event->ts_us, events->waiting_count, events->samples.count, number};
    /* What is wrong with the lists of a chunk, whose good part is used. */
    v8_list_end(&events->samples);
    v8_list_end(&events->deltas);
    if (events->samples.differs || events->deltas.differs)
        reading_report_bad(events->reading, "byte %" PRIu64 ": a chunk that holds two lists of %s, which differ",
                           source_offset(events->reading->source), events->samples.differs ? "samples" : "times");
    else if (events->samples.count != events->deltas.count)
        reading_report_bad(events->reading, "byte %" PRIu64 ": a chunk of %zu samples and %zu times",
                           source_offset(events->reading->source), events->samples.count, events->deltas.count);
    if (!v8_tree_add(&profile->tree, events->nodes.links, events->nodes.count))
        return false;
    /* Its samples wait, each with the time since the previous one. */
    if (kept.count == 0)
        return true;
    struct v8_chunk *chunks = grow(events->chunks, &events->chunk_capacity, events->chunk_count, sizeof *chunks);
    if (!chunks)
        return false;
    events->chunks = chunks;
    chunks[events->chunk_count++] = kept;
    profile->sample_count += kept.count;
    events->waiting_count += kept.count;
    if (!events->waiting)
        events->waiting = tmpfile();
    for (size_t i = 0; events->waiting && i < kept.count; i++) {
        const bool timed = i < events->deltas.count;
        const struct v8_sample sample = {(uint64_t)events->samples.numbers[i], timed ? events->deltas.numbers[i] : 0,
                                         timed};
        if (fwrite(&sample, sizeof sample, 1, events->waiting) != 1)
            return false;
    }
    return events->waiting;
}

bool v8_events_end_event(struct v8_events *events, const struct v8_event *event)
{
    bool good = v8_events_read_event(events, event);
    events->nodes.count = 0;
    v8_list_clear(&events->samples);
    v8_list_clear(&events->deltas);
    events->has_start = false;
    return good;
}

/* ------------------------------------------------------------------------------------------ samples -- */

/* Where times are equal, the order of the file remains. */
static int v8_events_by_time(const void *left, const void *right)
{
    const struct v8_chunk *a = left, *b = right;
    int order = (a->ts_us > b->ts_us) - (a->ts_us < b->ts_us);
    return order ? order : (a->first > b->first) - (a->first < b->first);
}

/* Passes the sample that waited for the next one, which came so much later. */
static bool v8_events_pass_pending(struct v8_events *events, struct v8_profile *profile, double duration_us,
                                   struct stack *stack)
{
    if (!profile->has_pending)
        return true;
    if (!v8_tree_stack(&profile->tree, profile->pending.node, events->reading, stack))
        return false;
    const double at_us = profile->at_us;
    const bool timed = profile->begun && profile->pending.timed && at_us > 0 && at_us < 9e15;
    profile->sample.time_ns = timed ? (uint64_t)(at_us * 1e3) : 0;
    profile->sample.more[0] = duration_us > 0 && duration_us < 9e15 ? (uint64_t)(duration_us * 1e3) : 0;
    profile->sample.frames = stack->frames;
    profile->sample.depth = stack->depth;
    profile->has_pending = false;
    sink_add_sample(events->reading->sink, &profile->sample);
    return true;
}

static bool v8_events_pass_chunk(struct v8_events *events, const struct v8_chunk *chunk, struct stack *stack)
{
    struct v8_sample waiting;
    assert(chunk->profile < events->keys.count);
    struct v8_profile *profile = &events->profiles[chunk->profile];
    if (!profile->opened) {
        uint32_t number = chunk->profile;
        struct v8_profile *sink_profile = &events->profiles[number];
        struct sink *sink = events->reading->sink;
        char name[192];
        uint32_t sampled = 0;
        for (uint32_t i = 0; i < events->keys.count; i++)
            sampled += events->profiles[i].sample_count > 0;
        snprintf(name, sizeof name, sampled == 1 ? "samples" : "samples-%s",
                 strchr(events->keys.texts[number], ' ') + 1);
        sink_profile->opened = true;
        sink_profile->sample.profile = sink_open_profile(
            sink, &(struct sink_profile){.name = name,
                                         .unit = "samples",
                                         .unknown = UNKNOWN_PERIOD |
                                                    (sink_profile->begun ? 0 : UNKNOWN_TIMES | UNKNOWN_THREADS),
                                         .weight = "samples",
                                         .more = {{"duration", "ns"}}});
        sink_set_profile_group(sink, sink_profile->sample.profile, "samples");
        sink_profile->sample.thread = sink_add_thread(sink, sink_profile->tid, "");
        sink_profile->sample.weight = 1;
        events->unbegun += sink_profile->begun ? 0 : sink_profile->sample_count;
    }
    if (fseeko(events->waiting, (off_t)(chunk->first * sizeof waiting), SEEK_SET) != 0)
        return false;
    for (uint64_t i = 0; i < chunk->count && !sink_has_failed(events->reading->sink); i++) {
        if (fread(&waiting, sizeof waiting, 1, events->waiting) != 1 ||
            !v8_events_pass_pending(events, profile, waiting.delta_us, stack))
            return false;
        profile->at_us += waiting.delta_us;
        profile->pending = waiting;
        profile->has_pending = true;
    }
    return true;
}

bool v8_events_finish(struct v8_events *events)
{
    struct stack stack = {0};
    bool good = true;
    if (events->chunk_count > 0)
        qsort(events->chunks, events->chunk_count, sizeof *events->chunks, v8_events_by_time);
    for (size_t i = 0; good && i < events->chunk_count; i++)
        good = v8_events_pass_chunk(events, &events->chunks[i], &stack);
    for (uint32_t i = 0; good && i < events->keys.count && i < events->profile_capacity; i++)
        good = v8_events_pass_pending(events, &events->profiles[i], 0, &stack);
    stack_free(&stack);
    return good;
}

void v8_events_free(struct v8_events *events)
{
    for (uint32_t i = 0; i < events->keys.count && i < events->profile_capacity; i++)
        v8_tree_free(&events->profiles[i].tree);
    text_set_free(&events->keys);
    free(events->profiles);
    free(events->chunks);
    free(events->samples.numbers);
    free(events->deltas.numbers);
    v8_nodes_free(&events->nodes);
    if (events->waiting)
        fclose(events->waiting);
}
