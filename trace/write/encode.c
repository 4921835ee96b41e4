#include "trace/format/chunk.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "trace/format/predict.h"

int chunk_encoder_init(struct chunk_encoder *encoder, int level)
{
    *encoder = (struct chunk_encoder){.level = level, .zstd = ZSTD_createCCtx()};
    return encoder->zstd ? 0 : ENOMEM;
}

void chunk_encoder_free(struct chunk_encoder *encoder)
{
    ZSTD_freeCCtx(encoder->zstd);
    predictor_free(encoder->predictor);
    buffer_free(&encoder->raw);
}

/* Whether most of the examined rows differ less from the previous row after subtracting the time. */
static bool encode_follows_time(const uint64_t *values, const uint64_t *times, size_t count)
{
    enum { LOOK = 1024 };
    size_t rows = count < LOOK ? count : LOOK, nearer = 0;
    for (size_t i = 1; i < rows; i++) {
        uint64_t step = values[i] - values[i - 1], time = times[i] - times[i - 1];
        nearer += zigzag_encode(step - time) < zigzag_encode(step);
    }
    return nearer > rows / 2;
}

/* Encodes the column into encoder->raw, and chooses its coding. */
static int encode_raw(struct chunk_encoder *encoder, const struct chunk_columns *columns,
                      const struct trace_schema *schema, size_t c, enum column_coding *coding)
{
    static const enum column_coding CODES[] = {CODE_PLAIN, CODE_DELTA,  CODE_BESIDE, CODE_CHAIN,
                                               CODE_STEP,  CODE_STRIDE, CODE_SAME};
    enum trace_coding wanted = schema->columns[c].coding;
    const uint64_t *values = columns->integers[c], *keys = NULL; /* the chain column, which other codings use */
    for (size_t chain = schema->column_count; chain-- > 0;)
        if (schema->columns[chain].coding == TRACE_CHAIN)
            keys = columns->integers[chain];
    if (!predict_fits(wanted, values, columns->count))
        wanted = TRACE_PLAIN;
    const uint64_t *times = wanted == TRACE_BESIDE ? columns->integers[schema->time_column] : NULL;
    *coding = times && !encode_follows_time(values, times, columns->count) ? CODE_DELTA : CODES[wanted];
    encoder->raw.size = 0;
    if (wanted < TRACE_CHAIN) {
        /* Integers become varints, minus their times in the coding `beside`. */
        size_t count = columns->count;
        enum column_coding chosen = *coding;
        uint8_t *start =
            buffer_grow(&encoder->raw, count * VARINT_MAX + 1); /* an empty column does not mean lack of memory */
        if (!start)
            return ENOMEM;
        uint8_t *at = start;
        uint64_t before = 0;
        for (size_t i = 0; i < count; i++) {
            uint64_t value = chosen == CODE_BESIDE ? values[i] - times[i] : values[i];
            at = varint_put(at, chosen == CODE_PLAIN ? value : zigzag_encode(value - before));
            before = value;
        }
        encoder->raw.size = (size_t)(at - start);
        return 0;
    }
    return predict_encode(&encoder->predictor, wanted, values, keys, columns->count, &encoder->raw);
}

/* One column: its bytes to the end of *out and its directory entry at out->data[entry]. */
static int encode_column(struct chunk_encoder *encoder, const struct chunk_columns *columns,
                         const struct trace_schema *schema, size_t c, struct buffer *out, size_t entry)
{
    enum column_coding coding = CODE_STRING;
    const struct buffer *raw = schema->columns[c].type == TRACE_STRING ? columns->strings[c] : &encoder->raw;
    if (raw == &encoder->raw && encode_raw(encoder, columns, schema, c, &coding))
        return ENOMEM;

    /* Compressed, if that makes it smaller. */
    size_t start = out->size, bound = ZSTD_compressBound(raw->size);
    uint8_t *to = buffer_grow(out, bound);
    if (!to)
        return ENOMEM;
    size_t stored = ZSTD_compressCCtx(encoder->zstd, to, bound, raw->data, raw->size, encoder->level);
    enum column_packing packing = PACK_ZSTD;
    if (ZSTD_isError(stored) || stored >= raw->size) {
        if (raw->size > 0)
            memcpy(to, raw->data, raw->size);
        stored = raw->size;
        packing = PACK_NONE;
    }
    out->size += stored;

    uint8_t *at = out->data + entry;
    at[0] = (uint8_t)coding;
    at[1] = (uint8_t)packing;
    bytes_put(at + 2, 0, 2);
    bytes_put(at + 4, raw->size, 4);
    bytes_put(at + 8, stored, 4);
    bytes_put(at + 12, checksum_crc32c(out->data + start, stored), 4);
    return 0;
}

static void encode_header(uint8_t *at, const struct chunk_columns *columns, size_t column_count, size_t payload,
                          uint32_t directory_crc)
{
    bytes_put(at, CHUNK_MAGIC, 4);
    at[4] = (uint8_t)columns->kind;
    at[5] = (uint8_t)column_count;
    bytes_put(at + 6, 0, 2);
    bytes_put(at + 8, columns->thread, 4);
    bytes_put(at + 12, columns->count, 4);
    bytes_put(at + 16, columns->first_ns, 8);
    bytes_put(at + 24, columns->last_ns, 8);
    bytes_put(at + 32, payload, 4);
    bytes_put(at + 36, directory_crc, 4);
    bytes_put(at + 40, checksum_crc32c(at, 40), 4);
}

int chunk_encode(struct chunk_encoder *encoder, struct chunk_columns *columns, struct buffer *out)
{
    const struct trace_schema *schema = trace_schema_of(columns->kind);
    assert(schema && columns->column_count <= schema->column_count);
    size_t column_count = columns->column_count ? columns->column_count : schema->column_count;
    size_t start = out->size, directory = column_count * DIRECTORY_ENTRY_BYTES;
    if (!buffer_grow(out, CHUNK_HEADER_BYTES + directory))
        return ENOMEM;
    out->size += CHUNK_HEADER_BYTES + directory;
    for (size_t c = 0; c < column_count; c++)
        if (encode_column(encoder, columns, schema, c, out, start + CHUNK_HEADER_BYTES + c * DIRECTORY_ENTRY_BYTES)) {
            out->size = start;
            return ENOMEM;
        }
    if (schema->time_column != SIZE_MAX && columns->count > 0) {
        const uint64_t *times = columns->integers[schema->time_column];
        columns->first_ns = times[0];
        columns->last_ns = times[columns->count - 1];
    }
    uint8_t *header = out->data + start;
    encode_header(header, columns, column_count, out->size - start - CHUNK_HEADER_BYTES,
                  checksum_crc32c(header + CHUNK_HEADER_BYTES, directory));
    return 0;
}

int chunk_replace(struct chunk_encoder *encoder, const uint8_t *at, const struct chunk_header *header,
                  const uint64_t *const integers[TRACE_COLUMNS_MAX], struct buffer *out)
{
    const struct trace_schema *schema = trace_schema_of(header->kind);
    struct chunk_columns columns = {.kind = header->kind,
                                    .thread = header->thread,
                                    .count = header->count,
                                    .first_ns = header->first_ns,
                                    .last_ns = header->last_ns};
    size_t column_count = header->column_count < schema->column_count ? header->column_count : schema->column_count;
    size_t start = out->size, directory = column_count * DIRECTORY_ENTRY_BYTES, entry = start + CHUNK_HEADER_BYTES;
    const uint8_t *old = at + CHUNK_HEADER_BYTES, *stored = old + header->column_count * DIRECTORY_ENTRY_BYTES;
    memcpy(columns.integers, integers, sizeof columns.integers);
    if (!buffer_grow(out, CHUNK_HEADER_BYTES + directory))
        return ENOMEM;
    out->size += CHUNK_HEADER_BYTES + directory;
    for (size_t c = 0; c < column_count; c++, old += DIRECTORY_ENTRY_BYTES, entry += DIRECTORY_ENTRY_BYTES) {
        uint32_t bytes = (uint32_t)bytes_get(old + 8, 4);
        bool good;
        if (integers[c]) {
            good = encode_column(encoder, &columns, schema, c, out, entry) == 0;
        } else { /* copies the column as it is stored */
            buffer_add(out, stored, bytes);
            good = !out->failed;
            if (good)
                memcpy(out->data + entry, old, DIRECTORY_ENTRY_BYTES);
        }
        if (!good) {
            out->size = start;
            return ENOMEM;
        }
        stored += bytes;
    }
    encode_header(out->data + start, &columns, column_count, out->size - start - CHUNK_HEADER_BYTES,
                  checksum_crc32c(out->data + start + CHUNK_HEADER_BYTES, directory));
    return 0;
}

int file_header_encode(const json_t *metadata, struct buffer *out)
{
    char *text = json_dumps(metadata, JSON_COMPACT);
    if (!text)
        return ENOMEM;
    size_t length = strlen(text);
    int status = length > METADATA_MAX ? E2BIG : 0;
    if (!status) {
        uint8_t header[FILE_HEADER_BYTES] = FILE_MAGIC;
        bytes_put(header + 8, TRACE_MAJOR, 2);
        bytes_put(header + 10, TRACE_MINOR, 2);
        bytes_put(header + 12, length, 4);
        bytes_put(header + 16, checksum_crc32c(text, length), 4);
        bytes_put(header + 20, checksum_crc32c(header, 20), 4);
        buffer_add(out, header, sizeof header);
        buffer_add(out, text, length);
        status = out->failed ? ENOMEM : 0;
    }
    free(text);
    return status;
}

void trailer_encode(uint64_t index_offset, uint8_t out[TRAILER_BYTES])
{
    memcpy(out, TRAILER_MAGIC, 8);
    bytes_put(out + 8, index_offset, 8);
    bytes_put(out + 16, 0, 4);
    bytes_put(out + 20, checksum_crc32c(out, 20), 4);
}
