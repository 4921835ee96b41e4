/*
 * sink.h - the target of readers of profiles: threads, frames, weighted samples. It writes assay traces, one for each
 * profile (each event or value type) of a file, as temporary files that get their names at the end.
 *
 * The first error (memory, file system) is kept; later calls do nothing. Memory: for what is distinct (frames,
 * contexts, names), and about 200 KiB for each thread of each profile; never for the number of samples.
 */
#ifndef ASSAY_TRACE_IMPORT_SINK_H
#define ASSAY_TRACE_IMPORT_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/error_text.h"
#include "trace/trace.h"

struct sink;

/* What the format, or the file, does not contain. */
enum { UNKNOWN_TIMES = 1, UNKNOWN_THREADS = 2, UNKNOWN_PERIOD = 4, UNKNOWN_STACKS = 8, UNKNOWN_ROLES = 16 };

struct sink_options {
    const char *base;    /* traces are BASE.trace; with several profiles BASE.PROFILE.trace */
    const char *exact;   /* or this path, for one profile; NULL: BASE.trace */
    const char *profile; /* only the profile of this name, or NULL */
    const char *source;  /* path of the file that is imported, for the metadata */
    bool raw_names;      /* methods are called what the file calls them (trace/names/normal_name.h) */
    bool unnamed;        /* the traces are files without a name, which go with the sink; base and exact are not used */
};

/* NULL without memory. `options` and its texts live as long as the sink. */
struct sink *sink_new(const struct sink_options *options);
void sink_free(struct sink *sink);
bool sink_has_failed(const struct sink *sink);

/* What is known of all profiles of the file; before sink_open_profile(). Texts and the object are copied; NULL:
 * unknown.
 */
void sink_set_origin(struct sink *sink, const char *format, const char *tool, const json_t *more);

/* What samples weigh in addition to their weight: a name, and a unit as for weights. */
enum { SINK_MORE_MAX = SAMPLE_WEIGHTS_MAX - 1 };
struct sink_weight {
    const char *name, *unit;
};

struct sink_profile {
    const char *name;   /* "cpu-clock", "samples", "jdk.ExecutionSample" */
    const char *unit;   /* of weights: "samples", "ns", "bytes" … */
    uint64_t period_ns; /* 0: not known */
    unsigned unknown;
    const char *weight;                     /* name of the weight, where there are others; NULL: that of the unit */
    struct sink_weight more[SINK_MORE_MAX]; /* further weights, up to the first without a name */
    bool thread_states;                     /* samples have the states of their threads */
};
/* The profile of this name, created if new: an index from 0. */
unsigned sink_open_profile(struct sink *sink, const struct sink_profile *profile);
/* Profiles of one group are of several processes, and add up. Without this call a profile is a group of its own. */
void sink_set_profile_group(struct sink *sink, unsigned profile, const char *group);

/* A position in a method. NULL texts are empty. `module` (a path) only if the position is an address of machine code.
 */
struct sink_frame {
    const char *class_name, *method, *signature, *file, *module;
    uint64_t line;
    int64_t position;
};
/* Its number from 1; 0 after an error. */
uint32_t sink_add_frame(struct sink *sink, const struct sink_frame *frame);

/* The thread of this tid and name: a number from 1. The first name of a tid counts unless it was empty. */
uint32_t sink_add_thread(struct sink *sink, uint64_t tid, const char *name);

/* The role of a thread (enum trace_role), before its first sample; without this call it is unknown. */
void sink_set_thread_role(struct sink *sink, uint32_t thread, unsigned role);

struct sink_sample {
    unsigned profile;
    uint32_t thread;
    unsigned state;   /* enum trace_state */
    uint64_t time_ns; /* 0: not known */
    uint64_t weight;  /* 0: it has no weight, and unless it has others is only counted as such */
    const uint32_t *frames;
    size_t depth;                 /* frames[0] is the innermost; 0: the stack is unknown */
    uint64_t more[SINK_MORE_MAX]; /* further weights, as the profile names them */
    unsigned thread_state;        /* enum trace_thread_state */
};
void sink_add_sample(struct sink *sink, const struct sink_sample *sample);

/* Samples that the recorder itself dropped, for lack of capacity. */
void sink_add_lost(struct sink *sink, unsigned profile, uint32_t thread, uint64_t count);

/* What became of a profile. */
struct sink_result {
    const char *path; /* of its trace; NULL: it has no sample, so there is none */
    const char *name, *unit, *group;
    uint64_t samples, weight, zero, cut, lost, threads;
    uint64_t aside;               /* of those of weight 0, samples that have another weight, and are in the trace */
    uint64_t more[SINK_MORE_MAX]; /* sums of the further weights */
    unsigned unknown;
};

/* Ends the traces and gives them their names, unless the sink failed. *results[*count] belong to the sink. STATUS_GOOD,
 * or a status with a message: then there is no trace. */
int sink_finish(struct sink *sink, const struct sink_result **results, size_t *count, struct error_text *message);

#endif
