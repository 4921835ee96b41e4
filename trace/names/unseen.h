/*
 * unseen.h - names of code that is not a method ("[JIT compiler]", "[libc.so.6]"), if not every one of several profiles
 * has them.
 */
#ifndef ASSAY_TRACE_NAMES_UNSEEN_H
#define ASSAY_TRACE_NAMES_UNSEEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text_set.h"

/* Whether it is a name in brackets. O(length). */
bool unseen_is_no_method(const char *name);

/* Whether it is the name of a file without symbols, "[libz.so.1]", whose functions share one name. Other names in
 * brackets have a blank ("[JIT compiler]"), or are known. O(length). */
bool unseen_is_file(const char *name);

/* Lists the names that are unseen and have a weight above 0, as "[a], [b], [c], and others": the three with the most
 * weight, equal ones by name. unseen, weight: [names->count]. O(names). */
void unseen_list(const struct text_set *names, const bool *unseen, const double *weight, char *text, size_t size);

/* The warning of it: the profile, its share of samples in such code (0-1), and the list. */
#define UNSEEN_WARNING "%s: %.2f %% of the samples are in code that not all of them see (%s) and are left out"

#endif
