#include "collect/exact/convert/contexts.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

void contexts_free(struct contexts *contexts)
{
    free(contexts->chain);
    *contexts = (struct contexts){0};
}

/* ---------------------------------------------------------------------------- frames -- */

static uint32_t contexts_named_method(struct tree *tree, const char *name)
{
    return tree_method(tree, &(struct trace_method){"", name, "", ""}, 0);
}

static uint32_t contexts_frame_at(struct contexts *contexts, struct definition_location location)
{
    struct trace_frame frame;
    if (location.address & RAW_MANAGED) {
        uint64_t managed = location.address & ~RAW_MANAGED;
        struct definition_method *method =
            definitions_method(contexts->definitions, (uint32_t)(managed >> RAW_MANAGED_METHOD_SHIFT));
        if (method && !method->method)
            method->method = tree_method(
                contexts->tree,
                &(struct trace_method){method->class_name, method->name, method->descriptor, method->file}, 0);
        frame =
            (struct trace_frame){.method = method ? method->method : contexts_named_method(contexts->tree, "[unknown]"),
                                 .line = (uint32_t)(managed >> RAW_MANAGED_LINE_SHIFT) & UINT16_MAX,
                                 .position = (int64_t)(managed & UINT16_MAX)};
    } else {
        struct definition_module *module = definitions_module(contexts->definitions, location.module);
        if (module && !module->method) {
            char name[4096];
            const char *base = basename(module->path);
            snprintf(name, sizeof name, base[0] == '[' ? "%s" : "[%s]", base);
            module->method = contexts_named_method(contexts->tree, name);
        }
        frame =
            (struct trace_frame){.method = module ? module->method : contexts_named_method(contexts->tree, "[unknown]"),
                                 .position = (int64_t)(location.address - (module ? module->bias : 0)),
                                 .module = location.module};
    }
    return frame.method ? tree_frame(contexts->tree, &frame) : 0;
}

/* A frame that is not a location in the program. */
static uint32_t contexts_named_frame(struct contexts *contexts, const char *name)
{
    struct trace_frame frame = {.method = contexts_named_method(contexts->tree, name), .position = -1};
    return frame.method ? tree_frame(contexts->tree, &frame) : 0;
}

static int contexts_step_down(struct contexts *contexts, uint32_t *context, uint32_t frame)
{
    uint32_t below = frame ? tree_context(contexts->tree, *context, frame) : 0;
    if (!below)
        return ENOMEM;
    *context = below;
    return 0;
}

/* ---------------------------------------------------------------------------- nodes -- */

/*
 * Goes up to the first node that has a context, or to the root, and down again. A node's own context is that of its
 * call site; it has none in its function yet.
 */
int contexts_of_node(struct contexts *contexts, uint32_t id, uint32_t *context)
{
    struct definition_node *node;
    size_t depth = 0;
    int error = 0;
    while ((node = definitions_node(contexts->definitions, id)) && !node->context) {
        uint32_t *chain = grow_unset(contexts->chain, &contexts->chain_capacity, depth, sizeof *chain);
        if (!chain)
            return ENOMEM;
        assert(node->parent < id);
        contexts->chain = chain;
        chain[depth++] = id;
        id = node->parent;
    }
    uint32_t here = node ? node->context : 0;
    while (depth-- > 0 && !error) {
        node = definitions_node(contexts->definitions, contexts->chain[depth]);
        if (node->call.address != 0)
            error = contexts_step_down(contexts, &here, contexts_frame_at(contexts, node->call));
        if (!error && node->kind == RAW_SIGNAL)
            error = contexts_step_down(contexts, &here, contexts_named_frame(contexts, "[signal]"));
        if (!error && node->kind == RAW_CUT)
            error = contexts_step_down(contexts, &here, contexts_named_frame(contexts, "[deeper calls]"));
        if (!error)
            node->context = here;
    }
    if (!error)
        *context = here;
    return error;
}

int contexts_at_location(struct contexts *contexts, struct definition_location location, uint32_t *context)
{
    uint32_t alone = 0;
    int error = contexts_step_down(contexts, &alone, contexts_frame_at(contexts, location));
    if (!error)
        *context = alone;
    return error;
}

int contexts_of_instruction(struct contexts *contexts, uint32_t node, struct definition_location location,
                            uint32_t *context)
{
    uint32_t here = 0;
    int error = 0;
    if (definitions_node(contexts->definitions, node)) {
        error = contexts_of_node(contexts, node, &here);
        if (!error)
            error = contexts_step_down(contexts, &here, contexts_frame_at(contexts, location));
    }
    if (!error)
        *context = here;
    return error;
}

int contexts_of_site(struct contexts *contexts, uint32_t handle, uint32_t *context)
{
    struct definition_site *site = definitions_site(contexts->definitions, handle);
    if (site && !site->context) {
        int error = contexts_of_instruction(contexts, site->node, site->location, &site->context);
        if (error)
            return error;
    }
    *context = site ? site->context : 0;
    return 0;
}
