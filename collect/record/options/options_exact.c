#include "collect/record/options/options_modes.h"

#include <string.h>

#include "base/quantity.h"
#include "collect/record/start/engine.h"
#include "collect/record/start/target.h"

static const double TOLERANCE = 0.01;

bool options_exact_wants(const char *mode)
{
    static const char *const MODES[] = {"dead-store", "silent-store", "silent-load", "spatial-load", "waste", "memory"};
    for (size_t i = 0; i < sizeof MODES / sizeof *MODES; i++)
        if (strcmp(mode, MODES[i]) == 0)
            return true;
    return false;
}

/* Modes that no engine can sample. */
static bool options_exact_needs_all(const char *mode)
{
    return strcmp(mode, "waste") == 0 || strcmp(mode, "spatial-load") == 0 || strcmp(mode, "memory") == 0;
}

/* Options of only some of the modes. */
static void options_exact_check_mode(struct argp_state *state, const struct options_exact *given,
                                     const struct record_options *options)
{
    if (given->values && !options->memory)
        argp_error(state, "--values is for --mode memory: the other modes compare values but keep none");
    if (given->fetches && (!options->memory || options->rewrite))
        argp_error(state, "--fetches is for --mode memory of native programs");
    if (options->memory && given->tolerance)
        argp_error(state, "--fp-tolerance is for modes that compare values: mode memory keeps every access");
    if (options->memory && given->burst && strcmp(given->burst, "auto") == 0)
        argp_error(state, "--burst auto is for modes that compare accesses: give mode memory two lengths (1M:99M)");
    if (strcmp(options->mode, "calls") == 0 && given->burst)
        argp_error(state, "--burst is not for --mode calls, in which engine exact sees every call");
}

static bool options_exact_is_java(const char *command)
{
    struct target target = {0};
    target_find(command, &target);
    return !target.error && target.is_java;
}

/* A JVM can't run under Valgrind; and on some machines its accesses can't be sampled. */
static bool options_exact_wants_rewriting(const struct options_exact *given, struct record_options *options)
{
    bool sampled = options_exact_wants(options->mode) && !options_exact_needs_all(options->mode);
    if (strcmp(options->engine, "auto") != 0 || given->sampling)
        return strcmp(options->engine, "rewrite") == 0;
    if (strcmp(options->mode, "waste") == 0 || strcmp(options->mode, "memory") == 0)
        return options_exact_is_java(options->command[0]);
    return sampled && options_exact_is_java(options->command[0]) && engine_can_watch(&options->unwatched) != 0;
}

/* A burst forgets the neighbors' loads, and its estimate of what it can't see is that of single locations. */
static void options_exact_check_adjacent(struct argp_state *state, const struct options_exact *given,
                                         const struct record_options *options)
{
    if (!given->adjacent)
        return;
    if (!options->rewrite)
        argp_error(state,
                   "--adjacent is for engine rewrite (--engine rewrite --mode waste), which knows the elements of "
                   "arrays");
    if (strcmp(options->mode, "waste") != 0 && strcmp(options->mode, "silent-load") != 0)
        argp_error(state, "--adjacent is for the modes waste and silent-load: it compares loads");
    if (given->burst)
        argp_error(state, "--adjacent needs every access: leave out --burst");
}

static void options_exact_check_rewriting(struct argp_state *state, const struct options_exact *given,
                                          const struct record_options *options)
{
    static const char *const MODES[] = {"dead-store", "silent-store", "silent-load", "waste", "memory"};
    bool known = !options->rewrite;
    for (size_t i = 0; i < sizeof MODES / sizeof *MODES; i++)
        known |= strcmp(options->mode, MODES[i]) == 0;
    if (!known)
        argp_error(state,
                   "engine rewrite sees the accesses of JVMs; it needs one of the modes dead-store, silent-store, "
                   "silent-load, waste and memory");
    if (given->between_threads && !options->rewrite)
        argp_error(state, "--between-threads is for engine rewrite (--engine rewrite --mode waste): other engines make "
                          "no pairs of two threads' accesses");
    if (given->array_lengths && !options->rewrite)
        argp_error(state, "--array-lengths is for engine rewrite (--engine rewrite --mode waste), which records the "
                          "accesses of JVMs");
    if (given->array_lengths && strcmp(options->mode, "waste") != 0 && strcmp(options->mode, "silent-load") != 0)
        argp_error(state, "--array-lengths is for the modes waste and silent-load: nothing stores into a length");
    options_exact_check_adjacent(state, given, options);
}

/* Where samples were asked for and rewriting has to do, it takes no longer than they would. */
static void options_exact_finalize_burst(struct argp_state *state, const struct options_exact *given,
                                         struct record_options *options)
{
    bool sampled = options->rewrite && !given->adjacent && strcmp(options->engine, "auto") == 0 &&
                   !options_exact_needs_all(options->mode);
    options->burst_auto = given->burst ? strcmp(given->burst, "auto") == 0 : sampled;
    if (!given->burst || options->burst_auto)
        return;
    /* "ON:OFF", both with suffixes. */
    char enable[32];
    size_t length = strcspn(given->burst, ":");
    snprintf(enable, sizeof enable, "%.*s", (int)(length < sizeof enable ? length : 0), given->burst);
    if (given->burst[length] != ':' || length >= sizeof enable || !quantity_large(enable, &options->burst_enable) ||
        options->burst_enable == 0 || !quantity_large(given->burst + length + 1, &options->burst_disable) ||
        options->burst_disable == 0)
        argp_error(state, "--burst %s: must be two numbers of %s, watched and skipped (1M:99M), or auto", given->burst,
                   options->rewrite ? "accesses" : "instructions");
}

void options_exact_finalize(struct argp_state *state, const struct options_exact *given, struct record_options *options)
{
    bool exact = strcmp(options->engine, "exact") == 0, all = options_exact_needs_all(options->mode);
    bool calls = strcmp(options->mode, "calls") == 0;
    options->rewrite = options_exact_wants_rewriting(given, options);
    options->exact = (options_exact_wants(options->mode) && (exact || all || options->rewrite)) || (calls && exact);
    options->fp_tolerance = TOLERANCE;
    if (given->tolerance && !options_exact_wants(options->mode))
        argp_error(state, "--fp-tolerance is for wasted accesses, such as --mode waste");
    if (given->tolerance && !quantity_share(given->tolerance, &options->fp_tolerance))
        argp_error(state, "--fp-tolerance %s: must be a share below 1 (1%%, 0.01)", given->tolerance);
    options_exact_check_rewriting(state, given, options);
    if (exact && !options->exact)
        argp_error(state, "engine exact sees every access; it needs one of the modes dead-store, silent-store, "
                          "silent-load, spatial-load, waste and memory, or calls");
    if (given->values && !options->exact)
        argp_error(state, "--values is for --mode memory");
    if (given->fetches && !options->exact)
        argp_error(state, "--fetches is for --mode memory of native programs");
    if (given->burst && !options->exact)
        argp_error(state, "--burst is for the engines exact and rewrite, one of which --mode waste needs");
    if (!options->exact)
        return;
    if (!exact && !options->rewrite && strcmp(options->engine, "auto") != 0)
        argp_error(state, "engine %s takes samples: mode %s needs engine exact", options->engine, options->mode);
    if (given->sampling && calls)
        argp_error(state, "%s is for sampling: engine exact sees every call", given->sampling);
    if (given->sampling)
        argp_error(state, "%s is for sampling: mode %s sees every access%s", given->sampling, options->mode,
                   options->rewrite ? "" : " (--burst makes it pause)");
    options->memory = strcmp(options->mode, "memory") == 0;
    options->values = given->values;
    options->fetches = given->fetches;
    options->between_threads = given->between_threads;
    options->array_lengths = given->array_lengths;
    options->adjacent = given->adjacent;
    options_exact_check_mode(state, given, options);
    options_exact_finalize_burst(state, given, options);
    options->clocks[0] = (struct record_clock){.name = options->rewrite ? "rewrite" : "exact"};
    options->clock_count = 1;
}
