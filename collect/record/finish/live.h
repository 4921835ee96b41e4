/*
 * live.h - mode memory: what the processes of a run leave is made into traces while they run, in a thread of the
 * recorder; they wait for it where it lags.
 */
#ifndef ASSAY_RECORD_FINISH_LIVE_H
#define ASSAY_RECORD_FINISH_LIVE_H

#include <jansson.h>

struct live;

/* `metadata` (borrowed) goes into the traces. Returns 0 and *out, or an errno value. */
int live_begin(const char *directory, const char *prefix, const json_t *metadata, struct live **out);

/*
 * The run's command has ended: all traces are whole when this returns. A process that still runs is recorded no longer.
 * Returns an object with a line of what is missing by the name of a trace (new; NULL without memory); frees.
 */
json_t *live_end(struct live *live);

#endif
