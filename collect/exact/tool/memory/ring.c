#include "collect/exact/tool/memory/ring.h"

#include <valgrind/pub_tool_aspacemgr.h>
#include <valgrind/pub_tool_libcassert.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_libcfile.h>
#include <valgrind/pub_tool_libcprint.h>
#include <valgrind/pub_tool_libcproc.h>
#include <valgrind/pub_tool_mallocfree.h>
#include <valgrind/pub_tool_vki.h>

#include "collect/exact/tool/memory/memory.h"
#include "collect/exact/tool/state/config.h"
#include "collect/exact/tool/state/core.h"
#include "collect/exact/tool/state/raw_writer.h"

/* A segment of 1 MB is still in a cache when the reader gets to it. */
enum { SEGMENTS = 16, SEGMENT_WORDS = 1 << 17, PATH_BYTES = 4096 + 64, WAIT_MS = 1, PATIENCE = 1000 };

ULong *ring_end;
static struct raw_ring *ring; /* NULL: nothing is recorded */
static Int ring_fd;
static ULong nowhere[2 * MEMORY_BLOCK_WORDS];

/* A function of the core that is not exported to tools: a shared file mapping. */
extern SysRes VG_(am_shared_mmap_file_float_valgrind)(SizeT length, UInt prot, Int fd, Off64T offset);

static SizeT memory_ring_bytes(void)
{
    return RAW_RING_PAGE + (SizeT)SEGMENTS * SEGMENT_WORDS * sizeof(ULong);
}

void memory_ring_write_into(ULong *words, ULong *end)
{
    memory_next = words;
    ring_end = end;
    memory_last = end - MEMORY_BLOCK_WORDS;
}

/* Over zeros, as in the ring: memory_interrupt() relies on them. */
void memory_ring_write_nowhere(void)
{
    enum { ALL = sizeof nowhere / sizeof *nowhere };
    SizeT used = memory_next >= nowhere && memory_next <= nowhere + ALL ? (SizeT)(memory_next - nowhere) : ALL;
    used = used + memory_block_most < ALL ? used + memory_block_most : ALL;
    VG_(memset)(nowhere, 0, used * sizeof *nowhere);
    memory_ring_write_into(nowhere, nowhere + sizeof nowhere / sizeof *nowhere);
}

static void memory_ring_write_segment(ULong number)
{
    ULong *words = (ULong *)((Addr)ring + RAW_RING_PAGE) + (number % SEGMENTS) * SEGMENT_WORDS;
    memory_ring_write_into(words, words + SEGMENT_WORDS);
}

/* Writes zeros, so that the file system has allocated the space before the program's code writes there. */
static Bool memory_ring_extend_file(SizeT bytes)
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

void memory_ring_open(void)
{
    HChar path[PATH_BYTES];
    VG_(strcpy)(path, raw_writer_path()); /* PREFIX-PID[.N].exact -> PREFIX-PID[.N].memory */
    VG_(strcpy)(VG_(strrchr)(path, '.'), ".memory");
    Int fd = VG_(fd_open)(path, VKI_O_CREAT | VKI_O_EXCL | VKI_O_RDWR, 0644);
    ring = NULL;
    if (fd >= 0) {
        /* Space for the first segment; each further one is allocated when it is first used. */
        SysRes mapped = {0};
        ring_fd = VG_(safe_fd)(fd);
        Bool good = memory_ring_extend_file(RAW_RING_PAGE + SEGMENT_WORDS * sizeof(ULong));
        if (good)
            mapped = VG_(am_shared_mmap_file_float_valgrind)(memory_ring_bytes(), VKI_PROT_READ | VKI_PROT_WRITE,
                                                             ring_fd, 0);
        if (good && !sr_isError(mapped)) {
            ring = (struct raw_ring *)sr_Res(mapped);
        } else {
            VG_(close)(ring_fd);
            VG_(unlink)(path);
        }
    }
    if (!ring) {
        VG_(umsg)("assay: %s can't be created; no accesses of process %d are recorded\n", path, VG_(getpid)());
        memory_ring_write_nowhere();
        raw_writer_lost(RAW_LOST_RING, 1);
        raw_writer_flush();
        return;
    }
    ring->segments = SEGMENTS;
    ring->segment_words = SEGMENT_WORDS;
    memory_ring_write_segment(0);
    __atomic_store_n(&ring->magic, RAW_RING_MAGIC, __ATOMIC_RELEASE);
    raw_writer_flush(); /* so that the reader can begin */
}

static void memory_ring_release(void)
{
    if (ring) {
        VG_(am_munmap_valgrind)((Addr)ring, memory_ring_bytes());
        VG_(close)(ring_fd);
    }
    ring = NULL;
}

void memory_ring_open_child(void)
{
    memory_ring_release();
    memory_ring_open();
}

Bool memory_ring_is_open(void)
{
    return ring != NULL;
}

/* ---------------------------------------------------------------------------- its segments -- */

static Bool memory_ring_is_closed(void)
{
    return __atomic_load_n(&ring->closed, __ATOMIC_ACQUIRE) != 0;
}

static void memory_ring_log_lost(const HChar *why)
{
    VG_(umsg)("assay: %s; accesses are no longer recorded\n", why);
    raw_writer_lost(RAW_LOST_RING, 1);
    raw_writer_flush();
}

/*
 * Whether the segment can be written, once its position has been drained, which never happens without a reader. Once
 * the ring is closed its reader knows what is missing.
 */
static Bool memory_ring_has_space(ULong number)
{
    if (memory_ring_is_closed())
        return False;
    if (number < SEGMENTS) {
        if (memory_ring_extend_file(SEGMENT_WORDS * sizeof(ULong)))
            return True;
        memory_ring_log_lost("there is no room for the ring");
        return False;
    }
    ULong drained = __atomic_load_n(&ring->drained, __ATOMIC_ACQUIRE), seen = drained;
    for (UInt waits = 0; number - drained >= SEGMENTS && !memory_ring_is_closed(); waits++) {
        if (waits > PATIENCE && VG_(kill)((Int)config_get()->reader, 0) == -1) {
            memory_ring_log_lost("nobody reads the ring");
            return False;
        }
        VG_(poll)(NULL, 0, WAIT_MS);
        drained = __atomic_load_n(&ring->drained, __ATOMIC_ACQUIRE);
        waits = drained == seen ? waits : 0;
        seen = drained;
    }
    return !memory_ring_is_closed();
}

void memory_ring_turn(void)
{
    *memory_next = (ULong)RAW_MARK_END << RAW_MARK_SHIFT;
    raw_writer_flush();
    __atomic_store_n(&ring->filled, ring->filled + 1, __ATOMIC_RELEASE);
    if (memory_ring_has_space(ring->filled)) {
        memory_ring_write_segment(ring->filled);
        return;
    }
    memory_ring_release();
    memory_ring_write_nowhere();
}
