/*
 * options_methods.h - the options of mode methods.
 */
#ifndef ASSAY_RECORD_OPTIONS_METHODS_H
#define ASSAY_RECORD_OPTIONS_METHODS_H

#include <argp.h>

#include "collect/record/record.h"

/* Whether the mode is methods: settles engine and clock for it, or exits through argp_error(). `sampling` is an option
 * that only sampling has ("--clock"), or NULL. */
void options_methods_settle(struct argp_state *state, const char *sampling, struct record_options *options);

#endif
