#include "collect/x86/graph.h"

/* --- the order: region by region, each in reverse postorder of a depth-first walk --- */

/* An edge that a loop may be entered by. */
static bool is_strong(const struct block *block, unsigned edge)
{
    return block->to[edge] != BLOCK_NONE && !(edge == EDGE_ON && block->after_call);
}

/* Blocks that may continue after a call are in a heap, lowest first: most calls that don't return are at the end. */
static void push_call(struct graph *g, uint32_t block)
{
    uint32_t at = g->call_count++;
    for (; at > 0 && g->calls[(at - 1) / 2] > block; at = (at - 1) / 2)
        g->calls[at] = g->calls[(at - 1) / 2];
    g->calls[at] = block;
}

static uint32_t pop_call(struct graph *g)
{
    uint32_t lowest = g->calls[0], last = g->calls[--g->call_count], at = 0;
    for (uint32_t child = 1; child < g->call_count; child = 2 * at + 1) {
        if (child + 1 < g->call_count && g->calls[child + 1] < g->calls[child])
            child++;
        if (g->calls[child] >= last)
            break;
        g->calls[at] = g->calls[child];
        at = child;
    }
    g->calls[at] = last;
    return lowest;
}

/* Reverses the postorder. */
static void place_region(struct graph *g, uint32_t begin)
{
    for (uint32_t i = begin, j = g->ordered; i < j--; i++) {
        uint32_t last = g->order[j];
        g->order[j] = g->order[i];
        g->order[i] = last;
    }
    for (uint32_t i = begin; i < g->ordered; i++) {
        struct block *block = &g->blocks[g->order[i]];
        block->place = i;
        if (block->after_call && block->to[EDGE_ON] != BLOCK_NONE)
            push_call(g, g->order[i]);
    }
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

/* A region, and those reached only by its calls. */
static void reach_all(struct graph *g, uint32_t root, uint32_t from)
{
    reach(g, root, from);
    while (g->call_count > 0) {
        uint32_t block = pop_call(g), to = g->blocks[block].to[EDGE_ON];
        if (g->blocks[to].region == BLOCK_NONE)
            reach(g, to, block);
    }
}

static bool may_lead_anywhere(const struct graph *g, uint32_t block)
{
    return g->blocks[block].indirect && g->blocks[block].region != BLOCK_NONE;
}

/* The assumed predecessor of a block that nothing leads to. */
static uint32_t guess_from(const struct graph *g, uint32_t guessed)
{
    for (uint32_t i = guessed; i-- > 0;)
        if (may_lead_anywhere(g, i))
            return i;
    for (uint32_t i = guessed + 1; i < g->count; i++)
        if (may_lead_anywhere(g, i))
            return i;
    return BLOCK_NONE;
}

static void find_order(struct graph *g, uint32_t entry)
{
    reach_all(g, entry, BLOCK_NONE);
    for (uint32_t i = 0; i < g->count; i++)
        if (g->blocks[i].guessed && g->blocks[i].region == BLOCK_NONE)
            reach_all(g, i, guess_from(g, i));
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

uint32_t graph_next_edge(const struct graph *g, uint32_t edge)
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

/* By the edges within the region: those from other regions were not needed to reach it. */
static uint32_t dominator_of(const struct graph *g, const struct block *block)
{
    uint32_t dominator = BLOCK_NONE;
    for (uint32_t edge = block->into; edge != BLOCK_NONE; edge = graph_next_edge(g, edge)) {
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

bool graph_dominates(const struct graph *g, uint32_t a, uint32_t b)
{
    return g->blocks[b].first - g->blocks[a].first < g->blocks[a].size;
}

void graph_find(struct graph *g, uint32_t entry)
{
    link_edges(g);
    find_order(g, entry);
    find_dominators(g);
    number_tree(g);
}
