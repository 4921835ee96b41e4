/*
 * chunk.h - the bytes of a trace: header, chunk, trailer. docs/trace-format.md is the specification.
 */
#ifndef ASSAY_TRACE_FORMAT_CHUNK_H
#define ASSAY_TRACE_FORMAT_CHUNK_H

#include "trace/trace.h"

#define FILE_MAGIC "assayTRC"
#define TRAILER_MAGIC "assayEND"
#define CHUNK_MAGIC UINT32_C(0x4b4e4843) /* "CHNK" */

enum {
    FILE_HEADER_BYTES = 24,
    CHUNK_HEADER_BYTES = 44,
    DIRECTORY_ENTRY_BYTES = 16,
    TRAILER_BYTES = 24,
    METADATA_MAX = 1 << 24,
    CHUNK_RECORDS_MAX = 1 << 20,
    COLUMN_RAW_MAX = 1 << 26
};

enum column_coding {
    CODE_PLAIN = 0,
    CODE_DELTA = 1,
    CODE_STRING = 2,
    CODE_CHAIN = 3,
    CODE_STEP = 4,
    CODE_STRIDE = 5,
    CODE_SAME = 6,
    CODE_BESIDE = 7,
    CODE_COUNT
};
enum column_packing { PACK_NONE = 0, PACK_ZSTD = 1 };

/* A growing byte array. Start with {0}; a failed growth sets `failed`, and later calls do nothing. */
struct buffer {
    uint8_t *data;
    size_t size, capacity;
    bool failed;
};
uint8_t *buffer_grow(struct buffer *buffer, size_t bytes); /* capacity for bytes more; NULL without memory */
void buffer_add(struct buffer *buffer, const void *data, size_t bytes);
void buffer_free(struct buffer *buffer);

/* Columns of a future chunk: integers in row order, strings already coded (varint length + bytes each). */
struct chunk_columns {
    unsigned kind;
    uint32_t thread;
    uint32_t count;
    uint32_t column_count; /* the number of columns to write; 0: all of the kind */
    const uint64_t *integers[TRACE_COLUMNS_MAX];
    const struct buffer *strings[TRACE_COLUMNS_MAX];
    uint64_t first_ns, last_ns; /* set by chunk_encode() for kinds with a time column */
};

/* Reused memory of an encoder. */
struct chunk_encoder {
    struct buffer raw;
    struct predictor *predictor;
    void *zstd; /* ZSTD_CCtx */
    int level;
};
int chunk_encoder_init(struct chunk_encoder *encoder, int level); /* 0 or ENOMEM */
void chunk_encoder_free(struct chunk_encoder *encoder);

/* Appends the chunk's bytes to *out; sets first_ns/last_ns. 0 or ENOMEM (then *out is unchanged). */
int chunk_encode(struct chunk_encoder *encoder, struct chunk_columns *columns, struct buffer *out);

/* The file header with its metadata, appended to *out. 0, ENOMEM, or E2BIG for metadata over METADATA_MAX. */
int file_header_encode(const json_t *metadata, struct buffer *out);

/* The trailer that ends a complete file; index_offset is from the first chunk. */
void trailer_encode(uint64_t index_offset, uint8_t out[TRAILER_BYTES]);
bool trailer_decode(const uint8_t in[TRAILER_BYTES], uint64_t *index_offset);

/* Decodes a chunk header at a position with `available` bytes. Returns false if there is no complete valid chunk. */
struct chunk_header {
    uint32_t kind, column_count, thread, count, payload_bytes, directory_crc;
    uint64_t first_ns, last_ns;
};
bool chunk_header_decode(const uint8_t *at, uint64_t available, struct chunk_header *header);

/*
 * Appends the chunk at `at` once more, with other values in those columns c whose integers[c][header->count] is not
 * NULL. Everything else is copied byte for byte, damage included, but for columns behind those that the kind has here,
 * which are left out. The header must be valid and the directory intact. The columns that change must be of coding
 * plain or delta, and no other column may be coded by them. 0 or ENOMEM (then *out is unchanged). Cost: that of
 * encoding the columns that change, and of copying the rest.
 */
int chunk_replace(struct chunk_encoder *encoder, const uint8_t *at, const struct chunk_header *header,
                  const uint64_t *const integers[TRACE_COLUMNS_MAX], struct buffer *out);

/* Decodes the columns in the mask of the chunk at `at` (header valid). As trace_read(), but the
 * message lacks the place. */
int chunk_decode(const uint8_t *at, const struct chunk_header *header, uint64_t columns, struct trace_batch *batch,
                 struct error_text *message);

#endif
