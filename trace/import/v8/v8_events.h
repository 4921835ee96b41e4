/*
 * v8_events.h - CPU profiles of V8 in events of Chrome's trace: `Profile` begins one, each `ProfileChunk`
 * adds nodes, samples and the times between them; `CpuProfile` holds a whole one. Source: V8,
 * src/profiler/cpu-profiler.cc and profile-generator.cc (StreamPendingTraceEvents); Chrome DevTools,
 * front_end/models/trace.
 *
 * Each pid and id is a profile of its own. Its chunks are taken in the order of their times, and may come before the
 * event that begins it, so samples are kept in an unnamed temporary file until the trace ends. A list that a chunk
 * holds twice, as in `data` and in `cpuProfile`, is one list. Memory: distinct nodes, one event, and 32 bytes for each
 * chunk.
 */
#ifndef ASSAY_TRACE_IMPORT_V8_V8_EVENTS_H
#define ASSAY_TRACE_IMPORT_V8_V8_EVENTS_H

#include "trace/import/v8/v8.h"
#include "base/text_set.h"

/* States of an event's `args` and of its contents; a format enters V8_ARGS itself. */
/* A list of numbers of an event, which may be in it twice. */
struct v8_list {
    double *numbers;
    size_t capacity, count;
    size_t at;     /* position in the list that is being read */
    bool repeated; /* which is not the first */
    bool differs;  /* from the first */
};

enum v8_events_state { V8_ARGS = 1100, V8_DATA, V8_PROFILE, V8_SAMPLES, V8_DELTAS };

/* Starts as {0}, except for `reading`. */
struct v8_events {
    struct reading *reading;
    struct text_set keys; /* the length of PID, then "PID-ID" */
    struct v8_profile *profiles;
    size_t profile_capacity;
    FILE *waiting;
    uint64_t waiting_count;
    struct v8_chunk *chunks;
    size_t chunk_capacity, chunk_count;
    uint64_t unbegun; /* samples of profiles that no event began: their times and threads are unknown */
    /* of the current event */
    struct v8_nodes nodes;
    struct v8_list samples, deltas; /* nodes, and times between them in µs */
    double start_us;
    bool has_start;
};

/* For the functions of a json_format, in states from V8_NODES on. False without memory. */
int v8_events_enter(struct v8_events *events, int state, const char *key);
bool v8_events_value(struct v8_events *events, int state, const char *key, const struct json_value *value);
bool v8_events_leave(struct v8_events *events, int state);

struct v8_event {
    const char *name, *pid, *tid, *id;
    double ts_us;
};
/* Ends the current event. False without memory or capacity. */
bool v8_events_end_event(struct v8_events *events, const struct v8_event *event);

/* Passes all samples to the sink. False without memory. */
bool v8_events_finish(struct v8_events *events);
void v8_events_free(struct v8_events *events);

#endif
