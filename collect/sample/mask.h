/*
 * mask.h - the program's signal mask, and what the sampler makes of it. Threads that block every signal are common (so
 * that handlers run elsewhere); a sampler whose signals were blocked with the rest would see nothing of them. So the
 * sampler's signals stay open while it runs, and the program is told that they are blocked, as it wanted. A signal of
 * the same number that is not the sampler's waits as if they were. A program that handles such a signal itself blocks
 * it in earnest, and what the sampler loses by that is counted as lost.
 */
#ifndef ASSAY_SAMPLE_MASK_H
#define ASSAY_SAMPLE_MASK_H

#include <signal.h>
#include <stdbool.h>

/* pthread_sigmask(how, set, before) for the program, in the calling thread: 0 or an errno value. Async-signal-safe. */
int mask_change(int how, const sigset_t *set, sigset_t *before);

/* The signals that the program believes to be blocked in the calling thread, and that are open: a bit each. */
unsigned long mask_kept(void);

/* Opens the sampler's signals in the calling thread, if they are blocked. A new thread takes over what mask_kept() told
 * in the thread that created it. Async-signal-safe. */
void mask_open(void);
void mask_open_inherited(unsigned long kept);

/* Blocks in earnest what mask_kept() tells: another program is about to take this process, and inherits the mask. */
void mask_close(void);

/* In a handler of a signal that is not the sampler's: if the program believes it to be blocked, it is from here on, and
 * waits in this thread. False: the program may have it now. */
bool mask_defers(int signal, siginfo_t *info, void *context);

/* Whether a signal is a tick of the sampler's, which sigwait() and its kin must not give to the program. Defined beside
 * the handler, which tells them apart in the same way. */
bool mask_is_own(const siginfo_t *info);

#endif
