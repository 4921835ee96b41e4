/*
 * sink_state.h - inside sink.h: what a sink holds.
 */
#ifndef ASSAY_TRACE_IMPORT_SINK_STATE_H
#define ASSAY_TRACE_IMPORT_SINK_STATE_H

#include "trace/import/sink.h"
#include "base/text_set.h"

enum { PROFILES_MAX = 64 };

struct frame {
    uint32_t class_name, method, signature, file, module; /* texts */
    uint64_t line;
    int64_t position;
    uint32_t same; /* the frame with its method's normal name, which stands for it */
};

struct profile_thread { /* a thread in a profile */
    struct trace_stream *stream;
    size_t words; /* appended since the last drain */
    uint64_t tick;
};

struct profile {
    struct sink *sink;
    char *name, *unit, *group, *temporary;
    int fd;                      /* of an unnamed trace, open for reading; else -1 */
    struct trace_writer *writer; /* NULL: not wanted, or complete */
    bool is_wanted;
    size_t more_count;              /* further weights */
    struct profile_thread *threads; /* [thread], from 1 */
    size_t thread_count;
    uint64_t *modules; /* [module]: its id in this trace */
    size_t module_count;
    struct sink_result result;
};

struct sink {
    const struct sink_options *options;
    char *format, *tool;
    json_t *more;
    struct text_set texts;
    struct frame *frames; /* from 1 */
    uint32_t frame_count;
    size_t frame_capacity;
    struct hash frame_hash;
    uint32_t *modules; /* texts: the path of each, from 1 */
    uint32_t module_count;
    struct {
        uint64_t tid;
        uint32_t name;
        unsigned role;
    } * threads; /* from 1 */
    uint32_t thread_count;
    size_t thread_capacity;
    struct hash thread_hash;
    struct profile profiles[PROFILES_MAX];
    size_t profile_count;
    uint32_t cut_frame;
    struct sink_result results[PROFILES_MAX];
    char *paths[PROFILES_MAX];
    int error; /* errno value */
    char what[256];
};

/* Keeps the first error, an errno value, and what it was about. */
void sink_set_error(struct sink *sink, int error, const char *what);

#endif
