/*
 * What is counted at events beside the time: which counters there are in this process, and what they say.
 */
#include <assert.h>
#include <string.h>
#include <sys/resource.h>

#include "collect/methods/thread.h"

static const char *const options[COUNTERS_NAMED] = {METHODS_COUNTER_OPTIONS};
static const char *const names[COUNTERS_NAMED] = {METHODS_COUNTER_NAMES};

static bool counter_is_simulated(enum methods_counter which)
{
    return which >= COUNTER_SIMULATED && which < COUNTERS_NAMED;
}

static void counters_add(enum methods_counter which, const char *name, json_t *described)
{
    assert(which < COUNTER_KINDS && name);
    if (methods.about.counter_count == EVENT_COUNTERS_MAX || methods.counts[which])
        return;
    if (which == COUNTER_ALLOCATED && !methods.hooks.allocated_bytes) {
        methods.about.lacks_allocated = true;
        return;
    }
    if (counter_is_simulated(which) && !(methods.simulated = simulated_find()))
        return;
    methods.counts[which] = true;
    methods.about.counters[methods.about.counter_count++] = which;
    json_array_append_new(described, json_string(name));
}

json_t *counters_prepare(const json_t *wanted)
{
    json_t *described = json_array();
    for (size_t i = 0; i < json_array_size(wanted); i++) {
        const json_t *counter = json_array_get(wanted, i);
        const char *name = json_string_value(counter);
        const char *event = json_string_value(json_object_get(counter, "name"));
        enum methods_counter next = (enum methods_counter)(COUNTER_HARDWARE + hardware_count());
        for (size_t which = 0; name && which < COUNTERS_NAMED; which++)
            if (strcmp(name, options[which]) == 0)
                counters_add((enum methods_counter)which, names[which], described);
        if (event && hardware_add(counter))
            counters_add(next, event, described);
    }
    if (!json_is_array(wanted))
        counters_add(COUNTER_CPU, names[COUNTER_CPU], described);
    assert(methods.about.counter_count <= EVENT_COUNTERS_MAX);
    methods.reads = methods.counts[COUNTER_ALLOCATED] || methods.counts[COUNTER_FAULTS] || hardware_count() > 0 ||
                    methods.simulated;
    return described;
}

bool methods_wants_simulated(const json_t *configuration)
{
    const json_t *counters = json_object_get(json_object_get(configuration, "methods"), "counters"), *counter;
    size_t i;
    json_array_foreach((json_t *)(uintptr_t)counters, i, counter)
    {
        if (methods_simulated_name(counter))
            return true;
    }
    return false;
}

bool methods_is_simulated(void)
{
    return simulated_find() != NULL;
}

json_t *counters_simulated(void)
{
    static const char *const levels[SIMULATED_LEVELS] = {"l1i", "l1d", "l2"};
    json_t *caches = json_object();
    assert(methods.simulated);
    for (size_t i = 0; i < SIMULATED_LEVELS; i++) {
        const struct simulated_cache *cache = &methods.simulated->caches[i];
        if (cache->bytes > 0)
            json_object_set_new(caches, levels[i],
                                json_pack("{s:I, s:I, s:I}", "bytes", (json_int_t)cache->bytes, "ways",
                                          (json_int_t)cache->ways, "line_bytes", (json_int_t)cache->line_bytes));
    }
    return caches;
}

bool counters_value(enum methods_counter which, uint64_t *value)
{
    struct rusage usage;
    if (counter_is_simulated(which))
        *value = methods.simulated->counters[which - COUNTER_SIMULATED];
    else if (which == COUNTER_ALLOCATED)
        *value = methods.hooks.allocated_bytes();
    else if (getrusage(RUSAGE_THREAD, &usage) != 0)
        return false;
    else if (which == COUNTER_FAULTS)
        *value = (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
    else
        *value = (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw;
    return true;
}
