#include "trace/import/v8/v8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/grow.h"

struct v8_tree_node {
    uint32_t frame, parent; /* parent: an index; 0: none */
};

/* ------------------------------------------------------------------------------------------ nodes -- */

int v8_nodes_enter(struct v8_nodes *nodes, int state, const char *key)
{
    if (state == V8_NODES) {
        nodes->name[0] = nodes->url[0] = '\0';
        nodes->line = nodes->id = 0;
        nodes->has_id = nodes->has_parent = false;
        nodes->child_count = 0;
        return V8_NODE;
    }
    if (state == V8_NODE && key)
        return strcmp(key, "callFrame") == 0 ? V8_CALL_FRAME : strcmp(key, "children") == 0 ? V8_CHILDREN : JSON_OTHER;
    return JSON_OTHER;
}

bool v8_nodes_value(struct v8_nodes *nodes, int state, const char *key, const struct json_value *value)
{
    const bool number = value->type == VALUE_NUMBER;
    if (state == V8_CHILDREN && number) {
        uint64_t *children = grow(nodes->children, &nodes->child_capacity, nodes->child_count, sizeof *children);
        if (!children)
            return false;
        nodes->children = children;
        children[nodes->child_count++] = (uint64_t)value->integer;
    } else if (state == V8_NODE && number && strcmp(key, "id") == 0) {
        nodes->id = (uint64_t)value->integer;
        nodes->has_id = true;
    } else if (state == V8_NODE && number && strcmp(key, "parent") == 0) {
        nodes->parent = (uint64_t)value->integer;
        nodes->has_parent = true;
    } else if (state == V8_NODE || state == V8_CALL_FRAME) {
        if (strcmp(key, "functionName") == 0 && value->type == VALUE_TEXT)
            snprintf(nodes->name, sizeof nodes->name, "%s", value->text);
        else if (strcmp(key, "url") == 0 && value->type == VALUE_TEXT)
            snprintf(nodes->url, sizeof nodes->url, "%s", value->text);
        else if (strcmp(key, "lineNumber") == 0 && value->type == VALUE_NUMBER && value->integer >= 0)
            nodes->line = (uint64_t)value->integer + 1; /* they count from 0 */
    }
    return true;
}

static bool v8_nodes_add_link(struct v8_nodes *nodes, const struct v8_link *link)
{
    struct v8_link *links = grow(nodes->links, &nodes->capacity, nodes->count, sizeof *links);
    if (!links)
        return false;
    nodes->links = links;
    links[nodes->count++] = *link;
    return true;
}

bool v8_nodes_leave(struct v8_nodes *nodes, int state, struct sink *sink)
{
    if (state != V8_NODE || !nodes->has_id)
        return true;
    uint32_t frame = sink_add_frame(sink, &(struct sink_frame){.method = *nodes->name ? nodes->name : "(anonymous)",
                                                               .file = nodes->url,
                                                               .line = nodes->line,
                                                               .position = -1});
    if (!v8_nodes_add_link(nodes, &(struct v8_link){nodes->id, nodes->parent, frame, nodes->has_parent}))
        return false;
    for (size_t i = 0; i < nodes->child_count; i++)
        if (!v8_nodes_add_link(nodes, &(struct v8_link){nodes->children[i], nodes->id, 0, true}))
            return false;
    return true;
}

void v8_nodes_free(struct v8_nodes *nodes)
{
    free(nodes->links);
    free(nodes->children);
}

/* ------------------------------------------------------------------------------------------ the tree -- */

static uint32_t v8_tree_reserve(struct v8_tree *tree, uint64_t id)
{
    uint32_t index = idmap_add(&tree->ids, id);
    struct v8_tree_node *nodes = grow(tree->nodes, &tree->capacity, index, sizeof *nodes);
    if (!index || !nodes)
        return 0;
    tree->nodes = nodes;
    return index;
}

bool v8_tree_add(struct v8_tree *tree, const struct v8_link *links, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t index = v8_tree_reserve(tree, links[i].id);
        uint32_t parent = links[i].has_parent ? v8_tree_reserve(tree, links[i].parent) : 0;
        if (!index || (links[i].has_parent && !parent))
            return false;
        if (links[i].frame)
            tree->nodes[index].frame = links[i].frame;
        if (parent)
            tree->nodes[index].parent = parent;
    }
    return true;
}

bool v8_tree_stack(const struct v8_tree *tree, uint64_t id, struct reading *reading, struct stack *stack)
{
    uint32_t index = idmap_find(&tree->ids, id);
    stack->depth = 0;
    if (!index || !tree->nodes[index].frame)
        reading_report_bad(reading, "node %" PRIu64 " was sampled but is not defined", id);
    for (uint32_t at = index, steps = 0; at && steps <= tree->ids.count; at = tree->nodes[at].parent, steps++) {
        bool root = !tree->nodes[at].parent && steps > 0; /* "(root)" is above every stack */
        if (!root && tree->nodes[at].frame && !stack_push(stack, tree->nodes[at].frame))
            return false;
        if (steps == tree->ids.count)
            reading_report_bad(reading, "node %" PRIu64 " is its own caller", id);
    }
    return true;
}

void v8_tree_free(struct v8_tree *tree)
{
    idmap_free(&tree->ids);
    free(tree->nodes);
    *tree = (struct v8_tree){0};
}
