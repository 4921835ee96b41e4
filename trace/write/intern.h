/*
 * intern.h - from raw stacks to contexts: each raw frame is described once, and what it means goes into the tree. Only
 * the writer's thread uses it.
 */
#ifndef ASSAY_TRACE_WRITE_INTERN_H
#define ASSAY_TRACE_WRITE_INTERN_H

#include "trace/write/put.h"

struct intern {
    struct tree tree;
    struct put_progress written; /* of the tree */
    struct chunk_rows modules;   /* definitions not yet written */
    uint32_t module_count;
    struct keyed raws; /* raw frames, and what they mean now: code may be unloaded and other code loaded in its place */
    bool stale;        /* they mean something else by now */
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

/* Whether so many definitions of a kind are not yet written. */
bool intern_is_full(const struct intern *intern, size_t records);

/* 0 without memory. */
uint32_t intern_module(struct intern *intern, const uint64_t *integers, const char *const *texts);

#endif
