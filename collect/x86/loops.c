#include "collect/x86/loops.h"

#include "collect/x86/blocks.h"

/* The order in which a function's blocks are reached, and which dominate which. */
struct graph {
    struct block *blocks;
    uint32_t count;
    uint32_t *stack;             /* [count], work memory */
    uint32_t *calls, call_count; /* [count], work memory; 0 */
    uint32_t *order, ordered;    /* [count]; every block comes after its immediate dominator */
    uint32_t regions;
};

/* --- the order: region by region, each in reverse postorder of a depth-first walk --- */

/* An edge that a loop may be entered by. */
static bool loops_edge_is_strong(const struct block *block, unsigned edge)
{
    return block->to[edge] != BLOCK_NONE && !(edge == EDGE_ON && block->after_call);
}

static void loops_reach(struct graph *g, uint32_t root, uint32_t from)
{
    uint32_t depth = 0, begin = g->ordered;
    g->blocks[root].root = true;
    g->blocks[root].from = from;
    g->blocks[root].dominator = from == BLOCK_NONE ? root : from;
    g->blocks[root].region = g->regions;
    g->stack[depth++] = root;
    while (depth > 0) {
        struct block *block = &g->blocks[g->stack[depth - 1]];
        unsigned edge = block->cursor++;
        if (edge == EDGE_COUNT) {
            g->order[g->ordered++] = g->stack[--depth];
        } else if (loops_edge_is_strong(block, edge) && g->blocks[block->to[edge]].region == BLOCK_NONE) {
            g->blocks[block->to[edge]].region = g->regions;
            g->stack[depth++] = block->to[edge];
        }
    }
    /* Reverses the postorder. */
    for (uint32_t i = begin, j = g->ordered; i < j--; i++) {
        uint32_t last = g->order[j];
        g->order[j] = g->order[i];
        g->order[i] = last;
    }
    /* Blocks that may continue after a call are in a heap, lowest first: most calls that don't return are at the end.
     */
    for (uint32_t i = begin; i < g->ordered; i++) {
        struct block *block = &g->blocks[g->order[i]];
        block->position = i;
        if (!block->after_call || block->to[EDGE_ON] == BLOCK_NONE)
            continue;
        uint32_t at = g->call_count++;
        for (; at > 0 && g->calls[(at - 1) / 2] > g->order[i]; at = (at - 1) / 2)
            g->calls[at] = g->calls[(at - 1) / 2];
        g->calls[at] = g->order[i];
    }
    g->regions++;
}

/* A region, and those reached only by its calls. */
static void loops_reach_all(struct graph *g, uint32_t root, uint32_t from)
{
    loops_reach(g, root, from);
    while (g->call_count > 0) {
        /* Removes the lowest block from the heap. */
        uint32_t block = g->calls[0], last = g->calls[--g->call_count], at = 0;
        for (uint32_t child = 1; child < g->call_count; child = 2 * at + 1) {
            if (child + 1 < g->call_count && g->calls[child + 1] < g->calls[child])
                child++;
            if (g->calls[child] >= last)
                break;
            g->calls[at] = g->calls[child];
            at = child;
        }
        g->calls[at] = last;
        uint32_t to = g->blocks[block].to[EDGE_ON];
        if (g->blocks[to].region == BLOCK_NONE)
            loops_reach(g, to, block);
    }
}

static bool loops_may_lead_anywhere(const struct graph *g, uint32_t block)
{
    return g->blocks[block].indirect && g->blocks[block].region != BLOCK_NONE;
}

/* The assumed predecessor of a block that nothing leads to. */
static uint32_t loops_guess_predecessor(const struct graph *g, uint32_t guessed)
{
    for (uint32_t i = guessed; i-- > 0;)
        if (loops_may_lead_anywhere(g, i))
            return i;
    for (uint32_t i = guessed + 1; i < g->count; i++)
        if (loops_may_lead_anywhere(g, i))
            return i;
    return BLOCK_NONE;
}

/* --- dominators --- */

/* The next edge to the same block; the first is block.into, BLOCK_NONE is the end. */
static uint32_t loops_next_edge(const struct graph *g, uint32_t edge)
{
    return g->blocks[edge / EDGE_COUNT].next[edge % EDGE_COUNT];
}

/* By the edges within the region: those from other regions were not needed to reach it. */
static uint32_t loops_dominator(const struct graph *g, const struct block *block)
{
    uint32_t dominator = BLOCK_NONE;
    for (uint32_t edge = block->into; edge != BLOCK_NONE; edge = loops_next_edge(g, edge)) {
        uint32_t i = edge / EDGE_COUNT;
        const struct block *from = &g->blocks[i];
        if (from->region != block->region || from->dominator == BLOCK_NONE ||
            !loops_edge_is_strong(from, edge % EDGE_COUNT))
            continue;
        if (dominator == BLOCK_NONE)
            dominator = i;
        while (i != dominator) { /* up to the dominator of both */
            while (g->blocks[i].position > g->blocks[dominator].position)
                i = g->blocks[i].dominator;
            while (g->blocks[dominator].position > g->blocks[i].position)
                dominator = g->blocks[dominator].dominator;
        }
    }
    return dominator;
}

static void loops_find_dominators(struct graph *g)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < g->ordered; i++) {
            struct block *block = &g->blocks[g->order[i]];
            uint32_t dominator = block->root ? block->dominator : loops_dominator(g, block);
            changed = changed || dominator != block->dominator;
            block->dominator = dominator;
        }
    }
}

/* Numbers the dominator tree so that a subtree is an interval. */
static void loops_number_tree(struct graph *g)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < g->ordered; i++)
        g->blocks[i].size = 1;
    for (uint32_t i = g->ordered; i-- > 0;) {
        const struct block *block = &g->blocks[g->order[i]];
        if (block->dominator != g->order[i])
            g->blocks[block->dominator].size += block->size;
    }
    for (uint32_t i = 0; i < g->ordered; i++) {
        struct block *block = &g->blocks[g->order[i]];
        uint32_t *next = block->dominator == g->order[i] ? &number : &g->blocks[block->dominator].cursor;
        block->first = *next;
        *next += block->size;
        block->cursor = block->first + 1;
    }
}

/* Whether a dominates b. Every block dominates itself. O(1). */
static bool loops_dominates(const struct graph *g, uint32_t a, uint32_t b)
{
    return g->blocks[b].first - g->blocks[a].first < g->blocks[a].size;
}

/* --- loops --- */

struct search {
    struct graph graph;
    uint32_t *headers; /* the block that heads a loop */
    struct loops loops;
};

/* Outer headers come first, for they dominate the inner ones. A table, though similar, is not a position in the code.
 */
static void loops_find_headers(struct search *s, uint64_t low)
{
    for (uint32_t i = 0; i < s->graph.ordered; i++) {
        uint32_t block = s->graph.order[i], loop = s->loops.loop_count, edge = s->graph.blocks[block].into;
        while (edge != BLOCK_NONE && !loops_dominates(&s->graph, block, edge / EDGE_COUNT))
            edge = loops_next_edge(&s->graph, edge);
        if (s->graph.blocks[block].begin == s->graph.blocks[block].end || edge == BLOCK_NONE)
            continue;
        s->headers[loop] = block;
        s->graph.blocks[block].loop = loop;
        s->loops.loops[loop] = (struct loops_loop){low + s->graph.blocks[block].begin, -1, 0};
        s->loops.loop_count++;
    }
}

/* Adds a block to the loop, with all of an inner loop that contains it. */
static void loops_absorb(struct search *s, uint32_t loop, uint32_t block, uint32_t *depth)
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
static void loops_absorb_predecessors(struct search *s, uint32_t loop, uint32_t block, uint32_t *depth)
{
    uint32_t from = s->graph.blocks[block].from;
    for (uint32_t edge = s->graph.blocks[block].into; edge != BLOCK_NONE; edge = loops_next_edge(&s->graph, edge))
        if (loops_dominates(&s->graph, s->headers[loop], edge / EDGE_COUNT))
            loops_absorb(s, loop, edge / EDGE_COUNT, depth);
    if (from != BLOCK_NONE && loops_dominates(&s->graph, s->headers[loop], from))
        loops_absorb(s, loop, from, depth);
}

/* Inner loops first: then an outer loop finds them complete. */
static void loops_find_bodies(struct search *s)
{
    for (uint32_t loop = s->loops.loop_count; loop-- > 0;) {
        uint32_t depth = 0;
        loops_absorb_predecessors(s, loop, s->headers[loop], &depth);
        while (depth > 0) {
            uint32_t block = s->graph.stack[--depth];
            loops_absorb_predecessors(s, loop, block, &depth);
        }
    }
    for (uint32_t i = 0; i < s->loops.loop_count; i++) {
        struct loops_loop *loop = &s->loops.loops[i];
        loop->depth = loop->parent < 0 ? 1 : s->loops.loops[loop->parent].depth + 1;
    }
}

static void loops_find_ranges(struct search *s, uint64_t low)
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

enum loops_status loops_find(const struct loops_function *function, void *work, size_t bytes, struct loops *out)
{
    uint64_t size = function->high - function->low;
    if (function->low > function->entry || function->entry >= function->high || size > INT32_MAX ||
        (uintptr_t)work % 8 != 0)
        return LOOPS_INVALID;
    if (bytes < size)
        return LOOPS_TOO_BIG;
    size_t capacity = (bytes - size) / BYTES_PER_BLOCK;
    struct search s = {.headers = NULL};
    capacity = capacity < size ? capacity : size;
    /* The parts of the work memory, the most strictly aligned ones first, followed by the marks. */
    s.loops.loops = work;
    s.loops.ranges = (struct loops_range *)(s.loops.loops + capacity);
    s.graph.blocks = (struct block *)(s.loops.ranges + capacity);
    s.graph.stack = (uint32_t *)(s.graph.blocks + capacity);
    s.graph.order = s.graph.stack + capacity;
    s.graph.calls = s.graph.order + capacity;
    s.headers = s.graph.calls; /* once the graph is done */
    uint8_t *marks = (uint8_t *)(s.graph.calls + capacity);
    struct blocks blocks = {s.graph.blocks, (uint32_t)capacity, 0, 0};
    enum loops_status status = blocks_find(function, marks, s.graph.stack, &blocks);
    if (status != LOOPS_FOUND)
        return status;
    s.graph.count = blocks.count;
    for (uint32_t i = 0; i < s.graph.count; i++)
        for (unsigned edge = 0; edge < EDGE_COUNT; edge++) {
            uint32_t to = s.graph.blocks[i].to[edge];
            if (to == BLOCK_NONE)
                continue;
            s.graph.blocks[i].next[edge] = s.graph.blocks[to].into;
            s.graph.blocks[to].into = i * EDGE_COUNT + edge;
        }
    loops_reach_all(&s.graph, blocks.entry, BLOCK_NONE);
    for (uint32_t i = 0; i < s.graph.count; i++)
        if (s.graph.blocks[i].guessed && s.graph.blocks[i].region == BLOCK_NONE)
            loops_reach_all(&s.graph, i, loops_guess_predecessor(&s.graph, i));
    loops_find_dominators(&s.graph);
    loops_number_tree(&s.graph);
    loops_find_headers(&s, function->low);
    loops_find_bodies(&s);
    loops_find_ranges(&s, function->low);
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
