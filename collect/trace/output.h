/* output.h - the file that a resolved trace is written to, chunk by chunk. */
#ifndef ASSAY_TRACE_OUTPUT_H
#define ASSAY_TRACE_OUTPUT_H

#include <stdio.h>

#include "collect/trace/rows.h"

struct output {
    FILE *file;
    uint64_t header_bytes; /* in the file */
    uint64_t offset;       /* from the first chunk */
    struct rows index;
    uint64_t last_index;
    struct chunk_encoder encoder;
    struct buffer bytes;
};

/* All: 0 or an errno value. output_open() leaves room for `spare` bytes that output_describe() may need. */
int output_open(struct output *output, const char *path, const json_t *metadata, size_t spare);
int output_rows(struct output *output, struct rows *rows); /* as a chunk; then they are empty */
int output_columns(struct output *output, struct chunk_columns *columns);
int output_copy(struct output *output, const uint8_t *bytes, size_t size, const struct trace_chunk *chunk); /* NULL: no
                                                                                                             chunk */
/* The whole chunk at `at` as chunk_replace() makes it; EIO if its header is not valid. */
int output_replaced(struct output *output, const uint8_t *at, const struct trace_chunk *chunk,
                    const uint64_t *const integers[TRACE_COLUMNS_MAX]);
int output_end(struct output *output);                              /* the index: the file is whole */
int output_describe(struct output *output, const json_t *metadata); /* instead of what is there; E2BIG: no room */
int output_close(struct output *output);

#endif
