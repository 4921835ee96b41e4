/*
 * options_modes.h - internal to the command line: the options that only some modes have, checked against the others, or
 * refused.
 */
#ifndef ASSAY_RECORD_OPTIONS_OPTIONS_MODES_H
#define ASSAY_RECORD_OPTIONS_OPTIONS_MODES_H

#include <argp.h>

#include "collect/record/record.h"

/* --- options_clocks.c: the clocks of sampling --- */

struct options_clocks {
    const char *period, *spread;                       /* NULL: not given */
    const struct clock_kind *kinds[RECORD_CLOCKS_MAX]; /* options->clock_count of them */
};

/* --clock: adds the clocks of a list, or exits through argp_error(). */
void options_clocks_add(struct argp_state *state, struct options_clocks *given, struct record_options *options,
                        const char *list);

/* Determines options->clocks, or exits through argp_error(). */
void options_clocks_finalize(struct argp_state *state, struct options_clocks *given, struct record_options *options);

/* --- options_plain.c: mode time --- */

/* Determines the clock, or exits through argp_error(). `sampling` is an option that only sampling has; or NULL. */
void options_plain_finalize(struct argp_state *state, const char *sampling, struct record_options *options);

/* --- options_labels.c: what the user calls a configuration --- */

/* --label: adds "NAME=VALUE" to *labels, or exits through argp_error(). */
void options_labels_add(struct argp_state *state, json_t **labels, const char *text);

/* --- options_variants.c: several commands that take turns --- */

enum { OPTIONS_VARY_MAX = 8 };

struct options_vary {
    const char *name;
    char *values[RECORD_VARIANTS_MAX];
    size_t count;
};

struct options_variants {
    char **commands[RECORD_VARIANTS_MAX]; /* the words of each */
    size_t command_count;
    struct options_vary vary[OPTIONS_VARY_MAX];
    size_t vary_count;
};

/* --command and --vary: add a command line, or "NAME=VALUE,VALUE" (which is cut), or exit through argp_error(). */
void options_variants_add_command(struct argp_state *state, struct options_variants *given, const char *text);
void options_variants_add_values(struct argp_state *state, struct options_variants *given, char *text);

/* Determines options->command and options->variants, one for each command and combination of values; or exits through
 * argp_error(). */
void options_variants_finalize(struct argp_state *state, struct options_variants *given,
                               struct record_options *options);

/* --- options_exact.c: engine exact --- */

struct options_exact {
    const char *tolerance, *burst; /* NULL: not given */
    bool values, fetches, between_threads, array_lengths, adjacent;
    const char *sampling; /* an option that only sampling has: "--clock"; NULL: none was given */
};

/* Whether this is a mode of wasted accesses, which engine exact records. */
bool options_exact_wants(const char *mode);

/* Determines engine, clock and the rest for such a mode, or exits through argp_error(). */
void options_exact_finalize(struct argp_state *state, const struct options_exact *given,
                            struct record_options *options);

/* --- options_methods.c: mode methods --- */

struct options_methods {
    const char *min_bytes, *file, *counters, *caches, *give_up_below; /* NULL: not given */
    bool no_loop_rule, arguments;
    json_t *include, *exclude; /* arrays of patterns; NULL: none given */
    json_t *functions;         /* an array of names; NULL: none given */
};

#define OPTIONS_MAX_COST "--max-cost"

/* --include and --exclude: adds a pattern to *list. */
void options_methods_add(json_t **list, const char *pattern);

/* --functions: adds the names of a list to *functions, or exits through argp_error(). */
void options_methods_add_functions(struct argp_state *state, json_t **functions, const char *list);

/*
 * Whether the mode is methods; if so, determines engine, clock and options->selection, or exits through argp_error().
 * `sampling` is an option that only sampling has ("--clock") or OPTIONS_MAX_COST, which also applies to this mode; or
 * NULL.
 */
void options_methods_finalize(struct argp_state *state, const struct options_methods *given, const char *sampling,
                              struct record_options *options);

/* --- options_watch.c: the modes that watch sampled accesses with debug registers --- */

struct options_watch {
    const char *registers, *ahead, *window, *policy; /* NULL: not given */
};

/* Whether mode and engine, once determined, mean watching; if so, determines the rest, or exits through argp_error().
 */
void options_watch_finalize(struct argp_state *state, const struct options_watch *given,
                            struct record_options *options);

#endif
