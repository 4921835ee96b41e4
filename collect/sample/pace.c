#include "collect/sample/pace.h"

#include <stdbool.h>

struct pace pace_of(uint64_t period, uint64_t spread, double stretch, double units)
{
    double scale = stretch * units;
    struct pace pace = {.stretch = stretch, .period = period, .spread = spread};
    if (scale != 1) { /* exact if nothing is converted */
        pace.period = (uint64_t)((double)period * scale);
        pace.spread = (uint64_t)((double)spread * scale);
    }
    if (pace.period == 0)
        pace.period = 1;
    if (pace.spread >= pace.period)
        pace.spread = pace.period - 1;
    return pace;
}

void governor_begin(struct governor *governor, uint64_t cpu_ns)
{
    *governor = (struct governor){.since_ns = cpu_ns};
}

void governor_add(struct governor *governor, uint64_t cost_ns)
{
    governor->own_ns += cost_ns;
}

enum governor_verdict governor_tick(struct governor *governor, uint64_t cpu_ns, uint64_t cost_ns,
                                    struct governor_limits limits, struct governor_finding *found)
{
    enum { TICKS_LEAST = 5, TICKS_SURE = 50, OFTEN = 3 };
    static const uint64_t WINDOW_NS = 1000000000, EARLY_NS = 100000000;
    static const double LOST_EARLY = 0.5, TARGET = 0.5; /* of the allowed share, to stay below it from then on */
    uint64_t elapsed = cpu_ns > governor->since_ns ? cpu_ns - governor->since_ns : 0;
    governor->ticks++;
    governor->own_ns += cost_ns;
    if (cost_ns > governor->largest_ns)
        governor->largest_ns = cost_ns;
    double due = limits.interval_ns > 0 ? (double)elapsed / (double)limits.interval_ns : 0;
    double all = elapsed > 0 ? (double)governor->own_ns / (double)elapsed : 0;
    double usual = elapsed > 0 ? (double)(governor->own_ns - governor->largest_ns) / (double)elapsed : 0;
    bool whole = elapsed >= WINDOW_NS, early = elapsed >= EARLY_NS && usual > LOST_EARLY;
    enum governor_verdict verdict = GOVERNOR_FINE;
    found->share = all;
    if (limits.interval_ns > 0 && governor->ticks >= TICKS_SURE && (double)governor->ticks > (double)OFTEN * due) {
        verdict = GOVERNOR_TOO_OFTEN;
        found->factor = (double)governor->ticks / (due > 1 ? due : 1);
    } else if ((whole || early) && governor->ticks >= TICKS_LEAST && usual > limits.max_cost) {
        verdict = GOVERNOR_TOO_COSTLY;
        found->factor = all / (TARGET * limits.max_cost);
    }
    if (verdict != GOVERNOR_FINE || whole)
        governor_begin(governor, cpu_ns);
    return verdict;
}
