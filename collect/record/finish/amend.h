/*
 * amend.h - adds what becomes known only after a trace was written to its metadata.
 */
#ifndef ASSAY_RECORD_FINISH_AMEND_H
#define ASSAY_RECORD_FINISH_AMEND_H

#include <jansson.h>

#include "trace/trace.h"

/*
 * Adds the keys of `more` (borrowed) to the metadata of a trace: a new file is written next to the old one, which it
 * then replaces atomically. Chunks don't depend on the header's length and are copied unchanged. Nobody else may write
 * to the trace. Returns 0 or an errno value, with the old file unchanged; `trace` still shows the old file.
 */
int amend_metadata(const struct trace *trace, const json_t *more);

#endif
