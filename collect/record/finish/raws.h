/*
 * raws.h - engine exact: converts the files that its tool wrote for the processes of a run into traces.
 */
#ifndef ASSAY_RECORD_FINISH_RAWS_H
#define ASSAY_RECORD_FINISH_RAWS_H

#include "collect/record/record.h"

/*
 * Converts the raw files with this prefix whose processes have ended; each becomes a trace next to it. `base`
 * (borrowed) is added to the metadata. Appends to *entries one object, as in check_run(), for each raw file that stays:
 * state "running" or "damaged". Sets in *problems, by the name of a trace, a line that says what is missing in it.
 * Returns 0 or an errno value.
 */
int raws_convert(const char *directory, const char *prefix, const json_t *base, json_t *entries, json_t *problems);

/* The metadata of a trace about the run and the machine: `run`, from metadata_of_run() (stolen; NULL gives NULL),
 * and more. */
json_t *raws_metadata(json_t *run);

#endif
