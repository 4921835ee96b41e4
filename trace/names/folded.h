/*
 * folded.h - folded stacks, as flamegraph.pl, speedscope and inferno read them: one line per distinct stack, frames
 * from the outermost on, joined by ';', a space, a count. A ';' in a name becomes ':', a line end a space.
 */
#ifndef ASSAY_TRACE_NAMES_FOLDED_H
#define ASSAY_TRACE_NAMES_FOLDED_H

#include <stdio.h>

#include "base/text_set.h"
#include "trace/trace.h"

/* A stack that grows inwards. Starts as {0}. */
struct folded_line {
    char *text;
    size_t length, capacity, parts;
    uint32_t *path; /* capacity for a context's frames */
    size_t path_capacity;
};

/* False without memory. */
bool folded_frame(struct folded_line *line, const char *name);
/* All frames of a context, with their source lines if `lines`; only the innermost ones of a context deeper than 65536
 * frames. */
bool folded_context(struct folded_line *line, const struct trace_names *names, uint32_t context, bool lines);
void folded_clear(struct folded_line *line);
void folded_free_line(struct folded_line *line);

/* Distinct stacks and their counts. Starts as {0}. */
struct folded {
    struct text_set lines;
    uint64_t *counts;
    size_t capacity;
};

bool folded_add(struct folded *folded, const struct folded_line *line, uint64_t count); /* false without memory */
/* Sorted bytewise. False without memory; the owner of the file must check for write errors. */
bool folded_print(FILE *out, struct folded *folded);
void folded_free(struct folded *folded);

#endif
