/*
 * stack_pointer.h - where the stack pointer goes in a superblock, and what is popped: bytes that start afresh.
 *
 * Bytes up to 128 below the stack pointer are still the function's own (the red zone of the System V ABI), so a rise
 * from a to b clears [a − 128, b − 128); a return clears everything below. Rises are combined, and cleared before the
 * next fall or exit.
 */
#ifndef ASSAY_EXACT_TOOL_CODE_STACK_POINTER_H
#define ASSAY_EXACT_TOOL_CODE_STACK_POINTER_H

#include <valgrind/pub_tool_basics.h>
#include <valgrind/libvex_ir.h>

enum { STACK_TEMPS = 4096, STACK_RED_ZONE = 128 };

struct stack {
    Int register_offset;
    Long now;     /* the stack pointer, from where it was last known */
    ULong raised; /* since the last clearing */
    UInt era;     /* temporaries of another era are unknown */
    UInt eras[STACK_TEMPS];
    Long offsets[STACK_TEMPS];
};

/* [sp − below, sp − below + bytes) */
struct stack_range {
    ULong below, bytes;
};

enum stack_change {
    STACK_SAME,    /* nothing to clear */
    STACK_POPPED,  /* *popped, before the statement */
    STACK_UNKNOWN, /* call stack_moved() after the statement, with popped->bytes as `raised` */
};

void stack_begin(struct stack *stack, Int register_offset);

/* Every statement, in order. */
void stack_look(struct stack *stack, const IRStmt *statement);

/* A statement that sets the stack pointer or may leave the block. */
enum stack_change stack_follow(struct stack *stack, const IRStmt *statement, struct stack_range *popped);

/* What must be cleared here; False: nothing. */
Bool stack_flush(struct stack *stack, struct stack_range *popped);

/* The bytes that it rose since the last clearing, which the caller clears. */
ULong stack_take(struct stack *stack);

/* From translated code. */
void stack_popped(Addr low, ULong bytes);
void stack_moved(Addr before, Addr after, ULong raised);

#endif
