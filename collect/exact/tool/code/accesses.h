/* accesses.h - the instructions of a superblock and their memory accesses, found before it is translated. */
#ifndef ASSAY_EXACT_TOOL_CODE_ACCESSES_H
#define ASSAY_EXACT_TOOL_CODE_ACCESSES_H

#include <valgrind/pub_tool_basics.h>
#include <valgrind/libvex_ir.h>

#include "collect/exact/tool/state/context.h"

enum { ACCESSES_MAX = 1024, ACCESSES_INSTRUCTIONS_MAX = 1024 };

enum accesses_kind {
    ACCESS_LOOP,  /* the header of a loop, before its first instruction */
    ACCESS_LOAD,  /* after the statement; `value` or `old` is a temporary; neither: the contents of memory */
    ACCESS_STORE, /* around the statement; `value` is what it stores */
    ACCESS_SWAP,  /* after a compare-and-swap: the store, if old equals expected */
    ACCESS_READ,  /* before a statement with a hidden read of memory: a helper of the core, a store (operand.h) */
    ACCESS_WRITE, /* around one with a hidden write */
    ACCESS_SYSTEM /* a system call at the end */
};

/* The purpose of a slot; the slots of one statement are in the order in which they happen. All expressions are atoms.
 */
struct accesses_one {
    enum accesses_kind kind;
    Int statement;
    UInt instruction;        /* its index */
    IRExpr *address, *guard; /* guard: NULL: always */
    IRExpr *value, *old, *expected;
    IRExpr *value_high, *old_high, *expected_high; /* of a double compare-and-swap */
};

/* An instruction of the block. The core unrolls loops, so one may be there several times. */
struct accesses_instruction {
    Addr address;
    UInt length;   /* 0: it could not be decoded */
    UInt number;   /* from 1; a rep string instruction that the core has unrolled counts once */
    Bool repeated; /* a rep string instruction: its block goes back to it while it repeats */
};

struct accesses {
    UInt count;
    struct context_slot slots[ACCESSES_MAX];
    struct accesses_one ones[ACCESSES_MAX];
    UInt instruction_count; /* at least 1 */
    struct accesses_instruction instructions[ACCESSES_INSTRUCTIONS_MAX];
};

/* Which accesses are wanted. */
struct accesses_wanted {
    Bool loads, stores, loops, system;
};

/* Fills *accesses. Accesses beyond ACCESSES_MAX are left out; no superblock comes close to either maximum. */
void accesses_find(const IRSB *block, const struct accesses_wanted *wanted, struct accesses *accesses);

#endif
