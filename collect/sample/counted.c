/*
 * What a thread's clock has counted, and how many ticks that makes.
 */
#include "collect/sample/state.h"

/*
 * The part of the clock's count in which the thread ran. When the host stops a virtual machine the clock continues, but
 * not the CPU time of the threads if the machine knows how long: then none of it is lost.
 */
static uint64_t counted_while_running(const struct slot *slot, uint64_t counted, uint64_t cpu_ns)
{
    return slot->source == SOURCE_CPU_CLOCK && cpu_ns < counted ? cpu_ns : counted;
}

/*
 * Counters of virtual machines have been seen to jump by a power of two, and to go back. Everything between 5 MHz and
 * eight instructions per cycle at 6 GHz is possible; but in the kernel, if that is excluded, nothing may be counted.
 */
static bool counted_is_impossible(const struct slot *slot, uint64_t before, uint64_t count, uint64_t cpu_ns)
{
    static const double MOST_PER_NS = 50, SLACK_NS = 1e6;
    return count < before ||
           (slot->source == SOURCE_PMU && (double)(count - before) > MOST_PER_NS * ((double)cpu_ns + SLACK_NS));
}

uint64_t counted_of_ended(const struct slot *slot, uint64_t count, uint64_t most_cpu_ns)
{
    uint64_t before = atomic_load(&slot->count);
    return counted_is_impossible(slot, before, count, most_cpu_ns)
               ? 0
               : counted_while_running(slot, count - before, most_cpu_ns);
}

uint64_t counted_since_tick(const struct slot *slot, uint64_t count, uint64_t cpu_ns, bool *possible)
{
    static const double LEAST_PER_NS = 0.005, LONG_NS = 1e8;
    uint64_t before = atomic_load(&slot->count);
    bool stuck = slot->source == SOURCE_PMU && !sampler.config.watch.wanted && (double)cpu_ns > LONG_NS &&
                 (double)(count - before) < LEAST_PER_NS * (double)cpu_ns;
    *possible = !counted_is_impossible(slot, before, count, cpu_ns) && !stuck;
    if (*possible)
        return counted_while_running(slot, count - before, cpu_ns);
    double units = slot->source == SOURCE_PMU ? atomic_load(&sampler.units_per_ns) : 1;
    return units > 0 ? (uint64_t)((double)cpu_ns * units) : slot->pace.period;
}

static uint64_t counted_longest_interval(const struct slot *slot)
{
    return slot->pace.period + slot->pace.spread;
}

uint64_t counted_ticks(const struct slot *slot, uint64_t counted, uint64_t cpu_ns)
{
    uint64_t elapsed = counted_while_running(slot, counted, cpu_ns);
    return elapsed > counted_longest_interval(slot) + slot->pace.period / 2 ? elapsed / slot->pace.period : 0;
}

uint64_t counted_missed(const struct slot *slot, uint64_t elapsed)
{
    uint64_t period = slot->pace.period;
    return elapsed > counted_longest_interval(slot) + period / 2 ? (elapsed + period / 2) / period - 1 : 0;
}
