/*
 * pool.h - memory that the processes of a run share with the process that writes their traces.
 *
 * A file without a name, in extents of one size: a page and a ring. The first one is the header. A measured process
 * claims one extent for itself and one for each of its threads, maps only these, and publishes them when they are
 * filled in; the writing process has all of them mapped, takes what is published, and gives extents back once their
 * process has released them or has ended. Nothing that a measured process writes here does the writing process any
 * harm.
 *
 * Both sides are alone in their role: a process has one pool.
 */
#ifndef ASSAY_POOL_POOL_H
#define ASSAY_POOL_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "trace/trace.h"

enum {
    POOL_PAGE = 4096,
    POOL_RING_BYTES = 128 << 10, /* for samples */
    POOL_EXTENTS_MAX = 1 << 16,
    POOL_NAME_WORDS = 2, /* of a thread's name: the kernel's 16 bytes */
};

enum pool_kind { POOL_UNPUBLISHED, POOL_PROCESS, POOL_THREAD };

struct pool_header {
    uint64_t magic; /* POOL_MAGIC, once the rest is set */
    uint32_t extents;
    uint32_t ring_bytes;             /* of each extent */
    _Atomic uint32_t bell;           /* not 0: there is something to do for the writing process, which waits for it */
    _Atomic uint32_t asked, replied; /* by the recorder, by the writing process: see keep.h */
    _Atomic uint32_t living;         /* processes that had not ended at the last answer */
    _Atomic uint32_t over;           /* the command has ended: the writing process ends with the last other one */
    _Atomic uint32_t closed;         /* nobody takes what is claimed from now on */
    _Atomic uint64_t used[POOL_EXTENTS_MAX / 64]; /* a bit an extent */
};

static const uint64_t POOL_MAGIC = UINT64_C(0x61737361792d7031);

/* How a process says what it does. */
enum pool_state {
    POOL_RUNNING,
    POOL_EXECUTING, /* another program may have taken its place */
    POOL_ENDED      /* it records nothing more */
};

enum { POOL_PATH_MAX = 4096, POOL_ARGUMENTS_MAX = 16384, POOL_LOG_BYTES = 64 << 10, POOL_BUILD_ID_MAX = 64 };

/* How every extent begins. */
struct pool_extent {
    _Atomic uint32_t kind;   /* enum pool_kind; the last to be set */
    _Atomic int32_t claimer; /* the process that has claimed it, as that sees itself; 0: not yet known */
};

struct pool_process {
    struct pool_extent extent; /* POOL_PROCESS */
    _Atomic uint32_t state;
    int32_t pid;          /* as it sees itself */
    uint64_t namespace;   /* of its process ids: the inode */
    uint64_t token;       /* the value of a signal by which a thread is asked to look after its clock */
    uint64_t seed;        /* of its clocks */
    uint32_t source;      /* enum sampler_source */
    int32_t source_error; /* why it is not the wanted one: an errno value, or 0 */
    uint32_t kernel_accesses;
    _Atomic int32_t signal; /* of its clocks */
    uint64_t start_ns;      /* CLOCK_MONOTONIC */
    struct timespec start_realtime;
    _Atomic uint64_t ended_ns;        /* with POOL_ENDED and POOL_EXECUTING */
    _Atomic uint64_t executes_cpu_ns; /* with POOL_EXECUTING: CPU time of the thread, which goes on */
    _Atomic uint32_t gone;            /* by the writing process: threads that have ended without a word */
    uint64_t exe_device, exe_inode;   /* of its program; 0: unknown */
    char exe[POOL_PATH_MAX];
    uint32_t arguments_bytes;
    char arguments[POOL_ARGUMENTS_MAX];  /* each with its NUL */
    _Atomic uint64_t log_head, log_tail; /* bytes ever claimed, and read */
    _Atomic uint64_t log[POOL_LOG_BYTES / 8];
};

/* What the collector puts behind it begins here. */
enum { POOL_PROCESS_BYTES = (sizeof(struct pool_process) + POOL_PAGE - 1) / POOL_PAGE * POOL_PAGE };

/* Ticks without a clock of the thread's own. */
struct pool_ticks {
    _Atomic uint64_t sent, sent_tick; /* signals sent, and the tick of the last one */
    _Atomic uint64_t received;        /* the number of `sent` that the handler has accounted for */
    _Atomic uint64_t quiet_until_ns;  /* no tick before */
};

struct pool_thread {
    struct pool_extent extent; /* POOL_THREAD */
    uint32_t process;          /* the extent of its process, … */
    uint64_t start_ns;         /* … which began then */
    int32_t tid;               /* as its process sees it */
    _Atomic uint32_t released; /* its process does not use it any more */
    _Atomic uint32_t gone;     /* by the writing process: the thread has ended */
    uint64_t slot;             /* the value of the ticker's signals: its address in its process */
    uint64_t first_ns, first_cpu_ns;
    _Atomic uint64_t last_ns, last_cpu_ns; /* at its last tick, or its end */
    _Atomic uint64_t name[POOL_NAME_WORDS];
    _Atomic uint32_t wants_ticks; /* it has no clock of its own */
    _Atomic int32_t clock;        /* the descriptor of its clock, or −1, … */
    _Atomic uint64_t clock_id;    /* … and the id of the perf event */
    _Atomic uint64_t interval_ns; /* its mean interval */
    struct pool_ticks ticks;
    uint64_t stream[(POOL_PAGE - 256) / 8]; /* a struct trace_stream, which goes on behind it */
};

/* ------------------------------------------------------------------------------- 1. a measured process -- */

/* Opens the pool at this path, or the one that is inherited at descriptor `inherited` (−1: none). 0 or an errno value.
 * Once. */
int pool_attach(const char *path, int inherited);

/* A free extent, zeroed, and its number. NULL if there is none or it can't be mapped. Async-signal-safe. A forked child
 * does not inherit it. */
void *pool_claim(uint32_t *number);

/* The same of a part of an extent, in whole pages: a forked child does inherit it. */
void pool_hand_to_children(void *part, size_t bytes);

/* Unmaps an extent, after it has been marked as released. Async-signal-safe. */
void pool_unmap(void *extent);

/* Wakes the writing process. Async-signal-safe. */
void pool_ring_bell(void);

/* Before an exec: a program that could not open the pool itself, behind a change of root, user or namespace, inherits
 * this descriptor. −1: none is needed, or the program has closed it. After a failed exec it is closed on exec again. */
int pool_hand_down(void);
void pool_take_back(int fd);

/* Closes an inherited descriptor that is not needed, if it still is a pool. */
bool pool_drop(int fd);

/* What the code at these addresses is. `path` absolute, or "" for the process's own program. */
struct pool_module {
    uint64_t bias, low, high;
    uint32_t build_id_bytes;
    uint8_t build_id[POOL_BUILD_ID_MAX];
    const char *path;
};

/* Appends to the log of a process that it has such code. False if there is no room. Async-signal-safe. */
bool pool_log_module(struct pool_process *process, const struct pool_module *module);

/* The same: some code is gone. */
bool pool_log_unloaded(struct pool_process *process);

/* The same: the recorder prints this about the process; a sentence of less than POOL_PATH_MAX bytes. */
bool pool_log_note(struct pool_process *process, const char *text);

/* ------------------------------------------------------------------------------- 2. the writing process -- */

struct pool {
    struct pool_header *header;
    size_t extent_bytes;
    int fd;
};

/* 0 or an errno value. `ring_bytes`: whole pages, POOL_RING_BYTES or more. Fewer extents if the process may not have so
 * much address space. */
int pool_create(struct pool *pool, size_t ring_bytes);
void pool_close(struct pool *pool);

/* An extent of the pool; number < header->extents. */
void *pool_extent(const struct pool *pool, uint32_t number);

/* Gives an extent back, zeroed. */
void pool_free(const struct pool *pool, uint32_t number);

/* Waits until the bell rings, or for this time. */
void pool_wait(const struct pool *pool, uint64_t timeout_ns);

enum pool_entry { POOL_LOG_NONE, POOL_LOG_MODULE, POOL_LOG_UNLOADED, POOL_LOG_SKIP, POOL_LOG_NOTE };

/* Takes the next entry from a process's log, with `path`, or a note, in `text`. POOL_LOG_NONE if there is none;
 * *unfinished: one is being written. */
enum pool_entry pool_log_take(struct pool_process *process, struct pool_module *module, char text[POOL_PATH_MAX],
                              bool *unfinished);

#endif
