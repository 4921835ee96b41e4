#include "collect/inspect/interpret/flow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "collect/inspect/interpret/bytecode.h"

/* ------------------------------------------------------------------------------------------ instructions -- */

enum { REACHED = 1, LEADER = 2 };

struct scan {
    const uint8_t *code;
    size_t bytes;
    uint8_t *marks;  /* [bytes] */
    uint32_t *stack; /* [bytes]: leaders whose instructions are still to be scanned; each is there once */
    size_t depth;
    size_t edge_count; /* at most so many */
};

static bool flow_mark_leader(struct scan *scan, uint32_t at)
{
    if (at >= scan->bytes)
        return false;
    if (!(scan->marks[at] & LEADER))
        scan->stack[scan->depth++] = at;
    scan->marks[at] |= LEADER;
    scan->edge_count++;
    return true;
}

/* Marks where the instruction jumps. */
static bool flow_mark_jumps(struct scan *scan, const struct bytecode *instruction)
{
    bool good = true;
    if (bytecode_is_branch(instruction))
        return flow_mark_leader(scan, (uint32_t)instruction->operand) && flow_mark_leader(scan, instruction->next);
    if (bytecode_is_goto(instruction))
        return flow_mark_leader(scan, (uint32_t)instruction->operand);
    if (bytecode_is_switch(instruction))
        for (uint32_t i = 0; good && i < bytecode_switch_targets(scan->code, instruction); i++)
            good = flow_mark_leader(scan, bytecode_switch_target(scan->code, instruction, i));
    return good;
}

/* All that is reached from the entry. */
static enum flow_status flow_scan_code(struct scan *scan)
{
    if (!flow_mark_leader(scan, 0))
        return FLOW_INVALID;
    while (scan->depth > 0) {
        struct bytecode instruction;
        uint32_t at = scan->stack[--scan->depth];
        do {
            if (!bytecode_decode(scan->code, scan->bytes, at, &instruction) || !flow_mark_jumps(scan, &instruction))
                return FLOW_INVALID;
            if (instruction.code == OP_JSR || instruction.code == OP_JSR_W || instruction.code == OP_RET)
                return FLOW_SUBROUTINE;
            scan->marks[at] |= REACHED;
            at = instruction.next;
            if (!bytecode_ends(&instruction) && at >= scan->bytes)
                return FLOW_INVALID;
        } while (!bytecode_ends(&instruction) && !(scan->marks[at] & (LEADER | REACHED)));
    }
    return FLOW_FOUND;
}

/* ------------------------------------------------------------------------------------------ blocks -- */

static void flow_add_successor(struct flow *flow, struct flow_block *block, uint32_t at)
{
    uint32_t to = flow->block_at[at];
    assert(to != FLOW_NONE); /* it leads a block */
    for (uint32_t i = 0; i < block->successor_count; i++)
        if (flow->successors[block->first + i] == to)
            return;
    flow->successors[block->first + block->successor_count++] = to;
}

/* ------------------------------------------------------------------------------------------ dominators -- */

struct order {
    uint32_t *position; /* [block]: in a postorder of the graph */
    uint32_t *sequence; /* [position] */
    uint32_t *cursor;   /* [block] */
    uint32_t *stack;
};

/* A postorder, by a depth-first search without recursion. */
static void flow_find_order(const struct flow *flow, struct order *order)
{
    uint32_t depth = 0, count = 0;
    memset(order->position, 0xff, flow->block_count * sizeof *order->position);
    memset(order->cursor, 0, flow->block_count * sizeof *order->cursor);
    order->stack[depth++] = 0;
    order->position[0] = FLOW_NONE - 1; /* seen */
    while (depth > 0) {
        uint32_t b = order->stack[depth - 1];
        if (order->cursor[b] < flow->blocks[b].successor_count) {
            uint32_t to = flow->successors[flow->blocks[b].first + order->cursor[b]++];
            if (order->position[to] == FLOW_NONE) {
                order->position[to] = FLOW_NONE - 1;
                order->stack[depth++] = to;
            }
            continue;
        }
        depth--;
        order->sequence[count] = b;
        order->position[b] = count++;
    }
}

static uint32_t flow_common_dominator(const struct flow *flow, const struct order *order, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (order->position[a] < order->position[b])
            a = flow->blocks[a].dominator;
        while (order->position[b] < order->position[a])
            b = flow->blocks[b].dominator;
    }
    return a;
}

static void flow_find_dominators(struct flow *flow, const struct order *order)
{
    flow->blocks[0].dominator = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = flow->block_count; i-- > 0;) {
            uint32_t from = order->sequence[i];
            const struct flow_block *block = &flow->blocks[from];
            for (uint32_t s = 0; s < block->successor_count; s++) {
                struct flow_block *to = &flow->blocks[flow->successors[block->first + s]];
                if (to == flow->blocks)
                    continue;
                uint32_t now =
                    to->dominator == FLOW_NONE ? from : flow_common_dominator(flow, order, to->dominator, from);
                changed |= now != to->dominator;
                to->dominator = now;
            }
        }
    }
}

/* ------------------------------------------------------------------------------------------ loops -- */

static void flow_set_bit(uint64_t *bits, uint32_t i)
{
    bits[i / 64] |= UINT64_C(1) << i % 64;
}

/* Adds blocks from which a marked one is reached, until there are none; a marked header ends the search. */
static void flow_close_backwards(const struct flow *flow, uint64_t *bits, uint32_t header)
{
    for (bool grown = true; grown;) {
        grown = false;
        for (uint32_t b = flow->block_count; b-- > 0;) {
            const struct flow_block *block = &flow->blocks[b];
            for (uint32_t s = 0; s < block->successor_count && !(bits[b / 64] >> b % 64 & 1); s++) {
                uint32_t to = flow->successors[block->first + s];
                if (to != header && bits[to / 64] >> to % 64 & 1) {
                    flow_set_bit(bits, b);
                    grown = true;
                }
            }
        }
    }
}

/* The loop of a header, if back edges lead to it. */
static void flow_find_loop(struct flow *flow, uint32_t header)
{
    uint64_t *members = flow->members + flow->loop_count * flow->words;
    bool found = false;
    for (uint32_t b = 0; b < flow->block_count; b++)
        for (uint32_t s = 0; s < flow->blocks[b].successor_count; s++) {
            /* A back edge comes from a block that the header dominates. */
            uint32_t above = flow->successors[flow->blocks[b].first + s] == header ? b : FLOW_NONE;
            while (above != FLOW_NONE && above != header && above != 0)
                above = flow->blocks[above].dominator;
            if (above == header) {
                flow_set_bit(members, b);
                found = true;
            }
        }
    if (!found)
        return;
    flow_set_bit(members, header);
    flow_close_backwards(flow, members, header);
    flow->loops[flow->loop_count++] = (struct flow_loop){header, FLOW_NONE, FLOW_NONE};
}

static uint32_t flow_find_exit(const struct flow *flow, uint32_t loop)
{
    uint32_t first = FLOW_NONE;
    for (uint32_t b = 0; b < flow->block_count; b++) {
        const struct flow_block *block = &flow->blocks[b];
        for (uint32_t s = 0; flow_is_in(flow, loop, b) && s < block->successor_count; s++) {
            uint32_t to = flow->successors[block->first + s];
            if (flow_is_in(flow, loop, to))
                continue;
            if (b == flow->loops[loop].header)
                return to;
            first = first == FLOW_NONE ? to : first;
        }
    }
    return first;
}

static void flow_order_loops(struct flow *flow)
{
    uint32_t count = 0, outer = FLOW_NONE;
    int64_t after = -1;
    while (count < flow->loop_count) {
        /* The loop in `outer` that comes next in the code, after position `after`. */
        uint32_t next = FLOW_NONE;
        for (uint32_t loop = 0; loop < flow->loop_count; loop++)
            if (flow->loops[loop].outer == outer && flow->loops[loop].header > after &&
                (next == FLOW_NONE || flow->loops[loop].header < flow->loops[next].header))
                next = loop;
        if (next != FLOW_NONE) {
            outer = next;
            after = -1;
            continue;
        }
        assert(outer != FLOW_NONE);
        flow->postorder[count++] = outer;
        after = flow->loops[outer].header;
        outer = flow->loops[outer].outer;
    }
}

static enum flow_status flow_find_loops(struct flow *flow)
{
    size_t count = flow->block_count;
    uint32_t *memory = calloc(4 * count, sizeof *memory);
    if (!memory)
        return FLOW_NO_MEMORY;
    struct order order = {memory, memory + count, memory + 2 * count, memory + 3 * count};
    flow_find_order(flow, &order);
    flow_find_dominators(flow, &order);
    uint32_t headers = 0;
    for (uint32_t b = 0; b < flow->block_count; b++)
        for (uint32_t s = 0; s < flow->blocks[b].successor_count; s++)
            headers += order.position[flow->successors[flow->blocks[b].first + s]] >= order.position[b];
    flow->words = (count + 63) / 64;
    flow->members = calloc(headers * flow->words + 1, sizeof *flow->members);
    flow->loops = calloc(headers + 1, sizeof *flow->loops);
    flow->postorder = calloc(headers + 1, sizeof *flow->postorder);
    bool good = flow->members && flow->loops && flow->postorder;
    for (uint32_t i = flow->block_count; good && headers > 0 && i-- > 0;)
        flow_find_loop(flow, order.sequence[i]);
    free(memory);
    if (!good)
        return FLOW_NO_MEMORY;
    assert(flow->loop_count <= headers);
    /* A header comes after those of the loops around it in the reverse postorder in which loops were found. */
    for (uint32_t loop = 0; loop < flow->loop_count; loop++) {
        for (uint32_t outer = loop; outer-- > 0 && flow->loops[loop].outer == FLOW_NONE;)
            if (flow_is_in(flow, outer, flow->loops[loop].header))
                flow->loops[loop].outer = outer;
        assert(flow->loops[loop].outer == FLOW_NONE || flow->loops[loop].outer < loop);
        flow->loops[loop].exit = flow_find_exit(flow, loop);
    }
    flow_order_loops(flow);
    return FLOW_FOUND;
}

/* ------------------------------------------------------------------------------------------ a method -- */

static enum flow_status flow_find_all(struct flow *flow, struct scan *scan)
{
    enum flow_status status = flow_scan_code(scan);
    if (status != FLOW_FOUND)
        return status;
    size_t leaders = 0;
    for (size_t at = 0; at < scan->bytes; at++)
        leaders += scan->marks[at] & LEADER ? 1 : 0;
    flow->blocks = calloc(leaders, sizeof *flow->blocks);
    flow->successors = calloc(leaders + scan->edge_count, sizeof *flow->successors);
    flow->block_at = calloc(scan->bytes, sizeof *flow->block_at);
    if (!flow->blocks || !flow->successors || !flow->block_at)
        return FLOW_NO_MEMORY;
    for (uint32_t at = 0; at < scan->bytes; at++) {
        flow->block_at[at] = FLOW_NONE;
        if (!(scan->marks[at] & LEADER))
            continue;
        flow->block_at[at] = flow->block_count;
        flow->blocks[flow->block_count++] = (struct flow_block){.begin = at, .dominator = FLOW_NONE};
    }
    assert(flow->block_count > 0 && flow->blocks[0].begin == 0);
    uint32_t first = 0;
    for (uint32_t b = 0; b < flow->block_count; b++) {
        struct flow_block *block = &flow->blocks[b];
        struct bytecode last = {.next = block->begin};
        do
            bytecode_decode(scan->code, scan->bytes, last.next, &last);
        while (!bytecode_ends(&last) && !(scan->marks[last.next] & LEADER));
        block->end = last.next;
        block->first = first;
        if (!bytecode_ends(&last))
            flow_add_successor(flow, block, last.next);
        if (bytecode_is_branch(&last) || bytecode_is_goto(&last))
            flow_add_successor(flow, block, (uint32_t)last.operand);
        for (uint32_t i = 0; bytecode_is_switch(&last) && i < bytecode_switch_targets(scan->code, &last); i++)
            flow_add_successor(flow, block, bytecode_switch_target(scan->code, &last, i));
        first += block->successor_count;
    }
    return flow_find_loops(flow);
}

enum flow_status flow_find(struct flow *flow, const uint8_t *code, size_t bytes)
{
    *flow = (struct flow){0};
    struct scan scan = {
        .code = code, .bytes = bytes, .marks = calloc(bytes + 1, 1), .stack = calloc(bytes + 1, sizeof *scan.stack)};
    enum flow_status status = scan.marks && scan.stack ? flow_find_all(flow, &scan) : FLOW_NO_MEMORY;
    free(scan.marks);
    free(scan.stack);
    if (status != FLOW_FOUND)
        flow_free(flow);
    return status;
}

void flow_free(struct flow *flow)
{
    free(flow->blocks);
    free(flow->successors);
    free(flow->block_at);
    free(flow->members);
    free(flow->loops);
    free(flow->postorder);
    *flow = (struct flow){0};
}

uint32_t flow_loop_of_header(const struct flow *flow, uint32_t block)
{
    for (uint32_t loop = 0; loop < flow->loop_count; loop++)
        if (flow->loops[loop].header == block)
            return loop;
    return FLOW_NONE;
}

/* Loops come after those around them. */
uint32_t flow_innermost(const struct flow *flow, uint32_t block)
{
    for (uint32_t loop = flow->loop_count; loop-- > 0;)
        if (flow_is_in(flow, loop, block))
            return loop;
    return FLOW_NONE;
}

bool flow_encloses(const struct flow *flow, uint32_t outer, uint32_t inner)
{
    return flow_is_in(flow, outer, flow->loops[inner].header);
}

void flow_reaching(const struct flow *flow, uint32_t block, uint64_t *reaching)
{
    memset(reaching, 0, flow->words * sizeof *reaching);
    flow_set_bit(reaching, block);
    flow_close_backwards(flow, reaching, FLOW_NONE);
}
