/*
 * translation.h - the walk over a superblock in which a mode adds its code, with that mode as its back end. What the
 * modes share is here and in accesses.h: which statement accesses what, in which order, and how many instructions are
 * done wherever the block is left. A back end emits with ir.h; the statements themselves are appended by the walk.
 */
#ifndef ASSAY_EXACT_TOOL_CODE_TRANSLATION_H
#define ASSAY_EXACT_TOOL_CODE_TRANSLATION_H

#include <valgrind/libvex_ir.h>
#include <valgrind/pub_tool_basics.h>

#include "collect/exact/tool/code/accesses.h"

/* The superblock under translation: one at a time. */
struct translation {
    const IRSB *in;
    IRSB *out;
    struct accesses accesses;
    UInt next;  /* the first access whose statement is not yet in `out` */
    UInt begun; /* marks of instructions in `out` */
};
extern struct translation translation;

/* What a mode does; a function that it does not need is NULL. */
struct translation_mode {
    struct accesses_wanted wanted;

    /* The accesses are found, and nothing is emitted yet: the mode may still drop writes (registers.h). */
    void (*prepare)(IRSB *in);

    /* Before the first instruction's mark, after the core's preamble. */
    void (*start)(void);

    /* Before and after each statement from that mark on. Between them, before and after the statement itself, each of
     * its accesses in their order, by its index. */
    void (*before)(const IRStmt *statement);
    void (*before_access)(UInt slot);
    void (*after_access)(UInt slot);
    void (*after)(const IRStmt *statement);

    void (*finish)(void);
};

/* The superblock with the mode's code. */
IRSB *translation_translate(IRSB *in, const struct translation_mode *mode);

/* The instruction whose mark was the last one; NULL: none so far. */
const struct accesses_instruction *translation_instruction(void);

/* The address of the block's last instruction. */
Addr translation_last(void);

/*
 * The number of instructions executed if the block is left at this exit, or at its end. A rep string instruction counts
 * once, however often it repeats; one that faults does not count.
 */
UInt translation_done_at_exit(const IRStmt *statement);
UInt translation_done_at_end(void);

/* The target of an exit; 0: unknown. */
Addr translation_target(const IRConst *constant);

/* The condition under which an access happens, as an atom; NULL: always. For a compare-and-swap it is emitted here. */
IRExpr *translation_condition(const struct accesses_one *one);

/*
 * At the block's end: emits what a call, a return, or a jump to an unknown address does to the calls that are active.
 * `sp` is the stack pointer; `block` is the one of a call, NULL: it gets one without slots; `raised`: bytes that the
 * stack pointer of a return has risen before it.
 */
void translation_emit_frames(IRExpr *sp, struct context_block *block, ULong raised);

#endif
