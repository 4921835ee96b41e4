/*
 * chunk_rows.h - rows of one kind and thread that wait to become a chunk.
 */
#ifndef ASSAY_TRACE_WRITE_CHUNK_ROWS_H
#define ASSAY_TRACE_WRITE_CHUNK_ROWS_H

#include "trace/format/chunk.h"

struct chunk_rows {
    unsigned kind; /* 0: not in use */
    uint32_t thread;
    uint32_t count, capacity;
    uint32_t width; /* columns in use: of those that not every chunk has, up to the last that some row has a value in */
    uint64_t *integers[TRACE_COLUMNS_MAX];
    struct buffer strings[TRACE_COLUMNS_MAX];
    uint64_t link;     /* of an index: the position of the previous index */
    uint64_t since_ns; /* when the first row came (CLOCK_MONOTONIC) */
};

/* One row: integers[c] for integer columns, texts[c] for string columns (the other entry of each is ignored; texts
 * may be NULL for kinds without strings). 0 or ENOMEM (then the row is not added). */
int chunk_rows_add(struct chunk_rows *rows, const uint64_t *integers, const char *const *texts);

/* The approximate number of bytes of the rows; a bound for the size of a chunk. */
size_t chunk_rows_bytes(const struct chunk_rows *rows);

/* Appends the rows as a chunk to *out; columns->first_ns etc. are for the index. The rows are kept. 0 or ENOMEM. */
int chunk_rows_encode(const struct chunk_rows *rows, struct chunk_encoder *encoder, struct chunk_columns *columns,
                      struct buffer *out);

void chunk_rows_clear(struct chunk_rows *rows);
void chunk_rows_free(struct chunk_rows *rows);

#endif
