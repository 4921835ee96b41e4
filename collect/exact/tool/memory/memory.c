#include "collect/exact/tool/memory/memory.h"

#include "collect/bursts/length.h"
#include "collect/exact/tool/memory/ring.h"
#include "collect/exact/tool/state/config.h"

enum { LOOK_WORDS = 1 << 12 }; /* after so many it is time to look whether a burst, or a gap, has ended */

ULong *memory_next, *memory_last;

/* Bursts, and the gaps between them. */
static struct {
    Bool begun, gap;   /* gap: nothing is recorded now; */
    ULong *next, *end; /* the ring goes on here, up to the end of its segment; */
    ULong *told;       /* where it tells of the gap; NULL: not yet, */
    ULong skipped;     /* and nowhere of so many of its instructions */
    Long left;         /* instructions of this burst, or gap */
    ULong *counted;    /* the instructions of what comes before these words are counted */
} bursts;

static void count(void)
{
    ULong instructions = memory_executed(bursts.counted, memory_next);
    bursts.counted = memory_next;
    bursts.left -= (Long)instructions;
    bursts.skipped += bursts.gap ? instructions : 0;
}

/* What is executed from now on is counted when memory_turn() is called next. */
static void look_soon(void)
{
    bursts.counted = memory_next;
    memory_last = ring_end - MEMORY_BLOCK_WORDS;
    if (memory_last > memory_next + LOOK_WORDS)
        memory_last = memory_next + LOOK_WORDS;
}

static void skip(void)
{
    ring_write_nowhere();
    look_soon();
}

static void leave_ring(void)
{
    bursts.next = memory_next;
    bursts.end = ring_end;
    bursts.told = NULL;
    skip();
}

static void begin_gap(void)
{
    bursts.gap = True;
    bursts.left += (Long)burst_length_gap();
    leave_ring();
}

/* A block of the largest size leaves room for this word. Nobody reads it before the segment is full, or the process
 * ends. */
static void put_gap(void)
{
    if (!bursts.told) {
        bursts.told = bursts.next++;
        *bursts.told = (ULong)RAW_MARK_GAP << RAW_MARK_SHIFT;
    }
    *bursts.told += bursts.skipped;
    bursts.skipped = 0;
}

static void begin_burst(void)
{
    put_gap();
    bursts.gap = False;
    bursts.left += (Long)(burst_length_first() + burst_length_second());
    ring_write_into(bursts.next, bursts.end);
    if (memory_next > memory_last)
        ring_turn();
    look_soon();
}

static void turn_burst(void)
{
    count();
    if (bursts.left <= 0 && bursts.gap) {
        begin_burst();
    } else if (bursts.left <= 0) {
        begin_gap();
    } else if (bursts.gap) {
        skip();
    } else {
        if (memory_next > ring_end - MEMORY_BLOCK_WORDS)
            ring_turn();
        look_soon();
    }
}

/* The ring is new: that of the program, or of a forked child, which goes on with the burst or gap of its parent. */
static void go_on(void)
{
    if (!config_get()->burst_on || !ring_is_open())
        return;
    if (!bursts.begun)
        begin_gap();
    else if (bursts.gap)
        leave_ring();
    else
        look_soon();
    bursts.begun = True;
}

void memory_open(void)
{
    ring_open();
    go_on();
}

void memory_open_child(void)
{
    ring_open_child();
    go_on();
}

void memory_turn(void)
{
    if (!ring_is_open())
        ring_write_nowhere();
    else if (config_get()->burst_on)
        turn_burst();
    else
        ring_turn();
}

void memory_report_gap(void)
{
    if (!ring_is_open() || !bursts.gap)
        return;
    count();
    put_gap();
}
