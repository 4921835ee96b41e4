#include "collect/record/options/options_modes.h"

#include <string.h>

#include "base/quantity.h"

static const struct clock_kind {
    const char *name;
    bool events; /* its period counts hardware events */
    bool spreads;
    uint64_t period;          /* default */
    uint64_t spread_permille; /* default, of the period */
} CLOCKS[] = {
    {"random", false, true, 10000000, 300},
    {"fixed", false, false, 10000000, 0},
    {"safepoint", false, false, 10000000, 0},
    {"period", true, false, 20000000, 0},
};
enum { CLOCK_KINDS = sizeof CLOCKS / sizeof *CLOCKS };
_Static_assert((int)CLOCK_KINDS <= (int)RECORD_CLOCKS_MAX, "every clock once");

enum { SHORTEST_PERIOD_NS = 10000 }; /* the kernel's own floor for its CPU clock */

void options_clocks_add(struct argp_state *state, struct options_clocks *given, struct record_options *options,
                        const char *list)
{
    for (const char *name = list;; name++) {
        size_t length = strcspn(name, ","), kind = 0;
        while (kind < CLOCK_KINDS &&
               (strlen(CLOCKS[kind].name) != length || strncmp(CLOCKS[kind].name, name, length) != 0))
            kind++;
        if (kind == CLOCK_KINDS)
            argp_error(state, "there is no clock '%.*s'; choose random, fixed, safepoint or period", (int)length, name);
        for (size_t i = 0; i < options->clock_count; i++)
            if (given->kinds[i] == &CLOCKS[kind])
                argp_error(state, "clock %s is given twice", CLOCKS[kind].name);
        given->kinds[options->clock_count++] = &CLOCKS[kind];
        name += length;
        if (!*name)
            return;
    }
}

static uint64_t options_clocks_parse_interval(struct argp_state *state, const struct clock_kind *kind,
                                              const char *option, const char *text)
{
    uint64_t value = 0;
    if (kind->events ? !quantity_count(text, &value) : !quantity_time(text, &value))
        argp_error(state, "--%s %s: clock %s needs %s", option, text, kind->name,
                   kind->events ? "a number of events (2000000)" : "a time (10ms, 500us, 1s)");
    return value;
}

void options_clocks_finalize(struct argp_state *state, struct options_clocks *given, struct record_options *options)
{
    if (options->clock_count == 0)
        options_clocks_add(state, given, options, "random");
    bool spreads = false, times = false, events = false;
    for (size_t i = 0; i < options->clock_count; i++) {
        spreads |= given->kinds[i]->spreads;
        events |= given->kinds[i]->events;
        times |= !given->kinds[i]->events;
    }
    if (given->spread && !spreads)
        argp_error(state, "--spread: only clock random has one");
    if (times && events && (given->period || given->spread))
        argp_error(state,
                   "--period and --spread can't be both times and events: clock period needs a series of its own");
    if (events && strcmp(options->engine, "soft") == 0)
        argp_error(state, "clock period counts hardware events: it needs engine pmu");
    for (size_t i = 0; i < options->clock_count; i++) {
        const struct clock_kind *kind = given->kinds[i];
        struct record_clock clock = {.name = kind->name, .events = kind->events, .period = kind->period};
        if (options->calls && !kind->events)
            clock.period *= 4; /* a search for a call is more work than a sample */
        if (given->period)
            clock.period = options_clocks_parse_interval(state, kind, "period", given->period);
        if (!kind->events && clock.period < SHORTEST_PERIOD_NS)
            argp_error(state, "--period %s: must be at least 10us", given->period);
        if (kind->events && clock.period == 0)
            argp_error(state, "--period %s: must be at least one event", given->period);
        clock.spread = clock.period / 1000 * kind->spread_permille + clock.period % 1000 * kind->spread_permille / 1000;
        if (given->spread && kind->spreads)
            clock.spread = options_clocks_parse_interval(state, kind, "spread", given->spread);
        if (clock.spread >= clock.period)
            argp_error(state, "--spread %s: it must be less than the period", given->spread);
        options->clocks[i] = clock;
    }
}
