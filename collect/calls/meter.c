#include "collect/calls/meter.h"

#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"

static const char *const options[METER_NAMED] = {METER_OPTIONS};
static const char *const names[METER_NAMED] = {METER_NAMES};

/* A counter: one of enum meter_counter, or METER_NAMED + the number of a hardware event. */
static unsigned counters[EVENT_COUNTERS_MAX];
static size_t counter_count;
static bool reads_usage;

static uint64_t trap_cost[METER_VALUES];
static _Atomic bool calibrated;

json_t *meter_prepare(const json_t *wanted)
{
    json_t *described = json_array();
    for (size_t i = 0; i < json_array_size(wanted) && counter_count < EVENT_COUNTERS_MAX; i++) {
        const json_t *counter = json_array_get(wanted, i);
        const char *name = json_string_value(counter);
        unsigned event = METER_NAMED + (unsigned)hardware_count(), which = 0;
        while (name && which < METER_NAMED && strcmp(name, options[which]) != 0)
            which++;
        if (name ? which == METER_NAMED : !hardware_add(counter))
            continue;
        counters[counter_count++] = name ? which : event;
        json_array_append_new(described,
                              name ? json_string(names[which]) : json_copy(json_object_get(counter, "name")));
        reads_usage |= name && which != METER_COUNT_CPU;
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
    if (hardware_count() > 0)
        hardware_open(&meter->hardware);
}

void meter_close(struct meter *meter)
{
    hardware_close(&meter->hardware);
}

static void read_all(const struct meter *meter, uint64_t values[METER_VALUES])
{
    struct rusage usage = {0};
    if (reads_usage)
        getrusage(RUSAGE_THREAD, &usage);
    values[METER_WALL] = clock_ns(CLOCK_MONOTONIC);
    values[METER_CPU] = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    for (size_t i = 0; i < counter_count; i++) {
        uint64_t *value = &values[METER_COUNTERS + i];
        if (counters[i] == METER_COUNT_CPU)
            *value = values[METER_CPU];
        else if (counters[i] == METER_COUNT_FAULTS)
            *value = (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
        else if (counters[i] == METER_COUNT_SWITCHES)
            *value = (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw;
        else if (!hardware_read(&meter->hardware, counters[i] - METER_NAMED, value))
            *value = 0;
    }
}

void meter_enter(struct meter *meter)
{
    read_all(meter, meter->entered);
    for (size_t i = 0; i < METER_COUNTERS + counter_count; i++) {
        uint64_t now = meter->entered[i], program = now > meter->own[i] ? now - meter->own[i] : 0;
        if (program > meter->program[i])
            meter->program[i] = program;
    }
}

static bool is_time(size_t value)
{
    return value < METER_COUNTERS || counters[value - METER_COUNTERS] == METER_COUNT_CPU;
}

void meter_leave(struct meter *meter, uint64_t delivery_ns)
{
    uint64_t now[METER_VALUES];
    read_all(meter, now);
    for (size_t i = 0; i < METER_COUNTERS + counter_count; i++) {
        uint64_t outside = delivery_ns > 0 && is_time(i) ? delivery_ns : trap_cost[i];
        meter->own[i] += now[i] - meter->entered[i] + outside;
    }
}

bool meter_is_calibrated(void)
{
    return calibrated;
}

/* The middle one: a trap during which the thread lost its processor says nothing. */
static uint64_t median(uint64_t *values, unsigned count)
{
    for (unsigned i = 1; i < count; i++)
        for (unsigned j = i; j > 0 && values[j] < values[j - 1]; j--) {
            uint64_t smaller = values[j];
            values[j] = values[j - 1];
            values[j - 1] = smaller;
        }
    return values[count / 2];
}

void meter_calibrate(struct meter *meter, unsigned count, void (*touch)(void *user), void *user)
{
    enum { MOST = 32 };
    uint64_t costs[METER_VALUES][MOST];
    unsigned known = 0;
    touch(user);
    for (; known < count && known < MOST; known++) {
        uint64_t before[METER_VALUES];
        memcpy(before, meter->program, sizeof before);
        touch(user);
        for (size_t i = 0; i < METER_VALUES; i++)
            costs[i][known] = meter->program[i] - before[i];
    }
    for (size_t i = 0; i < METER_COUNTERS + counter_count; i++)
        trap_cost[i] = median(costs[i], known);
    calibrated = true;
}

uint64_t meter_trap_cost(size_t value)
{
    return trap_cost[value];
}
