#include "trace/write/output.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/private_fd.h"
#include "base/transfer.h"

enum { INDEX_ENTRIES = 4096, LEVEL = 3 };
static const uint64_t INDEX_NONE = UINT64_MAX;

/* ---------------------------------------------------------------------------- the descriptor -- */

/* It lies out of the low numbers that the measured program counts on, and is looked at before each use, since the
 * program may have closed it or put a file of its own in its place. */
static bool output_is_own_file(const struct output *output)
{
    return private_fd_is(output->fd, output->device, output->inode);
}

/* If there is no capacity above, the low number must do. */
static int output_reopen(const char *path, struct stat *status)
{
    int fd = private_fd_open(path, O_WRONLY | O_NOFOLLOW, status);
    return fd < 0 && errno == EMFILE && lstat(path, status) == 0 ? open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW) : fd;
}

/* Opens the file again if the program has taken its descriptor. */
static int output_check_file(struct output *output)
{
    struct stat status;
    if (output_is_own_file(output))
        return 0;
    int fd = output->fd < 0 ? -1 : output_reopen(output->path, &status);
    if (fd < 0)
        return EBADF;
    if (status.st_dev != output->device || status.st_ino != output->inode) {
        if (private_fd_is_file(fd, &status))
            close(fd);
        return EBADF;
    }
    output->fd = fd;
    return 0;
}

int output_close_file(struct output *output)
{
    int fd = output->fd;
    bool ours = fd >= 0 && output_is_own_file(output);
    output->fd = -1;
    return ours && close(fd) != 0 ? errno : 0;
}

static int output_append(struct output *output, const uint8_t *bytes, size_t size)
{
    uint64_t end = output->header.size + output->offset;
    int error = output_check_file(output);
    if (error)
        return error;
    error = transfer_write_at(output->fd, bytes, size, (off_t)end) ? 0 : errno;
    if (error) {
        /* A partial chunk would hide what comes after it. If this also fails, the next append overwrites it. */
        bool cut = output_check_file(output) == 0 && ftruncate(output->fd, (off_t)end) == 0;
        (void)cut;
        return error;
    }
    output->offset += size;
    return 0;
}

/* ---------------------------------------------------------------------------- the header -- */

/* Spaces after the metadata are JSON too. */
static int output_pad_header(struct buffer *header, size_t spare)
{
    assert(header->size >= FILE_HEADER_BYTES);
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

int output_init(struct output *output, const char *path, const json_t *metadata, size_t spare, int level)
{
    *output = (struct output){.path = strdup(path), .fd = -1, .last_index = INDEX_NONE, .index = {.kind = TRACE_INDEX}};
    int error = output->path ? chunk_encoder_init(&output->encoder, level) : ENOMEM;
    if (!error)
        error = file_header_encode(metadata, &output->header);
    return error || !spare ? error : output_pad_header(&output->header, spare);
}

int output_create(struct output *output, int flags)
{
    struct stat status;
    int fd = open(output->path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0666), error;
    assert(output->fd < 0);
    if (fd < 0)
        return errno;
    if (fstat(fd, &status) != 0) {
        error = errno;
        close(fd);
        return error;
    }
    if ((fd = private_fd_move(fd, private_fd_is_file, &status)) < 0)
        fd = output_reopen(output->path, &status);
    if (fd < 0)
        return errno;
    output->device = status.st_dev;
    output->inode = status.st_ino;
    output->fd = fd;
    error = transfer_write_at(output->fd, output->header.data, output->header.size, 0) ? 0 : errno;
    if (error) {
        output_close_file(output);
        unlink(output->path);
    }
    return error;
}

int output_open(struct output *output, const char *path, const json_t *metadata, size_t spare)
{
    int error = output_init(output, path, metadata, spare, LEVEL);
    return error ? error : output_create(output, O_TRUNC);
}

int output_describe(struct output *output, const json_t *metadata)
{
    output->bytes.size = 0;
    int error = file_header_encode(metadata, &output->bytes);
    if (!error && output->bytes.size > output->header.size)
        error = E2BIG;
    if (!error)
        error = output_pad_header(&output->bytes, output->header.size - output->bytes.size);
    if (!error)
        error = output_check_file(output);
    if (!error && !transfer_write_at(output->fd, output->bytes.data, output->bytes.size, 0))
        error = errno;
    return error;
}

/* ---------------------------------------------------------------------------- chunks -- */

static int output_put_index(struct output *output)
{
    uint64_t offset = output->offset;
    output->index.link = output->last_index;
    int error = output_rows(output, &output->index);
    if (output->offset != offset)
        output->last_index = offset;
    return error;
}

int output_copy(struct output *output, const uint8_t *bytes, size_t size, const struct trace_chunk *chunk)
{
    uint64_t offset = output->offset;
    int error = output_append(output, bytes, size);
    assert(!chunk || size >= CHUNK_HEADER_BYTES);
    if (error || !chunk || chunk->kind == TRACE_INDEX)
        return error;
    uint64_t entry[TRACE_COLUMNS_MAX] = {offset,       chunk->kind,     chunk->thread,
                                         chunk->count, chunk->first_ns, chunk->last_ns};
    error = chunk_rows_add(&output->index, entry, NULL);
    return !error && output->index.count >= INDEX_ENTRIES ? output_put_index(output) : error;
}

/* Appends what has been encoded into output->bytes, unless that failed. */
static int output_put_encoded(struct output *output, int failed, const struct chunk_columns *columns)
{
    struct trace_chunk chunk = {.kind = columns->kind,
                                .thread = columns->thread,
                                .count = columns->count,
                                .first_ns = columns->first_ns,
                                .last_ns = columns->last_ns};
    assert(failed || output->bytes.size >= CHUNK_HEADER_BYTES);
    output->bytes.failed = false;
    return failed ? ENOMEM : output_copy(output, output->bytes.data, output->bytes.size, &chunk);
}

int output_rows(struct output *output, struct chunk_rows *rows)
{
    struct chunk_columns columns;
    uint64_t offset = output->offset;
    if (rows->count == 0)
        return 0;
    output->bytes.size = 0;
    int error =
        output_put_encoded(output, chunk_rows_encode(rows, &output->encoder, &columns, &output->bytes), &columns);
    if (output->offset != offset)
        chunk_rows_clear(rows);
    return error;
}

int output_columns(struct output *output, struct chunk_columns *columns)
{
    output->bytes.size = 0;
    return output_put_encoded(output, chunk_encode(&output->encoder, columns, &output->bytes), columns);
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
    int error = output_put_index(output); /* without a chunk behind it, the one before it, or none, is the last */
    trailer_encode(output->last_index, trailer);
    return error ? error : output_append(output, trailer, sizeof trailer);
}

int output_close(struct output *output)
{
    int error = output_close_file(output);
    chunk_rows_free(&output->index);
    chunk_encoder_free(&output->encoder);
    buffer_free(&output->bytes);
    buffer_free(&output->header);
    free(output->path);
    return error;
}
