/*
 * ahead.h - the chunks of a part, decoded by a separate thread while the analyzer works on earlier ones.
 */
#ifndef ASSAY_ANALYZE_DRIVER_AHEAD_H
#define ASSAY_ANALYZE_DRIVER_AHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

struct ahead;

/* What to decode: chunks[count] of a trace, in this order, with the columns that each kind wants. */
struct ahead_wish {
    const struct trace *trace;
    const size_t *chunks;
    size_t count;
    uint64_t (*columns_of)(const void *user, unsigned kind);
    const void *user;
};

struct ahead_chunk {
    const struct trace_chunk *header;
    struct trace_batch batch;
    int status; /* of trace_read() */
    struct error_text problem;
};

/* Begins; with `threaded`, a thread decodes a few chunks ahead, otherwise (or if no thread can be created) each is
 * decoded when it is requested. NULL without memory. */
struct ahead *ahead_start(const struct ahead_wish *wish, bool threaded);

/* The next chunk, NULL after the last; it stays valid, and the caller's to change, until the next call. */
struct ahead_chunk *ahead_next(struct ahead *ahead);

/* Ends, even in the middle. NULL is fine. */
void ahead_stop(struct ahead *ahead);

#endif
