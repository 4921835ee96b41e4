#include "collect/valgrind/decode/loops.h"

#include "collect/valgrind/decode/blocks.h"

struct graph {
    struct block *blocks;
    uint32_t count;
    uint32_t *stack;
    uint32_t *order, ordered; /* blocks, each after its immediate dominator */
    uint32_t *headers;        /* the block that heads a loop */
    uint32_t regions;
    struct loops loops;
};

/* --- the order: region by region, each in reverse postorder of a depth-first walk --- */

/* An edge that a loop may be entered by. */
static bool is_strong(const struct block *block, unsigned edge)
{
    return block->to[edge] != BLOCK_NONE && !(edge == EDGE_ON && block->after_call);
}

static void place_region(struct graph *g, uint32_t begin)
{
    for (uint32_t i = begin, j = g->ordered; i < j--; i++) {
        uint32_t last = g->order[j];
        g->order[j] = g->order[i];
        g->order[i] = last;
    }
    for (uint32_t i = begin; i < g->ordered; i++)
        g->blocks[g->order[i]].place = i;
    g->regions++;
}

static void reach(struct graph *g, uint32_t root, uint32_t from)
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
        } else if (is_strong(block, edge) && g->blocks[block->to[edge]].region == BLOCK_NONE) {
            g->blocks[block->to[edge]].region = g->regions;
            g->stack[depth++] = block->to[edge];
        }
    }
    place_region(g, begin);
}

/* Blocks that only a call leads to. */
static void reach_after_calls(struct graph *g)
{
    for (bool found = true; found;) {
        found = false;
        for (uint32_t i = 0; i < g->count; i++) {
            const struct block *block = &g->blocks[i];
            uint32_t to = block->to[EDGE_ON];
            if (block->region != BLOCK_NONE && to != BLOCK_NONE && g->blocks[to].region == BLOCK_NONE) {
                reach(g, to, i);
                found = true;
            }
        }
    }
}

/* Where a block that nothing leads to may be reached from. */
static uint32_t guess_from(const struct graph *g, uint32_t guessed)
{
    uint32_t from = BLOCK_NONE;
    for (uint32_t i = 0; i < g->count && (i < guessed || from == BLOCK_NONE); i++)
        if (g->blocks[i].indirect && g->blocks[i].region != BLOCK_NONE)
            from = i;
    return from;
}

static void find_order(struct graph *g, uint32_t entry)
{
    reach(g, entry, BLOCK_NONE);
    reach_after_calls(g);
    for (uint32_t i = 0; i < g->count; i++) {
        if (!g->blocks[i].guessed || g->blocks[i].region != BLOCK_NONE)
            continue;
        reach(g, i, guess_from(g, i));
        reach_after_calls(g);
    }
}

/* --- dominators --- */

static void link_edges(struct graph *g)
{
    for (uint32_t i = 0; i < g->count; i++)
        for (unsigned edge = 0; edge < EDGE_COUNT; edge++) {
            uint32_t to = g->blocks[i].to[edge];
            if (to == BLOCK_NONE)
                continue;
            g->blocks[i].next[edge] = g->blocks[to].into;
            g->blocks[to].into = i * EDGE_COUNT + edge;
        }
}

static uint32_t next_edge(const struct graph *g, uint32_t edge)
{
    return g->blocks[edge / EDGE_COUNT].next[edge % EDGE_COUNT];
}

static uint32_t common_dominator(const struct graph *g, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (g->blocks[a].place > g->blocks[b].place)
            a = g->blocks[a].dominator;
        while (g->blocks[b].place > g->blocks[a].place)
            b = g->blocks[b].dominator;
    }
    return a;
}

/* By the edges inside the region: those from other regions were not needed to get here. */
static uint32_t dominator_of(const struct graph *g, const struct block *block)
{
    uint32_t dominator = BLOCK_NONE;
    for (uint32_t edge = block->into; edge != BLOCK_NONE; edge = next_edge(g, edge)) {
        uint32_t i = edge / EDGE_COUNT;
        const struct block *from = &g->blocks[i];
        if (from->region == block->region && from->dominator != BLOCK_NONE && is_strong(from, edge % EDGE_COUNT))
            dominator = dominator == BLOCK_NONE ? i : common_dominator(g, i, dominator);
    }
    return dominator;
}

static void find_dominators(struct graph *g)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < g->ordered; i++) {
            struct block *block = &g->blocks[g->order[i]];
            uint32_t dominator = block->root ? block->dominator : dominator_of(g, block);
            changed = changed || dominator != block->dominator;
            block->dominator = dominator;
        }
    }
}

/* Numbers the dominator tree so that a subtree is an interval. */
static void number_tree(struct graph *g)
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

static bool dominates(const struct graph *g, uint32_t header, uint32_t block)
{
    return g->blocks[block].first - g->blocks[header].first < g->blocks[header].size;
}

/* --- loops --- */

static bool is_header(const struct graph *g, uint32_t block)
{
    for (uint32_t edge = g->blocks[block].into; edge != BLOCK_NONE; edge = next_edge(g, edge))
        if (dominates(g, block, edge / EDGE_COUNT))
            return true;
    return false;
}

/* Outer headers come first, for they dominate the inner ones. */
static void find_headers(struct graph *g, uint64_t low)
{
    for (uint32_t i = 0; i < g->ordered; i++) {
        uint32_t block = g->order[i], loop = g->loops.loop_count;
        if (!is_header(g, block))
            continue;
        g->headers[loop] = block;
        g->blocks[block].loop = loop;
        g->loops.loops[loop] = (struct loops_loop){low + g->blocks[block].begin, -1, 0};
        g->loops.loop_count++;
    }
}

/* Takes a block into the loop, with the whole of an inner loop that it is in. */
static void absorb(struct graph *g, uint32_t loop, uint32_t block, uint32_t *depth)
{
    struct loops_loop *loops = g->loops.loops;
    uint32_t outer = g->blocks[block].loop;
    if (outer == BLOCK_NONE) {
        g->blocks[block].loop = loop;
    } else {
        while (loops[outer].parent >= 0)
            outer = (uint32_t)loops[outer].parent;
        if (outer == loop)
            return;
        loops[outer].parent = (int32_t)loop;
        block = g->headers[outer];
    }
    g->stack[(*depth)++] = block;
}

/* What leads to the block without leaving the header's subtree. */
static void absorb_before(struct graph *g, uint32_t loop, uint32_t block, uint32_t *depth)
{
    uint32_t from = g->blocks[block].from;
    for (uint32_t edge = g->blocks[block].into; edge != BLOCK_NONE; edge = next_edge(g, edge))
        if (dominates(g, g->headers[loop], edge / EDGE_COUNT))
            absorb(g, loop, edge / EDGE_COUNT, depth);
    if (from != BLOCK_NONE && dominates(g, g->headers[loop], from))
        absorb(g, loop, from, depth);
}

/* Inner loops first: an outer loop then finds them whole. */
static void find_bodies(struct graph *g)
{
    for (uint32_t loop = g->loops.loop_count; loop-- > 0;) {
        uint32_t depth = 0;
        absorb_before(g, loop, g->headers[loop], &depth);
        while (depth > 0) {
            uint32_t block = g->stack[--depth];
            absorb_before(g, loop, block, &depth);
        }
    }
    for (uint32_t i = 0; i < g->loops.loop_count; i++) {
        struct loops_loop *loop = &g->loops.loops[i];
        loop->depth = loop->parent < 0 ? 1 : g->loops.loops[loop->parent].depth + 1;
    }
}

static void find_ranges(struct graph *g, uint64_t low)
{
    struct loops *loops = &g->loops;
    for (uint32_t i = 0; i < g->count; i++) {
        const struct block *block = &g->blocks[i];
        struct loops_range *last = loops->range_count > 0 ? &loops->ranges[loops->range_count - 1] : NULL;
        if (block->loop == BLOCK_NONE)
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

/* The parts of the work memory, the most strictly aligned ones first; behind them are the marks. */
static uint8_t *divide(struct graph *g, void *work, uint32_t room)
{
    g->loops.loops = work;
    g->loops.ranges = (struct loops_range *)(g->loops.loops + room);
    g->blocks = (struct block *)(g->loops.ranges + room);
    g->stack = (uint32_t *)(g->blocks + room);
    g->order = g->stack + room;
    g->headers = g->order + room;
    return (uint8_t *)(g->headers + room);
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
    uint32_t entry;
    struct graph g = {.regions = 0};
    room = room < size ? room : size;
    uint8_t *marks = divide(&g, work, (uint32_t)room);
    enum loops_status status =
        blocks_find(function, marks, g.stack, g.blocks, (uint32_t)room, &g.count, &entry);
    if (status != LOOPS_FOUND)
        return status;
    link_edges(&g);
    find_order(&g, entry);
    find_dominators(&g);
    number_tree(&g);
    find_headers(&g, function->low);
    find_bodies(&g);
    find_ranges(&g, function->low);
    *out = g.loops;
    return LOOPS_FOUND;
}

int32_t loops_innermost(const struct loops *loops, uint64_t address)
{
    uint32_t low = 0, high = loops->range_count; /* the first range that begins behind address */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (loops->ranges[middle].begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && address < loops->ranges[low - 1].end ? (int32_t)loops->ranges[low - 1].loop : -1;
}
