/*
 * trace_sink.h - the trace that a raw file becomes: rows that wait for their chunk, and the definitions that precede
 * them.
 */
#ifndef ASSAY_EXACT_CONVERT_TRACE_SINK_H
#define ASSAY_EXACT_CONVERT_TRACE_SINK_H

#include "collect/exact/convert/definitions.h"
#include "trace/write/put.h"

struct trace_sink_stream {
    struct chunk_rows pairs, totals, instances;
};

struct trace_sink {
    const struct definitions *definitions;
    struct output output;
    struct tree tree;
    struct put_progress written; /* of the tree */
    uint32_t modules_written;
    struct chunk_rows objects, threads, lost, bursts, sites, loops, codes;
    uint32_t object_count, site_count, loop_count, code_count;
    struct trace_sink_stream *streams; /* [stream], 0 is unused */
    size_t stream_count;               /* with entry 0 */
    size_t waiting;                    /* rows in streams */
    bool full;                         /* enough to be written */
    int64_t realtime_offset_ns;        /* CLOCK_REALTIME − CLOCK_MONOTONIC */
};

/* All return 0 or an errno value. trace_sink_open() leaves capacity for `spare` bytes of metadata that come later. */
int trace_sink_open(struct trace_sink *sink, const char *path, const json_t *metadata, size_t spare,
                    const struct definitions *definitions);
int trace_sink_close(struct trace_sink *sink); /* frees all, also after a failed trace_sink_open() */

/* Adds threads that were defined since the last call; from then on they have streams. */
int trace_sink_threads(struct trace_sink *sink);

/* A row of a stream: a TRACE_PAIR, TRACE_TOTAL or TRACE_INSTANCE; integers[0] is its time. */
int trace_sink_row(struct trace_sink *sink, unsigned kind, uint32_t stream, const uint64_t *integers);
int trace_sink_lost(struct trace_sink *sink, const uint64_t *integers);  /* of the whole process */
int trace_sink_burst(struct trace_sink *sink, const uint64_t *integers); /* likewise */

/* Assigns the object its id. */
int trace_sink_object(struct trace_sink *sink, struct definition_object *object, uint32_t context);

/* A site of accesses, whose id is *id. */
int trace_sink_site(struct trace_sink *sink, const struct trace_site *site, uint32_t *id);

/* A loop in a context, whose id is *id. */
int trace_sink_loop(struct trace_sink *sink, const struct trace_loop *loop, uint32_t *id);

/* The run of instructions that a block fetches, whose id is *id. */
int trace_sink_code(struct trace_sink *sink, const struct raw_instruction *instructions, uint32_t count, uint32_t *id);

/* Writes accesses, iterations of loops, or fetches, as a chunk of its own, after everything that waits. */
int trace_sink_columns(struct trace_sink *sink, struct chunk_columns *columns, uint64_t now_ns);

/* Writes everything that waits; `now_ns` as in RAW_TIME. */
int trace_sink_flush(struct trace_sink *sink, uint64_t now_ns);

#endif
