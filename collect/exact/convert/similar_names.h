/* similar_names.h - what the user may have meant by names that no function has. */
#ifndef ASSAY_EXACT_CONVERT_SIMILAR_NAMES_H
#define ASSAY_EXACT_CONVERT_SIMILAR_NAMES_H

#include "collect/exact/convert/definitions.h"

/*
 * For each name in definitions->functions that no function has, the most similar name of a function in the process's
 * files, if one is similar enough (suggest_name()): an object, a new reference; NULL without memory.
 */
json_t *similar_names(const struct definitions *definitions);

#endif
