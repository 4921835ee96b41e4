/*
 * flow.h - the control flow of a method: its basic blocks and its natural loops, from its bytecode.
 *
 * A loop: for a header h to which a back edge n → h leads (h dominates n) the blocks from which n is reached without
 * passing h, over all such n. Handlers of exceptions, which the JVM TI does not report, are not part of it: a loop that
 * only a handler closes is not found, nor is one inside of a handler, or a cycle with two entries.
 *
 * Source: dominators: Cooper, Harvey, Kennedy, A simple, fast dominance algorithm, Rice TR-06-33870 (2001); natural
 * loops: Aho, Lam, Sethi, Ullman, Compilers, 2nd ed., §9.6.6.
 */
#ifndef ASSAY_INSPECT_INTERPRET_FLOW_H
#define ASSAY_INSPECT_INTERPRET_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLOW_NONE UINT32_MAX

struct flow_block {
    uint32_t begin, end;             /* bytecode indexes; end: of what follows */
    uint32_t first, successor_count; /* of flow->successors: what follows in the code first, then jumps in order */
    uint32_t dominator;              /* immediate; the entry's is itself */
};

struct flow_loop {
    uint32_t header; /* a block */
    uint32_t outer;  /* the loop around it, below its own number; FLOW_NONE: none */
    uint32_t exit;   /* the block that follows when it is left: where its header leads, else the first in the code;
                        FLOW_NONE: none */
};

struct flow {
    uint32_t block_count, loop_count;
    struct flow_block *blocks; /* ascending in begin; block 0 is the entry. Only what is reached from it */
    uint32_t *successors;
    struct flow_loop *loops;
    uint32_t *postorder; /* [loop_count]: inner loops before those around them, in the order of the program */
    uint64_t *members;   /* [loop_count][words]: a bit for each block */
    size_t words;
    uint32_t *block_at; /* [bytes]: the block that begins at a bytecode index, or FLOW_NONE */
};

enum flow_status {
    FLOW_FOUND = 0,  /* even if there is no loop */
    FLOW_INVALID,    /* instructions that can't be decoded, or code that is left at its end */
    FLOW_SUBROUTINE, /* jsr, which no compiler has emitted since Java 6 */
    FLOW_NO_MEMORY
};

/* On anything but FLOW_FOUND *flow is zero. Cost: O(code), and O(blocks × loops). */
enum flow_status flow_find(struct flow *flow, const uint8_t *code, size_t bytes);
void flow_free(struct flow *flow);

static inline bool flow_is_in(const struct flow *flow, uint32_t loop, uint32_t block)
{
    return flow->members[loop * flow->words + block / 64] >> block % 64 & 1;
}

/* The loop with this header; FLOW_NONE: no loop has it. */
uint32_t flow_loop_of_header(const struct flow *flow, uint32_t block);

/* The innermost loop around a block; FLOW_NONE: none. */
uint32_t flow_innermost(const struct flow *flow, uint32_t block);

/* Whether `inner` is `outer`, or in it. */
bool flow_encloses(const struct flow *flow, uint32_t outer, uint32_t inner);

/* Sets a bit in reaching[words] for every block from which there is a path to `block`, itself too. */
void flow_reaching(const struct flow *flow, uint32_t block, uint64_t *reaching);

#endif
