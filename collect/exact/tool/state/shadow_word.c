#include "collect/exact/tool/state/shadow_word.h"

#include <valgrind/pub_tool_aspacemgr.h>

#include "collect/exact/tool/state/raw_writer.h"

/* ---------------------------------------------------------------------------- units -- */

enum { SHIFTS = 3, CHUNK_WORDS = 1 << 17 };

/* Units that no granule uses. */
struct spare {
    struct spare *next;
};

/* Memory for units, by their shift: what is no longer used, and the rest of a chunk. */
static struct {
    struct spare *spares;
    shadow_word *chunk;
    UInt left; /* words; a multiple of what a granule needs */
} pools[SHIFTS];

static void shadow_units_drop(struct shadow_units units)
{
    struct spare *spare = (struct spare *)units.last;
    spare->next = pools[units.shift].spares;
    pools[units.shift].spares = spare;
}

/* ---------------------------------------------------------------------------- granules -- */

/* Gives a granule units of 2^shift bytes; it has none or wider ones so far. False: no memory. */
static Bool shadow_word_refine(shadow_word *last, UInt shift)
{
    struct shadow_units units = {NULL, shift};
    struct spare *spare = pools[shift].spares;
    if (spare) {
        pools[shift].spares = spare->next;
        units.last = (shadow_word *)spare;
    } else {
        if (!pools[shift].left) {
            /* A chunk begins with a page, so that no granule's units are in two cache lines. */
            pools[shift].chunk = VG_(am_shadow_alloc)(CHUNK_WORDS * sizeof(shadow_word));
            if (!pools[shift].chunk) {
                raw_writer_lost(RAW_LOST_MEMORY, 1);
                return False;
            }
            pools[shift].left = CHUNK_WORDS;
        }
        pools[shift].left -= 8u >> shift;
        units.last = pools[shift].chunk + pools[shift].left;
    }
    for (UInt i = 0; i < 8u >> shift; i++)
        units.last[i] = shadow_last(*last, i << shift);
    if (shadow_is_split(*last))
        shadow_units_drop(shadow_units_of(*last));
    *last = shadow_split_of(units, shadow_bytes_of(*last));
    return True;
}

/* Whether units of 2^shift bytes that hold the bytes would also hold other bytes with a different context. */
static Bool shadow_word_is_shared(shadow_word last, UInt shift, struct shadow_bytes bytes, UInt context)
{
    UInt width = 1u << shift, end = bytes.offset + bytes.size;
    for (UInt byte = bytes.offset & ~(width - 1); byte < end; byte += width)
        if ((bytes.others & shadow_mask(byte, width)) && shadow_context_of(shadow_last(last, byte)) != context)
            return True;
    return False;
}

/* Makes the granule's units able to hold that; otherwise, without memory, the bytes will share a context. Whole units
 * always can. */
static Bool shadow_word_make_fine(shadow_word *last, struct shadow_bytes bytes, UInt context)
{
    UInt shift = (UInt)__builtin_ctz(bytes.offset | bytes.size);
    if (!shadow_is_split(*last))
        return shadow_word_refine(last, shift);
    UInt before = shadow_units_of(*last).shift;
    return shift >= before || !shadow_word_is_shared(*last, before, bytes, context) || shadow_word_refine(last, shift);
}

void shadow_set_any(shadow_word *last, struct shadow_bytes bytes, UInt context, UInt time)
{
    UInt end = bytes.offset + bytes.size, all = bytes.others | shadow_mask(bytes.offset, bytes.size);
    shadow_word now = shadow_word_of(context, time, all);
    if (!bytes.others || shadow_context_of(*last) == context || !shadow_word_make_fine(last, bytes, context)) {
        if (shadow_is_split(*last))
            shadow_units_drop(shadow_units_of(*last));
        *last = now;
        return;
    }
    struct shadow_units units = shadow_units_of(*last);
    for (UInt byte = bytes.offset; byte < end; byte += 1u << units.shift)
        *shadow_unit(units, byte) = now;
    *shadow_unit(units, end - 1) = now;
    *last |= (shadow_word)all << SHADOW_BYTES_SHIFT;
}

/* ---------------------------------------------------------------------------- times -- */

static shadow_word shadow_word_with_time(shadow_word word, UInt time)
{
    return shadow_word_of(shadow_context_of(word), time, shadow_bytes_of(word));
}

void shadow_renumber_word(shadow_word *last, UInt (*renumbered)(UInt))
{
    if (!shadow_is_split(*last)) {
        *last = shadow_word_with_time(*last, renumbered(shadow_time_of(*last)));
        return;
    }
    struct shadow_units units = shadow_units_of(*last);
    for (UInt i = 0; i < 8u >> units.shift; i++)
        units.last[i] = shadow_word_with_time(units.last[i], renumbered(shadow_time_of(units.last[i])));
}
