/*
 * rows.h - rows of one kind and thread that wait to become a chunk.
 */
#ifndef ASSAY_TRACE_ROWS_H
#define ASSAY_TRACE_ROWS_H

#include "collect/trace/chunk.h"

struct rows {
    unsigned kind; /* 0: not in use */
    uint32_t thread;
    uint32_t count, capacity;
    uint64_t *integers[TRACE_COLUMNS_MAX];
    struct buffer strings[TRACE_COLUMNS_MAX];
    uint64_t link;     /* of an index: the position of the previous index */
    uint64_t since_ns; /* when the first row came (CLOCK_MONOTONIC) */
};

/* One row: integers[c] for integer columns, texts[c] for string columns (the other entry of each is ignored; texts
 * may be NULL for kinds without strings). 0 or ENOMEM (then the row is not added). */
int rows_add(struct rows *rows, const uint64_t *integers, const char *const *texts);

/* The approximate number of bytes of the rows; a bound for the size of a chunk. */
size_t rows_bytes(const struct rows *rows);

/* Appends the rows as a chunk to *out; columns->first_ns etc. are for the index. The rows are kept. 0 or ENOMEM. */
int rows_encode(const struct rows *rows, struct chunk_encoder *encoder, struct chunk_columns *columns,
                struct buffer *out);

void rows_clear(struct rows *rows);
void rows_free(struct rows *rows);

#endif
