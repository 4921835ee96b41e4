/*
 * tree.h - the definitions of a trace that is being written: methods, frames and contexts, each once, numbered from 1
 * in the order in which they are first requested.
 */
#ifndef ASSAY_TRACE_WRITE_TREE_H
#define ASSAY_TRACE_WRITE_TREE_H

#include "base/keyed.h"
#include "trace/trace.h"

struct tree_method {
    struct trace_method texts; /* in one block of the tree's own, which class_name begins */
    uint64_t key;
};

struct tree {
    struct hash method_set;
    struct tree_method *methods; /* [id] */
    uint32_t method_count;
    size_t method_capacity;
    struct keyed frames, contexts; /* of struct trace_frame and trace_context; id − 1 is the index */
};

void tree_init(struct tree *tree);
void tree_free(struct tree *tree);

/* The id; 0 without memory. Methods with equal keys promise to be equal; those with key 0 are told apart by their
 * texts.
 */
uint32_t tree_method(struct tree *tree, const struct trace_method *method, uint64_t key);
uint32_t tree_frame(struct tree *tree, const struct trace_frame *frame);
uint32_t tree_context(struct tree *tree, uint32_t parent, uint32_t frame);

/* What an id stands for, until the next call of the above. */
static inline const struct trace_frame *tree_frame_at(const struct tree *tree, uint32_t id)
{
    return keyed_at(&tree->frames, id - 1);
}
static inline const struct trace_context *tree_context_at(const struct tree *tree, uint32_t id)
{
    return keyed_at(&tree->contexts, id - 1);
}

#endif
