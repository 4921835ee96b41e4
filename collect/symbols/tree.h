/*
 * tree.h - the definitions of a resolved trace: methods, frames and contexts, each once, numbered from 1 in the order
 * in which they are first requested.
 */
#ifndef ASSAY_SYMBOLS_TREE_H
#define ASSAY_SYMBOLS_TREE_H

#include "base/hash.h"
#include "collect/trace/trace.h"

struct tree_frame {
    uint32_t method, line;
    uint64_t position;
    uint32_t module;
};

struct tree {
    struct hash method_set, frame_set, context_set;
    struct trace_method *methods; /* [id]; strings are the tree's own */
    struct tree_frame *frames;
    struct trace_context *contexts;
    uint32_t method_count, frame_count, context_count; /* the highest id */
    uint32_t method_capacity, frame_capacity, context_capacity;
};

/* The id; 0 without memory. */
uint32_t tree_method(struct tree *tree, const struct trace_method *method);
uint32_t tree_frame(struct tree *tree, const struct tree_frame *frame);
uint32_t tree_context(struct tree *tree, uint32_t parent, uint32_t frame);
void tree_free(struct tree *tree);

#endif
