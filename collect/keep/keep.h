/*
 * keep.h - the process that writes the traces of a run's native processes, outside of them: it takes what their threads
 * put into the pool (collect/pool), finds threads that have not announced themselves, has timers expire for those
 * without a clock of their own, and completes the trace of a process however that ends.
 *
 * The recorder starts one for each run. It outlives the recorder as long as a process of the run lives.
 */
#ifndef ASSAY_KEEP_KEEP_H
#define ASSAY_KEEP_KEEP_H

#include <jansson.h>
#include <stdbool.h>

struct keep;

enum { KEEP_PATH_MAX = 64 };

/*
 * Starts it. `configuration` (borrowed) is what agents get (SAMPLER_ENVIRONMENT). keep_path() is what they need in
 * addition, as its key "pool"; belongs to *out. 0 and *out, or an errno value.
 */
int keep_begin(const json_t *configuration, struct keep **out);
const char *keep_path(const struct keep *keep);

/* The command has ended: the traces of all processes that have ended are complete when this returns true; false: the
 * process that writes them has died. Frees. */
bool keep_end(struct keep *keep);

#endif
