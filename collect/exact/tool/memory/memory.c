#include "collect/exact/tool/memory/memory.h"

#include <valgrind/pub_tool_aspacemgr.h>
#include <valgrind/pub_tool_libcassert.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_libcfile.h>
#include <valgrind/pub_tool_libcprint.h>
#include <valgrind/pub_tool_libcproc.h>
#include <valgrind/pub_tool_mallocfree.h>
#include <valgrind/pub_tool_vki.h>

#include "collect/exact/tool/state/config.h"
#include "collect/exact/tool/state/raw_writer.h"

/* A segment of 1 MB is still in a cache when the reader gets to it. */
enum { SEGMENTS = 16, SEGMENT_WORDS = 1 << 17, PATH_BYTES = 4096 + 64, WAIT_MS = 1, PATIENCE = 1000 };

ULong *memory_next, *memory_last;
static struct raw_ring *ring; /* NULL: nothing is recorded */
static Int ring_fd;
static ULong *segment_end;
static ULong nowhere[2 * MEMORY_BLOCK_WORDS];
static struct memory_block *blocks; /* [id] */
static UInt block_count, block_capacity;

/* A function of the core that is not exported to tools: a shared file mapping. */
extern SysRes VG_(am_shared_mmap_file_float_valgrind)(SizeT length, UInt prot, Int fd, Off64T offset);

/* ---------------------------------------------------------------------------- the ring -- */

static SizeT ring_bytes(void)
{
    return RAW_RING_PAGE + (SizeT)SEGMENTS * SEGMENT_WORDS * sizeof(ULong);
}

static void write_into(ULong *words, SizeT count)
{
    memory_next = words;
    segment_end = words + count;
    memory_last = segment_end - MEMORY_BLOCK_WORDS;
}

static void write_nowhere(void)
{
    write_into(nowhere, sizeof nowhere / sizeof *nowhere);
}

static ULong *segment(ULong number)
{
    return (ULong *)((Addr)ring + RAW_RING_PAGE) + (number % SEGMENTS) * SEGMENT_WORDS;
}

/* Writes zeros, so that the file system has allocated the room before the program's code writes there. */
static Bool extend_file(SizeT bytes)
{
    static const UChar zeros[1 << 16];
    while (bytes > 0) {
        Int wrote = VG_(write)(ring_fd, zeros, (Int)(bytes < sizeof zeros ? bytes : sizeof zeros));
        if (wrote <= 0)
            return False;
        bytes -= (SizeT)wrote;
    }
    return True;
}

/* PREFIX-PID[.N].exact -> PREFIX-PID[.N].memory */
static void ring_path(HChar path[PATH_BYTES])
{
    VG_(strcpy)(path, raw_writer_path());
    HChar *dot = VG_(strrchr)(path, '.');
    VG_(strcpy)(dot, ".memory");
}

/* It has room for the first segment; each further one is allocated when it is first used. */
static struct raw_ring *make_ring(const HChar *path)
{
    Int fd = VG_(fd_open)(path, VKI_O_CREAT | VKI_O_EXCL | VKI_O_RDWR, 0644);
    if (fd < 0)
        return NULL;
    SysRes mapped = {0};
    ring_fd = VG_(safe_fd)(fd);
    Bool good = extend_file(RAW_RING_PAGE + SEGMENT_WORDS * sizeof(ULong));
    if (good)
        mapped = VG_(am_shared_mmap_file_float_valgrind)(ring_bytes(), VKI_PROT_READ | VKI_PROT_WRITE, ring_fd, 0);
    if (!good || sr_isError(mapped)) {
        VG_(close)(ring_fd);
        VG_(unlink)(path);
        return NULL;
    }
    return (struct raw_ring *)sr_Res(mapped);
}

void memory_open(void)
{
    HChar path[PATH_BYTES];
    ring_path(path);
    ring = make_ring(path);
    if (!ring) {
        VG_(umsg)("assay: %s can't be created; no accesses of process %d are recorded\n", path, VG_(getpid)());
        write_nowhere();
        raw_writer_lost(RAW_LOST_RING, 1);
        raw_writer_flush();
        return;
    }
    ring->segments = SEGMENTS;
    ring->segment_words = SEGMENT_WORDS;
    write_into(segment(0), SEGMENT_WORDS);
    __atomic_store_n(&ring->magic, RAW_RING_MAGIC, __ATOMIC_RELEASE);
    raw_writer_flush(); /* so that the reader can begin */
}

static void let_go(void)
{
    if (ring) {
        VG_(am_munmap_valgrind)((Addr)ring, ring_bytes());
        VG_(close)(ring_fd);
    }
    ring = NULL;
}

void memory_open_child(void)
{
    let_go();
    memory_open();
}

/* ---------------------------------------------------------------------------- its segments -- */

static Bool is_closed(void)
{
    return __atomic_load_n(&ring->closed, __ATOMIC_ACQUIRE) != 0;
}

static void say_lost(const HChar *why)
{
    VG_(umsg)("assay: %s; accesses are no longer recorded\n", why);
    raw_writer_lost(RAW_LOST_RING, 1);
    raw_writer_flush();
}

/* Waits until the position of this segment has been drained. False: it never will be, since there is no reader. */
static Bool wait_for(ULong number)
{
    ULong drained = __atomic_load_n(&ring->drained, __ATOMIC_ACQUIRE), seen = drained;
    for (UInt waits = 0; number - drained >= SEGMENTS && !is_closed(); waits++) {
        if (waits > PATIENCE && VG_(kill)((Int)config_get()->reader, 0) == -1) {
            say_lost("nobody reads the ring");
            return False;
        }
        VG_(poll)(NULL, 0, WAIT_MS);
        drained = __atomic_load_n(&ring->drained, __ATOMIC_ACQUIRE);
        waits = drained == seen ? waits : 0;
        seen = drained;
    }
    return !is_closed();
}

/* The file has room for this segment now. */
static Bool make_room(void)
{
    if (extend_file(SEGMENT_WORDS * sizeof(ULong)))
        return True;
    say_lost("there is no room for the ring");
    return False;
}

/* Whether the segment can be written. Once the ring is closed its reader knows what is missing. */
static Bool has_place(ULong number)
{
    return !is_closed() && (number < SEGMENTS ? make_room() : wait_for(number));
}

void memory_turn(void)
{
    if (!ring) {
        write_nowhere();
        return;
    }
    *memory_next = (ULong)RAW_MARK_END << RAW_MARK_SHIFT;
    raw_writer_flush();
    __atomic_store_n(&ring->filled, ring->filled + 1, __ATOMIC_RELEASE);
    if (has_place(ring->filled)) {
        write_into(segment(ring->filled), SEGMENT_WORDS);
        return;
    }
    let_go();
    write_nowhere();
}

/* ---------------------------------------------------------------------------- blocks -- */

UInt memory_block_new(const struct memory_block *block)
{
    struct raw_slot *slots = VG_(perm_malloc)((block->count + 1) * sizeof *slots, sizeof(void *));
    Addr *places = VG_(perm_malloc)((block->place_count + 1) * sizeof *places, sizeof(void *));
    VG_(memcpy)(slots, block->slots, block->count * sizeof *slots);
    VG_(memcpy)(places, block->places, block->place_count * sizeof *places);
    if (block_count + 1 >= block_capacity) {
        block_capacity = block_capacity ? block_capacity * 2 : 4096;
        blocks = VG_(realloc)("assay.blocks", blocks, block_capacity * sizeof *blocks);
    }
    tl_assert(block_count + 1 < RAW_BLOCKS_MAX);
    struct raw_block record = {++block_count, block->count, block->instructions, 0};
    blocks[block_count] = *block;
    blocks[block_count].slots = slots;
    blocks[block_count].places = places;
    raw_writer_block(&record, slots);
    return block_count;
}

static ULong kind_of(ULong word)
{
    return word >> RAW_MARK_SHIFT;
}

/* Whether an instruction, counted from 1, has accesses among the slots from `done` on. */
static Bool has_more(const struct memory_block *block, UInt done, UInt instruction)
{
    while (done < block->count && block->slots[done].access >= RAW_LATE_HEADER)
        done++;
    return done < block->count && block->slots[done].instructions == instruction;
}

/*
 * The number of the block's instructions completed before the one at `place`, if its first slots are done. The core unrolls
 * loops in superblocks: it is the next one at that place, unless that of the last access has not made all of its own.
 */
static UInt done_before(const struct memory_block *block, UInt done, Addr place)
{
    UInt last = done ? block->slots[done - 1].instructions : 0; /* from 1 */
    UInt from = last && has_more(block, done, last) ? last : last + 1;
    for (UInt i = from; i <= block->place_count; i++)
        if (block->places[i - 1] == place)
            return i - 1;
    return last ? last - 1 : 0; /* it has faulted after its last access */
}

/* The block at memory_next; NULL: between two blocks it is at a zero, or at the mark of an exit that was not taken. */
static const struct memory_block *block_begun(void)
{
    if (memory_next >= segment_end || kind_of(*memory_next) != RAW_MARK_BLOCK)
        return NULL;
    UInt id = (UInt)(*memory_next >> RAW_MARK_BLOCK_SHIFT) & (RAW_BLOCKS_MAX - 1);
    return id >= 1 && id <= block_count ? &blocks[id] : NULL;
}

void memory_interrupt(Addr place)
{
    const struct memory_block *block = block_begun();
    if (!block)
        return;
    ULong *at = memory_next + 1;
    UInt done = 0; /* slots up to the last access that has happened */
    for (UInt i = 0; i < block->count && *at != 0 && kind_of(*at) != RAW_MARK_EXIT; i++)
        if (block->slots[i].access < RAW_LATE_HEADER) {
            at += 1 + block->slots[i].words;
            done = i + 1;
        }
    *at++ = (ULong)RAW_MARK_EXIT << RAW_MARK_SHIFT | done_before(block, done, place);
    memory_next = at;
}
