/*
 * pruning.h - the functions that a pprof file's drop_frames and keep_frames name: regular expressions of RE2 that must
 * match a whole name. Source: google/pprof, proto/profile.proto and profile/prune.go.
 */
#ifndef ASSAY_TRACE_IMPORT_PPROF_PRUNING_H
#define ASSAY_TRACE_IMPORT_PPROF_PRUNING_H

#include <stdbool.h>

#include "base/error_text.h"

struct pruning;

/* `keep` may be "". NULL with a message if one of the two cannot be understood, or without memory. */
struct pruning *pruning_new(const char *drop, const char *keep, struct error_text *message);
void pruning_free(struct pruning *pruning);

/* Whether the function of this name is dropped. Its arguments do not belong to the name, as in pprof. */
bool pruning_drops(const struct pruning *pruning, const char *name);

#endif
