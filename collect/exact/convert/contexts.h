/*
 * contexts.h - handles of a raw file as contexts of the trace. Only requested ones are added to the tree.
 *
 * A handle's stack consists of the calls of its node's chain, outermost first, and its own address. A frame in a module
 * is named "[module]" until symbols are looked up, and has the address in the module's file.
 */
#ifndef ASSAY_EXACT_CONVERT_CONTEXTS_H
#define ASSAY_EXACT_CONVERT_CONTEXTS_H

#include "collect/exact/convert/definitions.h"
#include "trace/write/tree.h"

struct contexts {
    struct definitions *definitions;
    struct tree *tree;
    uint32_t *chain; /* nodes on the way down */
    size_t chain_capacity;
};

void contexts_free(struct contexts *contexts);

/* 0 and *context (0 for handle 0, and for an undefined one); or ENOMEM. */
int contexts_of_site(struct contexts *contexts, uint32_t handle, uint32_t *context);

/* An instruction in the function of a node. Likewise; 0 for an undefined node. */
int contexts_of_instruction(struct contexts *contexts, uint32_t node, struct definition_location location,
                            uint32_t *context);

/* The calls that lead into the node's function, the last of them innermost; 0 for a root. Likewise. */
int contexts_of_node(struct contexts *contexts, uint32_t node, uint32_t *context);

/* A context of one frame. Likewise. */
int contexts_at_location(struct contexts *contexts, struct definition_location location, uint32_t *context);

#endif
