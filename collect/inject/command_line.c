#include "collect/inject/inject.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"

enum {
    OPTION_SWEEP = 256,
    OPTION_SEED,
    OPTION_METHOD,
    OPTION_WORK,
    OPTION_AMOUNT,
    OPTION_RUNS,
    OPTION_HOT,
    OPTION_FROM,
    OPTION_SLOWDOWN,
    OPTION_STEPS,
    OPTION_PLAN
};

static const struct argp_option option_table[] = {
    {"method", OPTION_METHOD, "NAME", 0,
     "The method to make slower: package.Class.method, with (descriptor) to choose one of several with that name; or "
     "the function of a native program that was compiled with -finstrument-functions: [FILE:]NAME. Several are done "
     "one after the other",
     0},
    {"hot", OPTION_HOT, "N", 0,
     "Instead of --method: each of the N hottest methods in the traces of --from that can be measured; the others are "
     "passed over",
     0},
    {"from", OPTION_FROM, "TRACE", 0, "A trace of the program, as assay record writes it; for --hot, may be repeated",
     0},
    {"slowdown", OPTION_SLOWDOWN, "S", 0,
     "Instead of amounts: so much work that the largest amount takes S of the program's CPU time (0.5: "
     "half); a "
     "pilot run of each method tells how much that is",
     0},
    {"steps", OPTION_STEPS, "K", 0, "Of --slowdown: in K steps (3)", 0},
    {"plan", OPTION_PLAN, "FILE", 0,
     "Of --hot or --slowdown: only choose; the methods go into FILE, each with its amounts, and no more runs are made",
     0},
    {"work", OPTION_WORK, "WORK", 0,
     "What each call does first: fib (N rounds of iterative Fibonacci: CPU time alone, the default), alloc (N objects "
     "of 16 bytes) or array (a new int[1024], and N additions of two of its elements, chosen at random)",
     0},
    {"amount", OPTION_AMOUNT, "N[,N...]", 0, "How much work each call does", 0},
    {"sweep", OPTION_SWEEP, "FROM:STEP:TO", 0, "Instead of --amount: FROM, FROM+STEP, … up to TO", 0},
    {"runs", OPTION_RUNS, "R", 0, "Runs with each amount (5)", 0},
    {"seed", OPTION_SEED, "N", 0, "Seed of the order of the amounts (1)", 0},
    {"output", 'o', "TABLE.csv", 0,
     "Write the table to FILE as it grows; rows that it already has are not run again (default: standard output; the "
     "command's own output then goes to standard error)",
     0},
    {"quiet", 'q', NULL, 0, "No progress, no notes", 0},
    {0}};

static int inject_compare_amounts(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static bool inject_add_amount(struct inject_options *options, unsigned long long amount)
{
    uint32_t *grown = reallocarray(options->amounts, options->amount_count + 1, sizeof *grown);
    if (!grown || options->amount_count >= INJECT_AMOUNTS_MAX)
        return false;
    options->amounts = grown;
    for (size_t i = 0; i < options->amount_count; i++)
        if (grown[i] == amount)
            return true;
    grown[options->amount_count++] = (uint32_t)amount;
    qsort(grown, options->amount_count, sizeof *grown, inject_compare_amounts);
    return true;
}

/* A whole number up to `most`; *end as set by strtoull(). */
static bool inject_read_number(const char *text, unsigned long long most, unsigned long long *value, char **end)
{
    errno = 0;
    *value = strtoull(text, end, 10);
    return *end != text && *text >= '0' && *text <= '9' && !errno && *value <= most;
}

static void inject_parse_amounts(const char *text, struct inject_options *options, struct argp_state *state)
{
    unsigned long long amount;
    char *end;
    do {
        if (!inject_read_number(text, INT32_MAX, &amount, &end) || (*end && *end != ',') ||
            !inject_add_amount(options, amount))
            argp_error(state, "--amount takes whole numbers up to %d, separated by commas", INT32_MAX);
        text = end + 1;
    } while (*end);
}

static void inject_parse_sweep(const char *text, struct inject_options *options, struct argp_state *state)
{
    unsigned long long from = 0, step = 0, to = 0;
    char *end;
    if (!inject_read_number(text, INT32_MAX, &from, &end) || *end != ':' ||
        !inject_read_number(end + 1, INT32_MAX, &step, &end) || *end != ':' ||
        !inject_read_number(end + 1, INT32_MAX, &to, &end) || *end || step == 0 || from > to ||
        (to - from) / step >= INJECT_AMOUNTS_MAX)
        argp_error(state, "--sweep takes FROM:STEP:TO, as in 100:200:1100");
    for (; from <= to; from += step)
        if (!inject_add_amount(options, from))
            argp_error(state, "--sweep: more than %d amounts", INJECT_AMOUNTS_MAX);
}

static void inject_parse_count(const char *text, const char *option, unsigned long long least, uint64_t *count,
                               struct argp_state *state)
{
    unsigned long long value;
    char *end;
    if (!inject_read_number(text, 1u << 30, &value, &end) || *end || value < least)
        argp_error(state, "%s takes a whole number of at least %llu", option, least);
    *count = value;
}

static void inject_parse_slowdown(const char *text, struct inject_options *options, struct argp_state *state)
{
    char *end;
    options->slowdown = strtod(text, &end);
    if (end == text || *end || !(options->slowdown > 0 && options->slowdown <= 1000))
        argp_error(state, "--slowdown takes a number above 0, as in 0.5: half of the program's CPU time");
}

static bool inject_add_text(const char ***list, size_t *count, const char *text)
{
    const char **grown = reallocarray(*list, *count + 1, sizeof *grown);
    if (!grown)
        return false;
    *list = grown;
    grown[(*count)++] = text;
    return true;
}

static void inject_check_options(struct inject_options *options, struct argp_state *state)
{
    for (size_t i = 0; i < options->method_count; i++) {
        const char *name = options->methods[i];
        size_t length = strcspn(name, "(");
        if (length == 0 || strchr(".:", name[0]) || strchr(".:", name[length - 1]))
            argp_error(state, "'%s' is not the name of a method: write package.Class.method", name);
    }
    if ((options->hot == 0) != (options->trace_count == 0))
        argp_error(state, "--hot N needs --from TRACE, and the other way round");
    else if ((options->hot == 0) == (options->method_count == 0))
        argp_error(state, "name what to make slower: --method package.Class.method, --method FUNCTION of a native "
                          "program, or --hot N --from TRACE");
    if (options->plan && options->hot == 0 && options->slowdown == 0)
        argp_error(state, "--plan is of --hot N or --slowdown S");
    else if (options->slowdown > 0 && options->amount_count > 1)
        argp_error(state, "--slowdown or amounts of work, not both");
    else if (options->slowdown == 0 && options->steps > 0)
        argp_error(state, "--steps is of --slowdown S");
    else if (options->slowdown == 0 && options->amount_count < 2)
        argp_error(state, "give amounts of work: --amount N, --sweep FROM:STEP:TO or --slowdown S");
    if (!options->command || !*options->command)
        argp_error(state, "no command given");
    if (options->slowdown > 0 && options->steps == 0)
        options->steps = 3;
}

/* Reserves capacity for what a pilot is to choose. */
static bool inject_reserve_amounts(struct inject_options *options)
{
    uint32_t *grown =
        options->steps ? reallocarray(options->amounts, options->steps + 1, sizeof *grown) : options->amounts;
    options->amounts = grown ? grown : options->amounts;
    return grown;
}

static error_t inject_parse_option(int key, char *argument, struct argp_state *state)
{
    struct inject_options *options = state->input;
    switch (key) {
    case OPTION_METHOD:
        return inject_add_text(&options->methods, &options->method_count, argument) ? 0 : ENOMEM;
    case OPTION_HOT:
        inject_parse_count(argument, "--hot", 1, &options->hot, state);
        return 0;
    case OPTION_FROM:
        return inject_add_text(&options->traces, &options->trace_count, argument) ? 0 : ENOMEM;
    case OPTION_SLOWDOWN:
        inject_parse_slowdown(argument, options, state);
        return 0;
    case OPTION_STEPS:
        inject_parse_count(argument, "--steps", 1, &options->steps, state);
        if (options->steps >= INJECT_AMOUNTS_MAX)
            argp_error(state, "--steps: fewer than %d", INJECT_AMOUNTS_MAX);
        return 0;
    case OPTION_PLAN:
        options->plan = argument;
        return 0;
    case OPTION_WORK:
        if (strcmp(argument, "fib") != 0 && strcmp(argument, "alloc") != 0 && strcmp(argument, "array") != 0)
            argp_error(state, "--work is fib, alloc or array, not '%s'", argument);
        options->work = argument;
        return 0;
    case OPTION_AMOUNT:
        inject_parse_amounts(argument, options, state);
        return 0;
    case OPTION_SWEEP:
        inject_parse_sweep(argument, options, state);
        return 0;
    case OPTION_RUNS:
        inject_parse_count(argument, "--runs", 1, &options->runs, state);
        return 0;
    case OPTION_SEED:
        inject_parse_count(argument, "--seed", 0, &options->seed, state);
        return 0;
    case 'o':
        options->output = argument;
        return 0;
    case 'q':
        options->quiet = true;
        return 0;
    case ARGP_KEY_ARGS:
        options->command = state->argv + state->next;
        return 0;
    case ARGP_KEY_END:
        inject_check_options(options, state);
        return inject_reserve_amounts(options) ? 0 : ENOMEM;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {
    .options = option_table,
    .parser = inject_parse_option,
    .args_doc = "-- COMMAND...",
    .doc =
        "Makes a method slower by known amounts of work, to see whether a profiler reports it; and reports where more "
        "than that method's time has changed.\v"
        "In COMMAND's words {amount}, {run} and {method} are replaced. Each run begins with amount 0, the method as it "
        "is; the other amounts follow in an order that --seed shuffles.\n\n"
        "Examples:\n"
        "  assay inject --method app.Engine.step --sweep 100:200:1100 -o step.csv -- \\\n"
        "      assay record -o out/{run}-{amount} -- java -jar app.jar\n"
        "  assay causality --injected step.csv out/*/*.trace\n"
        "  assay inject --method find --sweep 1000:2000:11000 -o find.csv -- ./program\n"
        "  assay inject --hot 5 --from out/1.trace --slowdown 0.5 -o hot.csv -- \\\n"
        "      java -jar app.jar\n"
        "  assay inject --method app.Engine.step --amount 1000 -o step.csv -- \\\n"
        "      java -XX:StartFlightRecording:filename={amount}-{run}.jfr -jar app.jar",
};

bool command_line_read(int argc, char **argv, struct inject_options *options)
{
    *options = (struct inject_options){.work = "fib", .runs = 5, .seed = 1};
    argp_err_exit_status = 2;
    return inject_add_amount(options, 0) && suggest_parse(&parser, argc, argv, ARGP_IN_ORDER, options) == 0;
}

void command_line_free(struct inject_options *options)
{
    free(options->amounts);
    free(options->methods);
    free(options->traces);
}
