/*
 * signals.h - no signal for a while. By the system call itself: a preloaded agent may stand in front of the C library's
 * functions, for the program that it measures.
 */
#ifndef ASSAY_BASE_SIGNALS_H
#define ASSAY_BASE_SIGNALS_H

#include <signal.h>

/* Blocks every signal in the calling thread but those that the C library keeps for itself, by which it cancels threads
 * and changes the identity of all of them; *before is the mask as it was. Threads that are created meanwhile begin with
 * the same mask. Async-signal-safe, can't fail. */
void signals_block(sigset_t *before);

/* The mask as signals_block() has found it. Async-signal-safe, can't fail. */
void signals_restore(const sigset_t *before);

/* sigprocmask(how, set, before), with the same result and errno. Async-signal-safe. */
int signals_mask(int how, const sigset_t *set, sigset_t *before);

#endif
