/* put.h - definitions as chunks of a file under construction: the modules, and the contents of a tree. */
#ifndef ASSAY_TRACE_WRITE_PUT_H
#define ASSAY_TRACE_WRITE_PUT_H

#include "trace/write/output.h"
#include "trace/write/tree.h"

/* All return 0 or an errno value. Rows that are not yet a chunk wait in *rows, for output_rows(). */
int put_module(struct output *output, struct chunk_rows *rows, uint64_t id, const struct trace_module *module);

/* The highest ids in the file. Start with {0}. */
struct put_progress {
    uint32_t method, frame, context;
};

/* Writes what was added to the tree since *done: methods, frames and contexts, in this order. What fails can be tried
 * again. */
int put_tree(struct output *output, const struct tree *tree, struct put_progress *done);

#endif
