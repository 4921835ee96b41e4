/*
 * What is counted at events beside the time: which counters there are in this process, and what they say.
 */
#include <string.h>
#include <sys/resource.h>

#include "collect/methods/thread.h"

static const char *const options[COUNTERS_NAMED] = {METHODS_COUNTER_OPTIONS};
static const char *const names[COUNTERS_NAMED] = {METHODS_COUNTER_NAMES};

static void add(enum methods_counter which, const char *name, json_t *described)
{
    if (methods.counter_count == EVENT_COUNTERS_MAX || methods.counts[which])
        return;
    if (which == COUNTER_ALLOCATED && !methods.hooks.allocated_bytes) {
        methods.lacks_allocated = true;
        return;
    }
    methods.counts[which] = true;
    methods.counters[methods.counter_count++] = which;
    json_array_append_new(described, json_string(name));
}

static void add_wanted(const json_t *wanted, json_t *described)
{
    const char *name = json_string_value(wanted);
    const char *event = json_string_value(json_object_get(wanted, "name"));
    enum methods_counter next = (enum methods_counter)(COUNTER_HARDWARE + hardware_count());
    for (size_t which = 0; name && which < COUNTERS_NAMED; which++)
        if (strcmp(name, options[which]) == 0)
            add((enum methods_counter)which, names[which], described);
    if (event && hardware_add(wanted))
        add(next, event, described);
}

json_t *counters_prepare(const json_t *wanted)
{
    json_t *described = json_array();
    for (size_t i = 0; i < json_array_size(wanted); i++)
        add_wanted(json_array_get(wanted, i), described);
    if (!json_is_array(wanted))
        add(COUNTER_CPU, names[COUNTER_CPU], described);
    methods.reads = methods.counts[COUNTER_ALLOCATED] || methods.counts[COUNTER_FAULTS] || hardware_count() > 0;
    return described;
}

bool counters_value(enum methods_counter which, uint64_t *value)
{
    struct rusage usage;
    if (which == COUNTER_ALLOCATED)
        *value = methods.hooks.allocated_bytes();
    else if (getrusage(RUSAGE_THREAD, &usage) != 0)
        return false;
    else if (which == COUNTER_FAULTS)
        *value = (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
    else
        *value = (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw;
    return true;
}
