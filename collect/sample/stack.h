/*
 * stack.h - the stacks on which the sampler's handlers work: a thread of the program may have less left than they need,
 * on a small stack of its own making or on an alternate stack for signals.
 *
 * Each thread's slot has one. If the program has given the thread no alternate stack, that of the slot is its alternate
 * stack as well, so that a tick uses nothing of the thread's own. Otherwise the kernel puts the signal's frame on the
 * program's (up to 3.5 KB with AVX-512), and the handler changes from there.
 */
#ifndef ASSAY_SAMPLE_STACK_H
#define ASSAY_SAMPLE_STACK_H

#include "collect/sample/slots.h"

/* Calls run(argument) on the slot's stack, unless the caller is there already. Async-signal-safe. */
void stack_run(const struct slot *slot, void (*run)(void *argument), void *argument);

/* Makes the slot's stack the alternate stack of the calling thread, if that has none; and takes it back. */
void stack_offer(const struct slot *slot);
void stack_withdraw(void);

#endif
