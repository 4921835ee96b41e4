/*
 * variants.h - several commands that take turns: the options of each, and its directory.
 */
#ifndef ASSAY_RECORD_SERIES_VARIANTS_H
#define ASSAY_RECORD_SERIES_VARIANTS_H

#include "collect/record/record.h"

/* The options of each variant, into all[RECORD_VARIANTS_MAX]; a copy of `given` if it has none. Returns their number,
 * or 0 without memory. To be freed with variants_free(). */
size_t variants_expand(const struct record_options *given, struct record_options *all);
void variants_free(struct record_options *all, size_t count);

/* Fails if the directory of `given` holds series that are not its own: a series of one command beside those of several,
 * or the other way round, or one of other names. STATUS_BAD with a message. */
int variants_check(const struct record_options *given, struct error_text *message);

#endif
