/*
 * calls.h - from events to calls: the stack of a stream, also where the stream is cut into parts.
 *
 * A part that begins in the middle of a stream does not know which calls are open. It keeps the exits of those, in
 * order, and for each span between two of them what ended above it; calls_merge() applies these to the stack of the
 * earlier parts, as if its events had come one by one. This needs memory for the depth of the stack, never for the
 * length of the part. Events that do not nest (damage, loss) are counted, and never yield a wrong call:
 *   an exit whose method is on the stack, but not on top: the calls above it are unfinished (overtaken);
 *   an exit whose method is not on the stack: an orphan, which ends nothing;
 *   calls that are open after the last event of a stream: unfinished (open), and they end there.
 * A time or counter below the previous one is taken as equal. Sums are correct as long as the increase in a part of the
 * trace is below 2^59 (18 years in ns), which only damage exceeds.
 */
#ifndef ASSAY_PHASES_CALLS_H
#define ASSAY_PHASES_CALLS_H

#include "analyze/phases/sums/state.h"

/* Deeper calls are only counted in `too_deep`. */
enum { DEPTH_MAX = 1 << 20 };

/* One batch of kind event of a stream. 0 or ENOMEM. */
int calls_feed(void *state, const struct analysis_trace *trace, const struct trace_batch *batch);

/* Joins the directly following part, which can only be freed afterwards. The state begins where a stream begins. 0 or
 * an errno value. */
int calls_merge(void *state, void *part);

/* The last stream has ended: open calls are unfinished. 0 or ENOMEM. */
int calls_end(struct phases *phases);

void calls_free(struct phases *phases);

#endif
