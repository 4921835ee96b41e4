/*
 * v8.h - the nodes of a CPU profile of V8: reading them from JSON, and the tree that they form. Source: V8,
 * include/v8-profiler.h; Chrome DevTools Protocol, domain Profiler, types ProfileNode and Profile.
 */
#ifndef ASSAY_TRACE_IMPORT_V8_V8_H
#define ASSAY_TRACE_IMPORT_V8_V8_H

#include "trace/import/idmap.h"
#include "trace/import/json.h"
#include "trace/import/reading.h"
#include "trace/import/stack.h"

/* States of a list of nodes and of its contents; a format enters V8_NODES itself. */
enum v8_state { V8_NODES = 1000, V8_NODE, V8_CALL_FRAME, V8_CHILDREN };

/* A node: its frame (0: only the parent is given), and its parent. */
struct v8_link {
    uint64_t id, parent;
    uint32_t frame;
    bool has_parent;
};

/* The current node, and the links of all nodes since their count was set to 0. Starts as {0}. */
struct v8_nodes {
    struct v8_link *links;
    size_t capacity, count;
    char name[2048], url[2048];
    uint64_t line, id, parent;
    bool has_id, has_parent;
    uint64_t *children;
    size_t child_capacity, child_count;
};

/* For the functions of a json_format, in states from V8_NODES on. False without memory. */
int v8_nodes_enter(struct v8_nodes *nodes, int state, const char *key);
bool v8_nodes_value(struct v8_nodes *nodes, int state, const char *key, const struct json_value *value);
bool v8_nodes_leave(struct v8_nodes *nodes, int state, struct sink *sink);
void v8_nodes_free(struct v8_nodes *nodes);

/* Starts as {0}. Memory: distinct nodes. */
struct v8_tree {
    struct idmap ids;
    struct v8_tree_node *nodes; /* [index of its id] */
    size_t capacity;
};
/* False without memory. */
bool v8_tree_add(struct v8_tree *tree, const struct v8_link *links, size_t count);
/* The frames of a node, the innermost first, without the root of all. A node that is not defined, or that is its own
 * caller, is reported. False without memory. */
bool v8_tree_stack(const struct v8_tree *tree, uint64_t id, struct reading *reading, struct stack *stack);
void v8_tree_free(struct v8_tree *tree);

#endif
