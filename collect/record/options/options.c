#include "collect/record/options/options.h"

#include <assert.h>
#include <argp.h>
#include <string.h>

#include "base/suggest.h"
#include "base/quantity.h"
#include "collect/record/options/options_modes.h"

const char *argp_program_version = "assay-record " ASSAY_VERSION;

enum {
    OPTION_SPREAD = 256,
    OPTION_RUNS,
    OPTION_WARMUP,
    OPTION_INPUT,
    OPTION_SEED,
    OPTION_MAX_COST,
    OPTION_OVERWRITE,
    OPTION_CHECK,
    OPTION_ONLY,
    OPTION_SKIP,
    OPTION_TOLERANCE,
    OPTION_BURST,
    OPTION_REGISTERS,
    OPTION_AHEAD,
    OPTION_WINDOW,
    OPTION_POLICY,
    OPTION_VALUES,
    OPTION_FETCHES,
    OPTION_BETWEEN_THREADS,
    OPTION_ARRAY_LENGTHS,
    OPTION_ADJACENT,
    OPTION_MIN_BYTES,
    OPTION_NO_LOOP_RULE,
    OPTION_INCLUDE,
    OPTION_EXCLUDE,
    OPTION_METHODS,
    OPTION_COUNTERS,
    OPTION_ARGUMENTS,
    OPTION_FUNCTIONS,
    OPTION_CACHES,
    OPTION_GIVE_UP_BELOW,
    OPTION_NO_PROFILE,
    OPTION_LABEL,
    OPTION_COMMAND,
    OPTION_VARY
};

static const struct argp_option OPTIONS[] = {
    {"mode", 'm', "MODE", 0,
     "What to record: cpu (the default: a sampled CPU profile); wasted memory accesses: dead-store, silent-store, "
     "silent-load (sampled, or all of them with engine exact or rewrite), waste (these three; engine exact or rewrite) "
     "and spatial-load (engine exact); memory (all accesses; engine exact or rewrite); methods (method entries and "
     "exits); "
     "calls (single "
     "calls, chosen at random and measured from the call to its return); "
     "or time (no trace: only the time, memory and page faults of the command, which runs alone)",
     1},
    {"engine", 'E', "ENGINE", 0,
     "auto (the best that works here, the default), pmu (hardware counters), soft (timers), exact (every access, under "
     "Valgrind), rewrite (every access of Java code, whose classes get probes; auto for modes waste and memory of "
     "java). For mode "
     "calls, what finds those of native programs: pmu (a counter of calls), watch (debug "
     "registers), trampoline (steps, and "
     "stubs in place of return addresses), hooks (probes, as in mode methods; JVMs always have these), or exact (every "
     "call of the functions that --functions names, under Valgrind)",
     1},
    {"clock", 'c', "CLOCK", 0,
     "When to sample: random (P ± R, the default), fixed (every P), safepoint (JVMs only: at safepoints), period "
     "(every P "
     "hardware events). Several clocks, separated by commas, are run in turn",
     1},
    {"period", 'p', "P", 0, "Mean interval: 10ms (the default), 500us, 2e6ns, 1s; for clock period a number of events",
     1},
    {"spread", OPTION_SPREAD, "R", 0, "Intervals are drawn from P-R to P+R; default for clock random: 0.3 P", 1},
    {"seed", OPTION_SEED, "N", 0, "Seed of the random intervals; default: a new one, which the traces hold", 1},
    {"max-cost", OPTION_MAX_COST, "SHARE", 0,
     "Lengthen the interval, and say so, where sampling takes more of a thread's CPU time than this (10%); in mode "
     "methods: remove the probes from the methods that cost most; 100%: never",
     1},
    {"fp-tolerance", OPTION_TOLERANCE, "SHARE", 0,
     "For wasted accesses: floating-point values that differ by no more than this are equal (1%)", 1},
    {"registers", OPTION_REGISTERS, "N", 0, "For sampled accesses: the number of debug registers to use, 1 to 4 (4)",
     1},
    {"ahead", OPTION_AHEAD, "K", 0,
     "For sampled accesses: after a tick, a random 0 to K-1 instructions are skipped (32) …", 1},
    {"window", OPTION_WINDOW, "W", 0, "… and of the accesses of the next W instructions one is sampled (16)", 1},
    {"policy", OPTION_POLICY, "POLICY", 0,
     "For sampled accesses: which one keeps a register: uniform (all equally likely, the default), or replace-oldest",
     1},
    {"burst", OPTION_BURST, "ON:OFF|auto", 0,
     "For the engines exact and rewrite: watch ON instructions (rewrite: accesses), the first half of them without "
     "counting (but in mode memory), and skip OFF, in turn (1M:99M), or choose both from what bursts can't see (auto); "
     "default: watch all",
     1},
    {"between-threads", OPTION_BETWEEN_THREADS, NULL, 0,
     "For engine rewrite: also pairs whose first access was another thread's", 1},
    {"array-lengths", OPTION_ARRAY_LENGTHS, NULL, 0,
     "For engine rewrite: an arraylength instruction is a load of 4 bytes, too", 1},
    {"adjacent", OPTION_ADJACENT, NULL, 0,
     "For engine rewrite: also report loads of elements that return what the element before or after returned last", 1},
    {"values", OPTION_VALUES, NULL, 0, "For mode memory: also keep the values", 1},
    {"fetches", OPTION_FETCHES, NULL, 0,
     "For mode memory, of native programs: also keep which instructions are executed, in their order", 1},
    {"min-bytes", OPTION_MIN_BYTES, "N", 0,
     "For probes (mode methods, engine hooks): in methods with more than N bytes of bytecode (50), or of machine code, "
     "or "
     "with a loop",
     1},
    {"no-loop-rule", OPTION_NO_LOOP_RULE, NULL, 0, "For probes: a loop alone does not select a method", 1},
    {"include", OPTION_INCLUDE, "PATTERN", 0,
     "For probes: only in classes or methods that match (com.acme.*), in the JDK too; may be repeated", 1},
    {"exclude", OPTION_EXCLUDE, "PATTERN", 0, "For probes: in none that match; may be repeated", 1},
    {"methods", OPTION_METHODS, "FILE", 0,
     "For probes: only in these, one name per line (com.acme.Sort.run), # begins a comment", 1},
    {"counters", OPTION_COUNTERS, "LIST", 0,
     "For modes methods and calls: what to count at each call, one to four of cpu-time (the default), page-faults, "
     "context-switches, allocated (bytes, Java), hardware events (instructions, cycles, ...); in mode methods also "
     "wall-time, and for native programs (engine exact: only) "
     "simulated-instructions, simulated-l1i-misses, simulated-l1d-misses, simulated-l1-misses, simulated-l2-misses, "
     "simulated-branch-misses",
     1},
    {"arguments", OPTION_ARGUMENTS, NULL, 0,
     "For engines watch, trampoline and exact of mode calls: also record the integer arguments (six registers)", 1},
    {"functions", OPTION_FUNCTIONS, "LIST", 0,
     "For mode calls with engine exact, which needs it: the functions whose calls are recorded, names and patterns "
     "separated by commas (f,lzma_*,'ns::solve(int, int)'); may be repeated",
     1},
    {"caches", OPTION_CACHES, "L1I,L1D,L2", 0,
     "For simulated counters: caches of BYTES/WAYS/LINE (32K/8/64,32K/8/64,1M/16/64); default: this machine's", 1},
    {"give-up-below", OPTION_GIVE_UP_BELOW, "TIME", 0,
     "For mode methods: a method whose first thousand calls take less than this (1us) on average loses its probes", 1},
    {"no-profile", OPTION_NO_PROFILE, NULL, 0,
     "For mode waste: do not run COMMAND again, with its output discarded, for a CPU profile in DIR/profile", 1},
    {"runs", OPTION_RUNS, "N", 0, "Number of runs of COMMAND with each clock (1)", 2},
    {"command", OPTION_COMMAND, "LINE", 0,
     "Instead of COMMAND: one of several commands, as in a shell but without pipes and variables; they run in random "
     "order in each round, with a series each in DIR/command-1, DIR/command-2; may be repeated",
     2},
    {"vary", OPTION_VARY, "NAME=V1,V2", 0,
     "Run COMMAND with each of these values in place of {NAME}, in random order in each round, with a series each in "
     "DIR/NAME=VALUE; may be repeated: all combinations",
     2},
    {"label", OPTION_LABEL, "NAME=VALUE", 0,
     "Distinguishes this series from others in assay ci and compare (gc=serial); may be repeated", 2},
    {"input", OPTION_INPUT, "FILE", 0, "Standard input of every run (the recorder's, from where it is)", 2},
    {"only", OPTION_ONLY, "NAME", 0,
     "Record only processes whose program has this file name (a pattern: 'python3*'); may be repeated", 2},
    {"skip", OPTION_SKIP, "NAME", 0, "Record none whose program has this file name; may be repeated", 2},
    {"check", OPTION_CHECK, NULL, 0,
     "Keep no trace: run COMMAND four times, plain and recorded in turn, and compare output, errors, status and time",
     2},
    {"warmup", OPTION_WARMUP, "N", 0, "Number of warm-up runs with each clock before those, not kept (0)", 2},
    {"output", 'o', "DIR|FILE", 0,
     "Directory for one .trace per process and run (assay-out), or FILE.trace for one run of one process", 3},
    {"overwrite", OPTION_OVERWRITE, NULL, 0, "Remove the series that DIR or FILE holds", 3},
    {"quiet", 'q', NULL, 0, "Only errors", 3},
    {0}};

static const char DOCUMENTATION[] =
    "Runs COMMAND and records where it spends its time, or which memory accesses it wastes, in every process that it "
    "starts."
    "\v"
    "Examples:\n"
    "  assay record -- java -jar bench.jar\n"
    "                                    traces in assay-out/\n"
    "  assay record -o one.trace -- ./prog input\n"
    "                                    one run of one process, one file\n"
    "  assay record --runs 30 --warmup 2 -o out/ -- ./bench.sh\n"
    "                                    32 runs; type it again to resume\n"
    "                                    after an interruption\n"
    "  assay record -c random,safepoint --runs 30 -o out/ -- java Bench\n"
    "                                    two clocks in turn, 60 runs\n"
    "  assay record -p 1ms -E soft -q -- make\n"
    "                                    a sample per millisecond, no messages\n"
    "  assay record -m silent-load -o out/ -- java -jar bench.jar\n"
    "                                    a sampled load and the next one from its\n"
    "                                    place, a hundred times a second\n"
    "  assay record -m waste -o out/ -- ./prog input\n"
    "                                    every dead store, silent store and\n"
    "                                    silent load, and a CPU profile\n"
    "                                    (assay waste --hot out)\n"
    "  assay record -m methods -o out/ -- java -jar bench.jar\n"
    "                                    every call of methods above 50 bytes of\n"
    "                                    bytecode, or with a loop\n"
    "  assay record -m calls -o out/ -- ./prog input\n"
    "                                    calls chosen at random, and what each\n"
    "                                    took (assay variance)\n"
    "  assay record -m calls -E exact --functions 'lzma_*' -o out/ -- xz -k f\n"
    "                                    every call of these, with the instructions\n"
    "                                    that each executed\n"
    "  assay record -m memory -o all.trace -- ./prog input\n"
    "                                    every access: address, size, place\n"
    "  assay record --check -- ./prog input\n"
    "                                    whether prog does the same when recorded\n"
    "  assay record --only cc1 -o out/ -- make\n"
    "                                    of a build only the compiler proper\n"
    "\n"
    "The exit status is COMMAND's (128+N if signal N killed it; the last that was not 0 in a series), 127 or 126 if "
    "COMMAND could not be executed, 1 if recording failed, 2 for bad usage.";

/* The command line before the consistency check. */
struct raw_options {
    struct record_options *options;
    struct options_exact exact;
    struct options_watch watch;
    struct options_methods methods;
    struct options_clocks clocks;
    struct options_variants variants;
};

static const char *options_parse_choice(struct argp_state *state, const char *what, const char *text,
                                        const char *const *names)
{
    for (size_t i = 0; names[i]; i++)
        if (strcmp(text, names[i]) == 0)
            return names[i];
    argp_error(state, "no %s '%s'", what, text);
    return NULL;
}

static uint64_t options_parse_count(struct argp_state *state, const char *option, const char *text, uint64_t low)
{
    uint64_t count = 0;
    if (!quantity_count(text, &count) || count < low)
        argp_error(state, "--%s %s: must be a whole number of at least %llu", option, text, (unsigned long long)low);
    return count;
}

static void options_finalize(struct argp_state *state, struct raw_options *raw)
{
    struct record_options *options = raw->options;
    size_t length = strlen(options->output), end = strlen(".trace");
    options_variants_finalize(state, &raw->variants, options);
    if (!options->command)
        argp_error(state, "no COMMAND to run");
    options->plain = strcmp(options->mode, "time") == 0;
    options_exact_finalize(state, &raw->exact, options);
    options_methods_finalize(state, &raw->methods, raw->exact.sampling, options);
    options_watch_finalize(state, &raw->watch, options);
    if (options->plain)
        options_plain_finalize(state, raw->exact.sampling, options);
    else if (!options->exact && !options->methods)
        options_clocks_finalize(state, &raw->clocks, options);
    options->profile = options->profile && options->exact && strcmp(options->mode, "waste") == 0;
    options->output_is_file = length > end && strcmp(options->output + length - end, ".trace") == 0;
    if (options->output_is_file && options->plain)
        argp_error(state, "-o %s: mode time writes no trace; give -o a directory", options->output);
    if (options->output_is_file && (options->runs > 1 || options->clock_count > 1))
        argp_error(state, "-o %s: one file holds one run; a series needs a directory", options->output);
}

static error_t options_parse_sampling(int key, char *text, struct argp_state *state)
{
    struct raw_options *raw = state->input;
    struct record_options *options = raw->options;
    switch (key) {
    case 'c':
        raw->exact.sampling = "--clock";
        options_clocks_add(state, &raw->clocks, options, text);
        return 0;
    case 'p':
        raw->exact.sampling = "--period";
        raw->clocks.period = text;
        return 0;
    case OPTION_SPREAD:
        raw->exact.sampling = "--spread";
        raw->clocks.spread = text;
        return 0;
    case OPTION_SEED:
        /* It has no effect where nothing is sampled, so that recordings of all modes can have one. */
        options->seed = options_parse_count(state, "seed", text, 0);
        options->seed_given = true;
        return 0;
    case OPTION_MAX_COST:
        if (!raw->exact.sampling)
            raw->exact.sampling = OPTIONS_MAX_COST;
        options->max_cost = 1;
        bool whole = strcmp(text, "1") == 0 || strcmp(text, "100%") == 0;
        if (!whole && (!quantity_share(text, &options->max_cost) || options->max_cost == 0))
            argp_error(state, "--max-cost %s: must be a share above 0 and up to 100%%", text);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t options_parse_probes(int key, char *text, struct argp_state *state)
{
    struct options_methods *methods = &((struct raw_options *)state->input)->methods;
    switch (key) {
    case OPTION_MIN_BYTES:
        methods->min_bytes = text;
        return 0;
    case OPTION_NO_LOOP_RULE:
        methods->no_loop_rule = true;
        return 0;
    case OPTION_INCLUDE:
        options_methods_add(&methods->include, text);
        return 0;
    case OPTION_EXCLUDE:
        options_methods_add(&methods->exclude, text);
        return 0;
    case OPTION_METHODS:
        methods->file = text;
        return 0;
    case OPTION_COUNTERS:
        methods->counters = text;
        return 0;
    case OPTION_ARGUMENTS:
        methods->arguments = true;
        return 0;
    case OPTION_FUNCTIONS:
        options_methods_add_functions(state, &methods->functions, text);
        return 0;
    case OPTION_CACHES:
        methods->caches = text;
        return 0;
    case OPTION_GIVE_UP_BELOW:
        methods->give_up_below = text;
        return 0;
    default:
        return options_parse_sampling(key, text, state);
    }
}

static error_t options_parse_measure(int key, char *text, struct argp_state *state)
{
    static const char *const MODES[] = {"cpu",   "dead-store", "silent-store", "silent-load", "spatial-load",
                                        "waste", "calls",      "methods",      "memory",      "time",
                                        NULL};
    static const char *const ENGINES[] = {"auto",  "pmu",        "soft",  "exact", "rewrite",
                                          "watch", "trampoline", "hooks", NULL};
    struct raw_options *raw = state->input;
    switch (key) {
    case 'm':
        raw->options->mode = options_parse_choice(state, "mode", text, MODES);
        return 0;
    case 'E':
        raw->options->engine = options_parse_choice(state, "engine", text, ENGINES);
        return 0;
    case OPTION_TOLERANCE:
        raw->exact.tolerance = text;
        return 0;
    case OPTION_BURST:
        raw->exact.burst = text;
        return 0;
    case OPTION_BETWEEN_THREADS:
        raw->exact.between_threads = true;
        return 0;
    case OPTION_ARRAY_LENGTHS:
        raw->exact.array_lengths = true;
        return 0;
    case OPTION_ADJACENT:
        raw->exact.adjacent = true;
        return 0;
    case OPTION_REGISTERS:
        raw->watch.registers = text;
        return 0;
    case OPTION_AHEAD:
        raw->watch.ahead = text;
        return 0;
    case OPTION_WINDOW:
        raw->watch.window = text;
        return 0;
    case OPTION_POLICY:
        raw->watch.policy = text;
        return 0;
    case OPTION_VALUES:
        raw->exact.values = true;
        return 0;
    case OPTION_FETCHES:
        raw->exact.fetches = true;
        return 0;
    default:
        return options_parse_probes(key, text, state);
    }
}

/* A name of --only or --skip. */
static void options_choose_program(struct argp_state *state, struct record_options *options, const char *key,
                                   const char *name)
{
    json_t *text = json_string(name);
    if (!*name || strchr(name, '/') || !text)
        argp_error(state, "--%s '%s': must be the name of a program's file, without folders", key, name);
    if (!options->chosen)
        options->chosen = json_object();
    if (!json_object_get(options->chosen, key))
        json_object_set_new(options->chosen, key, json_array());
    json_array_append_new(json_object_get(options->chosen, key), text);
}

static error_t options_parse_key(int key, char *text, struct argp_state *state)
{
    struct raw_options *raw = state->input;
    struct record_options *options = raw->options;
    switch (key) {
    case OPTION_RUNS:
        options->runs = options_parse_count(state, "runs", text, 1);
        return 0;
    case OPTION_COMMAND:
        options_variants_add_command(state, &raw->variants, text);
        return 0;
    case OPTION_VARY:
        options_variants_add_values(state, &raw->variants, text);
        return 0;
    case OPTION_LABEL:
        options_labels_add(state, &options->labels, text);
        return 0;
    case OPTION_INPUT:
        options->input = text;
        return 0;
    case OPTION_WARMUP:
        options->warmup = options_parse_count(state, "warmup", text, 0);
        return 0;
    case 'o':
        if (!*text)
            argp_error(state, "-o: an empty name");
        options->output = text;
        return 0;
    case OPTION_OVERWRITE:
        options->overwrite = true;
        return 0;
    case OPTION_CHECK:
        options->check = true;
        return 0;
    case OPTION_NO_PROFILE:
        options->profile = false;
        return 0;
    case OPTION_ONLY:
        options_choose_program(state, options, "only", text);
        return 0;
    case OPTION_SKIP:
        options_choose_program(state, options, "skip", text);
        return 0;
    case 'q':
        options->quiet = true;
        return 0;
    case ARGP_KEY_ARGS:
        options->command = state->argv + state->next;
        return 0;
    case ARGP_KEY_END:
        options_finalize(state, raw);
        return 0;
    default:
        return options_parse_measure(key, text, state);
    }
}

void options_parse(int argc, char **argv, struct record_options *options)
{
    static const struct argp ARGP = {OPTIONS, options_parse_key, "COMMAND [ARGUMENT...]", DOCUMENTATION, NULL, NULL,
                                     NULL};
    *options = (struct record_options){
        .mode = "cpu", .engine = "auto", .runs = 1, .max_cost = 0.1, .output = "assay-out", .profile = true};
    struct raw_options raw = {.options = options};
    argp_err_exit_status = STATUS_USAGE;
    /* In order: options after COMMAND are COMMAND's, with or without `--`. */
    suggest_parse(&ARGP, argc, argv, ARGP_IN_ORDER, &raw);
    assert(options->clock_count > 0 && options->clock_count <= RECORD_CLOCKS_MAX);
    assert(options->runs > 0 && options->command && *options->command);
}
