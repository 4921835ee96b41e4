/*
 * options_methods.h - the options of mode methods.
 */
#ifndef ASSAY_RECORD_OPTIONS_OPTIONS_METHODS_H
#define ASSAY_RECORD_OPTIONS_OPTIONS_METHODS_H

#include <argp.h>

#include "collect/record/record.h"

struct options_methods {
    const char *min_bytes, *file, *counters, *caches, *give_up_below; /* NULL: not given */
    bool no_loop_rule;
    json_t *include, *exclude; /* arrays of patterns; NULL: none given */
};

#define OPTIONS_MAX_COST "--max-cost"

/* --include and --exclude: adds a pattern to *list. */
void options_methods_add(json_t **list, const char *pattern);

/*
 * Whether the mode is methods; if so, determines engine, clock and options->selection, or exits through argp_error().
 * `sampling` is an option that only sampling has ("--clock") or OPTIONS_MAX_COST, which also applies to this mode; or
 * NULL.
 */
void options_methods_settle(struct argp_state *state, const struct options_methods *given, const char *sampling,
                            struct record_options *options);

#endif
