#include "collect/calls/meter.h"

#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"

static const char *const options[METER_NAMED] = {METER_OPTIONS};
static const char *const names[METER_NAMED] = {METER_NAMES};

struct meter_host meter_host;

/* A counter: one of enum meter_counter, COUNT_WALL, or COUNT_HARDWARE + the number of a hardware event. */
enum { COUNT_WALL = METER_NAMED, COUNT_HARDWARE };
static unsigned counters[EVENT_COUNTERS_MAX];
static size_t counter_count;
static bool reads_usage;

static _Atomic uint64_t usual_cost[METER_VALUES]; /* of a trap, as threads have measured it last */

json_t *meter_prepare(const json_t *wanted)
{
    json_t *described = json_array();
    for (size_t i = 0; i < json_array_size(wanted) && counter_count < EVENT_COUNTERS_MAX; i++) {
        const json_t *counter = json_array_get(wanted, i);
        const char *name = json_string_value(counter);
        unsigned event = COUNT_HARDWARE + (unsigned)hardware_count(), which = 0;
        while (name && which < METER_NAMED && strcmp(name, options[which]) != 0)
            which++;
        bool lacks = which == METER_COUNT_ALLOCATED && !meter_host.allocated;
        if (name ? which == METER_NAMED || lacks : !hardware_add(counter))
            continue;
        counters[counter_count++] = name ? which : event;
        json_array_append_new(described,
                              name ? json_string(names[which]) : json_copy(json_object_get(counter, "name")));
        reads_usage |= name && (which == METER_COUNT_FAULTS || which == METER_COUNT_SWITCHES);
    }
    if (meter_host.stopped && counter_count < EVENT_COUNTERS_MAX) {
        counters[counter_count++] = COUNT_WALL;
        json_array_append_new(described, json_string(METER_WALL_NAME));
    }
    return described;
}

size_t meter_count(void)
{
    return counter_count;
}

void meter_open(struct meter *meter)
{
    memset(meter, 0, sizeof *meter);
    for (size_t i = 0; i < METER_VALUES; i++)
        meter->trap_cost[i] = usual_cost[i];
    if (hardware_count() > 0)
        hardware_open(&meter->hardware);
}

void meter_close(struct meter *meter)
{
    hardware_close(&meter->hardware);
}

void meter_read(const struct meter *meter, uint64_t values[METER_VALUES])
{
    struct rusage usage = {0};
    if (reads_usage)
        getrusage(RUSAGE_THREAD, &usage);
    values[METER_WALL] = clock_ns(CLOCK_MONOTONIC);
    values[METER_CPU] = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    values[METER_STOPPED] = meter_host.stopped ? meter_host.stopped() : 0;
    for (size_t i = 0; i < counter_count; i++) {
        uint64_t *value = &values[METER_COUNTERS + i];
        if (counters[i] == METER_COUNT_CPU)
            *value = values[METER_CPU];
        else if (counters[i] == COUNT_WALL)
            *value = values[METER_WALL];
        else if (counters[i] == METER_COUNT_ALLOCATED)
            *value = meter_host.allocated();
        else if (counters[i] == METER_COUNT_FAULTS)
            *value = (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
        else if (counters[i] == METER_COUNT_SWITCHES)
            *value = (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw;
        else if (!hardware_read(&meter->hardware, counters[i] - COUNT_HARDWARE, value))
            *value = 0;
    }
}

void meter_enter(struct meter *meter)
{
    meter_read(meter, meter->entered);
    for (size_t i = 0; i < METER_COUNTERS + counter_count; i++)
        meter->program[i] = (int64_t)(meter->entered[i] - meter->own[i]);
}

static bool is_time(size_t value)
{
    if (value < METER_COUNTERS)
        return value != METER_STOPPED;
    return counters[value - METER_COUNTERS] == METER_COUNT_CPU || counters[value - METER_COUNTERS] == COUNT_WALL;
}

void meter_leave(struct meter *meter, uint64_t delivery_ns)
{
    uint64_t now[METER_VALUES];
    meter_read(meter, now);
    for (size_t i = 0; i < METER_COUNTERS + counter_count; i++) {
        uint64_t outside = delivery_ns > 0 && is_time(i) ? delivery_ns : meter->trap_cost[i];
        meter->own[i] += now[i] - meter->entered[i] + outside;
    }
}

static void sort(const uint64_t *values, unsigned count, uint64_t sorted[METER_COSTS])
{
    for (unsigned i = 0; i < count; i++) {
        unsigned at = i;
        for (; at > 0 && sorted[at - 1] > values[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = values[i];
    }
}

static unsigned known_costs(const struct meter *meter)
{
    return meter->cost_count < METER_COSTS ? meter->cost_count : METER_COSTS;
}

void meter_measure(const struct meter *meter, struct meter *scratch, void (*touch)(void *user), void *user,
                   uint64_t cost[METER_VALUES])
{
    int64_t before[METER_VALUES];
    *scratch = (struct meter){.hardware = meter->hardware};
    touch(user);
    memcpy(before, scratch->program, sizeof before);
    touch(user);
    for (size_t i = 0; i < METER_VALUES; i++)
        cost[i] = (uint64_t)(scratch->program[i] - before[i]);
}

void meter_learn(struct meter *meter, const uint64_t cost[METER_VALUES])
{
    uint64_t sorted[METER_COSTS];
    meter->cost_count++;
    for (size_t i = 0; i < METER_COUNTERS + counter_count; i++) {
        meter->costs[i][(meter->cost_count - 1) % METER_COSTS] = cost[i];
        sort(meter->costs[i], known_costs(meter), sorted);
        /* The middle one: a trap during which the thread lost its processor says nothing. */
        meter->trap_cost[i] = usual_cost[i] = sorted[known_costs(meter) / 2];
    }
}

uint64_t meter_doubt(const struct meter *meter)
{
    uint64_t sorted[METER_COSTS];
    unsigned known = known_costs(meter);
    if (known == 0)
        return 0;
    sort(meter->costs[METER_CPU], known, sorted);
    return sorted[3 * known / 4] - sorted[known / 4];
}
