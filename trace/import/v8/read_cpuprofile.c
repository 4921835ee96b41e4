/*
 * V8's CPU profile (.cpuprofile of node and Chrome): a tree of nodes, a list of the nodes that were sampled, and a list
 * of the times between them in µs. Source: V8, include/v8-profiler.h; Chrome DevTools Protocol, domain Profiler, type
 * Profile.
 *
 * A sample counts as one; its duration, a further weight, is the time until the next one, or for the last one until the
 * end of the profile, as in Chrome's developer tools. Both lists are kept in temporary files until the file ends, since
 * nodes may come after them.
 */
#include <inttypes.h>
#include <string.h>

#include "trace/import/spooled.h"
#include "trace/import/v8/v8.h"

enum state { ROOT = JSON_ROOT, SAMPLES, DELTAS };

struct cpuprofile {
    struct reading *reading;
    struct v8_nodes nodes;
    struct v8_tree tree;
    struct stack stack;
    struct spooled samples, deltas;
    double start_us, end_us;
};

static int cpuprofile_enter(void *user, int state, const char *key, bool array)
{
    struct cpuprofile *profile = user;
    (void)array;
    if (state >= V8_NODES) {
        profile->nodes.count = 0;
        return v8_nodes_enter(&profile->nodes, state, key);
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

static bool cpuprofile_value(void *user, int state, const char *key, uint64_t index, const struct json_value *value)
{
    struct cpuprofile *profile = user;
    const struct spooled_number number = {value->integer, value->real, value->whole};
    (void)index;
    switch (state) {
    case ROOT:
        if (strcmp(key, "startTime") == 0)
            profile->start_us = value->real;
        else if (strcmp(key, "endTime") == 0)
            profile->end_us = value->real;
        return true;
    case SAMPLES:
        return spooled_add_number(&profile->samples, number);
    case DELTAS:
        return spooled_add_number(&profile->deltas, number);
    default:
        return v8_nodes_value(&profile->nodes, state, key, value);
    }
}

static bool cpuprofile_leave(void *user, int state)
{
    struct cpuprofile *profile = user;
    return state < V8_NODES ||
           (v8_nodes_leave(&profile->nodes, state, profile->reading->sink) &&
            (state != V8_NODE || v8_tree_add(&profile->tree, profile->nodes.links, profile->nodes.count)));
}

static uint64_t cpuprofile_ns(double us)
{
    return us > 0 && us < 9e15 ? (uint64_t)(us * 1e3) : 0;
}

/* The time of the sample after the one at at_us; that of the end, or at_us, if there is none. */
static double cpuprofile_next_time(struct cpuprofile *profile, double at_us, bool *more)
{
    struct spooled_number delta;
    *more = spooled_next_number(&profile->deltas, &delta);
    return *more ? at_us + delta.real : profile->end_us > at_us ? profile->end_us : at_us;
}

static int cpuprofile_pass_samples(struct cpuprofile *profile, struct error_text *message)
{
    struct sink *sink = profile->reading->sink;
    bool timed = profile->deltas.number_count == profile->samples.number_count;
    struct spooled_number node;
    struct sink_profile wanted = {.name = "samples",
                                  .unit = "samples",
                                  .unknown = UNKNOWN_PERIOD | UNKNOWN_THREADS | (timed ? 0 : UNKNOWN_TIMES)};
    if (timed)
        wanted.more[0] = (struct sink_weight){"duration", "ns"};
    struct sink_sample sample = {
        .profile = sink_open_profile(sink, &wanted), .thread = sink_add_thread(sink, 0, ""), .weight = 1};
    if (!timed && profile->deltas.number_count > 0)
        reading_report_bad(profile->reading, "%" PRIu64 " samples and %" PRIu64 " times", profile->samples.number_count,
                           profile->deltas.number_count);
    if (!spooled_rewind(&profile->samples) || !spooled_rewind(&profile->deltas))
        return error_set(message, STATUS_BAD, "a temporary file cannot be read");
    bool more = timed;
    double next_us = timed ? cpuprofile_next_time(profile, profile->start_us, &more) : 0;
    while (!sink_has_failed(sink) && spooled_next_number(&profile->samples, &node)) {
        const double at_us = next_us;
        if (more)
            next_us = cpuprofile_next_time(profile, at_us, &more);
        sample.time_ns = cpuprofile_ns(at_us);
        sample.more[0] = cpuprofile_ns(next_us - at_us);
        if (!v8_tree_stack(&profile->tree, (uint64_t)node.integer, profile->reading, &profile->stack))
            return error_set(message, STATUS_BAD, "out of memory");
        sample.frames = profile->stack.frames;
        sample.depth = profile->stack.depth;
        sink_add_sample(sink, &sample);
    }
    return STATUS_GOOD;
}

static int read_cpuprofile(struct reading *reading, struct error_text *message)
{
    static const struct json_format format = {
        .on_enter = cpuprofile_enter, .on_value = cpuprofile_value, .on_leave = cpuprofile_leave};
    struct cpuprofile profile = {.reading = reading};
    struct error_text own = {""};
    sink_set_origin(reading->sink, "cpuprofile", "V8", NULL);
    int status = json_parse_stream(reading->source, &format, &profile, message);
    int second = cpuprofile_pass_samples(&profile, &own);
    if (!status && second) {
        *message = own;
        status = second;
    }
    spooled_free(&profile.samples);
    spooled_free(&profile.deltas);
    stack_free(&profile.stack);
    v8_nodes_free(&profile.nodes);
    v8_tree_free(&profile.tree);
    return status;
}

static bool cpuprofile_recognize(const unsigned char *head, size_t length)
{
    return json_recognize(head, length) && memmem(head, length, "\"nodes\"", 7) &&
           memmem(head, length, "\"callFrame\"", 11) && !memmem(head, length, "\"traceEvents\"", 13) &&
           !memmem(head, length, "\"ph\"", 4);
}

const struct profile_format format_cpuprofile = {"cpuprofile", cpuprofile_recognize, read_cpuprofile};
