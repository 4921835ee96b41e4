/* bearable_test.c - an interval is lengthened only if a tick would take too much of it. */
#include "tests/tap.h"

#include "collect/record/start/engine.h"

static struct record_clock bearable(uint64_t period, bool events, const char *name, uint64_t sample_ns, double most)
{
    struct record_engine engine = {.source = SOURCE_PMU, .events_per_ns = 2, .cost = {.sample_ns = sample_ns}};
    struct record_clock clock = {.name = name, .period = period, .spread = period / 10, .events = events};
    return engine_bearable(&engine, &clock, most);
}

int main(void)
{
    is_u64(bearable(1000000, false, "random", 100000, 0.1).period, 1000000,
           "a tick that takes a tenth of the interval is accepted");
    struct record_clock longer = bearable(100000, false, "random", 20000, 0.1);
    is_u64(longer.period, 400000, "a fifth is not: the interval grows until it is a twentieth");
    is_u64(longer.spread, 40000, "  and the spread grows with it");
    is_u64(bearable(100000, false, "fixed", 70000, 0.1).period, 1600000,
           "the interval grows by a power of two, to less than a twentieth");
    is_u64(bearable(100000, false, "random", 20000, 1).period, 100000, "--max-cost 100%: a fifth is accepted");
    is_u64(bearable(100000, false, "random", 30000, 1).period, 400000, "  but no more than a quarter");
    is_u64(bearable(200000, true, "period", 20000, 0.1).period, 800000,
           "a period in events is converted to time by their rate");
    is_u64(bearable(100000, false, "safepoint", 70000, 0.1).period, 100000,
           "clock safepoint has no ticks: its interval stays");
    is_u64(bearable(100000, false, "random", 0, 0.1).period, 100000, "a tick whose cost is unknown is accepted");
    return done_testing();
}
