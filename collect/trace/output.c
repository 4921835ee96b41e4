#include "collect/trace/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/checksum.h"

enum { INDEX_ENTRIES = 4096 };

static int put(struct output *output, const void *bytes, size_t size)
{
    errno = 0;
    return size > 0 && fwrite(bytes, 1, size, output->file) != size ? (errno ? errno : EIO) : 0;
}

/* Spaces after the metadata are JSON too. */
static int pad_header(struct buffer *header, size_t spare)
{
    if (!buffer_grow(header, spare))
        return ENOMEM;
    memset(header->data + header->size, ' ', spare);
    header->size += spare;
    size_t length = header->size - FILE_HEADER_BYTES;
    if (length > METADATA_MAX)
        return E2BIG;
    bytes_put(header->data + 12, length, 4);
    bytes_put(header->data + 16, checksum_crc32c(header->data + FILE_HEADER_BYTES, length), 4);
    bytes_put(header->data + 20, checksum_crc32c(header->data, 20), 4);
    return 0;
}

int output_open(struct output *output, const char *path, const json_t *metadata, size_t spare)
{
    *output = (struct output){.last_index = UINT64_MAX, .index = {.kind = TRACE_INDEX}};
    int error = chunk_encoder_init(&output->encoder, 3);
    if (!error)
        error = file_header_encode(metadata, &output->bytes);
    if (!error && spare)
        error = pad_header(&output->bytes, spare);
    if (!error && !(output->file = fopen(path, "we")))
        error = errno;
    output->header_bytes = output->bytes.size;
    return error ? error : put(output, output->bytes.data, output->bytes.size);
}

int output_describe(struct output *output, const json_t *metadata)
{
    output->bytes.size = 0;
    int error = file_header_encode(metadata, &output->bytes);
    if (!error && output->bytes.size > output->header_bytes)
        error = E2BIG;
    if (!error)
        error = pad_header(&output->bytes, output->header_bytes - output->bytes.size);
    if (!error && fseeko(output->file, 0, SEEK_SET) != 0)
        error = errno;
    if (!error)
        error = put(output, output->bytes.data, output->bytes.size);
    if (!error && fseeko(output->file, 0, SEEK_END) != 0)
        error = errno;
    return error;
}

static int put_index(struct output *output)
{
    uint64_t offset = output->offset;
    output->index.link = output->last_index;
    int error = output_rows(output, &output->index);
    output->last_index = offset;
    return error;
}

static int note(struct output *output, const struct trace_chunk *chunk)
{
    uint64_t entry[TRACE_COLUMNS_MAX] = {output->offset, chunk->kind,     chunk->thread,
                                         chunk->count,   chunk->first_ns, chunk->last_ns};
    return rows_add(&output->index, entry, NULL);
}

int output_copy(struct output *output, const uint8_t *bytes, size_t size, const struct trace_chunk *chunk)
{
    int error = put(output, bytes, size);
    if (!error && chunk && chunk->kind != TRACE_INDEX)
        error = note(output, chunk);
    output->offset += size;
    if (!error && output->index.count >= INDEX_ENTRIES && !(chunk && chunk->kind == TRACE_INDEX))
        error = put_index(output);
    return error;
}

static int put_encoded(struct output *output, const struct chunk_columns *columns)
{
    struct trace_chunk chunk = {.kind = columns->kind,
                                .thread = columns->thread,
                                .count = columns->count,
                                .first_ns = columns->first_ns,
                                .last_ns = columns->last_ns};
    return output_copy(output, output->bytes.data, output->bytes.size, &chunk);
}

int output_rows(struct output *output, struct rows *rows)
{
    struct chunk_columns columns;
    output->bytes.size = 0;
    if (rows->count == 0 && rows->kind != TRACE_INDEX)
        return 0;
    if (rows_encode(rows, &output->encoder, &columns, &output->bytes))
        return ENOMEM;
    rows_clear(rows);
    return put_encoded(output, &columns);
}

int output_columns(struct output *output, struct chunk_columns *columns)
{
    output->bytes.size = 0;
    if (chunk_encode(&output->encoder, columns, &output->bytes))
        return ENOMEM;
    return put_encoded(output, columns);
}

int output_replaced(struct output *output, const uint8_t *at, const struct trace_chunk *chunk,
                    const uint64_t *const integers[TRACE_COLUMNS_MAX])
{
    struct chunk_header header;
    output->bytes.size = 0;
    if (!chunk_header_decode(at, chunk->bytes, &header))
        return EIO;
    if (chunk_replace(&output->encoder, at, &header, integers, &output->bytes))
        return ENOMEM;
    return output_copy(output, output->bytes.data, output->bytes.size, chunk);
}

int output_end(struct output *output)
{
    uint8_t trailer[TRAILER_BYTES];
    int error = put_index(output);
    trailer_encode(output->last_index, trailer);
    return error ? error : put(output, trailer, sizeof trailer);
}

int output_close(struct output *output)
{
    int error = output->file && fclose(output->file) != 0 ? errno : 0;
    rows_free(&output->index);
    chunk_encoder_free(&output->encoder);
    buffer_free(&output->bytes);
    return error;
}
