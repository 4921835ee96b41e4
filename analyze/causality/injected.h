/*
 * injected.h - what the guard of assay inject says of its points.
 */
#ifndef ASSAY_CAUSALITY_INJECTED_H
#define ASSAY_CAUSALITY_INJECTED_H

#include "base/complaint.h"
#include "base/text_set.h"

/* Adds the traced_points_key() of each row of the table that is not "ok" to invalid. A status with a complaint. */
int injected_read(const char *path, struct text_set *invalid, struct complaint *complaint);

#endif
