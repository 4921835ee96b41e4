/*
 * trace.h - the assay trace: its contents, writing and reading.
 *
 * A trace is one file: a header with a JSON metadata object, then self-contained chunks, then an index.
 * A chunk holds records of ONE kind from ONE thread as columns of 64-bit integers or strings; every column is
 * compressed and checksummed separately. docs/trace-format.md describes the bytes.
 *
 * Part 1 (schema) is shared; part 2 (writer) is linked into measured programs; part 3 (reader) into analyzers.
 */
#ifndef ASSAY_TRACE_TRACE_H
#define ASSAY_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/complaint.h"

/* ------------------------------------------------------------------------------------------------ 1. schema -- */

enum { TRACE_MAJOR = 1, TRACE_MINOR = 2 };

/* The kinds of records. The numbers are part of the format. 1..15 are definitions. */
enum trace_kind {
    TRACE_MODULE = 1,  /* a file mapped into the process */
    TRACE_METHOD = 2,  /* a method or function */
    TRACE_FRAME = 3,   /* a place in a method */
    TRACE_CONTEXT = 4, /* a node of the calling-context tree: parent + frame */
    TRACE_THREAD = 5,  /* a thread; written again when more is known about it: the last one counts */
    TRACE_OBJECT = 6,  /* a data object: static, by its symbol, or on the heap, by the context that allocated it */
    TRACE_SITE = 7,    /* an access of an instruction in a context: the common part of all its executions */
    TRACE_SAMPLE = 16, /* a sample of a sampling clock */
    TRACE_GC = 17,     /* one garbage collection */
    TRACE_LOST = 18,   /* records that the collector had to drop */
    TRACE_PAIR =
        19, /* memory accesses of one context that followed another's to the same place, and how many were wasted */
    TRACE_TOTAL = 20,  /* all memory accesses of a thread */
    TRACE_ACCESS = 21, /* one memory access; in the order of the process, of stream 0 */
    TRACE_TRAP = 22,   /* one sampled memory access and the next to the same place */
    TRACE_WATCH = 23,  /* sampled memory accesses and watchpoints that led to no trap */
    TRACE_RANGE = 24,  /* instructions that were single-stepped after a tick, and their memory accesses */
    TRACE_EVENT = 25,  /* a method was entered or left */
    TRACE_CLOCK =
        26, /* what happened to a thread's sampling clock: its interval or its source changed, it miscounted */
    TRACE_GIVEUP = 27, /* a method lost its probes */
    TRACE_VM = 28,     /* what a virtual machine reports about itself */
    TRACE_INDEX = 31,  /* written only by the writer: where the chunks are */
    TRACE_KIND_COUNT = 32
};

/* Columns of each kind, in their order in the file; bit i of a column mask represents column i. */
enum { MODULE_ID, MODULE_PATH, MODULE_BUILD_ID, MODULE_BIAS, MODULE_LOW, MODULE_HIGH };
enum { METHOD_ID, METHOD_CLASS, METHOD_NAME, METHOD_SIGNATURE, METHOD_FILE };
enum { FRAME_ID, FRAME_METHOD, FRAME_LINE, FRAME_POSITION, FRAME_MODULE };
enum { CONTEXT_ID, CONTEXT_PARENT, CONTEXT_FRAME };
enum {
    THREAD_ID,
    THREAD_TID,
    THREAD_NAME,
    THREAD_ROLE,
    THREAD_FIRST_NS,
    THREAD_FIRST_CPU_NS,
    THREAD_LAST_NS,
    THREAD_LAST_CPU_NS
};
enum { OBJECT_ID, OBJECT_KIND, OBJECT_BYTES, OBJECT_CONTEXT /* static: one frame, the symbol; heap: who allocated */ };
enum { SITE_ID, SITE_CONTEXT, SITE_THREAD /* its stream */, SITE_ACCESS /* enum trace_access */, SITE_BYTES };
enum {
    SAMPLE_TIME,
    SAMPLE_CPU,
    SAMPLE_CONTEXT,
    SAMPLE_STATE,
    SAMPLE_TICK,
    SAMPLE_WEIGHT /* the number of samples, or of metadata `sample_unit`, that it represents; 0 or absent: 1 */
};
enum { GC_TIME, GC_DURATION };
enum { LOST_TIME, LOST_CAUSE, LOST_COUNT };
enum {
    PAIR_TIME,   /* when it was written */
    PAIR_WASTE,  /* enum trace_waste */
    PAIR_VALUES, /* enum trace_values */
    PAIR_FIRST,  /* context of the earlier access: the dead store, or the one whose value was repeated */
    PAIR_SECOND, /* context of the later one */
    PAIR_SCOPE,  /* the loop between the two, at its header and, once resolved, its line; 0: none, or unknown */
    PAIR_OBJECT, /* id of an object, or 0 */
    PAIR_EVENTS, /* accesses by `second` to places that `first` had accessed last, since the last record of the pair */
    PAIR_WASTED_EVENTS,
    PAIR_BYTES, /* the same in bytes */
    PAIR_WASTED_BYTES
};
enum { TOTAL_TIME, TOTAL_ACCESS, TOTAL_VALUES, TOTAL_EVENTS, TOTAL_BYTES };
enum {
    ACCESS_SITE,
    ACCESS_INSTRUCTIONS, /* executed by the process, including that of the access */
    ACCESS_ADDRESS,
    ACCESS_VALUE, /* the first 8 bytes, little-endian; then the following ones. Absent, so 0, unless values were
                     recorded */
    ACCESS_VALUE_1,
    ACCESS_VALUE_2,
    ACCESS_VALUE_3
};
enum {
    TRAP_TIME,
    TRAP_WASTE,  /* enum trace_waste */
    TRAP_VALUES, /* enum trace_values */
    TRAP_FIRST,  /* context of the sampled access */
    TRAP_SECOND, /* context of the next one */
    TRAP_WASTED, /* 1: it was wasted */
    TRAP_BYTES,  /* of the first access */
    TRAP_WEIGHT, /* the number of sampled accesses that it represents */
    TRAP_SECOND_BYTES,
    TRAP_REGISTER,  /* debug register, from 1; 0: the next access came so soon that none was needed */
    TRAP_FIRST_LOW, /* machine code of the first access's instruction: bytes 0-7, then 8-15; 0: unknown */
    TRAP_FIRST_HIGH,
    TRAP_SECOND_LOW,
    TRAP_SECOND_HIGH,
    TRAP_START /* code address at the tick */
};
enum {
    RANGE_TIME,
    RANGE_START, /* code address at the tick */
    RANGE_END,   /* code address after the last step */
    RANGE_INSTRUCTIONS,
    RANGE_EVENTS, /* accesses of the wanted kind, among the last `window` of these instructions */
    RANGE_BYTES,
    RANGE_APPROX_EVENTS, /* those of floating-point values */
    RANGE_APPROX_BYTES
};
enum { WATCH_TIME, WATCH_OUTCOME, WATCH_COUNT };
enum {
    EVENT_TIME,
    EVENT_WHAT,      /* enum trace_event */
    EVENT_METHOD,    /* id of a method; for an exit, that of its entry */
    EVENT_COUNTER_0, /* running values, never less than in the previous event; metadata `counters` names them */
    EVENT_COUNTER_1,
    EVENT_COUNTER_2,
    EVENT_COUNTER_3
};
enum { EVENT_COUNTERS_MAX = 4 };
enum {
    CLOCK_TIME,
    CLOCK_WHAT, /* enum trace_clock_change, which defines these two */
    CLOCK_FROM,
    CLOCK_TO,
    CLOCK_SHARE /* share of the thread's CPU time that the sampler took before the change, in thousandths; 0: not
                   measured */
};
enum {
    GIVEUP_TIME,
    GIVEUP_METHOD, /* id of a method: from about then on its calls are not recorded */
    GIVEUP_CALLS,  /* recorded before */
    GIVEUP_MEAN,   /* ns per call, minus the probes inside */
    GIVEUP_WHY,    /* enum trace_giveup */
    GIVEUP_SHARE   /* share of the thread's CPU time that probes took, in thousandths; 0: not measured */
};
enum { VM_TIME, VM_WHAT /* enum trace_vm */, VM_VALUE /* since the virtual machine began */ };
enum { INDEX_OFFSET, INDEX_KIND, INDEX_THREAD, INDEX_COUNT, INDEX_FIRST, INDEX_LAST };
enum { TRACE_COLUMNS_MAX = 16 };
#define TRACE_ALL_COLUMNS UINT64_MAX

enum trace_type { TRACE_UNSIGNED, TRACE_SIGNED, TRACE_STRING };

/* How a column of integers is written, always as varints: unchanged, as the difference from the previous row, or as the
 * difference from a prediction from the previous rows of the chunk (docs/trace-format.md). The last three use the site.
 */
enum trace_coding {
    TRACE_PLAIN,
    TRACE_DELTA,
    TRACE_BESIDE, /* delta of the values or of their excess over the kind's time column, whichever is smaller */
    TRACE_CHAIN,  /* this one and those that follow: predict.h */
    TRACE_STEP,
    TRACE_STRIDE,
    TRACE_SAME
};

struct trace_column {
    const char *name; /* as `assay dump` prints it; a unit is part of the name */
    enum trace_type type;
    enum trace_coding coding;
    bool context; /* ids of contexts */
    bool method;  /* ids of methods */
};

struct trace_schema {
    const char *name; /* "sample" */
    size_t column_count;
    const struct trace_column *columns;
    size_t time_column; /* whose values are first_time/last_time of a chunk; SIZE_MAX: none */
};

/* The schema of a kind, or NULL if this version does not know it. Static storage. */
const struct trace_schema *trace_schema_of(unsigned kind);

/* The kind with this name, or 0. */
unsigned trace_kind_named(const char *name);

/* The amount that a sample represents, from its column weight. */
static inline uint64_t trace_sample_weight(uint64_t weight)
{
    return weight > 0 ? weight : 1;
}

/* What a thread was doing when its sample was taken. The numbers are part of the format. */
enum trace_state {
    STATE_UNKNOWN = 0,
    STATE_NATIVE = 1,      /* native code (of a native program, or below a Java frame) */
    STATE_COMPILED = 2,    /* Java, compiled by the JIT */
    STATE_INTERPRETED = 3, /* Java, in the interpreter */
    STATE_RUNTIME = 4,     /* inside the JVM on behalf of a Java thread */
    STATE_JIT = 5,         /* a JIT compiler thread */
    STATE_GC = 6,          /* the garbage collector */
    STATE_VM = 7,          /* another thread of the JVM's own */
    STATE_UNWALKABLE = 8,  /* the stack could not be walked; the context says what is known */
    STATE_STUB = 9,        /* code generated by the JVM that is not a method (stubs, adapters) */
    STATE_COUNT
};
const char *trace_state_name(unsigned state); /* "compiled"; "unknown" for a number it does not know */

/* The role of a thread. The numbers are part of the format. */
enum trace_role { ROLE_NATIVE = 0, ROLE_JAVA = 1, ROLE_JIT = 2, ROLE_GC = 3, ROLE_VM = 4, ROLE_COUNT };
const char *trace_role_name(unsigned role);

/* What a pair wasted. The numbers are part of the format. */
enum trace_waste {
    WASTE_DEAD_STORE = 0,
    WASTE_SILENT_STORE = 1,
    WASTE_SILENT_LOAD = 2,
    WASTE_SPATIAL_LOAD = 3,
    WASTE_COUNT
};
const char *trace_waste_name(unsigned waste); /* "dead-store"; "unknown" for a number it does not know */
unsigned trace_waste_named(const char *name); /* WASTE_COUNT if there is none */

/* How values are compared: exactly, or, for floating-point operations, within a tolerance. */
enum trace_values { VALUES_PRECISE = 0, VALUES_APPROXIMATE = 1, VALUES_COUNT };
const char *trace_values_name(unsigned values); /* "precise" */
enum trace_access { ACCESS_LOAD = 0, ACCESS_STORE = 1, ACCESS_COUNT };
const char *trace_access_name(unsigned access); /* "load" */

/* Why a sampled access led to no trap. The numbers are part of the format. */
enum trace_outcome {
    OUTCOME_DECLINED = 0,  /* no register took it */
    OUTCOME_REPLACED = 1,  /* its watchpoint was replaced by a later sample's */
    OUTCOME_GIVEN_UP = 2,  /* its watchpoint trapped too often on accesses that decide nothing */
    OUTCOME_COLLECTED = 3, /* a garbage collection came between */
    OUTCOME_UNKNOWN = 4,   /* the instruction that trapped is unknown */
    OUTCOME_FRESH = 5,     /* the place was freed in between: the stack frame returned, or the block was freed */
    OUTCOME_PENDING = 6,   /* the thread ended first */
    OUTCOME_NO_ACCESS = 7, /* no access was found within the steps allowed: nothing was sampled */
    OUTCOME_SYSTEM = 8,    /* a system call came first: nothing was sampled */
    OUTCOME_BLOCKED = 9,   /* the thread could not be stepped, or its register could not be set: nothing was sampled */
    OUTCOME_KERNEL = 10,   /* the kernel overwrote what had been loaded, so the next store was not the program's */
    OUTCOME_UNSEEN = 11,   /* the kernel may have loaded it in between, which can't be seen */
    OUTCOME_COUNT
};
const char *trace_outcome_name(unsigned outcome); /* "replaced" */

/* How a method was entered or left. The numbers are part of the format. */
enum trace_event {
    EVENT_ENTER = 0,
    EVENT_EXIT = 1,
    EVENT_EXCEPTION = 2,  /* left by an exception, longjmp or the like */
    EVENT_UNFINISHED = 3, /* not left: its thread or process ended inside, or it ran when the recording ended */
    EVENT_COUNT
};
const char *trace_event_name(unsigned event); /* "enter" */

/* Why a method lost its probes. The numbers are part of the format. */
enum trace_giveup {
    GIVEUP_SHORT = 0,  /* it takes less time than the requested minimum */
    GIVEUP_COSTLY = 1, /* probes took more of a thread's CPU time than allowed */
    GIVEUP_REASONS
};
const char *trace_giveup_name(unsigned why); /* "short" */

/* What a virtual machine reports about itself: ns, unless stated otherwise. The numbers are part of the format. */
enum trace_vm {
    VM_SAFEPOINT = 0,      /* wall time in safepoints, in which the program is stopped */
    VM_SAFEPOINT_SYNC = 1, /* the part of it until all threads had stopped */
    VM_CLASS_LOAD = 2,     /* time in threads that loaded, linked and initialized classes … */
    VM_CLASS_VERIFY = 3,   /* … of it in the verifier */
    VM_CLASS_INIT = 4,     /* … and in class initializers */
    VM_CLASSES = 5,        /* classes loaded (a number), without those of a shared archive */
    VM_COMPILE = 6,        /* wall time that compiler threads were at work */
    VM_REWRITE = 7,        /* mode methods: CPU time of the recorder's start, and of putting probes into classes … */
    VM_WRITER = 8,         /* … and of the recorder's own thread, which writes the trace */
    VM_COUNT
};
const char *trace_vm_name(unsigned what); /* "safepoint-ns" */

/* What happened to a sampling clock. The numbers are part of the format. */
enum trace_clock_change {
    CLOCK_SLOWED = 0,    /* ticks cost too much: the mean interval in ns, before and after */
    CLOCK_CORRECTED = 1, /* ticks came too often: the period in the clock's own units, before and after */
    CLOCK_REPLACED =
        2, /* the clock had stopped: numbers of the sources (cpu-clock, timer-thread, pmu), before, after */
    CLOCK_IMPOSSIBLE = 3, /* an impossible counter value: the value at the previous tick, and the one read */
    CLOCK_CHANGE_COUNT
};
const char *trace_clock_change_name(unsigned change); /* "slowed" */

/* The kind of a data object. The numbers are part of the format. */
enum trace_object_kind { OBJECT_STATIC = 0, OBJECT_HEAP = 1, OBJECT_KIND_COUNT };
const char *trace_object_kind_name(unsigned kind); /* "static" */

/* Why records were dropped. The numbers are part of the format. */
enum trace_cause {
    LOST_BUFFER_FULL = 0, /* the thread produced faster than the writer could drain */
    LOST_NOT_DELIVERED =
        1,              /* the clock ticked, but no sample came: signal blocked, timer late, or merged with another */
    LOST_NO_THREAD = 2, /* a signal came for a thread that has no buffer (any more) */
    LOST_NO_MEMORY = 3, /* a table of the writer could not grow */
    LOST_WRITE_FAILED = 4, /* the file system refused */
    LOST_LATE_ATTACH = 5,  /* CPU time, as samples' worth, that a thread used before it was seen */
    LOST_NO_ENTER =
        6, /* a method was left that had not been entered: its entry was lost, or came before the recording */
    LOST_GIVEN_UP = 7, /* calls of a method whose probes had been given up */
    LOST_CAUSE_COUNT
};
const char *trace_cause_name(unsigned cause);

/* ------------------------------------------------------------------------------------------------ 2. writer -- */

struct trace_writer; /* one file */
struct trace_stream; /* one thread's part of it: a ring buffer with one producer (the thread) */

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
 * Appends one record. Async-signal-safe: no lock, no allocation, no system call; about 20 ns. Only the stream's single
 * producer may call it (a signal handler that interrupts another append of the same thread is safe: the inner call is
 * refused and counted as LOST_BUFFER_FULL). values[n] are the columns of `kind` in order; those after the n-th are 0.
 * Returns false if the record was dropped (and counted).
 */
bool trace_append(struct trace_stream *stream, enum trace_kind kind, const uint64_t *values, size_t n);

/*
 * The same with a stack: frames[0] is the innermost. The writer interns the stack in the calling-context tree and puts
 * the context into column `context_column`. depth ≤ TRACE_STACK_MAX; the caller must cut a deeper stack (keep the
 * innermost frames and end with a frame that marks the cut).
 */
enum { TRACE_STACK_MAX = 1024, TRACE_STACKS_MAX = 2 };
bool trace_append_stack(struct trace_stream *stream, enum trace_kind kind, const uint64_t *values, size_t n,
                        size_t context_column, const struct trace_raw_frame *frames, size_t depth);

/* The same with several stacks, each for its own column; count ≤ TRACE_STACKS_MAX, each depth ≥ 1. */
struct trace_stack {
    size_t column;
    const struct trace_raw_frame *frames;
    size_t depth;
};
bool trace_append_stacks(struct trace_stream *stream, enum trace_kind kind, const uint64_t *values, size_t n,
                         const struct trace_stack *stacks, size_t count);

/* Counts records that the collector itself dropped. Async-signal-safe. */
void trace_count_lost(struct trace_stream *stream, enum trace_cause cause, uint64_t count);

/* Records appended so far to this stream (dropped ones not counted). Any thread, any time. */
uint64_t trace_appended(const struct trace_stream *stream);

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

/* Drains every ring and writes full or aged chunks; `all`: writes everything. Only with options.manual. */
int trace_drain(struct trace_writer *writer, bool all);

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

/* ------------------------------------------------------------------------------------------------ 3. reader -- */

struct trace;

/* What is missing from what was read. */
struct trace_loss {
    uint64_t bytes;                     /* of the file that could not be used */
    uint64_t records;                   /* in damaged chunks whose count is known */
    uint64_t chunks;                    /* damaged chunks */
    uint64_t unknown_chunks;            /* of kinds or codings that a newer version wrote: skipped */
    uint64_t dropped[LOST_CAUSE_COUNT]; /* by the collector, in all threads */
    bool unfinished;                    /* the file has no index: killed, still being written, or cut */
    struct complaint first;             /* the first damage, if bytes or chunks: "chunk 17 at byte 40960: ..." */
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
int trace_open(const char *path, struct trace **out, struct complaint *complaint);
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
    const uint64_t *integers[TRACE_COLUMNS_MAX];           /* [count], NULL if not requested or a string column */
    const struct trace_string *strings[TRACE_COLUMNS_MAX]; /* [count], likewise */
    void *memory;                                          /* the reader's own */
};

/* What trace_read() returns for a chunk of a kind or coding that this version does not know; no complaint. */
enum { TRACE_NEWER = 3 };

/*
 * Decodes the columns in mask `columns` of chunk i. Thread-safe on the same trace with different batches. Returns 0,
 * STATUS_BAD for a damaged chunk (its place and what is wrong), or TRACE_NEWER.
 * Signed columns come as the two's complement bits.
 */
int trace_read(const struct trace *trace, size_t i, uint64_t columns, struct trace_batch *batch,
               struct complaint *complaint);
void trace_batch_free(struct trace_batch *batch);

/* Gives back the memory that the bytes of chunk i take: whoever reads many chunks in trace_bytes() would else have the
 * whole file in memory. They stay readable. Thread-safe. Cost: a system call. */
void trace_forget(const struct trace *trace, size_t i);

/* Structural loss found by trace_open(): unfinished, cut, broken chunk headers, chunks of unknown kinds. The caller
 * must add chunks found damaged when read: trace_loss_read() takes the result of trace_read(). */
const struct trace_loss *trace_loss(const struct trace *trace);
void trace_loss_chunk(struct trace_loss *loss, const struct trace_chunk *chunk, const struct complaint *complaint);
void trace_loss_read(struct trace_loss *loss, const struct trace_chunk *chunk, int status,
                     const struct complaint *complaint);
/* One line about damage: what, where, how much, and what remains; "" if nothing is damaged, cut or unfinished. */
void trace_loss_text(const struct trace *trace, const struct trace_loss *loss, struct complaint *text);
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
};

struct trace_names {
    size_t method_count, frame_count, context_count, module_count, thread_count, site_count; /* with entry 0: ≥ 1 */
    struct trace_method *methods;
    struct trace_frame *frames;
    struct trace_context *contexts; /* parent < own id, always */
    struct trace_module *modules;
    struct trace_thread *threads;
    struct trace_site *sites;
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
/* The method of a context's own frame. */
const struct trace_method *trace_names_method(const struct trace_names *names, uint64_t context);

#endif
