/*
 * mask.h - the program's signal mask, and how the sampler changes it. Threads that block every signal are common (so
 * that handlers run elsewhere); a sampler whose signals were blocked with the rest could not sample them. So the
 * sampler's signals stay unblocked while it runs, and the program sees them as blocked, as it wanted. A signal
 * of the same number that is not the sampler's waits as if they were. A program that handles such a signal itself
 * really blocks it, and what the sampler loses by that is counted as lost.
 */
#ifndef ASSAY_SAMPLE_MASK_H
#define ASSAY_SAMPLE_MASK_H

#include <signal.h>
#include <stdbool.h>

/* pthread_sigmask(how, set, before) for the program, in the calling thread: 0 or an errno value. Async-signal-safe. */
int mask_change(int how, const sigset_t *set, sigset_t *before);

/* Whether mask_change() does more than the kernel's call: a signal stays open, or the program believes one to be
 * blocked. Async-signal-safe. */
bool mask_is_changed(void);

/* The signals by which ticks come, if the program does not handle them: one bit each. Async-signal-safe. */
unsigned long mask_ticks(void);

/* The signals that the program believes to be blocked in the calling thread, but that are unblocked: one bit each. */
unsigned long mask_kept(void);

/* Unblocks the sampler's signals in the calling thread, if they are blocked. A new thread inherits mask_kept() of the
 * thread that created it. Async-signal-safe. */
void mask_open(void);
void mask_open_inherited(unsigned long kept);

/* Really blocks the signals of mask_kept(), and none other of the sampler's: another program is about to replace this
 * one, and inherits the mask. */
void mask_close(void);
void mask_end(void); /* the same, for good */

/* In a handler of a signal that is not the sampler's: if the program believes it to be blocked, blocks it from here on,
 * so that it waits in this thread. False: the program may receive it now. */
bool mask_defers(int signal, siginfo_t *info, void *context);

/* Whether a signal is a tick of the sampler, which sigwait() and its kin must not return to the program. Defined next
 * to the handler, which distinguishes them in the same way. */
bool mask_is_own(const siginfo_t *info);

#endif
