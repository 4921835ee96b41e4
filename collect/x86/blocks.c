#include "collect/x86/blocks.h"

#include "collect/x86/jump_tables.h"
#include "collect/x86/x86.h"

/* Marks of a byte: a reached instruction begins here; a block; one without a known path to it. */
enum mark { MARK_BEGIN = 1, MARK_LEADER = 2, MARK_GUESSED = 4 };

enum { TABLES_MAX = 64, JUMPS_MAX = 256 };

struct survey {
    const struct loops_function *function;
    uint32_t size; /* of the function */
    uint8_t *marks;
    uint32_t *stack, pending; /* leaders to be followed */
    uint32_t capacity, used;  /* leaders, and entries of tables */
    bool full;
    struct jump_table tables[TABLES_MAX];
    uint32_t heads[TABLES_MAX]; /* the first block of a table */
    uint32_t table_count;
    uint32_t jumps[JUMPS_MAX], jump_tables[JUMPS_MAX]; /* indirect jumps, and their tables */
    uint32_t jump_count;
};

static unsigned blocks_decode(const struct survey *s, uint32_t at, struct x86_instruction *out)
{
    return x86_decode(s->function->code + at, s->size - at, s->function->low + at, out);
}

static bool blocks_flow_continues(const struct x86_instruction *one)
{
    return one->flow == X86_ON || one->flow == X86_CALL || one->flow == X86_CALL_INDIRECT;
}

/* The offset of a jump's target, or size if it is outside. */
static uint32_t blocks_target(const struct survey *s, const struct x86_instruction *one)
{
    uint64_t offset = one->target - s->function->low;
    bool jumps = one->flow == X86_JUMP || one->flow == X86_BRANCH;
    return jumps && offset < s->size ? (uint32_t)offset : s->size;
}

static void blocks_add_leader(struct survey *s, uint32_t at)
{
    if (at >= s->size || (s->marks[at] & MARK_LEADER))
        return;
    if (s->used == s->capacity) {
        s->full = true;
        return;
    }
    s->marks[at] |= MARK_LEADER;
    s->used++;
    if (!(s->marks[at] & MARK_BEGIN))
        s->stack[s->pending++] = at;
}

static void blocks_add_indirect(struct survey *s, uint32_t jump)
{
    struct jump_table table;
    if (s->jump_count == JUMPS_MAX || !jump_tables_find(s->function, s->marks, jump, &table))
        return;
    uint32_t number = 0;
    while (number < s->table_count &&
           (s->tables[number].address != table.address || s->tables[number].count != table.count))
        number++;
    if (number == s->table_count) { /* a new one */
        if (s->table_count == TABLES_MAX || table.count > s->capacity - s->used)
            return;
        s->used += table.count;
        s->tables[s->table_count++] = table;
        for (uint32_t i = 0; i < table.count; i++)
            blocks_add_leader(s, jump_tables_entry(s->function, &table, i));
    }
    s->jumps[s->jump_count] = jump;
    s->jump_tables[s->jump_count++] = number;
}

/* Follows straight-line code from a leader, up to code already visited. */
static void blocks_follow(struct survey *s, uint32_t at)
{
    struct x86_instruction one;
    while (at < s->size && !(s->marks[at] & MARK_BEGIN)) {
        if (!blocks_decode(s, at, &one))
            return;
        s->marks[at] |= MARK_BEGIN;
        if (one.flow == X86_JUMP_INDIRECT)
            blocks_add_indirect(s, at);
        at += one.length;
        blocks_add_leader(s, blocks_target(s, &one));
        if (one.flow == X86_BRANCH)
            blocks_add_leader(s, at);
        if (!blocks_flow_continues(&one))
            return;
    }
    blocks_add_leader(s, at);
}

static void blocks_follow_all(struct survey *s, uint32_t at)
{
    blocks_add_leader(s, at);
    while (s->pending > 0 && !s->full)
        blocks_follow(s, s->stack[--s->pending]);
}

/* Padding between functions and before aligned blocks: nop of any length, int3, zeros. */
static bool blocks_is_padding(const uint8_t *code, unsigned length)
{
    unsigned at = 0;
    while (at + 1 < length && (code[at] == 0x66 || code[at] == 0x2e))
        at++;
    if (code[at] == 0x90 || code[at] == 0xcc)
        return true;
    return at + 1 < length && ((code[at] == 0x0f && code[at + 1] == 0x1f) || (code[at] == 0 && code[at + 1] == 0));
}

static void blocks_follow_guesses(struct survey *s)
{
    struct x86_instruction one;
    for (uint32_t at = 0; at < s->size && !s->full;) {
        unsigned length = blocks_decode(s, at, &one);
        bool known = s->marks[at] & MARK_BEGIN, is_free = length > 0;
        for (unsigned i = 0; i < length; i++)
            is_free = is_free && !(s->marks[at + i] & MARK_BEGIN);
        if (length == 0 || !(known || is_free)) {
            at++;
            continue;
        }
        if (!known && !blocks_is_padding(s->function->code + at, length)) {
            s->marks[at] |= MARK_GUESSED;
            blocks_follow_all(s, at);
        }
        at += length;
    }
}

/* The block that begins at a leader. */
static uint32_t blocks_index_at(const struct block *blocks, uint32_t count, uint32_t at)
{
    uint32_t low = 0;
    while (count > 1) {
        uint32_t half = count / 2;
        if (blocks[low + half].begin <= at)
            low += half;
        count -= half;
    }
    return low;
}

static struct block blocks_new_block(uint32_t begin, bool guessed)
{
    uint32_t none = BLOCK_NONE;
    return (struct block){.begin = begin,
                          .end = begin,
                          .to = {none, none},
                          .guessed = guessed,
                          .from = none,
                          .region = none,
                          .dominator = none,
                          .into = none,
                          .next = {none, none},
                          .loop = none};
}

/* Finds the block's end, and what follows. */
static void blocks_bound(const struct survey *s, struct block *blocks, uint32_t count, struct block *block)
{
    struct x86_instruction one = {.flow = X86_ON};
    uint32_t at = block->begin, last = at, target = s->size;
    do {
        if (!blocks_decode(s, at, &one))
            break;
        last = at;
        at += one.length;
        target = blocks_target(s, &one);
        bool calls = one.flow == X86_CALL || one.flow == X86_CALL_INDIRECT;
        block->after_call = calls || (block->after_call && blocks_is_padding(s->function->code + last, one.length));
    } while (blocks_flow_continues(&one) && at < s->size && !(s->marks[at] & MARK_LEADER));
    block->end = at;
    block->indirect = one.flow == X86_JUMP_INDIRECT;
    if (target < s->size)
        block->to[EDGE_TARGET] = blocks_index_at(blocks, count, target);
    for (uint32_t i = 0; target >= s->size && block->indirect && i < s->jump_count; i++)
        if (s->jumps[i] == last) {
            block->to[EDGE_TARGET] = s->heads[s->jump_tables[i]];
            break;
        }
    if ((blocks_flow_continues(&one) || one.flow == X86_BRANCH) && at < s->size && (s->marks[at] & MARK_LEADER) &&
        at > block->begin)
        block->to[EDGE_ON] = blocks_index_at(blocks, count, at);
}

enum loops_status blocks_find(const struct loops_function *function, uint8_t *marks, uint32_t *stack,
                              struct blocks *blocks)
{
    struct survey s;
    uint32_t at = (uint32_t)(function->entry - function->low);
    s.function = function;
    s.size = (uint32_t)(function->high - function->low);
    s.marks = marks;
    s.stack = stack;
    s.capacity = blocks->capacity;
    s.pending = s.used = s.table_count = s.jump_count = 0;
    s.full = false;
    volatile uint8_t *mark = marks; /* or else the compiler calls memset */
    for (uint32_t i = 0; i < s.size; i++)
        mark[i] = 0;
    blocks_follow_all(&s, at);
    blocks_follow_guesses(&s);
    if (s.full)
        return LOOPS_TOO_BIG;
    uint32_t leaders = 0;
    for (uint32_t i = 0; i < s.size; i++)
        if (marks[i] & MARK_LEADER)
            blocks->items[leaders++] = blocks_new_block(i, marks[i] & MARK_GUESSED);
    /* A table becomes a chain of empty blocks, each with an entry as its target: all jumps through the table lead to
     * the first. */
    blocks->count = leaders;
    for (uint32_t i = 0; i < s.table_count; i++) {
        const struct jump_table *table = &s.tables[i];
        s.heads[i] = blocks->count;
        for (uint32_t k = 0; k < table->count; k++) {
            struct block *block = &blocks->items[blocks->count++];
            *block = blocks_new_block(s.size, false);
            block->to[EDGE_TARGET] = blocks_index_at(blocks->items, leaders, jump_tables_entry(function, table, k));
            if (k + 1 < table->count)
                block->to[EDGE_ON] = blocks->count;
        }
    }
    for (uint32_t i = 0; i < leaders; i++)
        blocks_bound(&s, blocks->items, leaders, &blocks->items[i]);
    blocks->entry = blocks_index_at(blocks->items, leaders, at);
    return LOOPS_FOUND;
}
