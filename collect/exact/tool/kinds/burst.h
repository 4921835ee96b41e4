/*
 * burst.h - bursty sampling: alternately a number of instructions is watched and a number is skipped (Su, dissertation
 * 2020, §3.4.5).
 *
 * What a burst cannot know: whether an access repeats one that lies before the burst. So the first half of a burst only
 * fills the shadow memory, and the second half is counted (as in sampled cache simulation: Wood, Hill and Kessler, "A
 * model for estimating trace-sample miss ratios", SIGMETRICS 1991). An access in it is unseen if any of its bytes has
 * neither been accessed nor started afresh since the burst began, and it may be wasted: a store of another value than
 * the place has is not silent, and one to a place that the burst has loaded ends no dead store, whatever came before.
 * Crossing ones, whose predecessor or fresh start is in the first half, show what the unseen ones are like: these would
 * be unseen if the burst had begun in its middle. Each burst gives one record of these sums (RAW_BURST).
 *
 * The gap between two bursts is the end of one period and the beginning of the next, in which a burst begins at a
 * random point, so that a program's own rhythm does not meet that of the bursts.
 */
#ifndef ASSAY_EXACT_TOOL_KINDS_BURST_H
#define ASSAY_EXACT_TOOL_KINDS_BURST_H

#include <valgrind/pub_tool_basics.h>

extern Long burst_left; /* instructions until the next switch; translated code counts it down */

/* Whether accesses are watched; of a recording without bursts: BURST_ALWAYS. */
enum burst_watching { BURST_GAP = 0, BURST_FILLING = 1, BURST_COUNTING = 2, BURST_ALWAYS = 3 };
extern UInt burst_watching;

void burst_init(void);

/* From translated code, when burst_left is negative. */
void burst_switch(void);

/* The program ends, or forks: writes what the current burst has counted. The child begins with nothing. */
void burst_flush(void);

/* Whether an access is in a burst's first or second half, and has to be passed to the functions below. */
static inline Bool burst_wants(void)
{
    return burst_watching != BURST_ALWAYS;
}

/*
 * An access in a burst, before the shadow memory changes; in the first half they change it. True: it is to be counted
 * in its pair, too. value[(size + 7) / 8], compared with `lane` as in slow.h; silent: the store leaves the
 * values as they are, whether or not they had been stored before.
 */
Bool burst_load(Addr a, UInt size, ULong where, const ULong *value);
Bool burst_store(Addr a, UInt size, ULong where, Bool silent);

/* A store by the kernel, whose context is `handle`: it is not an access of the program, but may end a dead store. */
Bool burst_kernel_store(Addr a, UInt size, UInt handle);

/* In mode spatial-load: what objects_load() knew. True: it is to be counted. */
struct objects_previous;
Bool burst_spatial_load(const struct objects_previous *previous, UInt size, UInt handle, Bool silent);

#endif
