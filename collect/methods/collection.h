/*
 * collection.h - what the threads of a process have recorded becomes events of a trace: kind `event`. This is the side
 * of the reader, which may be in another process than the probes.
 *
 * It keeps track of each thread's open methods, gives every enter the event that ends it, and converts the clock's
 * ticks to nanoseconds of CLOCK_MONOTONIC. What it reads may be damaged: that gives wrong events, and no harm.
 */
#ifndef ASSAY_METHODS_COLLECTION_H
#define ASSAY_METHODS_COLLECTION_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "collect/perf/hardware.h"
#include "collect/methods/methods.h"
#include "collect/methods/shared.h"
#include "collect/methods/time.h"

/* A method that was entered and has not been left. */
struct open_method {
    uint64_t method, location;
    uint32_t id;               /* in the trace */
    uint64_t since_ns, events; /* when it was entered, and how many events the thread had by then */
};

/* For each exception in flight: how many methods are open beyond those that it has left so far. */
enum { UNWINDING_MAX = 64 };

/* The open methods of a thread. open.c. */
struct open_stack {
    struct open_method *methods;
    size_t count, capacity;
    size_t unwinding[UNWINDING_MAX];
    size_t unwinding_count;
    uint64_t high; /* end of the thread's stack: places above are on another stack, and are not compared */
    bool jumped;   /* since the last event … */
    uint64_t jump_ns, jump_cpu_ns;
    bool exact;
    bool gap; /* records were dropped: nobody knows how methods were left */
};

enum { EVENT_COLUMNS = EVENT_COUNTER_0 + EVENT_COUNTERS_MAX };

/* A thread whose records are read. */
struct collected {
    struct collected *next;
    struct methods_ring *ring;
    void *user;
    pid_t process, tid; /* as the reader sees them; 0: unknown */
    uint64_t own_tid;   /* as the trace has it */
    uint64_t began_ns;  /* which tells two threads of the same number apart */
    uint64_t tail;      /* as ring->tail, which others can write */
    struct trace_stream *stream;
    struct open_stack open;
    uint64_t *columns[EVENT_COLUMNS];
    uint32_t count, capacity;   /* events in columns */
    uint64_t since_ns;          /* when the first of them came */
    uint64_t first_ns, last_ns; /* of its events */
    uint64_t first_cpu_ns;
    uint64_t counters[COUNTER_KINDS]; /* at the latest record */
    struct hardware_history history[HARDWARE_MAX];
    uint64_t cpu_base_ns, cpu_base_ticks, last_cpu_ns;
    bool reenter;    /* open methods are entered anew in this trace … */
    uint64_t since;  /* … at this time; 0: now */
    bool gone;       /* the thread has ended */
    uint64_t events; /* so far */
    uint64_t decided_events, decided_cpu_ns;
    uint64_t passed_counted;
};

/* What a collection asks its owner; each may be NULL. */
struct collection_hooks {
    enum trace_role (*role)(const char *thread_name);
    /* Whether calls of this method become events. NULL: all do. */
    bool (*chosen)(void *user, uint64_t method);
    /* This method has been given up. */
    void (*given_up)(void *user, uint64_t method);
    /* Something that the user should read: a sentence about the process. */
    void (*report)(void *user, const char *text);
    /* When and with how much CPU time the thread's recording ended: set beforehand to what its last event says. */
    void (*end_of)(void *user, const struct collected *thread, uint64_t *ns, uint64_t *cpu_ns);
    /* The thread has announced a fork by this mark, with these methods open. */
    void (*forks)(void *user, uint64_t mark, const struct open_stack *open);
    /* Nothing refers to the thread any more; frees its ring. */
    void (*forget)(void *user, struct collected *thread);
    void *user;
};

struct collection;

/* A collection of the process that has these tables, whose `about` the reader has checked or made. `configuration` is
 * that of methods_prepare() (borrowed). NULL without memory. */
struct collection *collection_new(const struct collection_hooks *hooks, struct methods_tables *tables,
                                  const struct methods_about *about, const json_t *configuration);
void collection_free(struct collection *collection);

/* From now on events go here; before it nothing may be collected. */
void collection_set_writer(struct collection *collection, struct trace_writer *writer);

/* Adds a thread, with the first members of `thread` up to `began_ns`, which begins with no event. Any thread may call
 * it. NULL without memory. */
struct collected *collection_add(struct collection *collection, const struct collected *thread);

/* Turns what has been recorded so far into events. For the writer's thread. `last`: and writes an event `unfinished`
 * for each method that is still open. */
void collection_collect(struct collection *collection, bool last);

/* Whether there has been any event. */
bool collection_has_events(const struct collection *collection);

/* Ids of methods change their meaning, since code was unloaded. For the writer's thread. */
void collection_forget(struct collection *collection);

/* Methods that are open, and go on in a trace, are entered there anew. */
void collection_reenter(struct collection *collection);

/* The thread begins with these methods, which are entered at this time. False without memory. */
bool collection_begin_with(struct collected *thread, const struct open_stack *open, uint64_t at_ns);

/* In the child of a fork, which has a copy of the collection: of its threads there is only this one, or none if NULL;
 * what it had recorded before it forked becomes its open methods. */
void collection_inherit(struct collection *collection, struct collected *thread);

/* The CPU time that the recording took outside of probes: VM_REWRITE (`start_ns`; 0: unknown), and that of the calling
 * thread as VM_WRITER or VM_OUTSIDE_WRITER of this stream. */
void collection_report_cost(struct trace_stream *stream, uint64_t start_ns, enum trace_vm writer);

/* open.c */
void open_free(struct open_stack *stack);
bool open_push(struct open_stack *stack, const struct open_method *method);
bool open_copy(struct open_stack *to, const struct open_stack *from); /* false without memory */
/* How many methods stay open around `location`; those deeper on the stack have been left unseen. `entered`: a method is
 * entered there now. */
size_t open_stack_around(const struct open_stack *stack, uint64_t location, bool entered);
/* How many are open up to the innermost one of this method; 0 if it is not open. */
size_t open_find(const struct open_stack *stack, uint64_t method);

#endif
