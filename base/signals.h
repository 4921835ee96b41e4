/*
 * signals.h - blocking all signals for a while. It uses the system call directly, since a preloaded agent may interpose
 * the C library's functions.
 */
#ifndef ASSAY_BASE_SIGNALS_H
#define ASSAY_BASE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Blocks every signal in the calling thread, but leaves those that the C library reserves, by which it cancels threads
 * and changes their identity, as they are; *before is the previous mask. Threads that are created meanwhile inherit the
 * mask. Async-signal-safe, can't fail. */
void signals_block(sigset_t *before);

/* Restores the mask that signals_block() found. Async-signal-safe, can't fail. */
void signals_restore(const sigset_t *before);

/* The kernel's struct sigaction. */
struct signals_action {
    uintptr_t handler;
    unsigned long flags, restorer, mask; /* a bit a signal */
};

/* Exchanges the kernel's action for a signal: a program's sigaction() may be interposed. `action` and `before` may be
 * NULL. False if there is no such signal. Async-signal-safe, keeps errno. */
bool signals_exchange(int signal, const struct signals_action *action, struct signals_action *before);

/* sigprocmask(how, set, before), with the same result and errno. Async-signal-safe. */
int signals_mask(int how, const sigset_t *set, sigset_t *before);

#endif
