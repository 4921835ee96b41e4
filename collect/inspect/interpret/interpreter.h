/*
 * interpreter.h - partial interpretation of a method up to some iterations of one of its loops, without side effects:
 * object inspection.
 *
 * It begins at the entry with the real arguments. Loops before the target loop are executed once; loops around it until
 * it is reached, or again if it was left with fewer iterations; loops in it really, but at most as often as the target
 * loop: one that would go on is large, and executed once, without a record, from then on. A loop that is not followed
 * to its end is left by its exit (flow.h) with what its variables are then. On a condition that is unknown, what stays
 * in the target loop is executed (before it: what leads there), of two such ways the one that follows in the code.
 * Calls are skipped, and give an unknown result. Stores go into a table, which loads consult; new objects are private,
 * and accesses to them are not recorded. The interpretation ends where an exception would be thrown. docs/inspect.md
 * says more.
 *
 * Source: Inagaki, Onodera, Komatsu, Nakatani, Stride Prefetching by Dynamically Inspecting Objects, PLDI 2003, §3.2.
 */
#ifndef ASSAY_INSPECT_INTERPRET_INTERPRETER_H
#define ASSAY_INSPECT_INTERPRET_INTERPRETER_H

#include "base/keyed.h"
#include "collect/inspect/interpret/constants.h"
#include "collect/inspect/interpret/flow.h"
#include "collect/inspect/interpret/heap.h"
#include "collect/inspect/interpret/value.h"

/* A method that can be interpreted. The caller's, as all that it refers to. */
struct interpreter_method {
    const uint8_t *code;
    uint32_t bytes;
    uint32_t local_count;
    const struct flow *flow;
    const struct constants *constants;
};

/* Why an interpretation ended. */
enum interpreter_end {
    INTERPRETER_COMPLETE,    /* it has all iterations that were wanted */
    INTERPRETER_LEFT,        /* the target loop was left before that, for good */
    INTERPRETER_NOT_REACHED, /* the target loop was not reached */
    INTERPRETER_STEPS,       /* too many instructions, objects or stores */
    INTERPRETER_NULL,        /* exceptions: an access through null, */
    INTERPRETER_BOUNDS,      /* an index out of bounds, */
    INTERPRETER_DIVISION,    /* a division by zero, */
    INTERPRETER_CAST,        /* a cast to a class that the object is not of, a negative length, */
    INTERPRETER_THROW,       /* one that the program throws */
    INTERPRETER_INVALID,     /* code that no compiler emits and that could not be followed */
    INTERPRETER_NO_MEMORY,
    INTERPRETER_ENDS
};
const char *interpreter_end_name(enum interpreter_end end); /* "not reached" */

/* A load is numbered by its bytecode index times two, plus one if it is that of an array's length; plus 1. */
static inline uint32_t interpreter_load_index(uint32_t load)
{
    return (load - 1) / 2;
}

/* What happened in the target loop, in order. */
enum { INTERPRETER_GAP = UINT32_MAX };
struct interpreter_event {
    uint32_t loop; /* number of the loop whose header is executed, plus 1; 0: a load; or INTERPRETER_GAP: another entry
                      of the target loop follows */
    uint32_t load; /* its number */
    uint32_t bytes;
    uint32_t element_bytes; /* of a length that is loaded to check an index: of the array's elements; else 0 */
    bool reference;         /* the value is the number of an object */
    bool living;            /* the value is what the heap holds: it is known, and no store of the interpretation's */
    uint64_t address;       /* of its first byte */
    uint64_t value;         /* what it loads; 0 if that is unknown */
};

/* That `to` uses what `from` has loaded. */
enum interpreter_how { INTERPRETER_BASE = 1 /* as the reference through which it loads */, INTERPRETER_INDEX = 2 };
struct interpreter_dependence {
    uint32_t from, to, how; /* loads */
};

struct interpreter_record {
    enum interpreter_end end;
    uint64_t steps;
    uint32_t iterations; /* of the target loop */
    struct interpreter_event *events;
    size_t event_count, event_capacity;
    struct keyed dependences; /* of struct interpreter_dependence */
};

/*
 * Interpretes `method` with locals[local_count], which begin with the arguments, up to `iterations` (≥ 1) executions of
 * the header of the loop `target`. Fills *record, which interpreter_record_free() frees; it is whole whatever the end
 * is. Cost: at most INTERPRETER_STEPS_MAX instructions, of a few nanoseconds each but for what the heap takes.
 */
enum { INTERPRETER_STEPS_MAX = 50000 };
void interpreter_run(const struct interpreter_method *method, const struct heap *heap, const struct value *locals,
                     uint32_t target, uint32_t iterations, struct interpreter_record *record);
void interpreter_record_free(struct interpreter_record *record);

#endif
