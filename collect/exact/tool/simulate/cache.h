/* cache.h - the caches of the simulated processor; simulated.h says what they model. */
#ifndef ASSAY_EXACT_TOOL_SIMULATE_CACHE_H
#define ASSAY_EXACT_TOOL_SIMULATE_CACHE_H

#include <valgrind/pub_tool_basics.h>

#include "collect/exact/tool/simulate/simulated.h"

/* Creates empty caches of these sizes; whether each is possible. To be called once. */
Bool cache_init(const struct simulated_cache caches[SIMULATED_LEVELS]);

/* From translated code: an instruction is fetched; data are loaded or stored. Misses are added to `simulated`, unless
 * it is paused. Cost: O(ways). */
void cache_fetch(Addr place, ULong bytes);
void cache_access(Addr address, ULong bytes);

/* Bytes of a first-level line: fetches of instructions in the last fetched line need not be reported. */
UInt cache_fetch_line(void);

#endif
