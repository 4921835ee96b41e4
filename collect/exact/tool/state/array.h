/* array.h - arrays that grow by doubling. */
#ifndef ASSAY_EXACT_TOOL_STATE_ARRAY_H
#define ASSAY_EXACT_TOOL_STATE_ARRAY_H

#include <valgrind/pub_tool_basics.h>
#include <valgrind/pub_tool_mallocfree.h>

/* The array, perhaps moved, with space for an item at `index`; its first capacity is `least`. O(1) amortised. */
static inline void *array_reserve(const HChar *name, void *array, UInt index, UInt *capacity, UInt least,
                                  SizeT item_bytes)
{
    if (LIKELY(index < *capacity))
        return array;
    *capacity = *capacity ? *capacity * 2 : least;
    return VG_(realloc)(name, array, *capacity * item_bytes);
}

#endif
