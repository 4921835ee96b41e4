/*
 * amend.h - what is known only after a trace was written goes into its metadata.
 */
#ifndef ASSAY_RECORD_FINISH_AMEND_H
#define ASSAY_RECORD_FINISH_AMEND_H

#include <jansson.h>

#include "collect/trace/trace.h"

/*
 * Adds the keys of `more` (borrowed) to the metadata of a trace: the file is written anew beside the old one, which it
 * then replaces in one step. Chunks don't depend on the header's length and are copied as they are. Nobody else may be
 * writing to the trace. Returns 0 or an errno value, with the old file as it was; `trace` goes on showing that.
 */
int amend_metadata(const struct trace *trace, const json_t *more);

#endif
