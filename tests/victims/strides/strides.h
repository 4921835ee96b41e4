/*
 * strides.h - for the programs here, whose loads have strides that are derived on paper.
 *
 * A victim makes its loads in functions named victim_…, one load per line, and compiled with -Og, which keeps the lines
 * of loops and needs no stack for the variables here. A comment that consists of an at sign and a name, after a source
 * line, gives the line that name. The comment at the top of a victim derives the strides, and ends in lines
 *
 *   EXPECT line=@LOAD [loop=@LOOP] kind=KIND [stride=BYTES] [partner=@LOAD] [majority=LOW..HIGH] [executions=N]
 *
 * - line: the load
 * - loop: the line of its loop; without it, whichever loop the load is shown in
 * - kind: one of these
 *   - inter: from one iteration to the next the address changes by a constant other than 0, in more than 75 % of cases
 *   - intra: it does not, but differs by a constant from the address of the partner, which loads the load's pointer
 *   - indirect: the address is that of an element whose index the partner loads
 *   - none: nothing of these
 * - majority: the share of the most frequent stride. It is a range where it makes a difference whether the way from the
 *   last iteration of one execution of the loop to the first of the next counts
 * - executions: how often the load is executed
 *
 * An argument makes a victim print where its data are: name, address, size.
 */
#ifndef ASSAY_STRIDES_H
#define ASSAY_STRIDES_H

#include "../victim.h"
#include <stddef.h>
#include <stdio.h>

#define SHOW(data, argc) ((argc) > 1 ? (void)printf("%s %p %zu\n", #data, (void *)(data), sizeof(data)) : (void)0)

/* The same numbers in each run. */
static inline uint64_t strides_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* order[count] becomes a permutation of 0, 1, … */
static inline void strides_shuffle(uint32_t *order, uint32_t count)
{
    uint64_t state = 2003;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t other = (uint32_t)(strides_random(&state) % (i + 1));
        order[i] = order[other];
        order[other] = i;
    }
}

#endif
