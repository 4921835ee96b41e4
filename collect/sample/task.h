/*
 * task.h - what /proc and the clocks say about the threads of this process. No allocation anywhere.
 */
#ifndef ASSAY_SAMPLE_TASK_H
#define ASSAY_SAMPLE_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/perf/reserved_fd.h"

pid_t task_self(void);    /* gettid, without any cache */
pid_t task_process(void); /* getpid by system call: a vfork child is distinguished */

/* Opens what task_each() reads, while the process has one thread, since nothing else then opens and closes files. */
void task_prepare(void);

/* Calls visit() for every thread of the process; one caller at a time. False if /proc can't be read. */
bool task_each(void (*visit)(pid_t tid, void *user), void *user);

/* The thread's current name; "" if it has exited. */
void task_name(pid_t tid, char *out, size_t size);

/* CPU time of a thread of this process in ns; false if it has exited. */
bool task_cpu_ns(pid_t tid, uint64_t *out);

/* Time that a thread was runnable but waited for a processor; false if the kernel does not report it. */
bool task_wait_ns(pid_t tid, uint64_t *out);

/* Page faults (minor and major) and context switches (voluntary and not) of a thread; false if it has exited. */
bool task_faults(pid_t tid, uint64_t *out);
bool task_switches(pid_t tid, uint64_t *out);

struct reserved_fd task_open_stat(pid_t tid);
char task_state(const struct reserved_fd *stat); /* 'R', 'S', …; 0 if unknown */
char task_state_of(pid_t tid);                   /* the same, once */
void task_forget(void);                          /* in the child of a fork: what is kept open is the parent's */

#endif
