/*
 * carriers.h - processes that carry an agent's configuration (SAMPLER_ENVIRONMENT) in their environment, whether they
 * are recorded or not: a program that has just begun, or one that takes no agent.
 */
#ifndef ASSAY_SAMPLE_CARRIERS_H
#define ASSAY_SAMPLE_CARRIERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct carriers; /* memory for looking */

/* NULL without memory. */
struct carriers *carriers_new(void);
void carriers_free(struct carriers *carriers); /* NULL-safe */

/* Whether the process carries a configuration with all these texts, as far as this user may see it; in the middle of an
 * exec it waits, some ms. 20 µs. */
bool carriers_has(struct carriers *carriers, pid_t pid, const char *const *keys, size_t count);

/* Calls visit() for each such process, until it returns false. */
void carriers_each(struct carriers *carriers, const char *const *keys, size_t count,
                   bool (*visit)(void *user, pid_t pid), void *user);

#endif
