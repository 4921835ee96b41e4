/*
 * output.h - the file of a trace, written chunk by chunk: by the writer, which works inside a program that does not
 * know of it, and by what makes a trace of another file.
 */
#ifndef ASSAY_TRACE_WRITE_OUTPUT_H
#define ASSAY_TRACE_WRITE_OUTPUT_H

#include <sys/types.h>

#include "trace/write/chunk_rows.h"

struct output {
    char *path;
    struct buffer header; /* of the file */
    int fd;               /* −1: no file yet */
    dev_t device;         /* of the file that fd should refer to */
    ino_t inode;
    uint64_t offset;         /* from the first chunk: what is good in the file */
    struct chunk_rows index; /* of the chunks behind the last index */
    uint64_t last_index;
    struct chunk_encoder encoder;
    struct buffer bytes;
};

/* All return 0 or an errno value. A chunk is in the file whole or not at all. */

/* Makes no file yet; leaves capacity for `spare` bytes that output_describe() may need. `level` is that of zstd. */
int output_init(struct output *output, const char *path, const json_t *metadata, size_t spare, int level);

/* Makes the file, with its header. `flags`: O_EXCL for one that must be new, O_TRUNC for one that need not be. */
int output_create(struct output *output, int flags);

/* Both, in place of a file that may be there. */
int output_open(struct output *output, const char *path, const json_t *metadata, size_t spare);

/* The rows as a chunk, if there are any; once they are in the file they are cleared. */
int output_rows(struct output *output, struct chunk_rows *rows);
int output_columns(struct output *output, struct chunk_columns *columns);

/* Bytes as they are; `chunk` NULL: they are not a chunk. */
int output_copy(struct output *output, const uint8_t *bytes, size_t size, const struct trace_chunk *chunk);

/* The whole chunk at `at` as chunk_replace() makes it; EIO if its header is not valid. */
int output_replaced(struct output *output, const uint8_t *at, const struct trace_chunk *chunk,
                    const uint64_t *const integers[TRACE_COLUMNS_MAX]);

/* The index and the trailer: the file is whole. More may follow. */
int output_end(struct output *output);

/* Metadata instead of what is there; E2BIG: there is no capacity for it. */
int output_describe(struct output *output, const json_t *metadata);

/* Closes the file, if there is one and fd still is that; and frees all. */
int output_close_file(struct output *output);
int output_close(struct output *output);

#endif
