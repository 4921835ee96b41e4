/*
 * restart.h - system calls that a tick has interrupted. Most begin anew by themselves (SA_RESTART), but some fail with
 * EINTR after any handler: poll(), epoll_wait(), nanosleep(), semop() and others (signal(7)). The tick came while the
 * thread ran in the kernel, before it slept, so such a call has done nothing yet. A program without a handler for
 * signals need not expect that; one that has handlers must, and may count on it.
 */
#ifndef ASSAY_SAMPLE_RESTART_H
#define ASSAY_SAMPLE_RESTART_H

/* In the handler of a tick, which blocks every signal: lets the thread make the call again, if it was interrupted in
 * one that failed only because of this tick. Async-signal-safe. */
void restart_call(void *ucontext);

#endif
