/*
 * raws.h - engine exact: the files that its tool left of the processes of a run, made into traces.
 */
#ifndef ASSAY_RECORD_FINISH_RAWS_H
#define ASSAY_RECORD_FINISH_RAWS_H

#include "collect/record/record.h"

/*
 * Converts the raw files with this prefix whose processes are gone; each becomes a trace beside it. `base` (borrowed)
 * goes into the metadata. Appends to *entries one object, as check_run() has them, for each raw file that stays: state
 * "running" or "damaged". Sets in *problems, by the name of a trace, a line that says what is missing in it. Returns 0
 * or an errno value.
 */
int raws_convert(const char *directory, const char *prefix, const json_t *base, json_t *entries, json_t *problems);

/* What a trace of this run says of the run and the machine: `run`, as describe_run_metadata() has it (stolen; NULL
 * gives NULL), and more. */
json_t *raws_metadata(json_t *run);

#endif
