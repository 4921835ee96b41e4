/*
 * mask.h - the program's signal mask, and what the sampler makes of it. Threads that block every signal are common (so
 * that handlers run elsewhere); a sampler whose signals were blocked with the rest would see nothing of them. So the
 * sampler's signals stay open while it runs, and the program is told that they are blocked, as it wanted. A signal of
 * the same number that is not the sampler's waits as if they were. A program that handles such a signal itself blocks
 * it in earnest, and what the sampler loses by that is counted as lost.
 */
#ifndef ASSAY_MASK_H
#define ASSAY_MASK_H

#include <signal.h>
#include <stdbool.h>

/* pthread_sigmask(how, set, before) for the program, in the calling thread: 0 or an errno value. Async-signal-safe. */
int mask_change(int how, const sigset_t *set, sigset_t *before);

/* Opens the sampler's signals in the calling thread, where they are blocked, and those of mask_open_inherited(), the
 * value of mask_kept() in the thread that has created this one. Async-signal-safe. */
void mask_open(void);
void mask_open_inherited(unsigned long kept);

/* The signals that the program believes to be blocked in the calling thread, a bit each, and that are open. */
unsigned long mask_kept(void);

/* Blocks those in earnest: before another program takes this process, which inherits the mask. */
void mask_close(void);

/* In a handler of a signal that is not the sampler's: if the program believes it to be blocked, it is from here on, and
 * waits in this thread. False: the program may have it now. */
bool mask_defers(int signal, siginfo_t *info, void *context);

/* What sigwait() and its kin would give the program is the sampler's own: nothing to it. */
bool mask_is_own(const siginfo_t *info);

#endif
