#include "base/clock.h"
#include "collect/trace/writer.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static int write_all(int fd, const uint8_t *data, size_t size, uint64_t offset)
{
    while (size > 0) {
        ssize_t written = pwrite(fd, data, size, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? errno : EIO;
        data += written;
        size -= (size_t)written;
        offset += (uint64_t)written;
    }
    return 0;
}

static int remember(struct trace_writer *writer, int error)
{
    if (error && !writer->error)
        writer->error = error;
    return error;
}

int writer_open_file(struct trace_writer *writer)
{
    int error = writer_fd_open(writer);
    if (error)
        return remember(writer, error);
    error = write_all(writer->fd, writer->header.data, writer->header.size, 0);
    if (error) {
        writer_fd_close(writer);
        unlink(writer->path);
    }
    return remember(writer, error);
}

/* Appends writer->out to the file, completely or not at all. */
static int append(struct trace_writer *writer)
{
    int error = writer_fd_check(writer);
    if (error)
        return remember(writer, error);
    error = write_all(writer->fd, writer->out.data, writer->out.size, writer->end);
    if (error) {
        /* A partial chunk would hide what comes after it. If this also fails, the next append overwrites it. */
        remember(writer, error);
        return writer_fd_check(writer) == 0 && ftruncate(writer->fd, (off_t)writer->end) != 0 ? errno : error;
    }
    writer->end += writer->out.size;
    return 0;
}

static int put_index(struct trace_writer *writer);

static int note_in_index(struct trace_writer *writer, const struct chunk_columns *columns, uint64_t offset)
{
    if (columns->kind == TRACE_INDEX)
        return 0;
    uint64_t entry[TRACE_COLUMNS_MAX] = {offset,         columns->kind,     columns->thread,
                                         columns->count, columns->first_ns, columns->last_ns};
    int error = rows_add(&writer->index, entry, NULL);
    if (!error && writer->index.count >= INDEX_ENTRIES)
        error = put_index(writer);
    return error;
}

/* Appends what has been encoded into writer->out, unless that failed. */
static int put_encoded(struct trace_writer *writer, int failed, const struct chunk_columns *columns)
{
    if (failed) {
        writer->out.failed = false;
        return remember(writer, ENOMEM);
    }
    uint64_t offset = writer->end - writer->start;
    if (append(writer)) {
        writer->refused = true;
        return writer->error;
    }
    return remember(writer, note_in_index(writer, columns, offset));
}

int writer_put(struct trace_writer *writer, struct rows *rows)
{
    struct chunk_columns columns;
    if (rows->count == 0)
        return 0;
    if (writer->refused)
        return writer->error;
    writer->out.size = 0;
    int failed = rows_encode(rows, &writer->encoder, &columns, &writer->out);
    uint64_t end = writer->end;
    int error = put_encoded(writer, failed, &columns);
    if (writer->end != end) /* it is in the file */
        rows_clear(rows);
    return error;
}

int writer_put_columns(struct trace_writer *writer, struct chunk_columns *columns)
{
    if (writer->refused)
        return writer->error;
    writer->out.size = 0;
    return put_encoded(writer, chunk_encode(&writer->encoder, columns, &writer->out), columns);
}

static int put_index(struct trace_writer *writer)
{
    if (writer->index.count == 0)
        return 0; /* the previous index, if any, is still the last */
    uint64_t offset = writer->end - writer->start;
    writer->index.link = writer->last_index;
    int error = writer_put(writer, &writer->index);
    if (!error)
        writer->last_index = offset;
    return error;
}

/* Definitions of threads that changed since they were written: at most one chunk. Whether there are any. */
static bool collect_threads(struct trace_writer *writer)
{
    pthread_mutex_lock(&writer->lock);
    for (struct trace_stream *stream = writer->streams; stream; stream = stream->next) {
        if (writer->threads.count >= writer->options.chunk_records)
            break;
        if (!stream->dirty)
            continue;
        const struct trace_thread_update *known = &stream->known;
        uint64_t integers[TRACE_COLUMNS_MAX] = {
            stream->id,     stream->tid,       0, (uint64_t)known->role, known->first_ns, known->first_cpu_ns,
            known->last_ns, known->last_cpu_ns};
        const char *const texts[TRACE_COLUMNS_MAX] = {[THREAD_NAME] = stream->name};
        stream->dirty = rows_add(&writer->threads, integers, texts) != 0;
    }
    pthread_mutex_unlock(&writer->lock);
    return writer->threads.count > 0;
}

/* Those that could not be written before come first, and alone: on a full disk they must not accumulate. */
static int put_threads(struct trace_writer *writer)
{
    int error = writer_put(writer, &writer->threads);
    while (!error && collect_threads(writer))
        error = writer_put(writer, &writer->threads);
    return error;
}

int writer_put_definitions(struct trace_writer *writer)
{
    struct intern *intern = &writer->intern;
    struct rows *const definitions[] = {&intern->modules, &intern->methods, &intern->frames, &intern->contexts};
    for (size_t i = 0; i < sizeof definitions / sizeof definitions[0]; i++) {
        int error = writer_put(writer, definitions[i]);
        if (error)
            return error;
    }
    return put_threads(writer);
}

void writer_put_stream_rows(struct trace_writer *writer, struct trace_stream *stream, struct rows *rows)
{
    uint32_t count = rows->count;
    if (count == 0 || (writer_put_definitions(writer) == 0 && writer_put(writer, rows) == 0) || rows->count == 0)
        return;
    atomic_fetch_add_explicit(&stream->dropped[LOST_WRITE_FAILED], count, memory_order_relaxed);
    rows_clear(rows);
}

static void put_lost_of(struct trace_writer *writer, struct trace_stream *stream)
{
    uint64_t lost[LOST_CAUSE_COUNT], at = 0;
    for (unsigned cause = 0; cause < LOST_CAUSE_COUNT; cause++) {
        lost[cause] = atomic_load_explicit(&stream->dropped[cause], memory_order_relaxed);
        if (lost[cause] == stream->reported[cause])
            continue;
        at = at ? at : clock_ns(CLOCK_MONOTONIC);
        uint64_t row[TRACE_COLUMNS_MAX] = {at, cause, lost[cause] - stream->reported[cause]};
        if (rows_add(&writer->lost, row, NULL))
            lost[cause] = stream->reported[cause];
    }
    writer->lost.thread = stream->id;
    if (writer_put(writer, &writer->lost) == 0)
        memcpy(stream->reported, lost, sizeof lost);
    else
        rows_clear(&writer->lost);
}

void writer_put_lost(struct trace_writer *writer)
{
    if (writer_put_definitions(writer))
        return;
    pthread_mutex_lock(&writer->lock);
    struct trace_stream *first = writer->streams;
    pthread_mutex_unlock(&writer->lock);
    for (struct trace_stream *stream = first; stream; stream = stream->next)
        put_lost_of(writer, stream);
    for (struct trace_stream *stream = writer->retired; stream; stream = stream->next)
        put_lost_of(writer, stream);
}

int writer_put_end(struct trace_writer *writer)
{
    if (writer->fd < 0)
        return writer->error;
    writer->refused = false;
    writer_put_lost(writer);
    if (put_index(writer))
        return writer->error;
    writer->out.size = 0;
    uint8_t trailer[TRAILER_BYTES];
    trailer_encode(writer->last_index, trailer);
    buffer_add(&writer->out, trailer, sizeof trailer);
    return append(writer);
}
