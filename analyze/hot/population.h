/*
 * population.h - clocks that see different things, on what all of them see.
 */
#ifndef ASSAY_HOT_POPULATION_H
#define ASSAY_HOT_POPULATION_H

#include "analyze/hot/profile.h"

/*
 * Takes samples out of the profile whose innermost frame has a name in brackets, by which profilers call code that is
 * not a method ("[JIT compiler]", "[libc.so.6]"), that not every group has; and warns of it, by group. A method that a
 * group lacks stays: that is a result. Counts of inclusive samples stay as they are. The groups are those of before: a
 * run may have lost all its samples. 0 or ENOMEM. O(entries + groups · texts).
 */
int population_level(struct profile *profile, const struct profile_groups *groups, struct report *report);

#endif
