#include "collect/record/start/counters.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "collect/perf/hardware.h"
#include "collect/methods/methods.h"
#include "collect/record/start/engine.h"
#include "collect/record/start/pmu.h"

enum { ROUNDS = 7, READINGS = 16, NAMES_MAX = 512 };

int counters_event(const char *name, json_t **out, struct error_text *message)
{
    struct pmu_event event;
    int status = pmu_encode(name, &event, message);
    if (status)
        return status;
    *out =
        json_pack("{s:s, s:I, s:I, s:I, s:I}", "name", name, "type", (json_int_t)event.type, "config",
                  (json_int_t)event.config, "config1", (json_int_t)event.config1, "config2", (json_int_t)event.config2);
    return *out ? STATUS_GOOD : error_set(message, STATUS_BAD, "%s", strerror(ENOMEM));
}

/* The minimum over some rounds, ns per reading; 0: it can't be read. *rate: events counted per ns. */
static uint64_t counters_reading_ns(const struct hardware *hardware, double *rate)
{
    uint64_t least = UINT64_MAX, first = 0, value = 0, since = clock_ns(CLOCK_MONOTONIC);
    for (size_t round = 0; round < ROUNDS; round++) {
        uint64_t begin = clock_ns(CLOCK_MONOTONIC);
        for (size_t i = 0; i < READINGS; i++)
            if (!hardware_read(hardware, 0, &value) || value == 0)
                return 0;
        uint64_t cost = (clock_ns(CLOCK_MONOTONIC) - begin) / READINGS + 1;
        least = cost < least ? cost : least;
        first = first ? first : value;
    }
    *rate = (double)(int64_t)(value - first) / (double)(clock_ns(CLOCK_MONOTONIC) - since + 1);
    return least;
}

/* One way of reading: ns per reading; 0 with a message. */
static uint64_t counters_try_way(json_t *event, bool rdpmc, struct error_text *message)
{
    struct hardware hardware;
    double rate = 0;
    json_object_set_new(event, "rdpmc", json_boolean(rdpmc));
    hardware_forget();
    bool open = hardware_add(event) && hardware_open(&hardware);
    int error = errno;
    uint64_t cost = open ? counters_reading_ns(&hardware, &rate) : 0;
    if (open)
        hardware_close(&hardware);
    hardware_forget();
    if (!open)
        engine_explain(error, "machine has no such hardware counter", message);
    else if (cost == 0)
        error_set(message, STATUS_BAD, "it can't be read: others use the counters");
    else if (rate <= 0 || rate > (double)HARDWARE_EVENTS_PER_NS)
        error_set(message, STATUS_BAD, "%s",
                  rate == 0 ? "it does not advance" : "it runs at a rate that no processor has");
    else
        return cost;
    return 0;
}

/* Whether the event is usable. */
static int counters_try_event(json_t *event, struct error_text *message)
{
    uint64_t call = counters_try_way(event, false, message);
    if (call == 0)
        return STATUS_BAD;
    struct error_text unused; /* a call will do */
    uint64_t direct = counters_try_way(event, true, &unused);
    bool rdpmc = direct > 0 && direct < call;
    uint64_t cost = rdpmc ? direct : call;
    json_object_set_new(event, "rdpmc", json_boolean(rdpmc));
    json_object_set_new(event, "read_ns", json_integer((json_int_t)cost));
    if (cost <= COUNTERS_DEAREST_NS)
        return STATUS_GOOD;
    return error_set(message, STATUS_BAD, "a reading takes %.3g us here, but a probe can afford only %g",
                     (double)cost / 1e3, (double)COUNTERS_DEAREST_NS / 1e3);
}

static bool counters_have_name(const json_t *counters, const char *name)
{
    size_t i;
    const json_t *counter;
    json_array_foreach(counters, i, counter)
    {
        const char *text = json_string_value(counter);
        if (text && strcmp(text, name) == 0)
            return true;
    }
    return false;
}

/* Removes counter i, or replaces it by cpu-time; appends its name to `names`. Whether there is another at i. */
static bool counters_remove(json_t *counters, size_t i, char *names, size_t size)
{
    const json_t *counter = json_array_get(counters, i);
    const char *name = json_string_value(counter);
    size_t length = strlen(names);
    snprintf(names + length, size - length, "%s%.100s", length ? "," : "",
             name ? name : json_string_value(json_object_get(counter, "name")));
    json_array_remove(counters, i);
    if (counters_have_name(counters, "cpu-time"))
        return true;
    json_array_insert_new(counters, i, json_string("cpu-time"));
    return false;
}

static void counters_report_left_out(const json_t *counters, bool had_cpu_time, const char *names, const char *reason,
                                     struct error_text *left_out)
{
    bool instead = !had_cpu_time && counters_have_name(counters, "cpu-time");
    error_append(left_out, "--counters %s: %.400s; %s", names, reason,
                 instead ? "cpu-time is counted instead" : "left out");
}

void counters_try(json_t *counters, struct error_text *left_out)
{
    struct error_text first = {""}, reason;
    char names[NAMES_MAX] = "";
    bool had = counters_have_name(counters, "cpu-time");
    *left_out = (struct error_text){""};
    for (size_t i = 0; i < json_array_size(counters);) {
        json_t *event = json_array_get(counters, i);
        if (!json_is_object(event) || counters_try_event(event, &reason) == STATUS_GOOD) {
            i++;
            continue;
        }
        if (!*first.text)
            first = reason;
        i += !counters_remove(counters, i, names, sizeof names);
    }
    if (*names)
        counters_report_left_out(counters, had, names, first.text, left_out);
}

/* ------------------------------------------------------------------------------------------------ turns -- */

static const char *counters_name(const json_t *counter)
{
    return json_string_value(json_is_object(counter) ? json_object_get(counter, "name") : counter);
}

/* Sets common[i] for the counters of every run, at most one less than a run has; returns their number. */
static size_t counters_find_common(const json_t *counters, bool common[COUNTERS_ROTATED_MAX])
{
    static const char *const names[] = {"cpu-time", "cycles", "instructions", METHODS_SIMULATED "instructions"};
    size_t count = 0;
    assert(json_array_size(counters) <= COUNTERS_ROTATED_MAX);
    for (size_t i = 0; i < json_array_size(counters); i++) {
        common[i] = false;
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            common[i] |= strcmp(counters_name(json_array_get(counters, i)), names[k]) == 0;
        common[i] &= count < EVENT_COUNTERS_MAX - 1;
        count += common[i];
    }
    return count;
}

size_t counters_turns(const json_t *counters)
{
    bool common[COUNTERS_ROTATED_MAX];
    size_t always = counters_find_common(counters, common), rest = json_array_size(counters) - always;
    if (json_array_size(counters) <= EVENT_COUNTERS_MAX)
        return 1;
    return (rest + EVENT_COUNTERS_MAX - always - 1) / (EVENT_COUNTERS_MAX - always);
}

json_t *counters_of_run(const json_t *counters, uint64_t number)
{
    assert(number > 0);
    bool common[COUNTERS_ROTATED_MAX];
    size_t rest = json_array_size(counters) - counters_find_common(counters, common), turns = counters_turns(counters);
    size_t turn = (number - 1) % turns, from = turn * rest / turns, to = (turn + 1) * rest / turns, other = 0;
    json_t *chosen = json_array();
    for (size_t i = 0; i < json_array_size(counters); i++) {
        bool has = common[i] || (other >= from && other < to);
        other += !common[i];
        if (has && json_array_append(chosen, json_array_get(counters, i)) != 0) {
            json_decref(chosen);
            return NULL;
        }
    }
    assert(json_array_size(chosen) <= EVENT_COUNTERS_MAX);
    return chosen;
}

bool counters_any_simulated(const json_t *counters)
{
    bool any = false;
    for (size_t i = 0; i < json_array_size(counters); i++)
        any |= methods_simulated_name(json_array_get(counters, i)) != NULL;
    return any;
}

bool counters_want_caches(const json_t *counters)
{
    bool any = false;
    for (size_t i = 0; i < json_array_size(counters); i++) {
        const char *name = methods_simulated_name(json_array_get(counters, i));
        any |= name && *name == 'l';
    }
    return any;
}

bool counters_want_branches(const json_t *counters)
{
    return counters_have_name(counters, METHODS_SIMULATED "branch-misses");
}

void counters_drop_simulated(json_t *counters, const char *reason, struct error_text *left_out)
{
    char names[NAMES_MAX] = "";
    bool had = counters_have_name(counters, "cpu-time");
    for (size_t i = 0; i < json_array_size(counters);)
        i += !methods_simulated_name(json_array_get(counters, i)) || !counters_remove(counters, i, names, sizeof names);
    counters_report_left_out(counters, had, names, reason, left_out);
}
