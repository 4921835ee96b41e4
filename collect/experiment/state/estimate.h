/*
 * estimate.h - what starts will take, from earlier ones.
 */
#ifndef ASSAY_EXPERIMENT_ESTIMATE_H
#define ASSAY_EXPERIMENT_ESTIMATE_H

#include "collect/experiment/state/state.h"

struct estimate {
    double wall_s, bytes; /* of a run: medians of the starts of the cell, or of its recording; NaN: there are none */
};

/* O(starts · log starts). */
struct estimate estimate_cell(const struct state *state, const struct plan *plan, const struct plan_cell *cell);

/* "1:02:03", "0:05". */
enum { ESTIMATE_TEXT = 32 };
const char *estimate_time_text(double seconds, char text[ESTIMATE_TEXT]);

/* "12.3 MB", with powers of 1000. */
const char *estimate_bytes_text(double bytes, char text[ESTIMATE_TEXT]);

#endif
