/*
 * chosen.h - mode calls with engine hooks, in native programs: the probes of mode methods choose calls.
 */
#ifndef ASSAY_AGENTS_NATIVE_CHOSEN_H
#define ASSAY_AGENTS_NATIVE_CHOSEN_H

#include "collect/calls/chooser.h"
#include "collect/sample/sampler.h"

/* Whether probes choose calls in this process. */
extern bool chosen_active __attribute__((visibility("hidden")));

bool chosen_wanted(const json_t *configuration);

/* Starts the sampler with these hooks. `pairs` calls an empty function with hooks of the compiler. Returns 0 or an
 * errno value. */
int chosen_start(const struct sampler_config *config, struct sampler_hooks *hooks, void (*pairs)(unsigned count));

/* No call is chosen any more: before the sampler stops. */
void chosen_end(void);

/* The probes of -finstrument-functions. `above`: as for chooser_leave_at(). */
void chosen_enter(uint64_t function, uint64_t location);
void chosen_leave(uint64_t function, uint64_t location, bool above);

#endif
