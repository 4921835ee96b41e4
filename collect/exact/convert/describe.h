/* describe.h - metadata of a trace about the process and its recording. */
#ifndef ASSAY_EXACT_CONVERT_DESCRIBE_H
#define ASSAY_EXACT_CONVERT_DESCRIBE_H

#include "collect/exact/convert/convert.h"

/* `base` (borrowed; NULL: none), then what the tool says, then what is known here. New; NULL without memory. */
json_t *describe_process(const json_t *base, const struct raw_hello *hello, const char *json);

/* Sets the key "exact". 0 or ENOMEM. */
int describe_end(json_t *metadata, const struct convert_report *report);

/* A line for the user about what is missing; "" if nothing is. */
void describe_loss(const struct convert_report *report, struct complaint *missing);

#endif
