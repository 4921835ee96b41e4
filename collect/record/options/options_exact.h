/*
 * options_exact.h - the options of engine exact: checked against the others, or refused.
 */
#ifndef ASSAY_RECORD_OPTIONS_OPTIONS_EXACT_H
#define ASSAY_RECORD_OPTIONS_OPTIONS_EXACT_H

#include <argp.h>

#include "collect/record/record.h"

struct options_exact {
    const char *tolerance, *burst; /* NULL: not given */
    bool values;
    const char *sampling; /* an option that only sampling has: "--clock"; NULL: none was given */
};

/* Whether this is a mode of wasted accesses, which engine exact records. */
bool options_exact_wants(const char *mode);

/* Determines engine, clock and the rest for such a mode, or exits through argp_error(). */
void options_exact_settle(struct argp_state *state, const struct options_exact *given, struct record_options *options);

#endif
