#include "collect/exact/tool/state/times.h"

#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_mallocfree.h>

#include "collect/exact/tool/state/config.h"
#include "collect/exact/tool/state/context.h"
#include "collect/exact/tool/state/objects.h"
#include "collect/exact/tool/state/shadow_memory.h"

static UInt *passes; /* the latest pass of each loop, in ascending order */
static UInt count;

static Int times_compare(const void *a, const void *b)
{
    UInt x = *(const UInt *)a, y = *(const UInt *)b;
    return x < y ? -1 : x > y;
}

/* How many of the passes were at or before the time. */
static UInt times_rank(UInt time)
{
    UInt low = 0, high = count;
    while (low < high) {
        UInt middle = low + (high - low) / 2;
        if (passes[middle] <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void times_check(void)
{
    UInt *stamps = context_stamps, all = context_stamp_count();
    if (LIKELY((Long)context_time < config_get()->times))
        return;
    passes = VG_(malloc)("assay.times", (all + 1) * sizeof *passes);
    count = 0;
    for (UInt i = 1; i <= all; i++)
        if (stamps[i])
            passes[count++] = stamps[i];
    VG_(ssort)(passes, count, sizeof *passes, times_compare);
    for (UInt i = 1; i <= all; i++)
        stamps[i] = times_rank(stamps[i]);
    shadow_renumber(times_rank);
    objects_renumber(times_rank);
    context_time = count;
    VG_(free)(passes);
}
