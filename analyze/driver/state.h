/*
 * state.h - the state of an analyzer, by its own functions or as relations.
 */
#ifndef ASSAY_ANALYZE_DRIVER_STATE_H
#define ASSAY_ANALYZE_DRIVER_STATE_H

#include "analyze/driver/analyzer.h"

/* As the functions of struct analyzer. */
void *state_new(const struct analyzer *analyzer, const struct analysis_options *options);
int state_merge(const struct analyzer *analyzer, void *state, void *other);
json_t *state_save(const struct analyzer *analyzer, void *state);
int state_load(const struct analyzer *analyzer, void *state, const json_t *saved);
void state_free(const struct analyzer *analyzer, void *state); /* NULL: nothing */

#endif
