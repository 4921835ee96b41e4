/*
 * jfr_pools.h - the constant pools of a chunk of JDK Flight Recorder that samples lead to: threads, and stacks with
 * their methods, classes and texts.
 */
#ifndef ASSAY_TRACE_IMPORT_JFR_JFR_POOLS_H
#define ASSAY_TRACE_IMPORT_JFR_JFR_POOLS_H

#include "trace/import/jfr/jfr.h"

struct jfr_method {
    uint64_t class, name, descriptor; /* keys */
};
struct jfr_thread {
    uint64_t tid;
    uint32_t name; /* offset of a text; 0 is "" */
    unsigned role;
};
struct jfr_frame {
    uint32_t method; /* index of its key; once the stack is resolved, the sink's frame */
    uint32_t line;
    uint16_t position;
    uint8_t type;
};
struct jfr_trace {
    size_t first, count; /* of frames */
    bool resolved, truncated;
};

/* The pools of a chunk that samples refer to; values by the indices of their keys. */
struct jfr_pools {
    const struct jfr_types *chunk_types; /* what the chunk's metadata say; the reader's */
    bool full;                           /* out of memory */
    struct idmap symbols, strings, classes, methods, threads, traces, types, thread_states;
    uint64_t *symbol, *string, *class; /* offset of a text; for a class the key of its symbol */
    struct jfr_method *method;
    bool *has_method;
    struct jfr_thread *thread;
    struct jfr_trace *trace;
    unsigned *type;         /* enum trace_state */
    uint32_t *thread_state; /* offset of a text */
    size_t thread_state_capacity, symbol_capacity, string_capacity, class_capacity, method_capacity,
        has_method_capacity, thread_capacity, trace_capacity, type_capacity;
    struct jfr_frame *frames;
    size_t frame_count, frame_capacity;
    char *texts;
    size_t text_size, text_capacity;
};

/* A checkpoint event's body, whose values are added. False if it is damaged; without memory `full` is set. */
bool jfr_pools_read(struct jfr_pools *pools, struct jfr_cursor *cursor);
void jfr_pools_free(struct jfr_pools *pools);

/* The text of a symbol, and the name of a class as the JVM has it, by their keys; "" if there is none. */
const char *jfr_pools_symbol(const struct jfr_pools *pools, uint64_t key);
const char *jfr_pools_class(const struct jfr_pools *pools, uint64_t key);

/* The name of a thread's state, "STATE_RUNNABLE"; "" if there is none. */
const char *jfr_pools_thread_state(const struct jfr_pools *pools, uint64_t key);

#endif
