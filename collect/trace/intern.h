/*
 * intern.h - the calling-context tree of a writer: stacks become context ids, and every new method, frame and context
 * becomes a definition row. Ids count from 1. Only the writer's thread uses it.
 */
#ifndef ASSAY_TRACE_INTERN_H
#define ASSAY_TRACE_INTERN_H

#include "base/hash.h"
#include "collect/trace/rows.h"

/* A raw frame, and its current meaning: code may be unloaded and other code loaded in its place. */
struct intern_raw {
    struct trace_raw_frame raw;
    uint32_t frame;
};
struct intern_frame {
    uint64_t line, module;
    int64_t position;
    uint32_t method;
};
struct intern_node {
    uint32_t parent, frame;
};

struct intern {
    struct rows methods, frames, contexts, modules; /* definitions not yet written */
    struct hash method_set, raw_set, frame_set, context_set;
    char **method_texts; /* [method id]: class NUL method NUL signature NUL file NUL */
    uint64_t *method_keys;
    struct intern_raw *raws;    /* from 1 */
    struct intern_frame *known; /* [frame id] */
    struct intern_node *nodes;  /* [context id] */
    uint32_t method_count, raw_count, frame_count, context_count, module_count;
    size_t method_capacity, raw_capacity, frame_capacity, context_capacity;
    bool stale; /* raw frames have changed their meaning */
    bool (*describe)(void *user, const struct trace_raw_frame *frame, struct trace_frame_text *text);
    void *user;
};

void intern_init(struct intern *intern, const struct trace_writer_options *options);
void intern_free(struct intern *intern);

/* The context of a stack, frames[0] innermost, depth ≥ 1. Returns 0 without memory. */
uint32_t intern_stack(struct intern *intern, const struct trace_raw_frame *frames, size_t depth);

/* The method of a raw frame. Returns 0 without memory. */
uint32_t intern_method_of(struct intern *intern, const struct trace_raw_frame *frame);

/* Raw frames may have changed their meaning: each is described again. */
void intern_forget_raw(struct intern *intern);

/* Whether the unwritten definitions would make a large chunk: more records than this, or megabytes of names. */
bool intern_is_full(const struct intern *intern, size_t records);

/* 0 without memory. */
uint32_t intern_module(struct intern *intern, const uint64_t *integers, const char *const *texts);

#endif
