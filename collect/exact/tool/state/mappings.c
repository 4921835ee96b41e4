#include "collect/exact/tool/state/mappings.h"

#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_mallocfree.h>

#include "collect/exact/tool/state/array.h"

static struct mapping *all;
static UInt count, capacity;

/* The first range that ends after the address; `count`: there is none. */
static UInt mappings_first_after(Addr a)
{
    UInt low = 0, high = count;
    while (low < high) {
        UInt middle = low + (high - low) / 2;
        if (all[middle].end > a)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

const struct mapping *mappings_at(Addr a)
{
    UInt i = mappings_first_after(a);
    return i < count && all[i].start <= a ? &all[i] : NULL;
}

static void mappings_insert(UInt i, const struct mapping *range)
{
    all = array_reserve("assay.mappings", all, count, &capacity, 64, sizeof *all);
    VG_(memmove)(&all[i + 1], &all[i], (count - i) * sizeof *all);
    all[i] = *range;
    count++;
}

void mappings_add(Addr start, Addr end, UInt object)
{
    const struct mapping range = {start, end, object};
    mappings_insert(mappings_first_after(start), &range);
}

void mappings_cut(Addr start, Addr end, void (*gone)(UInt))
{
    UInt i = mappings_first_after(start);
    while (i < count && all[i].start < end) {
        struct mapping *range = &all[i];
        const struct mapping behind = {end, range->end, range->object};
        if (range->start < start) {
            range->end = start;
            i++;
            if (behind.start < behind.end)
                mappings_insert(i, &behind);
        } else if (range->end > end) {
            range->start = end;
        } else {
            UInt other = 0;
            VG_(memmove)(&all[i], &all[i + 1], (--count - i) * sizeof *all);
            while (other < count && all[other].object != behind.object)
                other++;
            if (other == count) /* that was the last range of the object */
                gone(behind.object);
        }
    }
}

void mappings_copy(Addr from, Addr to, SizeT size)
{
    for (Addr at = from; at < from + size;) {
        UInt i = mappings_first_after(at);
        if (i == count || all[i].start >= from + size)
            return;
        Addr start = all[i].start > from ? all[i].start : from;
        Addr end = all[i].end < from + size ? all[i].end : from + size;
        at = end;
        mappings_add(start - from + to, end - from + to, all[i].object);
    }
}
