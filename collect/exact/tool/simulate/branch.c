#include "collect/exact/tool/simulate/branch.h"

#include "collect/exact/tool/simulate/simulate.h"

enum { COUNTERS = 1 << 14, TARGETS = 512, STRONGEST = 3 };

static UChar counters[COUNTERS]; /* from 2 on: taken */
static UInt history;             /* one bit per branch, the latest lowest */
static Addr targets[TARGETS];

void branch_conditional(Addr place, ULong taken)
{
    UChar *counter = &counters[(place ^ history) % COUNTERS];
    if (simulated.paused)
        return;
    simulated.counters[SIMULATED_BRANCH_MISSES] += (*counter >= 2) != (taken != 0);
    if (taken && *counter < STRONGEST)
        ++*counter;
    else if (!taken && *counter > 0)
        --*counter;
    history = (history << 1 | (taken != 0)) % COUNTERS;
}

void branch_indirect(Addr place, Addr target)
{
    if (simulated.paused)
        return;
    simulated.counters[SIMULATED_BRANCH_MISSES] += targets[place % TARGETS] != target;
    targets[place % TARGETS] = target;
}
