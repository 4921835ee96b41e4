#include "collect/exact/tool/simulate/cache.h"

#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_mallocfree.h>

#include "collect/exact/tool/simulate/simulate.h"

static struct level {
    ULong sets;
    UInt ways, shift;
    Bool power;  /* whether `sets` is a power of two */
    ULong *tags; /* [sets][ways], the line that was used last first; a line + 1, 0: free */
} levels[SIMULATED_LEVELS];

Bool cache_init(const struct simulated_cache caches[SIMULATED_LEVELS])
{
    for (UInt i = 0; i < SIMULATED_LEVELS; i++) {
        const struct simulated_cache *cache = &caches[i];
        struct level *level = &levels[i];
        if (!simulated_is_possible(cache))
            return False;
        level->ways = cache->ways;
        level->sets = cache->bytes / cache->ways / cache->line_bytes;
        level->power = (level->sets & (level->sets - 1)) == 0;
        level->shift = (UInt)__builtin_ctz(cache->line_bytes);
        level->tags = VG_(calloc)("assay.cache", level->sets * level->ways, sizeof *level->tags);
    }
    return True;
}

/* Whether the line is present; it is from now on. */
static Bool hits_line(struct level *level, ULong line)
{
    ULong set = level->power ? line & (level->sets - 1) : line % level->sets;
    ULong *tags = level->tags + set * level->ways, tag = line + 1;
    UInt at = 0;
    if (tags[0] == tag)
        return True;
    while (at + 1 < level->ways && tags[at] != tag)
        at++;
    Bool hit = tags[at] == tag;
    for (; at > 0; at--)
        tags[at] = tags[at - 1];
    tags[0] = tag;
    return hit;
}

static Bool hits(struct level *level, Addr address, ULong bytes)
{
    ULong line = address >> level->shift, last = (address + bytes - 1) >> level->shift;
    Bool hit = hits_line(level, line);
    while (line < last)
        hit &= hits_line(level, ++line);
    return hit;
}

static void look_up(enum simulated_level first, enum simulated_counter counter, Addr address, ULong bytes)
{
    if (simulated.paused || hits(&levels[first], address, bytes))
        return;
    simulated.counters[counter]++;
    simulated.counters[SIMULATED_L1_MISSES]++;
    simulated.counters[SIMULATED_L2_MISSES] += !hits(&levels[SIMULATED_L2], address, bytes);
}

void cache_fetch(Addr place, ULong bytes)
{
    look_up(SIMULATED_L1I, SIMULATED_L1I_MISSES, place, bytes);
}

void cache_access(Addr address, ULong bytes)
{
    look_up(SIMULATED_L1D, SIMULATED_L1D_MISSES, address, bytes);
}

UInt cache_fetch_line(void)
{
    return 1U << levels[SIMULATED_L1I].shift;
}
