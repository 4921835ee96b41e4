/*
 * progress.h - the progress of the series, and the time that the rest will take.
 */
#ifndef ASSAY_RECORD_SERIES_PROGRESS_H
#define ASSAY_RECORD_SERIES_PROGRESS_H

#include <stdint.h>

#include <jansson.h>

#include "collect/record/record.h"

/*
 * The expected time of the remaining runs, ns: `left[i]` runs of clock i, each at its clock's median, or at the median
 * of all if that clock has none. 0: unknown.
 */
uint64_t progress_left(const json_t *done, const struct record_options *options, const uint64_t *left);

/* "1:02:03", "4:05". Returns text. */
const char *progress_time(uint64_t ns, char text[32]);

#endif
