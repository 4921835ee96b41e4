/*
 * selection.h - the options --weight and --state: which samples count, and as how much.
 */
#ifndef ASSAY_ANALYZE_CLI_SELECTION_H
#define ASSAY_ANALYZE_CLI_SELECTION_H

#include <argp.h>

#include "trace/trace.h"

/* What the options say. Starts as {0}: all samples count, as the default weights of their traces. */
struct selection_wish {
    const char *weight; /* a name, or NULL */
    uint64_t states;    /* a bit for each thread state (enum trace_thread_state); 0: all */
};

/* The options, in this group of --help, and their parsing: 0, or ARGP_ERR_UNKNOWN for any other key. Exits with a
 * message after a state that there is not. */
enum { SELECTION_WEIGHT = 0x1200, SELECTION_STATE, SELECTION_OPTIONS_COUNT = 2 };
#define SELECTION_OPTIONS(group)                                                                                       \
    {"weight",                                                                                                         \
     SELECTION_WEIGHT,                                                                                                 \
     "NAME",                                                                                                           \
     0,                                                                                                                \
     "what samples count as: samples, bytes, duration, period or any other weight that assay info shows (default: "    \
     "the "                                                                                                            \
     "trace's first)",                                                                                                 \
     (group)},                                                                                                         \
    {                                                                                                                  \
        "state", SELECTION_STATE, "STATE,...", 0,                                                                      \
            "only samples of threads that were running, sleeping, waiting, parked, blocked or in any other state "     \
            "that "                                                                                                    \
            "assay info shows",                                                                                        \
            (group)                                                                                                    \
    }
error_t selection_option(struct selection_wish *wish, int key, const char *arg, struct argp_state *state);

/* The states as --state takes them, "running,sleeping"; "" if all count. */
enum { SELECTION_STATES_MAX = 128 };
void selection_states_text(const struct selection_wish *wish, char text[SELECTION_STATES_MAX]);

/* What the wish means for a trace. STATUS_GOOD; STATUS_BAD and a message if the trace has no such weight, or no
 * states. */
int selection_find(const struct selection_wish *wish, const struct trace *trace, struct trace_selection *selection,
                   struct error_text *message);

#endif
