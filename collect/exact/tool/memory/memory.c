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
    ULong *gap_word;   /* where it records the gap; NULL: not yet, */
    ULong skipped;     /* and nowhere of so many of its instructions */
    Long left;         /* instructions of this burst, or gap */
    ULong *counted;    /* the instructions of what comes before these words are counted */
} bursts;

static void memory_count_executed(void)
{
    ULong instructions = memory_executed(bursts.counted, memory_next);
    bursts.counted = memory_next;
    bursts.left -= (Long)instructions;
    bursts.skipped += bursts.gap ? instructions : 0;
}

/* What is executed from now on is counted when memory_turn() is called next. */
static void memory_turn_soon(void)
{
    bursts.counted = memory_next;
    memory_last = ring_end - MEMORY_BLOCK_WORDS;
    if (memory_last > memory_next + LOOK_WORDS)
        memory_last = memory_next + LOOK_WORDS;
}

static void memory_skip_ring(void)
{
    memory_ring_write_nowhere();
    memory_turn_soon();
}

static void memory_leave_ring(void)
{
    bursts.next = memory_next;
    bursts.end = ring_end;
    bursts.gap_word = NULL;
    memory_skip_ring();
}

static void memory_start_gap(void)
{
    bursts.gap = True;
    bursts.left += (Long)burst_length_gap();
    memory_leave_ring();
}

/* A block of the largest size leaves space for this word. Nobody reads it before the segment is full, or the process
 * ends. */
static void memory_put_gap(void)
{
    if (!bursts.gap_word) {
        bursts.gap_word = bursts.next++;
        *bursts.gap_word = (ULong)RAW_MARK_GAP << RAW_MARK_SHIFT;
    }
    *bursts.gap_word += bursts.skipped;
    bursts.skipped = 0;
}

/* The ring is new: that of the program, or of a forked child, which goes on with the burst or gap of its parent. */
static void memory_continue_bursts(void)
{
    if (!config_get()->burst_on || !memory_ring_is_open())
        return;
    if (!bursts.begun)
        memory_start_gap();
    else if (bursts.gap)
        memory_leave_ring();
    else
        memory_turn_soon();
    bursts.begun = True;
}

void memory_open(void)
{
    memory_ring_open();
    memory_continue_bursts();
}

void memory_open_child(void)
{
    memory_ring_open_child();
    memory_continue_bursts();
}

void memory_turn(void)
{
    if (!memory_ring_is_open()) {
        memory_ring_write_nowhere();
        return;
    }
    if (!config_get()->burst_on) {
        memory_ring_turn();
        return;
    }
    memory_count_executed();
    if (bursts.left <= 0 && bursts.gap) { /* a burst starts */
        memory_put_gap();
        bursts.gap = False;
        bursts.left += (Long)(burst_length_first() + burst_length_second());
        memory_ring_write_into(bursts.next, bursts.end);
        if (memory_next > memory_last)
            memory_ring_turn();
        memory_turn_soon();
    } else if (bursts.left <= 0) {
        memory_start_gap();
    } else if (bursts.gap) {
        memory_skip_ring();
    } else {
        if (memory_next > ring_end - MEMORY_BLOCK_WORDS)
            memory_ring_turn();
        memory_turn_soon();
    }
}

void memory_report_gap(void)
{
    if (!memory_ring_is_open() || !bursts.gap)
        return;
    memory_count_executed();
    memory_put_gap();
}
