/*
 * V8's CPU profile (.cpuprofile of node and Chrome): a tree of nodes, a list of the nodes that were sampled, and a list
 * of the times between them in µs. Source: V8, include/v8-profiler.h; Chrome DevTools Protocol, domain Profiler, type
 * Profile.
 *
 * A sample counts as one. Both lists wait in temporary files until the file ends, since nodes may stand behind them.
 */
#include <inttypes.h>
#include <string.h>

#include "analyze/profiles/grow.h"
#include "analyze/profiles/idmap.h"
#include "analyze/profiles/json.h"
#include "analyze/profiles/reading.h"
#include "analyze/profiles/spooled.h"

enum state { ROOT = JSON_ROOT, NODES, NODE, CALL_FRAME, CHILDREN, SAMPLES, DELTAS };

struct node {
    uint32_t frame, parent; /* places */
};

struct cpuprofile {
    struct reading *reading;
    struct idmap ids;
    struct node *nodes; /* [place] */
    size_t room;
    char name[2048], url[2048];
    uint64_t line, id;
    bool has_id;
    struct stack children; /* places of the node at hand's children */
    struct stack stack;
    struct spooled samples, deltas;
    double start_us;
};

static int enter(void *user, int state, const char *key, bool array)
{
    struct cpuprofile *profile = user;
    (void)array;
    if (state == ROOT && key)
        return strcmp(key, "nodes") == 0        ? NODES
               : strcmp(key, "samples") == 0    ? SAMPLES
               : strcmp(key, "timeDeltas") == 0 ? DELTAS
                                                : JSON_OTHER;
    if (state == NODES) {
        profile->name[0] = profile->url[0] = '\0';
        profile->line = profile->id = 0;
        profile->has_id = false;
        profile->children.depth = 0;
        return NODE;
    }
    if (state == NODE && key)
        return strcmp(key, "callFrame") == 0 ? CALL_FRAME : strcmp(key, "children") == 0 ? CHILDREN : JSON_OTHER;
    return JSON_OTHER;
}

static uint32_t place_of(struct cpuprofile *profile, uint64_t id)
{
    uint32_t place = idmap_add(&profile->ids, id);
    struct node *nodes = grow(profile->nodes, &profile->room, place, sizeof *nodes);
    if (!place || !nodes)
        return 0;
    profile->nodes = nodes;
    return place;
}

static void take_frame(struct cpuprofile *profile, const char *key, const struct json_value *value)
{
    if (strcmp(key, "functionName") == 0 && value->type == VALUE_TEXT)
        snprintf(profile->name, sizeof profile->name, "%s", value->text);
    else if (strcmp(key, "url") == 0 && value->type == VALUE_TEXT)
        snprintf(profile->url, sizeof profile->url, "%s", value->text);
    else if (strcmp(key, "lineNumber") == 0 && value->type == VALUE_NUMBER && value->integer >= 0)
        profile->line = (uint64_t)value->integer + 1; /* they count from 0 */
}

static bool take_node(struct cpuprofile *profile, const char *key, const struct json_value *value)
{
    if (strcmp(key, "id") == 0 && value->type == VALUE_NUMBER) {
        profile->id = (uint64_t)value->integer;
        profile->has_id = true;
    } else if (strcmp(key, "parent") == 0 && value->type == VALUE_NUMBER) {
        uint32_t own = profile->has_id ? place_of(profile, profile->id) : 0;
        uint32_t parent = place_of(profile, (uint64_t)value->integer);
        if (own && parent)
            profile->nodes[own].parent = parent;
    } else {
        take_frame(profile, key, value);
    }
    return true;
}

static bool value(void *user, int state, const char *key, uint64_t index, const struct json_value *value)
{
    struct cpuprofile *profile = user;
    const struct spooled_number number = {value->integer, value->real, value->whole};
    (void)index;
    switch (state) {
    case ROOT:
        if (key && strcmp(key, "startTime") == 0)
            profile->start_us = value->real;
        return true;
    case NODE:
        return take_node(profile, key, value);
    case CALL_FRAME:
        take_frame(profile, key, value);
        return true;
    case CHILDREN:
        return stack_push(&profile->children, place_of(profile, (uint64_t)value->integer));
    case SAMPLES:
        return spooled_number(&profile->samples, number);
    case DELTAS:
        return spooled_number(&profile->deltas, number);
    default:
        return true;
    }
}

static bool leave(void *user, int state)
{
    struct cpuprofile *profile = user;
    if (state != NODE)
        return true;
    uint32_t place = place_of(profile, profile->id);
    if (!place)
        return false;
    bool anonymous = !*profile->name;
    profile->nodes[place].frame =
        sink_frame(profile->reading->sink, &(struct sink_frame){.method = anonymous ? "(anonymous)" : profile->name,
                                                                .file = profile->url,
                                                                .line = profile->line,
                                                                .position = -1});
    for (size_t i = 0; i < profile->children.depth; i++)
        if (profile->children.frames[i])
            profile->nodes[profile->children.frames[i]].parent = place;
    return true;
}

/* The path to the root; it ends after as many steps as there are nodes, should it be a circle. */
static bool push_path(struct cpuprofile *profile, uint64_t id)
{
    uint32_t place = idmap_find(&profile->ids, id);
    profile->stack.depth = 0;
    if (!place || !profile->nodes[place].frame)
        reading_bad(profile->reading, "node %" PRIu64 " was sampled and is not defined", id);
    for (uint32_t at = place, steps = 0; at && steps <= profile->ids.count; at = profile->nodes[at].parent, steps++) {
        bool root = !profile->nodes[at].parent && steps > 0; /* "(root)" stands over every stack */
        if (!root && profile->nodes[at].frame && !stack_push(&profile->stack, profile->nodes[at].frame))
            return false;
        if (steps == profile->ids.count)
            reading_bad(profile->reading, "node %" PRIu64 " is its own caller", id);
    }
    return true;
}

static int put_samples(struct cpuprofile *profile, struct complaint *complaint)
{
    struct sink *sink = profile->reading->sink;
    bool timed = profile->deltas.number_count == profile->samples.number_count;
    struct spooled_number node, delta;
    double at_us = profile->start_us;
    struct sink_sample sample = {.profile = sink_profile(sink, &(struct sink_profile){"samples", "samples", 0,
                                                                                      UNKNOWN_PERIOD | UNKNOWN_THREADS |
                                                                                          (timed ? 0 : UNKNOWN_TIMES)}),
                                 .thread = sink_thread(sink, 0, ""),
                                 .weight = 1};
    if (!timed && profile->deltas.number_count > 0)
        reading_bad(profile->reading, "%" PRIu64 " samples and %" PRIu64 " times", profile->samples.number_count,
                    profile->deltas.number_count);
    if (!spooled_rewind(&profile->samples) || !spooled_rewind(&profile->deltas))
        return complain(complaint, STATUS_BAD, "a temporary file cannot be read");
    while (!sink_failed(sink) && spooled_next_number(&profile->samples, &node)) {
        if (timed && spooled_next_number(&profile->deltas, &delta))
            at_us += delta.real;
        sample.time_ns = timed && at_us > 0 && at_us < 9e15 ? (uint64_t)(at_us * 1e3) : 0;
        if (!push_path(profile, (uint64_t)node.integer))
            return complain(complaint, STATUS_BAD, "out of memory");
        sample.frames = profile->stack.frames;
        sample.depth = profile->stack.depth;
        sink_sample(sink, &sample);
    }
    return STATUS_GOOD;
}

static int read_cpuprofile(struct reading *reading, struct complaint *complaint)
{
    static const struct json_format format = {.enter = enter, .value = value, .leave = leave};
    struct cpuprofile profile = {.reading = reading};
    struct complaint own = {""};
    sink_origin(reading->sink, "cpuprofile", "V8", NULL);
    int status = json_stream(reading->source, &format, &profile, complaint);
    int second = put_samples(&profile, &own);
    if (!status && second) {
        *complaint = own;
        status = second;
    }
    spooled_free(&profile.samples);
    spooled_free(&profile.deltas);
    stack_free(&profile.children);
    stack_free(&profile.stack);
    idmap_free(&profile.ids);
    free(profile.nodes);
    return status;
}

static bool looks(const unsigned char *head, size_t length)
{
    return json_looks(head, length) && memmem(head, length, "\"nodes\"", 7) &&
           memmem(head, length, "\"callFrame\"", 11) && !memmem(head, length, "\"traceEvents\"", 13) &&
           !memmem(head, length, "\"ph\"", 4);
}

const struct profile_format format_cpuprofile = {"cpuprofile", looks, read_cpuprofile};
