#include "collect/x86/loops.h"

#include "collect/x86/graph.h"

struct search {
    struct graph graph;
    uint32_t *headers; /* the block that heads a loop */
    struct loops loops;
};

static bool is_header(const struct graph *g, uint32_t block)
{
    for (uint32_t edge = g->blocks[block].into; edge != BLOCK_NONE; edge = graph_next_edge(g, edge))
        if (graph_dominates(g, block, edge / EDGE_COUNT))
            return true;
    return false;
}

/* Outer headers come first, for they dominate the inner ones. A table, though similar, is not a place in the code. */
static void find_headers(struct search *s, uint64_t low)
{
    for (uint32_t i = 0; i < s->graph.ordered; i++) {
        uint32_t block = s->graph.order[i], loop = s->loops.loop_count;
        if (s->graph.blocks[block].begin == s->graph.blocks[block].end || !is_header(&s->graph, block))
            continue;
        s->headers[loop] = block;
        s->graph.blocks[block].loop = loop;
        s->loops.loops[loop] = (struct loops_loop){low + s->graph.blocks[block].begin, -1, 0};
        s->loops.loop_count++;
    }
}

/* Adds a block to the loop, with all of an inner loop that contains it. */
static void absorb(struct search *s, uint32_t loop, uint32_t block, uint32_t *depth)
{
    struct loops_loop *loops = s->loops.loops;
    uint32_t outer = s->graph.blocks[block].loop;
    if (outer == BLOCK_NONE) {
        s->graph.blocks[block].loop = loop;
    } else {
        while (loops[outer].parent >= 0)
            outer = (uint32_t)loops[outer].parent;
        if (outer == loop)
            return;
        loops[outer].parent = (int32_t)loop;
        block = s->headers[outer];
    }
    s->graph.stack[(*depth)++] = block;
}

/* Adds the predecessors of the block within the header's subtree. */
static void absorb_before(struct search *s, uint32_t loop, uint32_t block, uint32_t *depth)
{
    uint32_t from = s->graph.blocks[block].from;
    for (uint32_t edge = s->graph.blocks[block].into; edge != BLOCK_NONE; edge = graph_next_edge(&s->graph, edge))
        if (graph_dominates(&s->graph, s->headers[loop], edge / EDGE_COUNT))
            absorb(s, loop, edge / EDGE_COUNT, depth);
    if (from != BLOCK_NONE && graph_dominates(&s->graph, s->headers[loop], from))
        absorb(s, loop, from, depth);
}

/* Inner loops first: then an outer loop finds them complete. */
static void find_bodies(struct search *s)
{
    for (uint32_t loop = s->loops.loop_count; loop-- > 0;) {
        uint32_t depth = 0;
        absorb_before(s, loop, s->headers[loop], &depth);
        while (depth > 0) {
            uint32_t block = s->graph.stack[--depth];
            absorb_before(s, loop, block, &depth);
        }
    }
    for (uint32_t i = 0; i < s->loops.loop_count; i++) {
        struct loops_loop *loop = &s->loops.loops[i];
        loop->depth = loop->parent < 0 ? 1 : s->loops.loops[loop->parent].depth + 1;
    }
}

static void find_ranges(struct search *s, uint64_t low)
{
    struct loops *loops = &s->loops;
    for (uint32_t i = 0; i < s->graph.count; i++) {
        const struct block *block = &s->graph.blocks[i];
        struct loops_range *last = loops->range_count > 0 ? &loops->ranges[loops->range_count - 1] : NULL;
        if (block->loop == BLOCK_NONE || block->begin == block->end)
            continue;
        if (last && last->loop == block->loop && last->end == low + block->begin)
            last->end = low + block->end;
        else
            loops->ranges[loops->range_count++] =
                (struct loops_range){low + block->begin, low + block->end, block->loop, 0};
    }
}

/* --- work memory --- */

enum {
    BYTES_PER_BLOCK =
        sizeof(struct loops_loop) + sizeof(struct loops_range) + sizeof(struct block) + 3 * sizeof(uint32_t)
};

size_t loops_work_bytes(size_t code_bytes, size_t blocks)
{
    return code_bytes + blocks * BYTES_PER_BLOCK;
}

/* The parts of the work memory, the most strictly aligned ones first, followed by the marks. */
static uint8_t *divide(struct search *s, void *work, uint32_t room)
{
    s->loops.loops = work;
    s->loops.ranges = (struct loops_range *)(s->loops.loops + room);
    s->graph.blocks = (struct block *)(s->loops.ranges + room);
    s->graph.stack = (uint32_t *)(s->graph.blocks + room);
    s->graph.order = s->graph.stack + room;
    s->graph.calls = s->graph.order + room;
    s->headers = s->graph.calls; /* once the graph is done */
    return (uint8_t *)(s->graph.calls + room);
}

enum loops_status loops_find(const struct loops_function *function, void *work, size_t bytes, struct loops *out)
{
    uint64_t size = function->high - function->low;
    if (function->low > function->entry || function->entry >= function->high || size > INT32_MAX ||
        (uintptr_t)work % 8 != 0)
        return LOOPS_INVALID;
    if (bytes < size)
        return LOOPS_TOO_BIG;
    size_t room = (bytes - size) / BYTES_PER_BLOCK;
    struct search s = {.headers = NULL};
    room = room < size ? room : size;
    uint8_t *marks = divide(&s, work, (uint32_t)room);
    struct blocks blocks = {s.graph.blocks, (uint32_t)room, 0, 0};
    enum loops_status status = blocks_find(function, marks, s.graph.stack, &blocks);
    if (status != LOOPS_FOUND)
        return status;
    s.graph.count = blocks.count;
    graph_find(&s.graph, blocks.entry);
    find_headers(&s, function->low);
    find_bodies(&s);
    find_ranges(&s, function->low);
    *out = s.loops;
    return LOOPS_FOUND;
}

int32_t loops_innermost(const struct loops *loops, uint64_t address)
{
    uint32_t low = 0, high = loops->range_count; /* the first range that begins after address */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (loops->ranges[middle].begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && address < loops->ranges[low - 1].end ? (int32_t)loops->ranges[low - 1].loop : -1;
}
