/*
 * state.h - shared by the files of the writing process: keep.c (starting and ending it), loop.c (what it does all the
 * time), process.c (the trace of one process), events.c (the same in mode methods), code.c (what addresses are),
 * tasks.c (threads that /proc shows), keep_timer.c (clocks of those that have none).
 */
#ifndef ASSAY_KEEP_STATE_H
#define ASSAY_KEEP_STATE_H

#include <pthread.h>

#include "collect/methods/collection.h"
#include "collect/pool/pool.h"
#include "collect/sample/sampler.h"

/* A thread of a measured process. */
struct thread {
    struct thread *next;
    pid_t tid;       /* as this process sees it; 0: unknown */
    uint32_t number; /* of its extent */
    struct pool_thread *shared;
    struct trace_feed *feed;  /* NULL: its process has no trace yet, or the thread has been let go */
    uint64_t cpu_ns;          /* as last seen in /proc */
    uint64_t reported_ns;     /* the time of what was last written about it */
    unsigned asked;           /* consecutive times that it was asked to look after its clock */
    uint64_t stopped_cpu_ns;  /* its clock was stopped; loss is counted up to here; or 0 */
    struct collected *events; /* mode methods: what its records become; NULL: not yet */
    _Atomic bool over;        /* … its thread has ended, and everything has been taken */
    /* The timer's. */
    int schedstat, stat; /* open files; −1: not yet */
    bool called;         /* it knows this thread */
    bool timer_met, timer_idle;
    uint64_t timer_cpu_ns, timer_wait_ns;
};

/* A file with code of a process. */
struct code_file {
    char *path, *method;
    char build_id[2 * POOL_BUILD_ID_MAX + 1];
    uint64_t bias, low, high;
    uint64_t id; /* in the trace; 0: not yet defined */
};

struct code {
    struct code_file *files; /* a later one hides an earlier one at the same place */
    size_t count;
};

/* A measured process, from its beginning or an exec to its end or the next exec. */
struct process {
    struct process *next;
    uint32_t number; /* of its extent */
    struct pool_process *board;
    uint64_t start_ns; /* when it began; with its number, what it is */
    int32_t own_pid;   /* as it sees itself */
    uint64_t namespace;
    char *exe, *called; /* copies: what is in the pool may change */
    dev_t exe_device;
    ino_t exe_inode;
    pid_t pid;                   /* as this process sees it; 0: unknown */
    int pidfd;                   /* −1: none */
    struct trace_writer *writer; /* NULL: it has no trace yet */
    char *path;                  /* of its trace, once it has one */
    struct code code;
    struct thread *threads; /* the newest first */
    bool reported_stop, reported_error;
    bool finished;           /* its trace is complete; another program may have taken its place */
    bool superseded;         /* another program has taken its place, and announced itself */
    bool unloaded;           /* code is gone that frames still name */
    unsigned waits;          /* for entries of the log, in this step */
    bool died, ended, over;  /* as the loop has found; over: it records nothing more */
    uint64_t scanned_cpu_ns; /* CPU time of the process at the last scan */
    uint64_t late_ns;        /* CPU time before threads had clocks, not yet a sample's worth */
    uint64_t recorded_ns;    /* CPU time of the program that it was before, in another trace */
    uint64_t next_scan_ns, next_look_ns, refreshed_ns, looked_at_ns;
    unsigned calm_scans;
    struct strangers *strangers; /* tasks.c */
    struct schedule *schedule;   /* keep_timer.c */
    struct events *events;       /* events.c; NULL: it is sampled */
};

struct keeper {
    struct pool pool;
    struct sampler_config config;
    bool methods;     /* mode methods: processes record events (events.c) */
    json_t *metadata; /* of the run and the machine */
    struct process *processes;
    pthread_mutex_t lock; /* the lists of processes and threads, for the timer; only the loop changes them */
    pid_t recorder;
    uint64_t namespace;                    /* of process ids */
    int ends;                              /* epoll: of processes */
    uint32_t known[POOL_EXTENTS_MAX / 32]; /* a bit an extent: it is in a list */
};

extern struct keeper keeper;

/* loop.c: returns when nothing is left to do. */
void loop_run(void);
/* The extent is in no list any more: it is given back. */
void loop_forget(uint32_t number);

/* process.c */
struct process *process_begin(uint32_t number, struct pool_process *board);
void process_add_thread(struct process *process, uint32_t number, struct pool_thread *shared);
/* Takes what has been recorded; `all`: and writes it. */
void process_step(struct process *process, uint64_t now_ns, bool all);
bool process_has_ended(const struct process *process);
uint64_t process_cpu_ns(const struct process *process); /* 0 if it has ended */
/* Whether it records nothing more, though it may live on. */
bool process_is_over(const struct process *process);
/* Makes its trace, with the writer's options, under the first free name. 0 or an errno value. */
int process_create(struct process *process, struct trace_writer_options *options, const json_t *extra);
void process_report_incomplete(const struct process *process, int error);
/* The recorder prints this about it: a sentence. */
void process_report(const struct process *process, const char *text);
/* Writes what is known about its threads now. */
void process_refresh(struct process *process, uint64_t now_ns);
void process_finish(struct process *process); /* completes its trace */
void process_end(struct process *process);    /* the same; frees */

/* code.c */
bool code_describe(void *process, const struct trace_raw_frame *frame, struct trace_frame_text *text);
void code_take_log(struct process *process);
/* The same without a drain: whether code is gone, so that addresses have changed their meaning. */
bool code_take_entries(struct process *process);
struct code_file *code_find_file(const struct code *code, uint64_t address);
void code_free(struct code *code);

/* events.c: what a process records in mode methods, whose trace a thread of its own writes. events_step() gives that
 * thread its threads; events_can_finish() is false as long as another process has to say which methods are open. */
struct events *events_new(struct process *process);
void events_step(struct process *process);
bool events_can_finish(struct process *process);
int events_finish(struct process *process);
void events_free(struct events *events);

/* tasks.c: the number of a process here, 0 if there is none; and of one of its threads. */
pid_t tasks_pid(const struct pool_process *board);
pid_t tasks_tid(const struct process *process, pid_t own);
/* Whether another program has taken the place of the process's; and whether by a call that has said so. */
bool tasks_has_executed(const struct process *process);
bool tasks_has_become_another(const struct process *process);
/* Looks for threads that have no clock, that have ended, or whose clock is silent. */
void tasks_look(struct process *process, uint64_t now_ns);
void tasks_forget(struct process *process);

/* keep_timer.c: starts on demand, and looks at a new thread. */
void keep_timer_call(void);
void keep_timer_forget_thread(struct thread *thread);
void keep_timer_forget(struct process *process);

/* A signal with a value to a thread, as if its own process had sent it: 0 or an errno value. None to another program
 * that has taken the place of the process's: ESRCH. */
int loop_send(const struct process *process, pid_t tid, uint64_t value);

#endif
