/* cache.h - the caches of the simulated processor; simulated.h says what they model. */
#ifndef ASSAY_EXACT_TOOL_SIMULATE_CACHE_H
#define ASSAY_EXACT_TOOL_SIMULATE_CACHE_H

#include <valgrind/pub_tool_basics.h>

#include "collect/exact/tool/simulate/simulated.h"

/* Empty caches of these sizes; whether each is possible. Once. */
Bool cache_init(const struct simulated_cache caches[SIMULATED_LEVELS]);

/* From translated code: an instruction is fetched; data are loaded or stored. What misses is added to `simulated`,
 * unless it is paused. Cost: O(ways). */
void cache_fetch(Addr place, ULong bytes);
void cache_access(Addr address, ULong bytes);

/* Bytes of a line of the first level: fetches of instructions in the line that was fetched last need not be told. */
UInt cache_fetch_line(void);

#endif
