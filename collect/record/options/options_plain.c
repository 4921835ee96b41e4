#include "collect/record/options/options_modes.h"

#include <assert.h>
#include <string.h>

void options_plain_finalize(struct argp_state *state, const char *sampling, struct record_options *options)
{
    assert(options->plain);
    if (strcmp(options->engine, "auto") != 0)
        argp_error(state, "--engine %s records; mode time only measures the command", options->engine);
    if (sampling)
        argp_error(state, "%s is for sampling; mode time only measures the command", sampling);
    if (options->chosen)
        argp_error(state, "--only and --skip are for recording; mode time measures the command and all its children");
    if (options->check)
        argp_error(state, "--check compares runs with recorded ones; mode time records nothing");
    options->clocks[0] = (struct record_clock){.name = "none"};
    options->clock_count = 1;
}
