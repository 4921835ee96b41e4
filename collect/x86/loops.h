/*
 * loops.h - the natural loops of a function, from its machine code.
 *
 * Quantity: for every header h that a back edge n → h leads to (h dominates n), the set of the blocks from which n is
 * reached without passing h, over all such n; loops of the same header are one. Claim 1 of the redundancy scope needs
 * the loops that enclose an instruction (Su, dissertation 2020, §3.4.3). A block that jumps to itself is a loop; a rep
 * string instruction is not, nor is a cycle with two entries (irreducible code, by goto).
 *
 * What the code leaves open is guessed so that a wrong guess doesn't take loops away:
 * - A call may not return. Where the code after a call can be reached in another way, the edge from the call does
 *   not enter a loop; but a loop that it leads to takes in what leads to the call from inside.
 * - The targets of an indirect jump are read from the table of a switch, if there is one (jump_tables.h). Else code in
 * the range that nothing leads to is taken to be a target of the nearest indirect jump before it, or else of the first;
 *   without any, to be another function, or a handler of exceptions. What it jumps back to is not another entry of a
 * loop. A loop that is closed only by jumps through a table (computed goto) has no header in the code, and is not
 * found.
 * - Jumps out of the range, tail calls among them, leave the function. Bytes that can't be decoded end a block.
 * In reducible code it makes no difference which edges count as entries, as long as every block is reached: its back
 * edges are the retreating edges of any depth-first order. Measured against loops from objdump's listing with the names
 * of functions that don't return: of 12,214 functions of glibc, libstdc++, GSL and SQLite without indirect jumps, 4
 * have loops with blocks too many; of 104 with a switch (x265 too), 5. All nine stem from calls that don't return.
 *
 * Source: dominators: Cooper, Harvey, Kennedy, A simple, fast dominance algorithm, Rice TR-06-33870 (2001); natural
 * loops: Aho, Lam, Sethi, Ullman, Compilers, 2nd ed., §9.6.6. No libc: this is compiled into the exact tool.
 */
#ifndef ASSAY_X86_LOOPS_H
#define ASSAY_X86_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum loops_status {
    LOOPS_FOUND = 0,   /* even if there is none */
    LOOPS_TOO_BIG = 1, /* the work memory can't hold the function's blocks */
    LOOPS_INVALID = 2  /* low ≤ entry < high does not hold, 2 GB or more, work memory not aligned to 8 bytes */
};

struct loops_function {
    const uint8_t *code; /* the bytes of [low, high) */
    uint64_t low, high;  /* high may be a bound: following functions are included */
    uint64_t entry;
    /*
     * Reads bytes (4 or 8) of the program's memory at address, for the jump tables of switches; false: it can't be
     * read. NULL: tables are not used, so the targets of all indirect jumps are guessed.
     */
    bool (*read)(void *context, uint64_t address, void *to, size_t bytes);
    void *context;
};

struct loops_loop {
    uint64_t header; /* address of the first instruction of the header */
    int32_t parent;  /* the loop around it, an index below its own; −1: none */
    uint32_t depth;  /* 1: outermost */
};

/* Addresses [begin, end) whose innermost loop is loops[loop]. Code outside all loops has no range. */
struct loops_range {
    uint64_t begin, end;
    uint32_t loop, padding;
};

/* Both arrays lie in the work memory; copy them to keep them. */
struct loops {
    uint32_t loop_count, range_count;
    struct loops_loop *loops;
    struct loops_range *ranges; /* ascending in begin; they overlap only where instructions do */
};

/*
 * Finds the loops of function. work[bytes]: the caller's memory, aligned to 8 bytes; loops_work_bytes returns how much
 * is enough for a number of bytes of code and blocks. One block per 5 bytes of code was enough for all but one of
 * 12,957 functions of five libraries and CPython, one per byte is enough for any code; the entries of a jump table need
 * blocks too, and a table without capacity is not used. On anything but LOOPS_FOUND *out is untouched. Recursion: none.
 * Stack: 6 KB. Cost: 30 … 50 ns per byte of code; the worst case is quadratic in the number of blocks.
 */
enum loops_status loops_find(const struct loops_function *function, void *work, size_t bytes, struct loops *out);
size_t loops_work_bytes(size_t code_bytes, size_t blocks);

/*
 * The innermost loop that holds the instruction at address: an index of loops->loops, −1 for none. From there, parent
 * leads outward. O(log ranges).
 */
int32_t loops_innermost(const struct loops *loops, uint64_t address);

#endif
