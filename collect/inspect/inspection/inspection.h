/*
 * inspection.h - the inspection of one entry of a method: each of its loops is interpreted for itself, on the heap of a
 * living JVM or on that of a heap dump. Knows neither.
 */
#ifndef ASSAY_INSPECT_INSPECTION_INSPECTION_H
#define ASSAY_INSPECT_INSPECTION_INSPECTION_H

#include "collect/inspect/interpret/interpreter.h"

/* A line of the source begins at a bytecode index. */
struct inspection_line {
    uint32_t at, line;
};

/* A method, with what a trace says of it. The caller's, as all that it refers to. */
struct inspection_method {
    const char *class_name, *name, *descriptor, *file; /* "java.util.Map$Entry"; file "": unknown; never NULL */
    const struct inspection_line *lines;               /* [line_count], in any order */
    uint32_t line_count;
    struct interpreter_method code;
};

/* The source line of a bytecode index; 0: unknown. */
uint32_t inspection_find_line(const struct inspection_method *method, uint32_t at);

struct inspection {
    struct inspection *next; /* the caller's */
    const struct inspection_method *method;
    uint32_t tid;
    char *thread;                       /* its name */
    struct interpreter_record *records; /* [loops] */
};

/* NULL without memory. */
struct inspection *inspection_new(const struct inspection_method *method, uint32_t tid, const char *thread);
void inspection_free(struct inspection *inspection); /* NULL: nothing to free */

/*
 * Interprets all loops of the method, inner ones first, with locals[local_count], which begin with the arguments.
 * Afterwards the values of references in the records are addresses: 0 is null, unknown, or an object that the
 * interpretation has made. Cost: at most a million instructions in all.
 */
void inspection_run(struct inspection *inspection, const struct heap *heap, const struct value *locals,
                    uint32_t iterations);

#endif
