#include "collect/exact/convert/ring_loops.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

enum { NEST_MAX = 4096 }; /* as many loops in each other as a method of Java can have */

/* The innermost loop around the call of a node. */
struct ring_loops_around {
    uint32_t id;
    bool known;
};

void ring_loops_free(struct ring_loops *loops)
{
    hash_free(&loops->set);
    free(loops->known);
    free(loops->around);
    free(loops->chain);
    *loops = (struct ring_loops){0};
}

/* ---------------------------------------------------------------------------- loops in a node -- */

struct wanted_loop {
    const struct ring_loops *loops;
    const struct definition_loop *loop;
    uint32_t node;
};

static bool ring_loops_is_loop(const void *user, uint32_t number)
{
    const struct wanted_loop *wanted = user;
    const struct ring_loops_known *known = &wanted->loops->known[number];
    return known->header == wanted->loop->header.address && known->node == wanted->node &&
           known->version == wanted->loop->version;
}

/* What is around the node's call is known. */
static int ring_loops_find_in_node(struct ring_loops *loops, uint32_t node, uint64_t header, unsigned depth,
                                   uint32_t *id)
{
    const struct definitions *definitions = loops->contexts->definitions;
    const struct definition_loop *loop = definitions_loop(definitions, header);
    if (!loop)
        return ENODATA;
    uint64_t key = hash_mix(loop->header.address, (uint64_t)loop->version << 32 | node);
    uint32_t number = hash_find(&loops->set, key, ring_loops_is_loop, &(struct wanted_loop){loops, loop, node});
    if (number) {
        *id = loops->known[number].id;
        return 0;
    }

    /* A new one: those around it come first. */
    struct trace_loop row = {.outer = loops->around[node].id};
    int error = depth > NEST_MAX ? EILSEQ : 0;
    if (!error && loop->around)
        error = ring_loops_find_in_node(loops, node, loop->around, depth + 1, &row.outer);
    if (error)
        return error;
    const struct definition_thread *thread =
        definitions_thread(definitions, definitions_node(definitions, node)->thread);
    row.thread = thread ? thread->stream : 0;
    error = thread ? contexts_of_instruction(loops->contexts, node, loop->header, &row.context) : ENODATA;
    if (!error)
        error = trace_sink_loop(loops->sink, &row, id);
    if (error)
        return error;
    number = loops->known_count + 1;
    struct ring_loops_known *grown = grow_unset(loops->known, &loops->known_capacity, number, sizeof *grown);
    if (!grown)
        return ENOMEM;
    loops->known = grown;
    loops->known[number] = (struct ring_loops_known){loop->header.address, node, loop->version, *id};
    loops->known_count = number;
    return hash_add(&loops->set, key, number);
}

/* ---------------------------------------------------------------------------- around calls -- */

/* Goes up to the first node of which it is known, or to the root, and down again. */
static int ring_loops_load_around(struct ring_loops *loops, uint32_t id)
{
    struct definitions *definitions = loops->contexts->definitions;
    size_t depth = 0;
    int error = 0;
    struct ring_loops_around *grown = grow(loops->around, &loops->around_capacity, id, sizeof *grown);
    if (!grown)
        return ENOMEM;
    loops->around = grown; /* also for the parents, which have smaller numbers */
    while (id && !loops->around[id].known) {
        const struct definition_node *node = definitions_node(definitions, id);
        uint32_t *chain = node ? grow_unset(loops->chain, &loops->chain_capacity, depth, sizeof *chain) : NULL;
        if (!chain)
            return node ? ENOMEM : ENODATA;
        assert(node->parent < id);
        loops->chain = chain;
        chain[depth++] = id;
        id = node->parent;
    }
    while (!error && depth-- > 0) {
        uint32_t inner = loops->chain[depth];
        const struct definition_node *node = definitions_node(definitions, inner);
        assert(!node->parent || loops->around[node->parent].known);
        uint32_t around = node->parent ? loops->around[node->parent].id : 0;
        if (node->parent && node->loop)
            error = ring_loops_find_in_node(loops, node->parent, node->loop, 0, &around);
        if (!error)
            loops->around[inner] = (struct ring_loops_around){around, true};
    }
    return error;
}

int ring_loops_find(struct ring_loops *loops, uint32_t node, uint64_t header, uint32_t *id)
{
    int error = ring_loops_load_around(loops, node);
    if (error)
        return error;
    *id = loops->around[node].id;
    return header ? ring_loops_find_in_node(loops, node, header, 0, id) : 0;
}
