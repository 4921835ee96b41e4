/*
 * pairs_export.h - pairs of memory accesses as a profile of another tool.
 *
 * Quantity: the bytes and the accesses that pairs wasted. The stack of a pair is, from the outermost frame: its kind of
 * waste, unless one is selected; the context of the earlier access; the frame "then"; the context of the later access.
 * pprof has both values, wasted_bytes and wasted_events; speedscope has a profile of each for every thread. Equal
 * stacks of a thread are added up. Source of the chain: Su, dissertation 2020, §3.5.2.
 */
#ifndef ASSAY_TRACE_EXPORT_PAIRS_EXPORT_H
#define ASSAY_TRACE_EXPORT_PAIRS_EXPORT_H

#include "trace/export/profile_export.h"

/* Adds the pairs of a trace, of one kind (enum trace_waste) or of all (WASTE_COUNT), to a profile of format speedscope
 * or pprof; damage goes into *loss. STATUS_GOOD, or a status with a message. O(pairs × depth). Memory: distinct frames
 * of their stacks. */
int pairs_export_add(struct profile_export *export, const struct trace *trace, const struct trace_names *names,
                     unsigned kind, struct trace_loss *loss, struct error_text *error);

#endif
