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

/* As threads have measured it last. */
static struct {
    _Atomic uint64_t whole[METER_VALUES], before[METER_VALUES];
} usual[METER_WAYS];

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
    for (size_t way = 0; way < METER_WAYS; way++)
        for (size_t i = 0; i < METER_VALUES; i++) {
            meter->cost[way].whole[i] = usual[way].whole[i];
            meter->cost[way].before[i] = usual[way].before[i];
        }
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

void meter_enter(struct meter *meter, enum meter_way way)
{
    meter_read(meter, meter->entered);
    for (size_t i = 0; i < METER_COUNTERS + counter_count; i++)
        meter->program[i] =
            (int64_t)(meter->entered[i] - meter->own[i] - (way < METER_WAYS ? meter->cost[way].before[i] : 0));
}

void meter_leave(struct meter *meter, enum meter_way way, uint64_t delivery_ns)
{
    uint64_t now[METER_VALUES];
    meter_read(meter, now);
    for (size_t i = 0; i < METER_COUNTERS + counter_count; i++) {
        bool counter = i >= METER_COUNTERS;
        unsigned kind = counter ? counters[i - METER_COUNTERS] : COUNT_WALL;
        bool is_time = counter ? kind == METER_COUNT_CPU || kind == COUNT_WALL : i != METER_STOPPED;
        uint64_t outside =
            delivery_ns > 0 && is_time ? delivery_ns : meter->cost[way < METER_WAYS ? way : METER_TRAP].whole[i];
        meter->own[i] += now[i] - meter->entered[i] + outside;
    }
}

static unsigned meter_known_costs(const struct meter *meter, enum meter_way way)
{
    return meter->cost_count[way] < METER_COSTS ? meter->cost_count[way] : METER_COSTS;
}

static void meter_sort(uint64_t *values, unsigned count)
{
    for (unsigned i = 1; i < count; i++)
        for (unsigned at = i; at > 0 && values[at - 1] > values[at]; at--) {
            uint64_t moved = values[at];
            values[at] = values[at - 1];
            values[at - 1] = moved;
        }
}

void meter_measure(const struct meter *meter, struct meter *scratch, void (*touch)(void *user), void *user,
                   uint64_t whole[METER_VALUES])
{
    int64_t first[METER_VALUES];
    *scratch = (struct meter){.hardware = meter->hardware};
    touch(user);
    memcpy(first, scratch->program, sizeof first);
    touch(user);
    for (size_t i = 0; i < METER_VALUES; i++)
        whole[i] = (uint64_t)(scratch->program[i] - first[i]);
}

void meter_measure_before(struct meter *scratch, void (*touch)(void *user), void *user, uint64_t before[METER_VALUES])
{
    uint64_t here[METER_VALUES];
    meter_read(scratch, here);
    touch(user);
    for (size_t i = 0; i < METER_COUNTERS + counter_count; i++)
        before[i] = scratch->entered[i] - here[i];
}

/* The middle one of the last measurements: one during which the thread lost its processor says nothing. */
static uint64_t meter_median_cost(const struct meter *meter, enum meter_way way, size_t value, bool before)
{
    uint64_t values[METER_COSTS];
    unsigned known = meter_known_costs(meter, way);
    for (unsigned i = 0; i < known; i++)
        values[i] = before ? meter->costs[way][i].before[value] : meter->costs[way][i].whole[value];
    meter_sort(values, known);
    return values[known / 2];
}

void meter_learn(struct meter *meter, enum meter_way way, const struct meter_cost *cost)
{
    meter->costs[way][meter->cost_count[way]++ % METER_COSTS] = *cost;
    for (size_t i = 0; i < METER_COUNTERS + counter_count; i++) {
        meter->cost[way].whole[i] = meter_median_cost(meter, way, i, false);
        meter->cost[way].before[i] = meter_median_cost(meter, way, i, true);
        usual[way].whole[i] = meter->cost[way].whole[i];
        usual[way].before[i] = meter->cost[way].before[i];
    }
}

uint64_t meter_doubt(const struct meter *meter)
{
    uint64_t values[METER_COSTS];
    unsigned known = meter_known_costs(meter, METER_TRAP);
    if (known == 0)
        return 0;
    for (unsigned i = 0; i < known; i++)
        values[i] = meter->costs[METER_TRAP][i].whole[METER_CPU];
    meter_sort(values, known);
    return values[3 * known / 4] - values[known / 4];
}
