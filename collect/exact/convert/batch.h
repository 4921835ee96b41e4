/* batch.h - the records from one RAW_TIME to the next: checked as a whole, then written. */
#ifndef ASSAY_EXACT_CONVERT_BATCH_H
#define ASSAY_EXACT_CONVERT_BATCH_H

#include "collect/exact/convert/contexts.h"
#include "collect/exact/convert/convert.h"
#include "collect/exact/convert/trace_sink.h"

struct batch {
    uint64_t begin, end; /* in the file */
    struct raw_time time;
    bool last; /* it ends with RAW_END, which is in: */
    struct raw_end ending;
};

/* Whether the batch that begins at `begin` is complete; if so, *last says whether it ends with RAW_END. */
bool batch_is_whole(const struct raw_file *file, uint64_t begin, bool *last);

/*
 * Takes the definitions of the batch that begins at `begin` and checks the rest of it. `before` is the time of the
 * previous batch. Returns 0 and *batch; ENODATA: the file ends before the batch does; EILSEQ: it is damaged; ENOMEM.
 */
int batch_scan(struct definitions *definitions, const struct raw_file *file, uint64_t begin,
               const struct raw_time *before, struct batch *batch);

/* Passes the counts of the batch to the sink and adds to the report. 0 or an errno value. */
int batch_put(const struct batch *batch, const struct raw_file *file, struct contexts *contexts,
              struct trace_sink *sink, struct convert_report *report);

#endif
