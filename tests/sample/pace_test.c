/*
 * pace_test.c - the governor of a sampling clock: when it slows the clock down, by how much, and when it does nothing.
 * Expected values are computed by hand from the rule in pace.h.
 */
#include "collect/sample/pace.h"

#include "tests/tap.h"

static const uint64_t MS = 1000000;

/* `ticks` ticks, `every_us` of CPU time apart, of which each costs `cost_us`. Returns the first verdict that is not
 * fine, or the last one; *at is the number of its tick. */
static enum governor_verdict run(unsigned ticks, uint64_t every_us, uint64_t cost_us, uint64_t interval_ns, double most,
                                 unsigned *at, struct governor_finding *found)
{
    struct governor governor;
    enum governor_verdict verdict = GOVERNOR_FINE;
    governor_begin(&governor, 77 * MS);
    for (*at = 1; *at <= ticks; (*at)++) {
        verdict = governor_tick(&governor, 77 * MS + *at * every_us * 1000, cost_us * 1000,
                                (struct governor_limits){interval_ns, most}, found);
        if (verdict != GOVERNOR_FINE)
            break;
    }
    return verdict;
}

static void costs(void)
{
    unsigned at;
    struct governor_finding found = {0, 0};
    ok(run(1000, 10000, 900, 0, 0.1, &at, &found) == GOVERNOR_FINE, "9 %% of 10 s, 10 %% allowed: fine");
    ok(run(1000, 10000, 1500, 0, 0.1, &at, &found) == GOVERNOR_TOO_COSTLY, "15 %%: too costly");
    is_u64(at, 100, "  after a second");
    ok(found.share > 0.1499 && found.share < 0.1501, "  the share is 0.15: %g", found.share);
    ok(found.factor > 2.999 && found.factor < 3.001, "  three times the interval brings it to 5 %%: %g", found.factor);
    ok(run(1000, 10000, 6000, 0, 0.1, &at, &found) == GOVERNOR_TOO_COSTLY, "60 %%: too costly");
    ok(at >= 10 && at <= 15, "  after a tenth of a second");
    ok(run(1000, 10000, 9000, 0, 1, &at, &found) == GOVERNOR_FINE, "90 %%, all allowed: fine");
    ok(run(4, 300000, 250000, 0, 0.1, &at, &found) == GOVERNOR_FINE, "four ticks are too few for a verdict");
}

static void accidents(void)
{
    const struct governor_limits limits = {0, 0.1};
    struct governor governor;
    struct governor_finding found = {0, 0};
    bool fine = true;
    governor_begin(&governor, 0);
    for (unsigned i = 1; i <= 300; i++)
        fine &=
            governor_tick(&governor, i * 10 * MS, i % 100 == 50 ? 400 * MS : MS / 10, limits, &found) == GOVERNOR_FINE;
    ok(fine, "one tick of 400 ms per second counts as an accident");
    governor_begin(&governor, 0);
    for (unsigned i = 1; i < 100; i++) {
        governor_add(&governor, 2 * MS);
        governor_tick(&governor, i * 10 * MS, MS / 10, limits, &found);
    }
    ok(governor_tick(&governor, 1000 * MS, MS / 10, limits, &found) == GOVERNOR_TOO_COSTLY,
       "traps between ticks count as cost");
    ok(governor.ticks == 0 && governor.own_ns == 0 && governor.since_ns == 1000 * MS,
       "  after the verdict a new window begins");
}

static void rates(void)
{
    unsigned at;
    struct governor_finding found = {0, 0};
    ok(run(1000, 5000, 1, 10 * MS, 0.1, &at, &found) == GOVERNOR_FINE, "ticks twice as often as requested: fine");
    ok(run(1000, 200, 1, 10 * MS, 0.1, &at, &found) == GOVERNOR_TOO_OFTEN, "fifty times as often: too often");
    is_u64(at, 50, "  after fifty ticks");
    ok(found.factor > 49 && found.factor < 51, "  the period becomes fifty times as long: %g", found.factor);
    ok(run(1000, 200, 1, 0, 0.1, &at, &found) == GOVERNOR_FINE, "no interval to compare with: fine");
}

static void paces(void)
{
    struct pace pace = pace_of(10000000, 3000000, 1, 1);
    ok(pace.period == 10000000 && pace.spread == 3000000, "a pace of factor 1 is as requested");
    pace = pace_of(UINT64_C(9007199254740993), 1, 1, 1);
    ok(pace.period == UINT64_C(9007199254740993), "  to the last unit, also beyond 2^53");
    pace = pace_of(10000000, 3000000, 4, 2.5);
    ok(pace.period == 100000000 && pace.spread == 30000000 && pace.stretch == 4,
       "a pace is stretched, and converted to events");
    pace = pace_of(10, 9, 1, 0.01);
    ok(pace.period == 1 && pace.spread == 0, "a pace is at least one unit, with a smaller spread");
}

int main(void)
{
    costs();
    accidents();
    rates();
    paces();
    return done_testing();
}
