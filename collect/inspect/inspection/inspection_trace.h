/*
 * inspection_trace.h - the trace that inspections are written to, one in a process: the kinds of mode memory, and
 * dependences (docs/inspect.md, docs/trace-format.md). All in one thread.
 */
#ifndef ASSAY_INSPECT_INSPECTION_INSPECTION_TRACE_H
#define ASSAY_INSPECT_INSPECTION_INSPECTION_TRACE_H

#include <jansson.h>

#include "collect/inspect/inspection/inspection.h"

/* All return 0 or an errno value. */

/* Makes the file. EEXIST: there is one with this name. */
int inspection_trace_open(const char *path, const json_t *metadata);
int inspection_trace_add(const struct inspection *inspection);
/* All that was added is in the file. Cost: about a millisecond. */
int inspection_trace_flush(void);
/* Replaces the metadata. */
int inspection_trace_describe(const json_t *metadata);
int inspection_trace_close(void);

#endif
