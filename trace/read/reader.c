#include "trace/trace.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/grow.h"
#include "trace/format/chunk.h"

enum { FORGET_BYTES = 1 << 22 };

struct trace {
    char *path;
    const uint8_t *data;
    uint64_t size;
    uint64_t start; /* of the first chunk */
    json_t *metadata;
    struct trace_chunk *chunks;
    size_t chunk_count, chunk_capacity;
    uint64_t walked; /* everything before has been released during the search for chunks */
    struct trace_loss loss;
};

/* Releases these bytes' pages: otherwise resident memory would grow with the trace. They can be read again. */
static void trace_release_pages(const struct trace *trace, uint64_t from, uint64_t to)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), data = (uintptr_t)trace->data;
    uintptr_t first = (data + from) & ~(page - 1), end = (data + to) & ~(page - 1);
    assert(from <= to && to <= trace->size);
    if (end > first)
        madvise((void *)first, end - first, MADV_DONTNEED);
}

/* ---------------------------------------------------------------------------------------- the chunk table -- */

static int trace_add_chunk(struct trace *trace, const struct trace_chunk *chunk)
{
    assert(chunk->offset >= trace->start && chunk->bytes <= trace->size - chunk->offset);
    struct trace_chunk *chunks = grow_unset(trace->chunks, &trace->chunk_capacity, trace->chunk_count, sizeof *chunks);
    if (!chunks)
        return -1;
    trace->chunks = chunks;
    trace->chunks[trace->chunk_count++] = *chunk;
    if (chunk->offset > trace->walked + FORGET_BYTES) { /* each header has loaded the pages around it */
        trace_release_pages(trace, trace->walked, chunk->offset);
        trace->walked = chunk->offset;
    }
    return 0;
}

static struct trace_chunk trace_chunk_from_header(uint64_t offset, const struct chunk_header *header)
{
    return (struct trace_chunk){offset,         CHUNK_HEADER_BYTES + header->payload_bytes,
                                header->kind,   header->thread,
                                header->count,  header->first_ns,
                                header->last_ns};
}

/* The next position at which a chunk or a trailer can be read, after damage at `from`. */
static uint64_t trace_resynchronise(const struct trace *trace, uint64_t from)
{
    const uint8_t *at = trace->data + from, *end = trace->data + trace->size;
    struct chunk_header header;
    uint64_t index;
    assert(from < trace->size);
    for (at++; at < end; at++) {
        at = memmem(at, (size_t)(end - at), "CHN", 3);
        if (!at)
            break;
        if (chunk_header_decode(at, (uint64_t)(end - at), &header))
            return (uint64_t)(at - trace->data);
    }
    if (trace->size >= from + TRAILER_BYTES && trailer_decode(end - TRAILER_BYTES, &index))
        return trace->size - TRAILER_BYTES;
    return trace->size;
}

/* Finds the chunks by going from header to header. */
static int trace_walk_chunks(struct trace *trace)
{
    uint64_t at = trace->start, index;
    struct chunk_header header;
    while (at < trace->size) {
        uint64_t left = trace->size - at;
        if (left >= TRAILER_BYTES && trailer_decode(trace->data + at, &index)) {
            at += TRAILER_BYTES;
        } else if (chunk_header_decode(trace->data + at, left, &header)) {
            struct trace_chunk chunk = trace_chunk_from_header(at, &header);
            if (chunk.kind != TRACE_INDEX && trace_add_chunk(trace, &chunk))
                return -1;
            at += chunk.bytes;
        } else {
            uint64_t next = trace_resynchronise(trace, at);
            if (trace->loss.bytes == 0 && trace->loss.chunks == 0)
                error_set(&trace->loss.first, STATUS_BAD, "%s at byte %" PRIu64,
                          next == trace->size ? "an unfinished or damaged chunk" : "a damaged chunk", at);
            trace->loss.bytes += next - at;
            at = next;
        }
    }
    return 0;
}

/* The chunks that one index chunk lists, in file order, checked against the headers at these positions. */
static int trace_read_index(struct trace *trace, uint64_t offset, const struct chunk_header *index, uint64_t limit)
{
    assert(offset < limit && limit <= trace->size);
    struct trace_batch batch = {0};
    struct error_text message;
    int status = chunk_decode(trace->data + offset, index, TRACE_ALL_COLUMNS, &batch, &message);
    for (size_t i = 0; status == 0 && i < batch.count; i++) {
        uint64_t at = trace->start + batch.integers[INDEX_OFFSET][i];
        struct chunk_header header;
        if (at < trace->start || at >= limit || !chunk_header_decode(trace->data + at, trace->size - at, &header) ||
            header.kind != batch.integers[INDEX_KIND][i] || header.count != batch.integers[INDEX_COUNT][i]) {
            status = -1;
            break;
        }
        struct trace_chunk chunk = trace_chunk_from_header(at, &header);
        status = trace_add_chunk(trace, &chunk) ? TRACE_NO_MEMORY : 0;
    }
    trace_batch_free(&batch);
    trace->loss.no_memory |= status == TRACE_NO_MEMORY;
    return status;
}

static int trace_compare_offsets(const void *a, const void *b)
{
    const struct trace_chunk *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Follows the indexes from the last to the first. Returns false if any part of them can't be trusted. */
static bool trace_read_indexes(struct trace *trace)
{
    uint64_t offset, limit = trace->size;
    if (trace->size < trace->start + TRAILER_BYTES ||
        !trailer_decode(trace->data + trace->size - TRAILER_BYTES, &offset))
        return false;
    while (offset != UINT64_MAX) {
        struct chunk_header header;
        uint64_t at = trace->start + offset;
        if (at < trace->start || at >= limit || !chunk_header_decode(trace->data + at, trace->size - at, &header) ||
            header.kind != TRACE_INDEX || trace_read_index(trace, at, &header, limit) != 0) {
            trace->chunk_count = 0;
            return false;
        }
        limit = at;
        offset = header.first_ns;
    }
    if (trace->chunk_count > 0)
        qsort(trace->chunks, trace->chunk_count, sizeof *trace->chunks, trace_compare_offsets);
    return true;
}

/* Bytes between chunks that no index lists would be unaccounted for. */
static bool trace_indexes_cover_file(const struct trace *trace)
{
    uint64_t at = trace->start, index;
    struct chunk_header header;
    assert(trace->start <= trace->size);
    for (size_t i = 0; i <= trace->chunk_count; i++) {
        uint64_t next = i < trace->chunk_count ? trace->chunks[i].offset : trace->size;
        while (at < next) {
            uint64_t left = trace->size - at;
            if (left >= TRAILER_BYTES && trailer_decode(trace->data + at, &index))
                at += TRAILER_BYTES;
            else if (chunk_header_decode(trace->data + at, left, &header) && header.kind == TRACE_INDEX)
                at += CHUNK_HEADER_BYTES + header.payload_bytes;
            else
                return false;
        }
        if (i < trace->chunk_count)
            at += trace->chunks[i].bytes;
    }
    return at == trace->size;
}

static int trace_find_chunks(struct trace *trace)
{
    uint64_t index;
    bool ended = trace->size >= trace->start + TRAILER_BYTES &&
                 trailer_decode(trace->data + trace->size - TRAILER_BYTES, &index);
    trace->loss.unfinished = !ended;
    if (ended && trace_read_indexes(trace) && trace_indexes_cover_file(trace))
        return 0;
    trace->chunk_count = 0;
    int status = trace->loss.no_memory ? -1 : trace_walk_chunks(trace);
    if (ended && trace->loss.bytes == 0) {
        /* Every chunk header is good, so the index itself is damaged: no data is lost. */
        trace->loss.chunks++;
        error_set(&trace->loss.first, STATUS_BAD, "the index is damaged; the chunks were found without it");
    }
    return status;
}

/* ---------------------------------------------------------------------------------------- opening -- */

bool trace_has_magic(const void *head, size_t length)
{
    return length >= TRACE_MAGIC_BYTES && memcmp(head, FILE_MAGIC, TRACE_MAGIC_BYTES) == 0;
}

static int trace_read_header(struct trace *trace, struct error_text *message)
{
    const uint8_t *header = trace->data;
    if (!trace_has_magic(header, trace->size))
        return error_set(message, STATUS_BAD,
                         "is not an assay trace (it doesn't begin with \"" FILE_MAGIC
                         "\"); `assay record` writes traces");
    /* The version is checked before the checksum: a newer major version may lay out the rest differently. */
    unsigned major = trace->size < FILE_HEADER_BYTES ? TRACE_MAJOR : (unsigned)bytes_get(header + 8, 2);
    if (major > TRACE_MAJOR)
        return error_set(message, STATUS_BAD, "has format version %u; this program reads version %d: use a newer assay",
                         major, TRACE_MAJOR);
    if (trace->size < FILE_HEADER_BYTES || major == 0 || bytes_get(header + 20, 4) != checksum_crc32c(header, 20))
        return error_set(message, STATUS_BAD, "the file header (byte 0) is cut or damaged: nothing can be read");
    uint64_t length = bytes_get(header + 12, 4);
    if (length > METADATA_MAX || length > trace->size - FILE_HEADER_BYTES ||
        checksum_crc32c(header + FILE_HEADER_BYTES, length) != bytes_get(header + 16, 4))
        return error_set(message, STATUS_BAD, "the metadata (byte %d) is cut or damaged: nothing can be read",
                         FILE_HEADER_BYTES);
    trace->start = FILE_HEADER_BYTES + length;
    json_error_t error;
    trace->metadata = json_loadb((const char *)header + FILE_HEADER_BYTES, length, 0, &error);
    if (!json_is_object(trace->metadata))
        return error_set(message, STATUS_BAD, "the metadata is not a JSON object: %s", error.text);
    return 0;
}

int trace_open(const char *path, struct trace **out, struct error_text *message)
{
    return trace_open_named(path, path, out, message);
}

int trace_open_named(const char *path, const char *name, struct trace **out, struct error_text *message)
{
    struct trace *trace = calloc(1, sizeof *trace);
    if (!trace || !(trace->path = strdup(name))) {
        free(trace);
        return error_set(message, STATUS_BAD, "out of memory");
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info;
    if (fd < 0 || fstat(fd, &info) != 0) {
        error_set(message, STATUS_BAD, "%s", strerror(errno));
    } else if (S_ISDIR(info.st_mode)) {
        error_set(message, STATUS_BAD, "is a directory; name its traces: %s/*.trace", path);
    } else if (!S_ISREG(info.st_mode)) {
        error_set(message, STATUS_BAD,
                  "is not a regular file; a trace must be one, since it is read from several places");
    } else if (info.st_size == 0) {
        error_set(message, STATUS_BAD, "is empty: nothing was recorded in it");
    } else {
        trace->size = (uint64_t)info.st_size;
        void *data = mmap(NULL, trace->size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data == MAP_FAILED)
            error_set(message, STATUS_BAD, "can't be mapped: %s", strerror(errno));
        else
            trace->data = data;
    }
    if (fd >= 0)
        close(fd);
    if (!trace->data || trace_read_header(trace, message)) {
        trace_close(trace);
        return STATUS_BAD;
    }
    int status = trace_find_chunks(trace);
    for (size_t i = 0; i < trace->chunk_count; i++)
        trace->loss.unknown_chunks += trace_schema_of(trace->chunks[i].kind) == NULL;
    if (status) {
        trace_close(trace);
        return error_set(message, STATUS_BAD, "out of memory");
    }
    *out = trace;
    return 0;
}

void trace_close(struct trace *trace)
{
    if (!trace)
        return;
    if (trace->data)
        munmap((void *)(uintptr_t)trace->data, trace->size);
    json_decref(trace->metadata);
    free(trace->chunks);
    free(trace->path);
    free(trace);
}

/* ---------------------------------------------------------------------------------------- looking inside -- */

const char *trace_path(const struct trace *trace)
{
    return trace->path;
}

const json_t *trace_metadata(const struct trace *trace)
{
    return trace->metadata;
}

uint64_t trace_size_bytes(const struct trace *trace)
{
    return trace->size;
}

const uint8_t *trace_bytes(const struct trace *trace)
{
    return trace->data;
}

bool trace_has_index(const struct trace *trace)
{
    return !trace->loss.unfinished;
}

size_t trace_chunk_count(const struct trace *trace)
{
    return trace->chunk_count;
}

const struct trace_chunk *trace_chunk_at(const struct trace *trace, size_t i)
{
    assert(i < trace->chunk_count);
    return &trace->chunks[i];
}

/* Releases what was read into a batch, 4 MB at once: each release costs a system call, and stops all threads. */
static void trace_release_read(const struct trace *trace, const struct trace_chunk *chunk, struct trace_batch *batch)
{
    uint64_t end = chunk->offset + chunk->bytes;
    if (batch->held != trace || chunk->offset < batch->held_to) {
        if (batch->held == trace && batch->held_to <= trace->size)
            trace_release_pages(trace, batch->held_from, batch->held_to);
        batch->held = trace;
        batch->held_from = chunk->offset;
    }
    batch->held_to = end;
    if (end - batch->held_from >= FORGET_BYTES) {
        trace_release_pages(trace, batch->held_from, end);
        batch->held_from = end;
    }
}

int trace_read(const struct trace *trace, size_t i, uint64_t columns, struct trace_batch *batch,
               struct error_text *message)
{
    assert(i < trace->chunk_count);
    const struct trace_chunk *chunk = &trace->chunks[i];
    struct chunk_header header;
    char location[64];
    snprintf(location, sizeof location, "chunk %zu at byte %" PRIu64, i, chunk->offset);
    if (!chunk_header_decode(trace->data + chunk->offset, trace->size - chunk->offset, &header))
        return error_set(message, STATUS_BAD, "%s: its header has changed since the file was opened", location);
    int status = chunk_decode(trace->data + chunk->offset, &header, columns, batch, message);
    batch->chunk = i;
    trace_release_read(trace, chunk, batch);
    if (status == STATUS_BAD)
        error_prefix(message, location);
    return status;
}

void trace_forget(const struct trace *trace, size_t i)
{
    assert(i < trace->chunk_count);
    trace_release_pages(trace, trace->chunks[i].offset, trace->chunks[i].offset + trace->chunks[i].bytes);
}

/* ---------------------------------------------------------------------------------------- loss -- */

const struct trace_loss *trace_loss(const struct trace *trace)
{
    return &trace->loss;
}

void trace_loss_chunk(struct trace_loss *loss, const struct trace_chunk *chunk, const struct error_text *message)
{
    if (loss->bytes == 0 && loss->chunks == 0)
        loss->first = *message;
    loss->chunks++;
    loss->bytes += chunk->bytes;
    loss->records += chunk->count;
}

void trace_loss_read(struct trace_loss *loss, const struct trace_chunk *chunk, int status,
                     const struct error_text *message)
{
    if (status == STATUS_BAD)
        trace_loss_chunk(loss, chunk, message);
    else if (status == TRACE_NEWER &&
             trace_schema_of(chunk->kind)) /* unknown kinds were counted when the file was opened */
        loss->unknown_chunks++;
    else if (status == TRACE_NO_MEMORY)
        loss->no_memory = true;
}

void trace_loss_text(const struct trace *trace, const struct trace_loss *loss, struct error_text *text)
{
    const char *end = loss->unfinished
                          ? "no end mark: the program was killed or still runs, or the file was cut; the last "
                            "second of each thread may be missing"
                          : "";
    bool damaged = loss->bytes > 0 || loss->chunks > 0;
    *text = (struct error_text){""};
    if (damaged)
        error_set(text, STATUS_BAD, "%s; %zu chunks in the file, %" PRIu64 " bytes and %" PRIu64 " records lost%s%s",
                  loss->first.text, trace->chunk_count, loss->bytes, loss->records, loss->unfinished ? "; " : "", end);
    else if (loss->unfinished)
        error_set(text, STATUS_BAD, "%s; %zu chunks are read", end, trace->chunk_count);
}

void trace_loss_add(struct trace_loss *into, const struct trace_loss *from)
{
    if (into->bytes == 0 && into->chunks == 0)
        into->first = from->first;
    into->bytes += from->bytes;
    into->records += from->records;
    into->chunks += from->chunks;
    into->unknown_chunks += from->unknown_chunks;
    into->no_memory |= from->no_memory;
    into->unfinished |= from->unfinished;
    for (unsigned cause = 0; cause < LOST_CAUSE_COUNT; cause++)
        into->dropped[cause] += from->dropped[cause];
}
