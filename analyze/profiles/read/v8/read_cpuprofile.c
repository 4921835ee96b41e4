/*
 * V8's CPU profile (.cpuprofile of node and Chrome): a tree of nodes, a list of the nodes that were sampled, and a list
 * of the times between them in µs. Source: V8, include/v8-profiler.h; Chrome DevTools Protocol, domain Profiler, type
 * Profile.
 *
 * A sample counts as one. Both lists are kept in temporary files until the file ends, since nodes may come after them.
 */
#include <inttypes.h>
#include <string.h>

#include "analyze/profiles/read/spooled.h"
#include "analyze/profiles/read/v8/v8.h"

enum state { ROOT = JSON_ROOT, SAMPLES, DELTAS };

struct cpuprofile {
    struct reading *reading;
    struct v8_nodes nodes;
    struct v8_tree tree;
    struct stack stack;
    struct spooled samples, deltas;
    double start_us;
};

static int enter(void *user, int state, const char *key, bool array)
{
    struct cpuprofile *profile = user;
    (void)array;
    if (state >= V8_NODES) {
        profile->nodes.count = 0;
        return v8_enter(&profile->nodes, state, key);
    }
    if (state != ROOT || !key)
        return JSON_OTHER;
    if (strcmp(key, "nodes") == 0)
        return V8_NODES;
    int inside = strcmp(key, "samples") == 0 ? SAMPLES : strcmp(key, "timeDeltas") == 0 ? DELTAS : JSON_OTHER;
    if (inside != JSON_OTHER) /* of a list that is given twice the last one counts, as in JavaScript */
        spooled_free(inside == SAMPLES ? &profile->samples : &profile->deltas);
    return inside;
}

static bool value(void *user, int state, const char *key, uint64_t index, const struct json_value *value)
{
    struct cpuprofile *profile = user;
    const struct spooled_number number = {value->integer, value->real, value->whole};
    (void)index;
    switch (state) {
    case ROOT:
        if (strcmp(key, "startTime") == 0)
            profile->start_us = value->real;
        return true;
    case SAMPLES:
        return spooled_number(&profile->samples, number);
    case DELTAS:
        return spooled_number(&profile->deltas, number);
    default:
        return v8_value(&profile->nodes, state, key, value);
    }
}

static bool leave(void *user, int state)
{
    struct cpuprofile *profile = user;
    return state < V8_NODES ||
           (v8_leave(&profile->nodes, state, profile->reading->sink) &&
            (state != V8_NODE || v8_tree_add(&profile->tree, profile->nodes.links, profile->nodes.count)));
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
        if (!v8_tree_stack(&profile->tree, (uint64_t)node.integer, profile->reading, &profile->stack))
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
    stack_free(&profile.stack);
    v8_nodes_free(&profile.nodes);
    v8_tree_free(&profile.tree);
    return status;
}

static bool looks(const unsigned char *head, size_t length)
{
    return json_looks(head, length) && memmem(head, length, "\"nodes\"", 7) &&
           memmem(head, length, "\"callFrame\"", 11) && !memmem(head, length, "\"traceEvents\"", 13) &&
           !memmem(head, length, "\"ph\"", 4);
}

const struct profile_format format_cpuprofile = {"cpuprofile", looks, read_cpuprofile};
