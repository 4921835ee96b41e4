#include "collect/exact/tool/memory/memory.h"

#include <valgrind/pub_tool_libcassert.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_mallocfree.h>

#include "collect/exact/tool/memory/ring.h"
#include "collect/exact/tool/state/raw_writer.h"

static struct memory_block *blocks; /* [id] */
static UInt block_count, block_capacity;
UInt memory_block_most;

UInt memory_block_new(const struct memory_block *block)
{
    struct raw_slot *slots = VG_(perm_malloc)((block->count + 1) * sizeof *slots, sizeof(void *));
    Addr *addresses = VG_(perm_malloc)((block->address_count + 1) * sizeof *addresses, sizeof(void *));
    VG_(memcpy)(slots, block->slots, block->count * sizeof *slots);
    VG_(memcpy)(addresses, block->addresses, block->address_count * sizeof *addresses);
    if (block_count + 1 >= block_capacity) {
        block_capacity = block_capacity ? block_capacity * 2 : 4096;
        blocks = VG_(realloc)("assay.blocks", blocks, block_capacity * sizeof *blocks);
    }
    tl_assert(block_count + 1 < RAW_BLOCKS_MAX);
    UInt words = 2 + block->count; /* its mark, and that of an exit */
    for (UInt i = 0; i < block->count; i++)
        words += block->slots[i].words;
    memory_block_most = words > memory_block_most ? words : memory_block_most;
    struct raw_block record = {++block_count, block->count, block->instructions, 0};
    blocks[block_count] = *block;
    blocks[block_count].slots = slots;
    blocks[block_count].addresses = addresses;
    raw_writer_block(&record, slots);
    if (block->fetched_count)
        raw_writer_code(&(struct raw_code){block_count, block->fetched_count}, block->fetched);
    return block_count;
}

static ULong memory_word_kind(ULong word)
{
    return word >> RAW_MARK_SHIFT;
}

/* Whether an instruction, counted from 1, has accesses among the slots from `done` on. */
static Bool memory_block_has_more(const struct memory_block *block, UInt done, UInt instruction)
{
    while (done < block->count && block->slots[done].access >= RAW_LATE_HEADER)
        done++;
    return done < block->count && block->slots[done].instructions == instruction;
}

/*
 * The number of the block's instructions completed before the one at `address`, if its first slots are done. The core
 * unrolls loops in superblocks: it is the next one at that address, unless that of the last access has not made all of
 * its own.
 */
static UInt memory_block_done_before(const struct memory_block *block, UInt done, Addr address)
{
    UInt last = done ? block->slots[done - 1].instructions : 0; /* from 1 */
    UInt from = last && memory_block_has_more(block, done, last) ? last : last + 1;
    for (UInt i = from; i <= block->address_count; i++)
        if (block->addresses[i - 1] == address)
            return i - 1;
    return last ? last - 1 : 0; /* it has faulted after its last access */
}

/* The block at memory_next; NULL: between two blocks it is at a zero, or at the mark of an exit that was not taken. */
static const struct memory_block *memory_block_begun(void)
{
    if (memory_next >= ring_end || memory_word_kind(*memory_next) != RAW_MARK_BLOCK)
        return NULL;
    UInt id = (UInt)(*memory_next >> RAW_MARK_BLOCK_SHIFT) & (RAW_BLOCKS_MAX - 1);
    return id >= 1 && id <= block_count ? &blocks[id] : NULL;
}

void memory_interrupt(Addr address)
{
    const struct memory_block *block = memory_block_begun();
    if (!block)
        return;
    ULong *at = memory_next + 1;
    UInt done = 0; /* slots up to the last access that has happened */
    for (UInt i = 0; i < block->count && *at != 0 && memory_word_kind(*at) != RAW_MARK_EXIT; i++)
        if (block->slots[i].access < RAW_LATE_HEADER) {
            at += 1 + block->slots[i].words;
            done = i + 1;
        }
    *at++ = (ULong)RAW_MARK_EXIT << RAW_MARK_SHIFT | memory_block_done_before(block, done, address);
    memory_next = at;
}

ULong memory_executed(const ULong *at, const ULong *end)
{
    ULong all = 0;
    while (at < end) {
        const struct memory_block *block = &blocks[(UInt)(*at++ >> RAW_MARK_BLOCK_SHIFT) & (RAW_BLOCKS_MAX - 1)];
        UInt done = block->instructions;
        for (UInt i = 0; i < block->count && memory_word_kind(*at) != RAW_MARK_EXIT; i++)
            if (block->slots[i].access < RAW_LATE_HEADER)
                at += 1 + block->slots[i].words;
        if (at < end && memory_word_kind(*at) == RAW_MARK_EXIT)
            done = (UInt)*at++;
        all += done;
    }
    return all;
}
