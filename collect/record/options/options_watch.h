/*
 * options_watch.h - the options of the modes that watch sampled accesses with debug registers.
 */
#ifndef ASSAY_RECORD_OPTIONS_OPTIONS_WATCH_H
#define ASSAY_RECORD_OPTIONS_OPTIONS_WATCH_H

#include <argp.h>

#include "collect/record/record.h"

struct options_watch {
    const char *registers, *ahead, *window, *policy; /* NULL: not given */
};

/* Whether mode and engine, once determined, mean watching; if so, determines the rest, or exits through argp_error().
 */
void options_watch_settle(struct argp_state *state, const struct options_watch *given, struct record_options *options);

#endif
