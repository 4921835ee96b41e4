/*
 * outside.h - the sampler of a process whose trace another process writes: then it has no threads of its own here, only
 * handlers. What the other process has to know is in the pool (collect/pool).
 */
#ifndef ASSAY_SAMPLE_OUTSIDE_H
#define ASSAY_SAMPLE_OUTSIDE_H

#include <stdbool.h>
#include <stddef.h>

#include "collect/sample/slots.h"

/* Announces this process. 0 or an errno value: then its trace has to be written here. */
int outside_begin(void);

/* The stream of a thread, in its part of the pool, which outside_publish() shows once slot->stream is set. NULL without
 * room. */
struct trace_stream *outside_open(struct slot *slot);
void outside_publish(struct slot *slot);

/* What is known about the thread, for the trace. Async-signal-safe. */
void outside_update(struct slot *slot);

/* In the thread itself, at a tick: its times, and now and then its name. Async-signal-safe. */
void outside_heard(struct slot *slot, uint64_t now_ns, uint64_t cpu_ns);

/* The clocks send another signal now. */
void outside_report_signal(void);

/* The thread has ended, or is not sampled any more: its part of the pool is let go. */
void outside_close(struct slot *slot);

/* Ends the slots of threads that have ended without a word, as the writing process has found. Under the lock. */
void outside_bury(void);

/* This process records nothing more; it is about to execute a program; it has failed to. */
void outside_end(void);
void outside_executes(bool executes);

/* Forgets the parent's, in the child of a fork. */
void outside_forget(void);

#endif
