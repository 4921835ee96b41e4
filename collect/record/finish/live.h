/*
 * live.h - mode memory: converts the output of a run's processes into traces while they run, in a thread of the
 * recorder; they wait for it if it lags.
 */
#ifndef ASSAY_RECORD_FINISH_LIVE_H
#define ASSAY_RECORD_FINISH_LIVE_H

#include <jansson.h>

struct live;

/* `metadata` (borrowed) is added to the traces. Returns 0 and *out, or an errno value. */
int live_begin(const char *directory, const char *prefix, const json_t *metadata, struct live **out);

/*
 * The run's command has ended: all traces are complete when this returns. A process that still runs is no longer
 * recorded. Returns an object that maps the name of a trace to a line about what is missing (new; NULL without memory);
 * frees.
 */
json_t *live_end(struct live *live);

#endif
