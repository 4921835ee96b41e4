#include "base/clock.h"
#include "trace/write/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* Keeps the first error. What the file took no chunk of is not tried again in this cycle. */
static int writer_record_error(struct trace_writer *writer, int error)
{
    if (error && !writer->error)
        writer->error = error;
    writer->refused |= error && error != ENOMEM;
    return error;
}

int writer_open_file(struct trace_writer *writer)
{
    int error;
    while ((error = output_create(&writer->output, O_EXCL)) == EEXIST && writer->options.lazy_ns) {
        const char *next = writer->options.next_path ? writer->options.next_path(writer->options.user) : NULL;
        char *path = next && strcmp(next, writer->output.path) != 0 ? strdup(next) : NULL;
        if (!path)
            break;
        free(writer->output.path);
        writer->output.path = path;
    }
    return writer_record_error(writer, error);
}

/* Writes the rows as one chunk and clears them; on failure they are kept, and the errno value is kept and returned. */
static int writer_put_chunk(struct trace_writer *writer, struct chunk_rows *rows)
{
    if (rows->count == 0)
        return 0;
    return writer->refused ? writer->error : writer_record_error(writer, output_rows(&writer->output, rows));
}

int writer_put_columns(struct trace_writer *writer, struct chunk_columns *columns)
{
    return writer->refused ? writer->error : writer_record_error(writer, output_columns(&writer->output, columns));
}

/* Definitions of threads that changed since they were written: at most one chunk. Whether there are any. */
static bool writer_collect_threads(struct trace_writer *writer)
{
    pthread_mutex_lock(&writer->lock);
    for (struct trace_feed *feed = writer->feeds; feed; feed = feed->next) {
        if (writer->threads.count >= writer->options.chunk_records)
            break;
        if (!feed->dirty)
            continue;
        const struct trace_thread_update *known = &feed->known;
        uint64_t integers[TRACE_COLUMNS_MAX] = {
            feed->id,       feed->tid,         0, (uint64_t)known->role, known->first_ns, known->first_cpu_ns,
            known->last_ns, known->last_cpu_ns};
        const char *const texts[TRACE_COLUMNS_MAX] = {[THREAD_NAME] = feed->name};
        feed->dirty = chunk_rows_add(&writer->threads, integers, texts) != 0;
    }
    pthread_mutex_unlock(&writer->lock);
    return writer->threads.count > 0;
}

int writer_put_definitions(struct trace_writer *writer)
{
    struct intern *intern = &writer->intern;
    if (writer->refused)
        return writer->error;
    int error = writer_record_error(writer, output_rows(&writer->output, &intern->modules));
    if (!error)
        error = writer_record_error(writer, put_tree(&writer->output, &intern->tree, &intern->written));
    /* Threads that could not be written before come first, and alone: on a full disk they must not accumulate. */
    if (!error)
        error = writer_put_chunk(writer, &writer->threads);
    while (!error && writer_collect_threads(writer))
        error = writer_put_chunk(writer, &writer->threads);
    return error;
}

void writer_put_rows(struct trace_writer *writer, struct trace_feed *feed, struct chunk_rows *rows)
{
    uint32_t count = rows->count;
    if (count == 0 || (writer_put_definitions(writer) == 0 && writer_put_chunk(writer, rows) == 0) || rows->count == 0)
        return;
    atomic_fetch_add_explicit(&feed->dropped[LOST_WRITE_FAILED], count, memory_order_relaxed);
    chunk_rows_clear(rows);
}

static void writer_put_feed_lost(struct trace_writer *writer, struct trace_feed *feed)
{
    uint64_t lost[LOST_CAUSE_COUNT], at = 0;
    for (unsigned cause = 0; cause < LOST_CAUSE_COUNT; cause++) {
        lost[cause] = atomic_load_explicit(&feed->dropped[cause], memory_order_relaxed);
        if (feed->stream)
            lost[cause] += atomic_load_explicit(&feed->stream->dropped[cause], memory_order_relaxed);
        if (lost[cause] == feed->reported[cause])
            continue;
        at = at ? at : clock_ns(CLOCK_MONOTONIC);
        uint64_t row[TRACE_COLUMNS_MAX] = {at, cause, lost[cause] - feed->reported[cause]};
        if (chunk_rows_add(&writer->lost, row, NULL))
            lost[cause] = feed->reported[cause];
    }
    writer->lost.thread = feed->id;
    if (writer_put_chunk(writer, &writer->lost) == 0)
        memcpy(feed->reported, lost, sizeof lost);
    else
        chunk_rows_clear(&writer->lost);
}

void writer_put_lost(struct trace_writer *writer)
{
    if (writer_put_definitions(writer))
        return;
    pthread_mutex_lock(&writer->lock);
    struct trace_feed *first = writer->feeds;
    pthread_mutex_unlock(&writer->lock);
    for (struct trace_feed *feed = first; feed; feed = feed->next)
        writer_put_feed_lost(writer, feed);
    for (struct trace_feed *feed = writer->retired; feed; feed = feed->next)
        writer_put_feed_lost(writer, feed);
}

int writer_put_end(struct trace_writer *writer)
{
    if (!writer_has_file(writer))
        return writer->error;
    writer->refused = false;
    writer_put_lost(writer);
    return writer->refused ? writer->error : writer_record_error(writer, output_end(&writer->output));
}
