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
int output_end(struct output *output);                              /* the index: the file is complete */
int output_describe(struct output *output, const json_t *metadata); /* replaces the existing ones; E2BIG: no room */
int output_close(struct output *output);

#endif
