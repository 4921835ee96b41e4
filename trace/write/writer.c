#include "trace/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/signals.h"
#include "trace/write/writer.h"

/* ---------------------------------------------------------------------------- calls from any thread -- */

uint64_t trace_define_module(struct trace_writer *writer, const char *path, const char *build_id, uint64_t bias,
                             uint64_t low, uint64_t high)
{
    const uint64_t integers[TRACE_COLUMNS_MAX] = {0, 0, 0, bias, low, high};
    const char *const texts[TRACE_COLUMNS_MAX] = {[MODULE_PATH] = path, [MODULE_BUILD_ID] = build_id};
    return intern_module(&writer->intern, integers, texts);
}

void trace_forget_frames(struct trace_writer *writer)
{
    intern_forget_raw(&writer->intern);
}

static void writer_wake(struct trace_writer *writer)
{
    if (writer->options.wake)
        writer->options.wake(writer->options.user);
    else
        sem_post(&writer->wake);
}

void trace_wake(struct trace_writer *writer)
{
    if (!atomic_exchange(&writer->woken, true))
        writer_wake(writer);
}

uint64_t trace_ask_seal(struct trace_writer *writer)
{
    uint64_t asked = atomic_fetch_add(&writer->seals_asked, 1) + 1;
    writer_wake(writer);
    return asked;
}

bool trace_is_sealed(struct trace_writer *writer, uint64_t asked)
{
    return atomic_load(&writer->seals_handled) >= asked;
}

/* ---------------------------------------------------------------------------- what the writer's thread does -- */

uint64_t trace_define_method(struct trace_writer *writer, const struct trace_raw_frame *frame)
{
    return intern_method_of(&writer->intern, frame);
}

bool trace_write(struct trace_stream *stream, enum trace_kind kind, uint32_t count, uint32_t column_count,
                 const uint64_t *const *columns)
{
    struct trace_writer *writer = stream->feed->writer;
    struct chunk_columns chunk = {
        .kind = kind, .thread = stream->feed->id, .count = count, .column_count = column_count};
    memcpy(chunk.integers, columns, column_count * sizeof *columns);
    atomic_fetch_add_explicit(&stream->appended, count, memory_order_relaxed);
    if (!writer_has_file(writer) && !writer->error)
        writer_open_file(writer);
    if (writer_put_definitions(writer) == 0 && writer_put_columns(writer, &chunk) == 0)
        return true;
    trace_count_lost(stream, LOST_WRITE_FAILED, count);
    return false;
}

static struct chunk_rows *writer_feed_rows(struct trace_feed *feed, unsigned kind)
{
    /* Whether records of this kind may come through a ring: numbers alone. */
    const struct trace_schema *schema =
        kind < TRACE_SAMPLE || kind == TRACE_LOST || kind == TRACE_INDEX ? NULL : trace_schema_of(kind);
    for (size_t c = 0; schema && c < schema->column_count; c++)
        if (schema->columns[c].type == TRACE_STRING)
            return NULL;
    if (!schema)
        return NULL;
    for (size_t i = 0; i < STREAM_KINDS_MAX; i++) {
        struct chunk_rows *rows = &feed->rows[i];
        if (rows->kind == 0)
            *rows = (struct chunk_rows){.kind = kind, .thread = feed->id};
        if (rows->kind == kind)
            return rows;
    }
    return NULL;
}

static void writer_add_record(struct trace_writer *writer, struct trace_feed *feed, uint64_t now)
{
    struct ring_record *record = &writer->record;
    struct chunk_rows *rows = writer_feed_rows(feed, record->kind);
    /* Definitions that can't be written stay, since others refer to them, so their number must stay bounded. */
    if (record->depth[0] > 0 && intern_is_full(&writer->intern, writer->options.chunk_records) &&
        writer_put_definitions(writer) != 0) {
        trace_feed_count_lost(feed, LOST_WRITE_FAILED, 1);
        return;
    }
    bool good = rows != NULL;
    for (size_t s = 0; good && s < TRACE_STACKS_MAX && record->depth[s] > 0; s++) {
        uint64_t context = intern_stack(&writer->intern, record->frames[s], record->depth[s]);
        record->values[record->context_column[s]] = context;
        good = context != 0;
    }
    if (!good || chunk_rows_add(rows, record->values, NULL)) {
        trace_feed_count_lost(feed, LOST_NO_MEMORY, 1);
        writer->lacked_memory = true;
        return;
    }
    if (rows->count == 1)
        rows->since_ns = now;
    if (rows->count >= writer->options.chunk_records)
        writer_put_rows(writer, feed, rows);
}

static void writer_drain_feed(struct trace_writer *writer, struct trace_feed *feed, uint64_t now, bool all)
{
    uint64_t damaged = 0;
    while (ring_pop(&feed->stream->ring, feed->words, &writer->record, &damaged))
        writer_add_record(writer, feed, now);
    if (damaged > 0)
        trace_feed_count_lost(feed, LOST_BUFFER_FULL, damaged);
    /* The next cycle comes in flush_ns / 4: what would be too old by then is written now. */
    uint64_t patience = writer->options.flush_ns - writer->options.flush_ns / 4;
    for (size_t i = 0; i < STREAM_KINDS_MAX; i++) {
        struct chunk_rows *rows = &feed->rows[i];
        if (rows->count > 0 && (all || now - rows->since_ns >= patience))
            writer_put_rows(writer, feed, rows);
    }
}

/* Releases the stream's memory, but not its addresses, so that a late producer does no harm; the memory of another
 * process is not read any more. */
static void writer_release_stream(struct trace_feed *feed)
{
    if (feed->bytes) {
        ring_give_back(&feed->stream->ring, feed->words);
        return;
    }
    for (unsigned cause = 0; cause < LOST_CAUSE_COUNT; cause++)
        trace_feed_count_lost(feed, cause, atomic_load(&feed->stream->dropped[cause]));
    feed->stream = NULL;
}

/* Whether there is a file by now: a lazy one is created with the first record, or when it is due. */
static bool writer_ensure_file(struct trace_writer *writer)
{
    if (writer_has_file(writer) || writer->error)
        return true;
    bool wanted = writer->wanted || clock_ns(CLOCK_MONOTONIC) - writer->created_ns >= writer->options.lazy_ns ||
                  (writer->options.lazy_cpu_ns &&
                   clock_ns(CLOCK_PROCESS_CPUTIME_ID) >= writer->options.lazy_cpu_ns); /* due even without a record */
    pthread_mutex_lock(&writer->lock);
    for (const struct trace_feed *feed = writer->feeds; feed && !wanted; feed = feed->next)
        wanted = atomic_load_explicit(&feed->stream->appended, memory_order_relaxed) > 0;
    pthread_mutex_unlock(&writer->lock);
    if (wanted)
        writer_open_file(writer);
    return wanted;
}

static void writer_drain(struct trace_writer *writer, bool all)
{
    atomic_store(&writer->woken, false);
    writer->refused = false;
    if (writer->options.on_cycle)
        writer->options.on_cycle(writer->options.user);
    if (!writer_ensure_file(writer))
        return;
    pthread_mutex_lock(&writer->lock);
    struct trace_feed *feed = writer->feeds, *next;
    pthread_mutex_unlock(&writer->lock);
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    for (; feed; feed = next) {
        next = feed->next;
        bool closed = atomic_load_explicit(&feed->stream->closed, memory_order_acquire);
        writer_drain_feed(writer, feed, now, all);
        if (closed) {
            /* A closed stream whose ring is empty releases its memory. */
            if (writer->options.on_retire)
                writer->options.on_retire(writer->options.user, feed);
            for (size_t i = 0; i < STREAM_KINDS_MAX; i++) {
                writer_put_rows(writer, feed, &feed->rows[i]);
                chunk_rows_free(&feed->rows[i]);
            }
            writer_put_definitions(writer);
            if (!feed->dirty) {
                writer_release_stream(feed);
                pthread_mutex_lock(&writer->lock);
                struct trace_feed **link = &writer->feeds;
                while (*link != feed)
                    link = &(*link)->next;
                *link = feed->next;
                pthread_mutex_unlock(&writer->lock);
                feed->next = writer->retired;
                writer->retired = feed;
                atomic_store(&feed->retired, true);
            }
        }
    }
    if (all || now - writer->lost_put_ns >= writer->options.flush_ns) {
        writer_put_lost(writer);
        writer->lost_put_ns = now;
    }
}

static bool writer_is_stopping(struct trace_writer *writer)
{
    pthread_mutex_lock(&writer->lock);
    bool stop = writer->stop;
    pthread_mutex_unlock(&writer->lock);
    return stop;
}

static void *writer_run(void *argument)
{
    struct trace_writer *writer = argument;
    if (writer->options.on_start)
        writer->options.on_start(writer->options.user);
    while (!writer_is_stopping(writer)) {
        uint64_t until = clock_ns(CLOCK_MONOTONIC) + writer->options.flush_ns / 4;
        struct timespec at = {(time_t)(until / 1000000000), (long)(until % 1000000000)};
        if (writer->options.wait)
            writer->options.wait(writer->options.user, until);
        else
            sem_clockwait(&writer->wake, CLOCK_MONOTONIC, &at);
        writer_drain(writer, false);
        pthread_mutex_lock(&writer->lock);
        uint64_t wanted = writer->seals_wanted;
        bool pending = wanted != writer->seals_done;
        pthread_mutex_unlock(&writer->lock);
        uint64_t asked = atomic_load(&writer->seals_asked);
        if (pending || asked != atomic_load(&writer->seals_handled)) {
            writer_drain(writer, true);
            writer_put_end(writer);
            atomic_store(&writer->seals_handled, asked);
            pthread_mutex_lock(&writer->lock);
            writer->seals_done = wanted;
            pthread_cond_broadcast(&writer->done);
            pthread_mutex_unlock(&writer->lock);
        }
    }
    writer_drain(writer, true);
    writer_put_end(writer);
    if (writer->options.on_end)
        writer->options.on_end(writer->options.user);
    return NULL;
}

/* ---------------------------------------------------------------------------- beginning and end -- */

static void writer_free(struct trace_writer *writer)
{
    struct trace_feed *const lists[] = {writer->feeds, writer->retired};
    for (size_t i = 0; i < 2; i++)
        for (struct trace_feed *feed = lists[i], *next; feed; feed = next) {
            next = feed->next;
            for (size_t k = 0; k < STREAM_KINDS_MAX; k++)
                chunk_rows_free(&feed->rows[k]);
            if (feed->bytes)
                munmap(feed->stream, feed->bytes);
            free(feed);
        }
    intern_free(&writer->intern);
    chunk_rows_free(&writer->threads);
    chunk_rows_free(&writer->lost);
    output_close(&writer->output);
    sem_destroy(&writer->wake);
    pthread_mutex_destroy(&writer->lock);
    pthread_cond_destroy(&writer->done);
    free(writer);
}

int trace_create(const char *path, const json_t *metadata, const struct trace_writer_options *options,
                 struct trace_writer **out)
{
    struct trace_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return ENOMEM;
    writer->options = *options;
    writer->output.fd = -1;
    if (!writer->options.flush_ns)
        writer->options.flush_ns = 500 * UINT64_C(1000000);
    if (!writer->options.ring_bytes)
        writer->options.ring_bytes = 128 << 10;
    if (!writer->options.chunk_records || writer->options.chunk_records > CHUNK_RECORDS_MAX - TRACE_STACK_MAX)
        writer->options.chunk_records = 32768;
    if (!writer->options.level)
        writer->options.level = 3;
    writer->threads.kind = TRACE_THREAD;
    writer->lost.kind = TRACE_LOST;
    intern_init(&writer->intern, &writer->options);
    sem_init(&writer->wake, 0, 0);
    pthread_mutex_init(&writer->lock, NULL);
    pthread_cond_init(&writer->done, NULL);
    int error = output_init(&writer->output, path, metadata, 0, writer->options.level);
    if (!error) {
        writer->created_ns = clock_ns(CLOCK_MONOTONIC);
        error = writer->options.lazy_ns ? 0 : writer_open_file(writer);
    }
    if (!error && !writer->options.manual) {
        sigset_t before; /* the thread must never run a handler of the measured program, nor be sampled */
        signals_block(&before);
        error = pthread_create(&writer->thread, NULL, writer_run, writer);
        signals_restore(&before);
        if (error && writer_has_file(writer)) {
            output_close_file(&writer->output);
            unlink(path);
        }
    }
    if (error) {
        writer_free(writer);
        return error;
    }
    *out = writer;
    return 0;
}

void trace_want_file(struct trace_writer *writer)
{
    writer->wanted = true;
}

int trace_drain(struct trace_writer *writer, bool all)
{
    writer_drain(writer, all);
    return writer->error;
}

bool trace_lacked_memory(const struct trace_writer *writer)
{
    return writer->lacked_memory;
}

int trace_seal(struct trace_writer *writer)
{
    if (writer->options.manual) {
        writer_drain(writer, true);
        return writer_put_end(writer);
    }
    pthread_mutex_lock(&writer->lock);
    uint64_t mine = ++writer->seals_wanted;
    writer_wake(writer);
    while (writer->seals_done < mine)
        pthread_cond_wait(&writer->done, &writer->lock);
    pthread_mutex_unlock(&writer->lock);
    return writer->error;
}

int trace_finish(struct trace_writer *writer)
{
    if (writer->options.manual) {
        trace_seal(writer);
    } else {
        pthread_mutex_lock(&writer->lock);
        writer->stop = true;
        pthread_mutex_unlock(&writer->lock);
        writer_wake(writer);
        pthread_join(writer->thread, NULL);
    }
    int error = writer->error, close_error = output_close_file(&writer->output);
    writer_free(writer);
    return error ? error : close_error;
}

void trace_abandon(struct trace_writer *writer)
{
    /* The parent's other threads may have been anywhere when the process forked, so none of the memory can be assumed
     * to be consistent: it is kept, shared copy-on-write, and only the descriptor is closed. */
    output_close_file(&writer->output);
}
