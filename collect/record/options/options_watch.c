#include "collect/record/options/options_modes.h"

#include <string.h>

#include "base/quantity.h"
#include "collect/watch/watch.h"

static uint64_t options_watch_parse_number(struct argp_state *state, const char *option, const char *text,
                                           uint64_t high, uint64_t absent)
{
    uint64_t value = absent;
    if (text && (!quantity_count(text, &value) || value == 0 || value > high))
        argp_error(state, "--%s %s: must be a number from 1 to %d", option, text, (int)high);
    return value;
}

void options_watch_finalize(struct argp_state *state, const struct options_watch *given, struct record_options *options)
{
    options->watch =
        !options->exact && !options->methods && !options->calls && !options->plain && strcmp(options->mode, "cpu") != 0;
    const char *own = given->registers ? "registers"
                      : given->ahead   ? "ahead"
                      : given->window  ? "window"
                      : given->policy  ? "policy"
                                       : NULL;
    if (own && !options->watch)
        argp_error(state, "--%s is for the sampled modes dead-store, silent-store and silent-load", own);
    options->registers = options_watch_parse_number(state, "registers", given->registers, RESERVOIR_MAX, RESERVOIR_MAX);
    options->ahead = options_watch_parse_number(state, "ahead", given->ahead, WATCH_AHEAD_MAX, WATCH_AHEAD_DEFAULT);
    options->window = options_watch_parse_number(state, "window", given->window, WATCH_AHEAD_MAX, WATCH_STEP_DEFAULT);
    static const char *const POLICIES[] = {"uniform", "replace-oldest"};
    const char *policy = given->policy ? given->policy : "uniform";
    for (size_t i = 0; i < sizeof POLICIES / sizeof *POLICIES; i++)
        if (strcmp(policy, POLICIES[i]) == 0)
            options->policy = POLICIES[i];
    if (!options->policy)
        argp_error(state, "--policy %s: must be uniform or replace-oldest", policy);
}
