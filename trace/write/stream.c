/*
 * What producers call: the threads that are measured, in the writer's process or in another one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "trace/write/writer.h"

size_t trace_stream_bytes(size_t ring_bytes)
{
    return sizeof(struct trace_stream) + ring_words(ring_bytes) * sizeof(uint64_t);
}

/* Not in memory that other processes can write. */
static void (*wake_other)(void);

struct trace_stream *trace_stream_make(void *memory, size_t ring_bytes, void (*wake)(void))
{
    struct trace_stream *stream = memory;
    wake_other = wake;
    ring_init(&stream->ring, ring_words(ring_bytes));
    return stream;
}

bool trace_stream_has_records(const struct trace_stream *stream)
{
    return atomic_load_explicit(&stream->appended, memory_order_relaxed) > 0;
}

int trace_feed_open(struct trace_writer *writer, struct trace_stream *stream, size_t ring_bytes, uint64_t tid,
                    const char *name, enum trace_role role, struct trace_feed **out)
{
    struct trace_feed *feed = calloc(1, sizeof *feed);
    if (!feed)
        return ENOMEM;
    feed->writer = writer;
    feed->stream = stream;
    feed->words = ring_words(ring_bytes);
    feed->tid = tid;
    snprintf(feed->name, sizeof feed->name, "%s", name ? name : "");
    feed->known.role = role;
    feed->dirty = true;
    pthread_mutex_lock(&writer->lock);
    feed->id = ++writer->feed_count;
    feed->next = writer->feeds;
    writer->feeds = feed;
    pthread_mutex_unlock(&writer->lock);
    *out = feed;
    return 0;
}

int trace_stream_open(struct trace_writer *writer, uint64_t tid, const char *name, enum trace_role role,
                      struct trace_stream **out)
{
    size_t ring_bytes = writer->options.ring_bytes, bytes = trace_stream_bytes(ring_bytes);
    /* Directly from the kernel: most rings are hardly used, and thousands of short threads must not leave holes of this
     * size in the measured program's heap. */
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return ENOMEM;
    struct trace_stream *stream = trace_stream_make(memory, ring_bytes, wake_other);
    if (trace_feed_open(writer, stream, ring_bytes, tid, name, role, &stream->feed) != 0) {
        munmap(memory, bytes);
        return ENOMEM;
    }
    stream->feed->bytes = bytes;
    *out = stream;
    return 0;
}

void trace_feed_update(struct trace_feed *feed, const struct trace_thread_update *update)
{
    pthread_mutex_lock(&feed->writer->lock);
    /* That time has passed is not news about an idle thread. */
    const struct trace_thread_update *known = &feed->known;
    feed->dirty = feed->dirty || known->role != update->role || known->first_ns != update->first_ns ||
                  known->first_cpu_ns != update->first_cpu_ns || known->last_cpu_ns != update->last_cpu_ns ||
                  (update->name && strncmp(feed->name, update->name, sizeof feed->name - 1) != 0);
    feed->known = *update;
    if (update->name)
        snprintf(feed->name, sizeof feed->name, "%s", update->name);
    pthread_mutex_unlock(&feed->writer->lock);
}

void trace_stream_update(struct trace_stream *stream, const struct trace_thread_update *update)
{
    trace_feed_update(stream->feed, update);
}

bool trace_feed_is_retired(const struct trace_feed *feed)
{
    return atomic_load(&feed->retired);
}

void trace_feed_count_lost(struct trace_feed *feed, enum trace_cause cause, uint64_t count)
{
    atomic_fetch_add_explicit(&feed->dropped[cause], count, memory_order_relaxed);
}

void trace_stream_close(struct trace_stream *stream)
{
    atomic_store_explicit(&stream->closed, true, memory_order_release);
}

void trace_count_lost(struct trace_stream *stream, enum trace_cause cause, uint64_t count)
{
    atomic_fetch_add_explicit(&stream->dropped[cause], count, memory_order_relaxed);
}

bool trace_append_stacks(struct trace_stream *stream, enum trace_kind kind, const uint64_t *values, size_t n,
                         const struct trace_stack *stacks, size_t count)
{
    if (atomic_load_explicit(&stream->closed, memory_order_acquire) ||
        !ring_push(&stream->ring, kind, values, n, stacks, count)) {
        trace_count_lost(stream, LOST_BUFFER_FULL, 1);
        return false;
    }
    /* One producer: no need for an atomic addition. */
    uint64_t appended = atomic_load_explicit(&stream->appended, memory_order_relaxed);
    atomic_store_explicit(&stream->appended, appended + 1, memory_order_relaxed);
    if (ring_used(&stream->ring) <= stream->ring.mask / 2)
        return true;
    if (stream->feed)
        trace_wake(stream->feed->writer);
    else if (wake_other)
        wake_other();
    return true;
}

bool trace_append(struct trace_stream *stream, enum trace_kind kind, const uint64_t *values, size_t n)
{
    return trace_append_stacks(stream, kind, values, n, NULL, 0);
}
