/*
 * machine.h - the machine that runs are made on, as far as it changes what they take.
 */
#ifndef ASSAY_EXPERIMENT_MACHINE_H
#define ASSAY_EXPERIMENT_MACHINE_H

#include <jansson.h>

#include "collect/experiment/description/plan.h"
#include "collect/experiment/state/start.h"

/* {"id", "cpu", "cores", "memory_bytes", "kernel", "governor", "assay", "java": {COMMAND: VERSION}}; "id" is a digest
 * of /etc/machine-id. What is unknown is "". New reference. */
json_t *machine_describe(struct obstack *memory, struct launcher *launcher, const struct plan *plan);

/* What differs between two descriptions, as "kernel: 6.1.0, now 6.1.1; …" in text[size]; "" if nothing does. Memory
 * may differ by 1 %. */
void machine_compare(const json_t *before, const json_t *now, char *text, size_t size);

/* The load average of the last minute; −1 if it is unknown. */
double machine_load(void);

#endif
