/*
 * chain.h - the signals that the sampler keeps for itself, and what the program wants done with its own of the same
 * number.
 *
 * Clocks send SIGURG: a program that another program replaces while one is pending ignores it by default, the C library
 * never uses it, and profilers do not use it either, as they do SIGPROF. Signals of one number merge while one is
 * pending in a thread, so if the program handles SIGURG itself, the clocks change to a real-time signal, which never
 * merges. Go's runtime is the exception: it sends SIGURG to its threads all the time, and expects more of them than it
 * has sent. So there the signal stays, and the runtime gets those of the clocks, too.
 */
#ifndef ASSAY_SAMPLE_CHAIN_H
#define ASSAY_SAMPLE_CHAIN_H

#include <signal.h>
#include <stdbool.h>

typedef void chain_handler(int signal, siginfo_t *info, void *context);

/* Installs the sampler's handler of this signal, once: later calls do nothing. `flags`: SA_ONSTACK, or 0. 0 or an errno
 * value. */
int chain_install(int signal, int flags, chain_handler *handler);

/* Whether the sampler's handler of this signal is installed. Async-signal-safe, as are the following functions. */
bool chain_is_installed(int signal);

/* Whether the program handles this signal itself. */
bool chain_has_handler(int signal);

/* Exchanges the program's action for an installed signal, like sigaction(). */
void chain_exchange(int signal, const struct sigaction *action, struct sigaction *before);

/* Ignores the signals that the program ignores: another program is about to replace this one, and inherits that. The
 * second function takes them back: one bit each, as the first one returned. */
unsigned long chain_close(void);
void chain_open(unsigned long closed);

/* The program has put a handler of its own in the place of the sampler's: it is on its own with this signal. */
void chain_forget(int signal);

/* Applies the program's action to a signal of its own. Returns false if that is the default. */
bool chain_pass_on(int signal, siginfo_t *info, void *context);

#endif
