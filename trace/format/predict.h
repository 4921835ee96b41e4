/*
 * predict.h - columns of integers that are written as residuals of a prediction from the previous rows: the codings
 * chain, step, stride and same of docs/trace-format.md. Each chunk starts afresh.
 */
#ifndef ASSAY_TRACE_FORMAT_PREDICT_H
#define ASSAY_TRACE_FORMAT_PREDICT_H

#include "trace/format/chunk.h"

/* Tables of an encoder or decoder; 2 MiB once used. Start with NULL. */
struct predictor;
void predictor_free(struct predictor *predictor);

/*
 * Appends the varints of values[count] to *raw. keys[count] is the chunk's column of coding chain (for chain itself:
 * values). Returns 0 or ENOMEM. Cost: about 5 ns per value.
 */
int predict_encode(struct predictor **predictor, enum trace_coding coding, const uint64_t *values, const uint64_t *keys,
                   size_t count, struct buffer *raw);

/* A column of a chunk before it is decoded. */
struct raw_column {
    const uint8_t *bytes;
    size_t size, count; /* of bytes; of values */
};

/* Decodes a column into values[count]. Returns NULL, or what is wrong; predict_no_memory itself if nothing is. */
extern const char predict_no_memory[];
const char *predict_decode(struct predictor **predictor, enum trace_coding coding, const struct raw_column *raw,
                           const uint64_t *keys, uint64_t *values);

/* Whether a column can be coded this way: chain can't represent the largest number. */
bool predict_fits(enum trace_coding coding, const uint64_t *values, size_t count);

#endif
