/*
 * population.h - compares clocks that see different things on what all of them see.
 */
#ifndef ASSAY_HOT_POPULATION_H
#define ASSAY_HOT_POPULATION_H

#include "analyze/hot/profile.h"

/*
 * Removes samples from the profile whose innermost frame has a name in brackets, which denotes code that is not a
 * method ("[JIT compiler]", "[libc.so.6]"), if not every group has that name; warns about it, by group. A method that a
 * group lacks stays, since that is a result. Counts of inclusive samples are unchanged. The groups stay the same: a run
 * may have lost all its samples. 0 or ENOMEM. O(entries + groups · texts).
 */
int population_level(struct profile *profile, const struct profile_groups *groups, struct report *report);

#endif
