#include "table/read/rows_source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lz4frame.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "base/transfer.h"

enum { SOURCE_BYTES = 1 << 17, XZ_MEMORY_MAX = 1 << 28 };

struct rows_source {
    int fd;
    bool ended;  /* the file has no more bytes than those available */
    bool inside; /* a gz member, or a frame or stream of another format, that has begun but not ended */
    int (*read)(struct rows_source *source, char *buffer, size_t size, size_t *length, struct error_text *message);
    /* One step of decompression; NULL: not compressed. */
    int (*step)(struct rows_source *source, char *buffer, size_t size, size_t *length, struct error_text *message);
    const char *packed_by; /* "gz" */
    z_stream gz;
    ZSTD_DStream *zst;
    LZ4F_dctx *lz4;
    lzma_stream xz;
    size_t at, length; /* the unused part of bytes */
    unsigned char bytes[SOURCE_BYTES];
};

/* Reads more bytes, if none are left. */
static int source_refill(struct rows_source *source, struct error_text *message)
{
    if (source->at < source->length || source->ended)
        return STATUS_GOOD;
    ssize_t got = transfer_read_some(source->fd, source->bytes, SOURCE_BYTES);
    if (got < 0)
        return error_set(message, STATUS_BAD, "%s", strerror(errno));
    source->at = 0;
    source->length = (size_t)got;
    source->ended = got == 0;
    return STATUS_GOOD;
}

static int source_read_plain(struct rows_source *source, char *buffer, size_t size, size_t *length,
                             struct error_text *message)
{
    size_t known = source->length - source->at;
    if (known > size)
        known = size;
    memcpy(buffer, source->bytes + source->at, known);
    source->at += known;
    *length = known;
    while (*length < size && !source->ended) {
        ssize_t got = transfer_read_some(source->fd, buffer + *length, size - *length);
        if (got < 0)
            return error_set(message, STATUS_BAD, "%s", strerror(errno));
        *length += (size_t)got;
        source->ended = got == 0;
    }
    return STATUS_GOOD;
}

/* Members follow each other, and zeros may pad the last. */
static int source_step_gz(struct rows_source *source, char *buffer, size_t size, size_t *length,
                          struct error_text *message)
{
    z_stream *gz = &source->gz;
    if (!source->inside && source->bytes[source->at] == 0) {
        source->at++;
        return STATUS_GOOD;
    }
    if (!source->inside && inflateReset(gz) != Z_OK)
        return error_set(message, STATUS_BAD, "out of memory");
    source->inside = true;
    gz->next_in = source->bytes + source->at;
    gz->avail_in = (unsigned)(source->length - source->at);
    gz->next_out = (unsigned char *)buffer + *length;
    gz->avail_out = size - *length < UINT_MAX ? (unsigned)(size - *length) : UINT_MAX;
    int status = inflate(gz, Z_NO_FLUSH);
    source->at = source->length - gz->avail_in;
    *length = (size_t)((char *)gz->next_out - buffer);
    source->inside = status != Z_STREAM_END;
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
        return error_set(message, STATUS_BAD, "the gz data is damaged: %s", gz->msg ? gz->msg : "no reason given");
    return STATUS_GOOD;
}

static int source_step_zst(struct rows_source *source, char *buffer, size_t size, size_t *length,
                           struct error_text *message)
{
    ZSTD_inBuffer in = {source->bytes, source->length, source->at};
    ZSTD_outBuffer out = {buffer, size, *length};
    size_t wanted = ZSTD_decompressStream(source->zst, &out, &in);
    source->at = in.pos;
    *length = out.pos;
    source->inside = wanted != 0;
    if (ZSTD_isError(wanted))
        return error_set(message, STATUS_BAD, "the zst data is damaged: %s", ZSTD_getErrorName(wanted));
    return STATUS_GOOD;
}

static int source_step_lz4(struct rows_source *source, char *buffer, size_t size, size_t *length,
                           struct error_text *message)
{
    size_t written = size - *length, used = source->length - source->at;
    size_t wanted = LZ4F_decompress(source->lz4, buffer + *length, &written, source->bytes + source->at, &used, NULL);
    if (LZ4F_isError(wanted))
        return error_set(message, STATUS_BAD, "the lz4 data is damaged: %s", LZ4F_getErrorName(wanted));
    source->at += used;
    *length += written;
    source->inside = wanted != 0;
    return STATUS_GOOD;
}

/* Streams follow each other, with zeros between them. */
static int source_step_xz(struct rows_source *source, char *buffer, size_t size, size_t *length,
                          struct error_text *message)
{
    lzma_stream *xz = &source->xz;
    xz->next_in = source->bytes + source->at;
    xz->avail_in = source->length - source->at;
    xz->next_out = (unsigned char *)buffer + *length;
    xz->avail_out = size - *length;
    lzma_ret status = lzma_code(xz, source->ended ? LZMA_FINISH : LZMA_RUN);
    source->at = source->length - xz->avail_in;
    *length = size - xz->avail_out;
    source->inside = status != LZMA_STREAM_END;
    if (status == LZMA_MEM_ERROR || status == LZMA_MEMLIMIT_ERROR)
        return error_set(message, STATUS_BAD, "the xz data needs too much memory");
    if (status != LZMA_OK && status != LZMA_STREAM_END && status != LZMA_BUF_ERROR)
        return error_set(message, STATUS_BAD, "the xz data is damaged");
    return STATUS_GOOD;
}

/* At the end of the file the decompressor may still hold bytes: it is cut only if a step then yields none. */
static int source_read_packed(struct rows_source *source, char *buffer, size_t size, size_t *length,
                              struct error_text *message)
{
    *length = 0;
    while (*length < size) {
        int status = source_refill(source, message);
        if (status)
            return status;
        bool dry = source->at == source->length;
        size_t before = *length;
        if (dry && !source->inside)
            return STATUS_GOOD;
        status = source->step(source, buffer, size, length, message);
        if (status)
            return status;
        if (dry && source->inside && *length == before)
            return error_set(message, STATUS_BAD, "the %s data is cut: it ends too early", source->packed_by);
    }
    return STATUS_GOOD;
}

/* What makes the state of a decompressor; false without memory. */
static bool source_init_gz(struct rows_source *source)
{
    source->step = source_step_gz;
    return inflateInit2(&source->gz, 15 + 16) == Z_OK;
}

static bool source_init_zst(struct rows_source *source)
{
    source->step = source_step_zst;
    source->zst = ZSTD_createDStream();
    return source->zst != NULL;
}

static bool source_init_lz4(struct rows_source *source)
{
    source->step = source_step_lz4;
    return !LZ4F_isError(LZ4F_createDecompressionContext(&source->lz4, LZ4F_VERSION));
}

static bool source_init_xz(struct rows_source *source)
{
    source->step = source_step_xz;
    return lzma_stream_decoder(&source->xz, XZ_MEMORY_MAX, LZMA_CONCATENATED) == LZMA_OK;
}

static int source_choose_decoder(struct rows_source *source, struct error_text *message)
{
    static const struct {
        const char *magic, *name;
        size_t length;
        bool (*init)(struct rows_source *source);
    } packers[] = {{"\x1f\x8b", "gz", 2, source_init_gz},
                   {"\x28\xb5\x2f\xfd", "zst", 4, source_init_zst},
                   {"\x04\x22\x4d\x18", "lz4", 4, source_init_lz4},
                   {"\xfd"
                    "7zXZ",
                    "xz", 5, source_init_xz}};
    /* A pipe may give its first bytes one by one. */
    while (source->length < 16 && !source->ended) {
        ssize_t got = transfer_read_some(source->fd, source->bytes + source->length, SOURCE_BYTES - source->length);
        if (got < 0)
            return error_set(message, STATUS_BAD, "%s", errno == EISDIR ? "is a directory" : strerror(errno));
        source->length += (size_t)got;
        source->ended = got == 0;
    }
    /* Other formats with a magic number are named, since their bytes would look like a strange header. */
    size_t length = source->length;
    static const struct {
        const char *magic, *what;
        size_t length;
    } others[] = {{"BZh", "is packed by bzip2; unpack it (bzip2 -dc) into a pipe", 3},
                  {"PK\3\4", "is a zip archive (a spreadsheet?); export the table as CSV", 4},
                  {"PAR1", "is a Parquet file; export the table as CSV", 4},
                  {"SQLite format 3", "is an SQLite database; export the table as CSV", 15}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (length >= others[i].length && memcmp(source->bytes, others[i].magic, others[i].length) == 0)
            return error_set(message, STATUS_BAD, "%s", others[i].what);
    source->read = source_read_plain;
    for (size_t i = 0; i < sizeof packers / sizeof *packers; i++) {
        if (source->length < packers[i].length || memcmp(source->bytes, packers[i].magic, packers[i].length) != 0)
            continue;
        source->read = source_read_packed;
        source->packed_by = packers[i].name;
        if (!packers[i].init(source))
            return error_set(message, STATUS_BAD, "out of memory");
    }
    return STATUS_GOOD;
}

int rows_source_take(int fd, struct rows_source **source, struct error_text *message)
{
    struct rows_source *fresh = calloc(1, sizeof *fresh);
    if (!fresh) {
        close(fd);
        return error_set(message, STATUS_BAD, "out of memory");
    }
    fresh->fd = fd;
    int status = source_choose_decoder(fresh, message);
    if (status)
        rows_source_close(fresh);
    else
        *source = fresh;
    return status;
}

int rows_source_open(const char *path, struct rows_source **source, struct error_text *message)
{
    int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? error_set(message, STATUS_BAD, "%s", strerror(errno)) : rows_source_take(fd, source, message);
}

int rows_source_read(struct rows_source *source, char *buffer, size_t size, size_t *length, struct error_text *message)
{
    return source->read(source, buffer, size, length, message);
}

void rows_source_close(struct rows_source *source)
{
    if (!source)
        return;
    inflateEnd(&source->gz); /* refuses what was never begun */
    ZSTD_freeDStream(source->zst);
    LZ4F_freeDecompressionContext(source->lz4);
    lzma_end(&source->xz);
    if (source->fd > STDIN_FILENO)
        close(source->fd);
    free(source);
}
