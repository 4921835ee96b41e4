/*
 * sink.h - the trace that a raw file becomes: rows that wait for their chunk, and the definitions that precede them.
 */
#ifndef ASSAY_EXACT_CONVERT_SINK_H
#define ASSAY_EXACT_CONVERT_SINK_H

#include "collect/exact/convert/definitions.h"
#include "collect/symbols/put.h"

struct sink_stream {
    struct rows pairs, totals;
};

struct sink {
    const struct definitions *definitions;
    struct output output;
    struct tree tree;
    struct put_progress written; /* of the tree */
    uint32_t modules_written;
    struct rows objects, threads, lost, sites;
    uint32_t object_count, site_count;
    struct sink_stream *streams; /* [stream], 0 is unused */
    size_t stream_count;         /* with entry 0 */
    size_t waiting;              /* rows in streams */
    bool full;                   /* enough to be written */
    int64_t realtime_offset_ns;  /* CLOCK_REALTIME − CLOCK_MONOTONIC */
};

/* All return 0 or an errno value. sink_open() leaves room for `spare` bytes of metadata that come later. */
int sink_open(struct sink *sink, const char *path, const json_t *metadata, size_t spare,
              const struct definitions *definitions);
int sink_close(struct sink *sink); /* frees all, even after a failed sink_open() */

/* Adds threads that were defined since the last call; from then on they have streams. */
int sink_threads(struct sink *sink);

/* A row of a stream; integers[0] is its time. */
int sink_pair(struct sink *sink, uint32_t stream, const uint64_t *integers);
int sink_total(struct sink *sink, uint32_t stream, const uint64_t *integers);
int sink_lost(struct sink *sink, const uint64_t *integers); /* of the whole process */

/* Assigns the object its id. */
int sink_object(struct sink *sink, struct definition_object *object, uint32_t context);

/* A site of accesses, whose id is *id. */
int sink_site(struct sink *sink, const struct trace_site *site, uint32_t *id);

/* Writes accesses as a chunk of its own, after everything that waits. */
int sink_accesses(struct sink *sink, struct chunk_columns *columns, uint64_t now_ns);

/* Writes everything that waits; `now_ns` as in RAW_TIME. */
int sink_flush(struct sink *sink, uint64_t now_ns);

#endif
