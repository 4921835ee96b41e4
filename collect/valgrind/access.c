#include "collect/valgrind/access.h"

#include <valgrind/pub_tool_libcassert.h>
#include <valgrind/pub_tool_libcbase.h>

#include "collect/valgrind/burst.h"
#include "collect/valgrind/config.h"
#include "collect/valgrind/near.h"
#include "collect/valgrind/pairs.h"
#include "collect/valgrind/shadow.h"
#include "collect/valgrind/slow.h"
#include "collect/valgrind/stack.h"
#include "collect/valgrind/stream.h"
#include "collect/valgrind/system.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* What a mode asks for: constants where they are used. */
struct asked {
    Bool loads;  /* the values of loads */
    Bool reads;  /* whether bytes were loaded since they were stored */
    Bool stores; /* the values of stores */
};

/* An access as the stream has it. */
struct access {
    Addr a;
    UInt size, lane, handle;
    const ULong *value; /* of a load; of a store: old ^ new, or old and new */
};

/* ---------------------------------------------------------------------------- one granule -- */

/* The page of an access within one granule; NULL: it is none, or far away, or new. */
ALWAYS_INLINE struct shadow_page *page_of(Addr a, UInt size)
{
    if (UNLIKELY((a & 7) + size > 8) || UNLIKELY(a >> SHADOW_DIRECT_BITS))
        return NULL;
    return shadow_pages[a >> SHADOW_PAGE_BITS];
}

ALWAYS_INLINE UInt granule_of(Addr a)
{
    return (UInt)(a & (SHADOW_PAGE_BYTES - 1)) >> 3;
}

/* The bytes of a value at its place in a granule. */
ALWAYS_INLINE ULong value_mask(UInt offset, UInt size)
{
    return ~0ULL >> (64 - 8 * size) << (8 * offset);
}

/* Where the pair is counted; NULL: it isn't there. */
ALWAYS_INLINE struct pair_recent *recent_of(shadow_word last, UInt handle)
{
    UInt first = (UInt)last;
    struct pair_recent *recent = pairs_recent_at(first, handle);
    return LIKELY(recent->first == first && recent->second == handle) ? recent : NULL;
}

/* Accesses to bytes without a predecessor form no pair. */
ALWAYS_INLINE void count_fresh(UInt store, const struct access *access)
{
    struct pair_total *total = &pairs_fresh[store][access->lane != 0];
    total->events++;
    total->bytes += access->size;
}

/* The last access to all bytes of `mask`; 0: they have different ones. */
ALWAYS_INLINE shadow_word last_of(shadow_word last, UInt offset, UInt size)
{
    return LIKELY(!((UInt)last & SHADOW_SPLIT)) ? last : shadow_of_bytes(last, offset, size);
}

ALWAYS_INLINE void set_last(shadow_word *last, UInt others, UInt offset, UInt size, UInt handle)
{
    shadow_word now = shadow_word_of(handle, context_time);
    if (LIKELY(!((UInt)*last & SHADOW_SPLIT)) && (!others || (UInt)*last == handle))
        *last = now;
    else
        shadow_set(last, others, offset, size, now);
}

ALWAYS_INLINE Bool near(ULong old, ULong new, const struct access *access)
{
    return near_values((const UChar *)&old, (const UChar *)&new, access->size, access->lane, config_get()->tolerance);
}

ALWAYS_INLINE void load(const struct access *access, struct asked asked)
{
    Addr a = access->a;
    UInt size = access->size, granule = granule_of(a), offset = (UInt)a & 7, mask = shadow_mask(offset, size);
    struct shadow_page *page = page_of(a, size);
    if (UNLIKELY(!page)) {
        slow_load(a, size, access->lane, access->handle, (const UChar *)access->value);
        return;
    }
    UInt bits = page->bits[granule], loaded = bits & mask;
    struct shadow_load *load = shadow_load_at(page, granule);
    ULong all = value_mask(offset, size), value = *access->value << (8 * offset);
    if (loaded == mask) {
        shadow_word last = last_of(load->last, offset, size);
        struct pair_recent *recent = recent_of(last, access->handle);
        if (UNLIKELY(!last || !recent)) {
            slow_load(a, size, access->lane, access->handle, (const UChar *)access->value);
            return;
        }
        recent->events++;
        recent->silent += ((load->value ^ value) & all) == 0 ||
                          UNLIKELY(access->lane && near(load->value >> (8 * offset), *access->value, access));
    } else if (!loaded) {
        count_fresh(0, access);
    } else {
        slow_load(a, size, access->lane, access->handle, (const UChar *)access->value);
        return;
    }
    load->value = (load->value & ~all) | (value & all);
    set_last(&load->last, bits & 0xff & ~mask, offset, size, access->handle);
    bits |= mask;
    page->bits[granule] = asked.reads ? bits & ~(mask << SHADOW_UNREAD) : bits;
}

ALWAYS_INLINE void read_only(Addr a, UInt size)
{
    struct shadow_page *page = page_of(a, size);
    if (LIKELY(page != NULL))
        page->bits[granule_of(a)] &= ~(shadow_mask((UInt)a & 7, size) << SHADOW_UNREAD);
    else
        shadow_read(a, size);
}

/* Whether a store puts what was there, as far as it counts. */
ALWAYS_INLINE Bool is_silent(const struct access *access)
{
    if (!access->lane)
        return (access->value[0] & value_mask(0, access->size)) == 0;
    return ((access->value[0] ^ access->value[1]) & value_mask(0, access->size)) == 0 ||
           near(access->value[0], access->value[1], access);
}

ALWAYS_INLINE void store_slowly(const struct access *access, struct asked asked)
{
    slow_store(access->a, access->size, access->lane, access->handle, asked.stores ? access->value : NULL);
}

ALWAYS_INLINE void store(const struct access *access, struct asked asked)
{
    Addr a = access->a;
    UInt size = access->size, granule = granule_of(a), offset = (UInt)a & 7, mask = shadow_mask(offset, size);
    struct shadow_page *page = page_of(a, size);
    if (UNLIKELY(!page)) {
        store_slowly(access, asked);
        return;
    }
    UInt bits = page->bits[granule], stored = bits >> SHADOW_STORED & mask;
    shadow_word *last = shadow_store_at(page, granule);
    if (stored == mask) {
        shadow_word word = last_of(*last, offset, size);
        struct pair_recent *recent = recent_of(word, access->handle);
        if (UNLIKELY(!word || !recent)) {
            store_slowly(access, asked);
            return;
        }
        recent->events++;
        if (asked.stores)
            recent->silent += is_silent(access);
        pairs_recent_dead[recent - pairs_recent] += (bits >> SHADOW_UNREAD & mask) == mask;
    } else if (!stored) {
        count_fresh(1, access);
    } else {
        store_slowly(access, asked);
        return;
    }
    set_last(last, bits >> SHADOW_STORED & 0xff & ~mask, offset, size, access->handle);
    page->bits[granule] = bits | mask << SHADOW_STORED | mask << SHADOW_UNREAD;
}

/* ---------------------------------------------------------------------------- records -- */

ALWAYS_INLINE void one(const struct stream_op *op, const ULong *words, UInt handle, struct asked asked)
{
    const struct access access = {words[0], op->size, op->lane, handle, words + 1};
    switch (op->kind) {
    case STREAM_READ:
        read_only(access.a, access.size);
        break;
    case STREAM_LOAD:
        load(&access, asked);
        break;
    case STREAM_STORE:
    case STREAM_CHANGE:
    case STREAM_REAL:
        store(&access, asked);
        break;
    case STREAM_LOOP:
        context_pass_loop(handle);
        break;
    case STREAM_SYSTEM:
        system_context = handle;
        break;
    case STREAM_POPPED:
        shadow_clear(words[0], words[1]);
        break;
    case STREAM_MOVED:
        stack_moved(words[0], words[1], words[2]);
        break;
    }
}

ALWAYS_INLINE void look(const struct context_block *block, const ULong *record, struct asked asked)
{
    for (const struct stream_op *op = block->ops, *end = op + block->op_count; op < end; op++)
        if (record[op->at])
            one(op, record + op->at, block->handles[op->slot], asked);
}

#define LOOK(name, ...)                                                                                                \
    static void look_##name(const struct context_block *block, const ULong *record)                                    \
    {                                                                                                                  \
        look(block, record, (struct asked){__VA_ARGS__});                                                              \
    }
LOOK(dead_stores, False, True, False)
LOOK(silent_stores, False, False, True)
LOOK(silent_loads, True, False, False)
LOOK(all, True, True, True)

static void (*look_in_mode)(const struct context_block *block, const ULong *record);

void access_init(void)
{
    const struct config *config = config_get();
    look_in_mode = config->spatial                          ? slow_spatial
                   : config->silent_loads                   ? config->dead_stores ? look_all : look_silent_loads
                   : config->silent_stores                  ? look_silent_stores
                                                            : look_dead_stores;
}

void access_record(const struct context_block *block, const ULong *record)
{
    look_in_mode(block, record);
}

/* ---------------------------------------------------------------------------- the core's helpers, the kernel -- */

static UChar kept[SLOW_BYTES_MAX]; /* what was there before a wide store */

static UInt handle_now(struct context_block *block, ULong slot)
{
    if (block->node != context_node)
        context_enter(block, context_node);
    return block->handles[slot];
}

void access_load_now(Addr a, struct context_block *block, ULong slot)
{
    const struct context_slot *of = &block->slots[slot];
    stream_settle();
    if (burst_watching)
        slow_load(a, of->size, of->lane, handle_now(block, slot), (const UChar *)a);
}

void access_keep(Addr a, struct context_block *block, ULong slot)
{
    VG_(memcpy)(kept, (const UChar *)a, block->slots[slot].size);
}

void access_store_now(Addr a, struct context_block *block, ULong slot)
{
    const struct context_slot *of = &block->slots[slot];
    UInt words = (of->size + 7u) / 8;
    ULong change[2 * SLOW_BYTES_MAX / 8] = {0};
    stream_settle();
    if (!burst_watching)
        return;
    VG_(memcpy)(change, kept, of->size);
    VG_(memcpy)(change + words, (const UChar *)a, of->size);
    for (UInt i = 0; i < words && !of->lane; i++)
        change[i] ^= change[words + i];
    slow_store(a, of->size, of->lane, handle_now(block, slot), config_get()->silent_stores ? change : NULL);
}

void access_system_write(Addr a, SizeT size, UInt context)
{
    const struct config *config = config_get();
    if (!(config->dead_stores || config->silent_stores) || !context || !burst_watching)
        return;
    while (size > 0) {
        UInt part = 8 - (UInt)(a & 7);
        part = size < part ? (UInt)size : part;
        slow_kernel_store(a, part, context);
        a += part;
        size -= part;
    }
}
