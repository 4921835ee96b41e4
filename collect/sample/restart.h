/*
 * restart.h - system calls that a tick has interrupted. Most begin anew by themselves (SA_RESTART), but some fail with
 * EINTR after any handler: poll(), epoll_wait(), nanosleep(), semop(), those with a time limit of their own, and others
 * (signal(7)). The tick came while the thread ran in the kernel, before it slept, so such a call has done nothing yet.
 * And one that transfers data returns early if it has transferred some: write() to a pipe that is full, or read() from
 * /dev/zero.
 *
 * A program that handles signals must expect both, and may count on it: a call that a handler of the program has
 * interrupted must not go on, and from the context of a tick it looks the same.
 */
#ifndef ASSAY_SAMPLE_RESTART_H
#define ASSAY_SAMPLE_RESTART_H

#include <stdbool.h>

/* In the handler of a tick, which blocks every signal: lets the thread make the call again, if it was interrupted in
 * one that failed only because of this tick, and counts one that may have been cut short. Async-signal-safe. */
void restart_call(void *ucontext);

/* The number of calls of this thread that have returned more than 0 and may have been cut short by a tick; about 1 ns.
 */
unsigned restart_cuts(void);

/* Whether a handler of this signal could end a call, and the program go on. */
bool restart_ends_calls(int signal);

/* Whether the program handles such signals: 5 µs. `blocked` not 0: only handlers count that block one of these signals,
 * a bit each. Keeps errno. Async-signal-safe. */
bool restart_program_handles_signals(unsigned long blocked);

#endif
