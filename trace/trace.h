/*
 * trace.h - the assay trace: writing and reading.
 *
 * A trace is one file: a header with a JSON metadata object, then self-contained chunks, then an index.
 * A chunk holds records of ONE kind from ONE thread as columns of 64-bit integers or strings; every column is
 * compressed and checksummed separately. docs/trace-format.md describes the bytes.
 *
 * schema.h is shared; part 1 (writer) is linked into measured programs; part 2 (reader) into analyzers.
 */
#ifndef ASSAY_TRACE_TRACE_H
#define ASSAY_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/error_text.h"
#include "trace/schema.h"

/* ------------------------------------------------------------------------------------------------ 1. writer -- */

struct trace_writer; /* one file */
struct trace_stream; /* one thread's part of it: a ring buffer with one producer (the thread) */
struct trace_feed;   /* the writer's side of a stream */

/*
 * One frame of a raw stack as a collector's signal handler sees it; what the two words mean is the collector's
 * business (JVM: jmethodID and bytecode index; native: code address and 0).
 */
struct trace_raw_frame {
    uint64_t code;
    int64_t position;
};

/* The definition of a raw frame, as strings. Unknown values are empty strings and zeros. Strings belong to the callee.
 */
struct trace_frame_text {
    const char *class_name; /* "java.util.HashMap"; "" for native code */
    const char *method;     /* "put", "[libc.so.6]" */
    const char *signature;  /* "(Ljava/lang/Object;)V", or "" */
    const char *file;       /* "HashMap.java", or "" */
    uint64_t line;          /* 1-based; 0: unknown */
    int64_t position;       /* bytecode index, or address in the module's ELF file */
    uint64_t module;        /* from trace_define_module(), or 0 */
    uint64_t method_key;    /* equal keys promise equal class, method, signature, file; 0: compare the strings */
};

struct trace_writer_options {
    size_t ring_bytes;    /* of each stream; 0: 128 KiB. Rounded up to a power of two */
    uint64_t flush_ns;    /* a record waits no longer than this before it is in the file; 0: 500 ms */
    size_t chunk_records; /* a chunk is full at this many records; 0: 32768 */
    int level;            /* zstd level; 0: 3 */
    uint64_t lazy_ns; /* the file is created with the first record or after this time, whichever is first; never if the
                         writer finishes before both. 0: immediately. Errors of the file are then reported like write
                         errors */
    uint64_t lazy_cpu_ns; /* such a file is also created once the process has used this much CPU time, even if it ends
                             without a record; 0: not by CPU time */
    bool manual;          /* no background thread: the caller calls trace_drain(). For tests and converters */
    /* Called in the background thread for each raw frame never seen before: fill *text, return false if nothing
     * is known (the frame is then written as method "[unknown]"). */
    bool (*describe)(void *user, const struct trace_raw_frame *frame, struct trace_frame_text *text);
    /* Called in the background thread before each flush cycle (about every flush_ns / 4), and when it starts and
     * ends; any may be NULL. `on_start` runs in that thread before anything else (attach to a JVM, block signals). */
    void (*on_cycle)(void *user);
    void (*on_start)(void *user);
    void (*on_end)(void *user);
    /* Called when the file of a lazy writer is to be created and another process has taken its name by then: the next
     * name, which is copied, or the same if there is none. NULL: that is an error. */
    const char *(*next_path)(void *user);
    /* How the background thread waits for the next cycle, until this time (CLOCK_MONOTONIC) at most, and how another
     * thread ends that; both NULL: trace_wake() ends it. */
    void (*wait)(void *user, uint64_t until_ns);
    void (*wake)(void *user);
    /* Called before a feed is retired whose stream is closed: time for the last update of its thread. NULL: nothing. */
    void (*on_retire)(void *user, struct trace_feed *feed);
    void *user;
};

/*
 * Creates `path` (which must not exist: EEXIST otherwise), writes the header with `metadata` (borrowed) and starts the
 * background thread, which has every signal blocked. Returns 0 and *out, or an errno value with *out untouched.
 */
int trace_create(const char *path, const json_t *metadata, const struct trace_writer_options *options,
                 struct trace_writer **out);

/*
 * Opens a stream for a thread of this process and defines the thread. Not async-signal-safe; any thread may call it.
 * Returns 0 and *out, or ENOMEM. The stream lives until trace_finish(); trace_stream_close() only says that its thread
 * will append no more.
 */
int trace_stream_open(struct trace_writer *writer, uint64_t tid, const char *name, enum trace_role role,
                      struct trace_stream **out);

/* Updates what is known about the thread; the definition is written again at the next flush. `name` NULL: unchanged. */
struct trace_thread_update {
    const char *name;
    enum trace_role role;
    uint64_t first_ns, first_cpu_ns, last_ns, last_cpu_ns;
};
void trace_stream_update(struct trace_stream *stream, const struct trace_thread_update *update);
void trace_stream_close(struct trace_stream *stream);

/*
 * A stream whose producer and writer are different processes, in memory that both have mapped. The producer's process
 * makes it in `memory`, which is zero and has trace_stream_bytes() for a ring of `ring_bytes`; `wake` (async-signal-
 * safe) is called there when the ring is half full. The writer's process opens a feed for it (0 or ENOMEM), which it
 * may read as long as it is not retired: once the stream is closed and everything in it has been written. Whatever the
 * producer's process writes into this memory does the writer no harm.
 */
size_t trace_stream_bytes(size_t ring_bytes);
struct trace_stream *trace_stream_make(void *memory, size_t ring_bytes, void (*wake)(void));
bool trace_stream_has_records(const struct trace_stream *stream); /* now or before */
int trace_feed_open(struct trace_writer *writer, struct trace_stream *stream, size_t ring_bytes, uint64_t tid,
                    const char *name, enum trace_role role, struct trace_feed **out);
void trace_feed_update(struct trace_feed *feed, const struct trace_thread_update *update);
void trace_feed_count_lost(struct trace_feed *feed, enum trace_cause cause, uint64_t count);
bool trace_feed_is_retired(const struct trace_feed *feed);

/*
 * Appends one record. Async-signal-safe: no lock, no allocation, no system call; about 20 ns. Only the stream's single
 * producer may call it (a signal handler that interrupts another append of the same thread is safe: the inner call is
 * refused and counted as LOST_BUFFER_FULL). values[n] are the columns of `kind` in order; those after the n-th are 0.
 * Returns false if the record was dropped (and counted).
 */
bool trace_append(struct trace_stream *stream, enum trace_kind kind, const uint64_t *values, size_t n);

/*
 * The same with stacks, each for a column of its own, into which the writer puts the context: it interns the stack in
 * the calling-context tree. count ≤ TRACE_STACKS_MAX; of several, each depth ≥ 1. depth ≤ TRACE_STACK_MAX; the caller
 * must cut a deeper stack (keep the innermost frames and end with a frame that marks the cut).
 */
enum { TRACE_STACK_MAX = 1024, TRACE_STACKS_MAX = 2 };
struct trace_stack {
    size_t column;
    const struct trace_raw_frame *frames; /* [depth], the innermost first */
    size_t depth;
};
bool trace_append_stacks(struct trace_stream *stream, enum trace_kind kind, const uint64_t *values, size_t n,
                         const struct trace_stack *stacks, size_t count);

/* Counts records that the collector itself dropped. Async-signal-safe. */
void trace_count_lost(struct trace_stream *stream, enum trace_cause cause, uint64_t count);

/* Defines a module; returns its id (≥ 1), or 0 without memory. To be called from `describe` or `on_cycle` only. */
uint64_t trace_define_module(struct trace_writer *writer, const char *path, const char *build_id, uint64_t bias,
                             uint64_t low, uint64_t high);

/* The method of a raw frame, defined if it is new: its id, or 0 without memory. Only from `on_cycle`. */
uint64_t trace_define_method(struct trace_writer *writer, const struct trace_raw_frame *frame);

/*
 * Writes records that a collector has in columns, immediately and as one chunk: columns[c][i] is column c of
 * record i, count ≥ 1. From `on_cycle` only. False if they could not be written, and are counted as LOST_WRITE_FAILED.
 */
bool trace_write(struct trace_stream *stream, enum trace_kind kind, uint32_t count, uint32_t column_count,
                 const uint64_t *const *columns);

/* The writer's thread begins its next cycle at once. Async-signal-safe. */
void trace_wake(struct trace_writer *writer);

/* The meaning of raw frames has changed, since code was unloaded: each is described again. From `describe` or
 * `on_cycle`. */
void trace_forget_frames(struct trace_writer *writer);

/* The file is created even without a record, at the next cycle. Only with options.manual. */
void trace_want_file(struct trace_writer *writer);

/* Drains every ring and writes full or aged chunks; `all`: writes everything. Only with options.manual. */
int trace_drain(struct trace_writer *writer, bool all);

/* Whether a record that was drained is lost for want of memory. Only with options.manual. */
bool trace_lacked_memory(const struct trace_writer *writer);

/*
 * Writes everything that has been appended, the loss, and an index, so that the file is complete. After trace_seal()
 * writing continues (before an exec that may fail); trace_finish() ends the background thread, closes and frees. Both
 * return 0 or the first errno value that a write met. Producers must have stopped before trace_finish(); what they
 * append later is not seen.
 */
int trace_seal(struct trace_writer *writer);
int trace_finish(struct trace_writer *writer);

/* trace_seal() for signal handlers, which may not wait for locks: asks, and asks whether it is done. */
uint64_t trace_ask_seal(struct trace_writer *writer);
bool trace_is_sealed(struct trace_writer *writer, uint64_t asked);

/*
 * In the child of a fork: forgets the parent's writer without touching its file (closes the descriptor, drops the
 * memory). The background thread does not exist there.
 */
void trace_abandon(struct trace_writer *writer);

/* ------------------------------------------------------------------------------------------------ 2. reader -- */

struct trace;

/* What is missing from what was read. */
struct trace_loss {
    uint64_t bytes;                     /* of the file that could not be used */
    uint64_t records;                   /* in damaged chunks whose count is known */
    uint64_t chunks;                    /* damaged chunks */
    uint64_t unknown_chunks;            /* of kinds or codings that a newer version wrote: skipped */
    uint64_t dropped[LOST_CAUSE_COUNT]; /* by the collector, in all threads */
    bool no_memory;                     /* for a chunk that may be good: there is no result */
    bool unfinished;                    /* the file has no index: killed, still being written, or cut */
    struct error_text first;            /* the first damage, if bytes or chunks: "chunk 17 at byte 40960: ..." */
};

struct trace_chunk {
    uint64_t offset; /* of its header, in the file */
    uint32_t bytes;  /* header included */
    uint32_t kind;
    uint32_t thread; /* stream id: column `id` of kind thread; 0 for definitions of the process */
    uint32_t count;
    uint64_t first_ns, last_ns; /* time of its first and last record; 0 if the kind has no time */
};

/*
 * Opens a trace for reading (mmap). Returns 0 and *out, or STATUS_BAD with *out untouched: no such file, a
 * directory, empty, no trace at all, a newer major version, a damaged header. Damage after the header is not a failure:
 * see trace_loss(). `-` is not supported here. Cost: O(chunks).
 */
int trace_open(const char *path, struct trace **out, struct error_text *message);
/* The same for a file whose path is not what a user would know it by: trace_path() will be `name`, which is copied. */
int trace_open_named(const char *path, const char *name, struct trace **out, struct error_text *message);
/* Whether a file with these first bytes is, or was, a trace. TRACE_MAGIC_BYTES of them decide. */
enum { TRACE_MAGIC_BYTES = 8 };
bool trace_has_magic(const void *head, size_t length);
void trace_close(struct trace *trace);

const char *trace_path(const struct trace *trace);
const json_t *trace_metadata(const struct trace *trace); /* borrowed; always an object */
uint64_t trace_size_bytes(const struct trace *trace);
const uint8_t *trace_bytes(const struct trace *trace); /* the whole file, mapped while the trace is open */
bool trace_has_index(const struct trace *trace);       /* the writer finished the file */

size_t trace_chunk_count(const struct trace *trace);
const struct trace_chunk *trace_chunk_at(const struct trace *trace, size_t i);

struct trace_string {
    const char *text; /* not terminated */
    size_t length;
};

/* Decoded records of one chunk; memory is reused by the next trace_read() into the same batch. Start with {0}. */
struct trace_batch {
    unsigned kind;
    uint32_t thread;
    size_t count;
    size_t chunk;                                          /* of the trace */
    const uint64_t *integers[TRACE_COLUMNS_MAX];           /* [count], NULL if not requested or a string column */
    const struct trace_string *strings[TRACE_COLUMNS_MAX]; /* [count], likewise */
    /* The reader's own: */
    void *memory;
    const struct trace *held; /* pages of it between these bytes were read, and not released yet */
    uint64_t held_from, held_to;
};

/* What trace_read() returns for a chunk of a kind or coding that this version does not know, without a message; and for
 * a chunk that may be good, but that there is no memory for. */
enum { TRACE_NEWER = 3, TRACE_NO_MEMORY };

/*
 * Decodes the columns in mask `columns` of chunk i. Thread-safe on the same trace with different batches. Returns 0,
 * STATUS_BAD for a damaged chunk (its place and what is wrong), TRACE_NEWER or
 * TRACE_NO_MEMORY. Signed columns come as the two's complement bits.
 */
int trace_read(const struct trace *trace, size_t i, uint64_t columns, struct trace_batch *batch,
               struct error_text *message);
void trace_batch_free(struct trace_batch *batch);

/* --- weights of samples: what each of them represents, in one unit or several --- */

struct trace_weight {
    const char *name, *unit; /* "alloc_space", "bytes"; they belong to the trace */
    size_t column;           /* of kind sample: SAMPLE_WEIGHT for the one that counts unless another is chosen */
};

/* All weights of the trace's samples, as its metadata name them: their number, from 1 to SAMPLE_WEIGHTS_MAX, the
 * default one first. */
size_t trace_weights(const struct trace *trace, struct trace_weight weights[SAMPLE_WEIGHTS_MAX]);

/*
 * The weight of this name, or of this "NAME/UNIT". Where none has it, `samples`, `bytes` and `duration` stand for the
 * weight with such a unit; of several the default one. STATUS_GOOD, or STATUS_BAD and a message that lists the
 * weights, with *weight untouched.
 */
int trace_weight_find(const struct trace *trace, const char *name, struct trace_weight *weight,
                      struct error_text *message);

/* Which samples count, and as how much. */
struct trace_selection {
    size_t column;   /* of their weight; 0: none was chosen, which counts SAMPLE_WEIGHT */
    uint64_t states; /* a bit for each thread state (enum trace_thread_state) that counts; 0: all do */
};

/* Whether the selection takes chunks of this kind: samples, and where a weight was chosen those whose default weight is
 * 0. */
bool trace_selection_takes(const struct trace_selection *selection, unsigned kind);
/* The columns to read for an analyzer that wants `columns` of samples, SAMPLE_WEIGHT among them. */
uint64_t trace_selection_columns(const struct trace_selection *selection, uint64_t columns);
/* What was read becomes samples that analyzers need not distinguish from others: SAMPLE_WEIGHT holds the chosen weight,
 * which is not 0, and what does not count is gone. O(rows). */
void trace_selection_apply(const struct trace_selection *selection, struct trace_batch *batch);

/* Gives back the memory that the bytes of chunk i take: whoever reads many chunks in trace_bytes() would else have the
 * whole file in memory. They stay readable. Thread-safe. Cost: a system call. */
void trace_forget(const struct trace *trace, size_t i);

/* Structural loss found by trace_open(): unfinished, cut, broken chunk headers, chunks of unknown kinds. The caller
 * must add chunks found damaged when read: trace_loss_read() takes the result of trace_read(). */
const struct trace_loss *trace_loss(const struct trace *trace);
void trace_loss_chunk(struct trace_loss *loss, const struct trace_chunk *chunk, const struct error_text *message);
void trace_loss_read(struct trace_loss *loss, const struct trace_chunk *chunk, int status,
                     const struct error_text *message);
/* One line about damage: what, where, how much, and what remains; "" if nothing is damaged, cut or unfinished. */
void trace_loss_text(const struct trace *trace, const struct trace_loss *loss, struct error_text *text);
void trace_loss_add(struct trace_loss *into, const struct trace_loss *from);

/* --- names: all definitions of a trace, decoded once; arrays are indexed by id, entry 0 is "unknown". --- */

struct trace_method {
    const char *class_name, *name, *signature, *file; /* terminated; never NULL */
};
struct trace_frame {
    uint32_t method;
    uint32_t line;
    int64_t position;
    uint32_t module;
};
struct trace_context {
    uint32_t parent; /* 0: none */
    uint32_t frame;
};
struct trace_module {
    const char *path, *build_id;
    uint64_t bias, low, high;
};
struct trace_thread {
    uint64_t tid;
    const char *name;
    unsigned role;
    uint64_t first_ns, first_cpu_ns, last_ns, last_cpu_ns;
};

struct trace_site {
    uint32_t context, thread, bytes;
    unsigned access; /* enum trace_access */
    uint32_t loop;   /* the innermost loop around it, in its function or around a call that leads there; 0: none */
};

struct trace_loop {
    uint32_t context, thread;
    uint32_t outer; /* the loop around it, likewise; below its own id, 0: none */
};

struct trace_names {
    size_t method_count, frame_count, context_count, module_count, thread_count, site_count,
        loop_count; /* with entry 0: ≥ 1 */
    struct trace_method *methods;
    struct trace_frame *frames;
    struct trace_context *contexts; /* parent < own id, always */
    struct trace_module *modules;
    struct trace_thread *threads;
    struct trace_site *sites;
    struct trace_loop *loops;
    void *memory; /* strings */
};

/*
 * Reads every definition and the `lost` records. Damaged definition chunks are added to *loss, and references to them
 * resolve to entry 0, whose method is named "[lost definition]". Every reference inside is checked: an id in a record
 * must be tested against the counts (trace_names_context() does). Returns 0, or -1 without memory.
 */
int trace_names_load(const struct trace *trace, struct trace_names *names, struct trace_loss *loss);
void trace_names_free(struct trace_names *names);

/* Whether trace_names_load() reads chunks of this kind, and so has counted their damage. */
bool trace_names_reads(unsigned kind);

/* The context, or entry 0 if there is none with this id. */
const struct trace_context *trace_names_context(const struct trace_names *names, uint64_t id);
/* The site, or entry 0, which is not an access, if there is none with this id. */
const struct trace_site *trace_names_site(const struct trace_names *names, uint64_t id);
/* The loop, or entry 0, which is none, if there is none with this id. */
const struct trace_loop *trace_names_loop(const struct trace_names *names, uint64_t id);
/* The method of a context's own frame. */
const struct trace_method *trace_names_method(const struct trace_names *names, uint64_t context);

#endif
