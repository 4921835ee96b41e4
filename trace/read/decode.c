#include "trace/format/chunk.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "trace/format/predict.h"

/* A batch's memory between reads. */
struct batch_memory {
    ZSTD_DCtx *zstd;
    struct predictor *predictor;
    const uint64_t *keys;                    /* of the chunk: the values of its chain column, once decoded */
    const uint64_t *times;                   /* and of its time column */
    struct buffer raw[TRACE_COLUMNS_MAX];    /* decompressed bytes; strings point into them */
    struct buffer values[TRACE_COLUMNS_MAX]; /* uint64_t or struct trace_string */
};

struct directory_entry {
    unsigned coding, packing;
    uint32_t raw, stored, crc;
};

bool trailer_decode(const uint8_t in[TRAILER_BYTES], uint64_t *index_offset)
{
    if (memcmp(in, TRAILER_MAGIC, 8) != 0 || bytes_get(in + 20, 4) != checksum_crc32c(in, 20))
        return false;
    *index_offset = bytes_get(in + 8, 8);
    return true;
}

bool chunk_header_decode(const uint8_t *at, uint64_t available, struct chunk_header *header)
{
    if (available < CHUNK_HEADER_BYTES || bytes_get(at, 4) != CHUNK_MAGIC ||
        bytes_get(at + 40, 4) != checksum_crc32c(at, 40))
        return false;
    *header = (struct chunk_header){
        .kind = at[4],
        .column_count = at[5],
        .thread = (uint32_t)bytes_get(at + 8, 4),
        .count = (uint32_t)bytes_get(at + 12, 4),
        .first_ns = bytes_get(at + 16, 8),
        .last_ns = bytes_get(at + 24, 8),
        .payload_bytes = (uint32_t)bytes_get(at + 32, 4),
        .directory_crc = (uint32_t)bytes_get(at + 36, 4),
    };
    return header->count <= CHUNK_RECORDS_MAX && header->payload_bytes <= UINT32_MAX - CHUNK_HEADER_BYTES &&
           header->payload_bytes <= available - CHUNK_HEADER_BYTES &&
           header->payload_bytes >= (uint64_t)header->column_count * DIRECTORY_ENTRY_BYTES;
}

void trace_batch_free(struct trace_batch *batch)
{
    struct batch_memory *memory = batch->memory;
    if (memory) {
        ZSTD_freeDCtx(memory->zstd);
        predictor_free(memory->predictor);
        for (size_t c = 0; c < TRACE_COLUMNS_MAX; c++) {
            buffer_free(&memory->raw[c]);
            buffer_free(&memory->values[c]);
        }
        free(memory);
    }
    *batch = (struct trace_batch){0};
}

/* The stored bytes of a column, uncompressed, in memory->raw[c] (or in offset, if they are stored uncompressed). */
static const char *decode_unpack(struct batch_memory *memory, size_t c, const struct directory_entry *entry,
                                 const uint8_t *stored, const uint8_t **raw)
{
    assert(c < TRACE_COLUMNS_MAX);
    if (checksum_crc32c(stored, entry->stored) != entry->crc)
        return "checksum does not match";
    if (entry->packing == PACK_NONE) {
        *raw = stored;
        return entry->raw == entry->stored ? NULL : "sizes do not agree";
    }
    if (entry->raw > COLUMN_RAW_MAX)
        return "is larger than the format allows";
    memory->raw[c].size = 0;
    uint8_t *to = buffer_grow(&memory->raw[c], (size_t)entry->raw + 1);
    if (!to)
        return predict_no_memory;
    size_t got = ZSTD_decompressDCtx(memory->zstd, to, entry->raw, stored, entry->stored);
    if (ZSTD_isError(got) || got != entry->raw)
        return "does not decompress";
    *raw = to;
    return NULL;
}

static const char *decode_integers(struct buffer *values, const struct raw_column *raw, bool delta,
                                   const uint64_t **out)
{
    values->size = 0;
    const size_t count = raw->count;
    uint64_t *to = (uint64_t *)(void *)buffer_grow(values, count * sizeof *to + 1);
    if (!to)
        return predict_no_memory;
    const uint8_t *at = raw->bytes, *end = at + raw->size;
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t code;
        if (!(at = varint_get(at, end, &code)))
            return "has fewer values than the chunk has records";
        value = delta ? value + zigzag_decode(code) : code;
        to[i] = value;
    }
    *out = to;
    return at == end ? NULL : "has more values than the chunk has records";
}

static const char *decode_beside(struct batch_memory *memory, size_t c, const struct raw_column *raw,
                                 const uint64_t **out)
{
    if (!memory->times)
        return "refers to a column that does not exist";
    const char *problem = decode_integers(&memory->values[c], raw, true, out);
    uint64_t *values = (uint64_t *)(void *)memory->values[c].data;
    const size_t count = raw->count;
    for (size_t i = 0; !problem && i < count; i++)
        values[i] += memory->times[i];
    return problem;
}

/* A column that an older minor version did not write reads as zeros or empty strings. */
static const char *decode_absent_column(struct batch_memory *memory, size_t c, const struct trace_column *column,
                                        struct trace_batch *batch)
{
    assert(c < TRACE_COLUMNS_MAX);
    memory->values[c].size = 0;
    size_t bytes = batch->count * sizeof(struct trace_string) + 1;
    void *zeros = buffer_grow(&memory->values[c], bytes);
    if (!zeros)
        return predict_no_memory;
    memset(zeros, 0, bytes);
    if (column->type == TRACE_STRING)
        batch->strings[c] = zeros;
    else
        batch->integers[c] = zeros;
    return NULL;
}

static const char *decode_column(struct batch_memory *memory, size_t c, const struct trace_column *column,
                                 const struct directory_entry *entry, const uint8_t *stored, struct trace_batch *batch)
{
    struct raw_column raw = {.size = entry->raw, .count = batch->count};
    const char *problem = decode_unpack(memory, c, entry, stored, &raw.bytes);
    if (problem)
        return problem;
    if ((entry->coding == CODE_STRING) != (column->type == TRACE_STRING))
        return "has the wrong type";
    if (entry->coding == CODE_STRING) {
        struct buffer *values = &memory->values[c];
        const struct trace_string **out = &batch->strings[c];
        values->size = 0;
        struct trace_string *to = (struct trace_string *)(void *)buffer_grow(values, raw.count * sizeof *to + 1);
        if (!to)
            return predict_no_memory;
        const uint8_t *at = raw.bytes, *end = at + raw.size;
        for (size_t i = 0; i < raw.count; i++) {
            uint64_t length;
            at = varint_get(at, end, &length);
            if (!at || length > (size_t)(end - at))
                return "has fewer values than the chunk has records";
            to[i] = (struct trace_string){(const char *)at, (size_t)length};
            at += length;
        }
        *out = to;
        return at == end ? NULL : "has more values than the chunk has records";
    }
    if (entry->coding == CODE_BESIDE)
        return decode_beside(memory, c, &raw, &batch->integers[c]);
    if (entry->coding >= CODE_CHAIN) {
        enum column_coding code = entry->coding;
        const uint64_t **out = &batch->integers[c];
        static const enum trace_coding CODINGS[] = {[CODE_CHAIN] = TRACE_CHAIN,
                                                    [CODE_STEP] = TRACE_STEP,
                                                    [CODE_STRIDE] = TRACE_STRIDE,
                                                    [CODE_SAME] = TRACE_SAME};
        memory->values[c].size = 0;
        uint64_t *to = (uint64_t *)(void *)buffer_grow(&memory->values[c], raw.count * sizeof *to + 1);
        if (!to)
            return predict_no_memory;
        if (code != CODE_CHAIN && !memory->keys)
            return "refers to a column that does not exist";
        *out = to;
        return predict_decode(&memory->predictor, CODINGS[code], &raw, memory->keys, to);
    }
    return decode_integers(&memory->values[c], &raw, entry->coding == CODE_DELTA, &batch->integers[c]);
}

/* Walks the directory; every entry's offset is checked, wanted columns are decoded. As trace_read(). */
static int decode_columns(const uint8_t *payload, const struct chunk_header *header, const struct trace_schema *schema,
                          uint64_t columns, struct trace_batch *batch, struct error_text *message)
{
    size_t directory = (size_t)header->column_count * DIRECTORY_ENTRY_BYTES;
    uint64_t offset = directory, wanted = columns;
    struct batch_memory *memory = batch->memory;
    assert(schema->column_count <= TRACE_COLUMNS_MAX);
    /* Columns of predicted codings need the chain column, whether it is wanted or not, and others the time
     * column. */
    uint64_t chains = 0, others = 0, beside = 0;
    for (size_t c = 0; c < schema->column_count; c++) {
        chains |= schema->columns[c].coding == TRACE_CHAIN ? UINT64_C(1) << c : 0;
        others |= schema->columns[c].coding > TRACE_CHAIN ? UINT64_C(1) << c : 0;
        beside |= schema->columns[c].coding == TRACE_BESIDE ? UINT64_C(1) << c : 0;
    }
    columns = wanted | (wanted & others ? chains : 0) | (wanted & beside ? UINT64_C(1) << schema->time_column : 0);
    memory->keys = memory->times = NULL;
    for (size_t c = 0; c < schema->column_count; c++) {
        const char *problem = NULL;
        if (c >= header->column_count) {
            problem = columns >> c & 1 ? decode_absent_column(batch->memory, c, &schema->columns[c], batch) : NULL;
        } else {
            const uint8_t *at = payload + c * DIRECTORY_ENTRY_BYTES;
            struct directory_entry entry =
                (struct directory_entry){at[0], at[1], (uint32_t)bytes_get(at + 4, 4), (uint32_t)bytes_get(at + 8, 4),
                                         (uint32_t)bytes_get(at + 12, 4)};
            if (entry.coding >= CODE_COUNT || entry.packing > PACK_ZSTD)
                return TRACE_NEWER;
            if (entry.stored > header->payload_bytes - offset)
                problem = "extends beyond the chunk";
            else if (columns >> c & 1)
                problem = decode_column(batch->memory, c, &schema->columns[c], &entry, payload + offset, batch);
            offset += entry.stored;
        }
        if (schema->columns[c].coding == TRACE_CHAIN)
            memory->keys = batch->integers[c];
        if (c == schema->time_column)
            memory->times = batch->integers[c];
        if (!(wanted >> c & 1))
            batch->integers[c] = NULL;
        if (problem)
            return error_set(message, problem == predict_no_memory ? TRACE_NO_MEMORY : STATUS_BAD, "column %s %s",
                             schema->columns[c].name, problem);
    }
    return 0;
}

int chunk_decode(const uint8_t *at, const struct chunk_header *header, uint64_t columns, struct trace_batch *batch,
                 struct error_text *message)
{
    const struct trace_schema *schema = trace_schema_of(header->kind);
    if (!schema)
        return TRACE_NEWER;
    if (!batch->memory) {
        struct batch_memory *memory = calloc(1, sizeof *memory);
        if (memory && !(memory->zstd = ZSTD_createDCtx())) {
            free(memory);
            memory = NULL;
        }
        batch->memory = memory;
    }
    if (!batch->memory)
        return error_set(message, TRACE_NO_MEMORY, "out of memory");
    batch->kind = header->kind;
    batch->thread = header->thread;
    batch->count = header->count;
    memset(batch->integers, 0, sizeof batch->integers);
    memset(batch->strings, 0, sizeof batch->strings);
    const uint8_t *payload = at + CHUNK_HEADER_BYTES;
    if (checksum_crc32c(payload, (size_t)header->column_count * DIRECTORY_ENTRY_BYTES) != header->directory_crc)
        return error_set(message, STATUS_BAD, "checksum of the column directory does not match");
    return decode_columns(payload, header, schema, columns, batch, message);
}
