/*
 * writer.h - shared by the files of the writer: stream.c (what the producers call), writer.c (threads and calls),
 * writer_file.c (what goes into the file).
 */
#ifndef ASSAY_TRACE_WRITE_WRITER_H
#define ASSAY_TRACE_WRITE_WRITER_H

#include <pthread.h>
#include <semaphore.h>

#include "trace/write/output.h"
#include "trace/write/intern.h"
#include "trace/write/ring.h"

enum { STREAM_KINDS_MAX = 4, THREAD_NAME_MAX = 128 };

/* The producer's side. The writer may be in another process, where no pointer in here has a meaning. */
struct trace_stream {
    struct trace_feed *feed; /* NULL: in another process */
    _Atomic bool closed;
    _Atomic uint64_t appended;
    _Atomic uint64_t dropped[LOST_CAUSE_COUNT];
    struct ring ring; /* the last, as its words follow it */
};

/* The writer's side. */
struct trace_feed {
    struct trace_writer *writer;
    struct trace_feed *next; /* changed only by the writer's thread, once it is in the list */
    struct trace_stream *stream;
    size_t bytes; /* of the stream's memory, if it belongs to the writer; else 0 */
    size_t words; /* of its ring */
    uint32_t id;
    _Atomic bool retired;
    _Atomic uint64_t dropped[LOST_CAUSE_COUNT]; /* by the writer */
    uint64_t reported[LOST_CAUSE_COUNT];        /* the part of what both have dropped that is in the file */
    struct chunk_rows rows[STREAM_KINDS_MAX];
    /* The thread's definition; under writer->lock. */
    uint64_t tid;
    char name[THREAD_NAME_MAX];
    struct trace_thread_update known;
    bool dirty;
};

struct trace_writer {
    struct trace_writer_options options;
    struct output output; /* no file yet, or none could be made (then `error` says why) */
    uint64_t created_ns;  /* the writer, not the file */
    _Atomic int error;    /* the first errno value of a write */
    bool lacked_memory;   /* for a record, which is counted as lost */
    bool refused;         /* the file rejected a chunk: nothing is tried until the next cycle */
    struct intern intern;
    struct chunk_rows threads, lost;
    struct ring_record record;
    uint64_t lost_put_ns; /* when the loss was last written */

    pthread_t thread;
    sem_t wake;
    _Atomic bool woken; /* a producer has posted `wake` since the last cycle */
    pthread_mutex_t lock;
    pthread_cond_t done;
    struct trace_feed *feeds;   /* newest first */
    struct trace_feed *retired; /* closed and written: kept until the end, since handles may still exist */
    uint32_t feed_count;
    uint64_t seals_wanted, seals_done;
    _Atomic uint64_t seals_asked, seals_handled; /* by signal handlers */
    bool stop;
    bool wanted; /* the file, without a record */
};

/* Whether there is a file. */
static inline bool writer_has_file(const struct trace_writer *writer)
{
    return writer->output.fd >= 0;
}

/* Makes the file, which must not exist yet, with its header. 0 or an errno value, which is also kept. */
int writer_open_file(struct trace_writer *writer);

/* Writes all definitions that are not yet in the file. */
int writer_put_definitions(struct trace_writer *writer);

/* Writes the rows of a stream, definitions first. Rows that can't be written are dropped and counted. */
void writer_put_rows(struct trace_writer *writer, struct trace_feed *feed, struct chunk_rows *rows);

/* Writes columns that the caller holds as one chunk; on failure the errno value is kept and returned. */
int writer_put_columns(struct trace_writer *writer, struct chunk_columns *columns);

/* Writes the loss that is not yet in the file. */
void writer_put_lost(struct trace_writer *writer);

/* Writes the loss not yet in the file, the index and the trailer: the file is complete. Does nothing without a file. */
int writer_put_end(struct trace_writer *writer);

#endif
