#include "collect/record/options_methods.h"

#include <string.h>

void options_methods_settle(struct argp_state *state, const char *sampling, struct record_options *options)
{
    options->methods = strcmp(options->mode, "methods") == 0;
    if (!options->methods)
        return;
    if (strcmp(options->engine, "auto") != 0)
        argp_error(state, "--engine is not for --mode methods, whose probes see every call");
    if (sampling)
        argp_error(state, "%s is for sampling: --mode methods sees every call", sampling);
    options->clocks[0] = (struct record_clock){.name = "events"};
    options->clock_count = 1;
}
