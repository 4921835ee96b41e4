/*
 * inject.c - assay-inject: runs a command again and again with a method of its Java programs made slower by known
 * amounts of work, and tells where more than that method's time has changed.
 *
 * Source: Mytkowicz, Diwan, Hauswirth, Sweeney, "Evaluating the Accuracy of Java Profilers", PLDI 2010, §5.2 and §7.2.
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/inject/attempt.h"
#include "collect/inject/guard.h"
#include "collect/inject/native_side.h"
#include "collect/inject/table.h"
#include "collect/record/agents.h"
#include "collect/record/progress.h"
#include "collect/record/say.h"

const char *argp_program_version = "assay-inject " ASSAY_VERSION;

/* ------------------------------------------------------------------------------------------- options -- */

enum { OPTION_SWEEP = 256, OPTION_SEED, OPTION_METHOD, OPTION_WORK, OPTION_AMOUNT, OPTION_RUNS };

static const struct argp_option options[] = {
    {"method", OPTION_METHOD, "NAME", 0,
     "The method that gets slower: package.Class.method, with (descriptor) where only one of several of that name is "
     "meant",
     0},
    {"work", OPTION_WORK, "WORK", 0,
     "What each call does first: fib (N rounds of iterative Fibonacci: CPU time alone, the default), alloc (N objects "
     "of "
     "16 bytes)",
     0},
    {"amount", OPTION_AMOUNT, "N[,N...]", 0, "How much of it", 0},
    {"sweep", OPTION_SWEEP, "FROM:STEP:TO", 0, "FROM, FROM+STEP, … up to TO", 0},
    {"runs", OPTION_RUNS, "R", 0, "Runs with each amount (5)", 0},
    {"seed", OPTION_SEED, "N", 0, "Of the order of the amounts (1)", 0},
    {"output", 'o', "TABLE.csv", 0,
     "The table, also while it grows; rows that it has are not run again (default: standard output; the command's own "
     "output then goes to standard error)",
     0},
    {"quiet", 'q', NULL, 0, "No progress, no notes", 0},
    {0}};

static int compare_amounts(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static bool add_amount(struct inject_options *told, unsigned long long amount)
{
    uint32_t *grown = reallocarray(told->amounts, told->amount_count + 1, sizeof *grown);
    if (!grown || told->amount_count >= INJECT_AMOUNTS_MAX)
        return false;
    told->amounts = grown;
    for (size_t i = 0; i < told->amount_count; i++)
        if (grown[i] == amount)
            return true;
    grown[told->amount_count++] = (uint32_t)amount;
    qsort(grown, told->amount_count, sizeof *grown, compare_amounts);
    return true;
}

/* A whole number up to `most`; *end as strtoull leaves it. */
static bool read_number(const char *text, unsigned long long most, unsigned long long *value, char **end)
{
    errno = 0;
    *value = strtoull(text, end, 10);
    return *end != text && *text >= '0' && *text <= '9' && !errno && *value <= most;
}

static void parse_amounts(const char *text, struct inject_options *told, struct argp_state *state)
{
    unsigned long long amount;
    char *end;
    do {
        if (!read_number(text, INT32_MAX, &amount, &end) || (*end && *end != ',') || !add_amount(told, amount))
            argp_error(state, "--amount takes whole numbers up to %d, separated by commas", INT32_MAX);
        text = end + 1;
    } while (*end);
}

static void parse_sweep(const char *text, struct inject_options *told, struct argp_state *state)
{
    unsigned long long from, step, to;
    char *end;
    if (!read_number(text, INT32_MAX, &from, &end) || *end != ':' || !read_number(end + 1, INT32_MAX, &step, &end) ||
        *end != ':' || !read_number(end + 1, INT32_MAX, &to, &end) || *end || step == 0 || from > to ||
        (to - from) / step >= INJECT_AMOUNTS_MAX)
        argp_error(state, "--sweep takes FROM:STEP:TO, as in 100:200:1100");
    for (; from <= to; from += step)
        if (!add_amount(told, from))
            argp_error(state, "--sweep: more than %d amounts", INJECT_AMOUNTS_MAX);
}

static void parse_count(const char *text, const char *option, unsigned long long least, uint64_t *count,
                        struct argp_state *state)
{
    unsigned long long value;
    char *end;
    if (!read_number(text, 1u << 30, &value, &end) || *end || value < least)
        argp_error(state, "%s takes a whole number from %llu on", option, least);
    *count = value;
}

static void check(struct inject_options *told, struct argp_state *state)
{
    const char *name = told->method;
    size_t length = name ? strcspn(name, "(") : 0;
    if (!name)
        argp_error(state, "name the method: --method package.Class.method, or a function of a native program");
    else if (length == 0 || strchr(".:", name[0]) || strchr(".:", name[length - 1]))
        argp_error(state, "'%s' is not the name of a method: write package.Class.method", name);
    if (told->amount_count < 2)
        argp_error(state, "give amounts of work: --amount N or --sweep FROM:STEP:TO");
    if (!told->command || !*told->command)
        argp_error(state, "no command given");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct inject_options *told = state->input;
    switch (key) {
    case OPTION_METHOD:
        told->method = argument;
        return 0;
    case OPTION_WORK:
        if (strcmp(argument, "fib") != 0 && strcmp(argument, "alloc") != 0)
            argp_error(state, "--work is fib or alloc, not '%s'", argument);
        told->work = argument;
        return 0;
    case OPTION_AMOUNT:
        parse_amounts(argument, told, state);
        return 0;
    case OPTION_SWEEP:
        parse_sweep(argument, told, state);
        return 0;
    case OPTION_RUNS:
        parse_count(argument, "--runs", 1, &told->runs, state);
        return 0;
    case OPTION_SEED:
        parse_count(argument, "--seed", 0, &told->seed, state);
        return 0;
    case 'o':
        told->output = argument;
        return 0;
    case 'q':
        told->quiet = true;
        return 0;
    case ARGP_KEY_ARGS:
        told->command = state->argv + state->next;
        return 0;
    case ARGP_KEY_END:
        check(told, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {
    .options = options,
    .parser = parse,
    .args_doc = "-- COMMAND...",
    .doc =
        "Makes a method slower by known amounts of work, to see whether a profiler says so; and tells where more than "
        "that method's time has changed.\v"
        "In COMMAND's words {amount}, {run} and {method} are replaced. Each run begins with amount 0, the method as it "
        "is; the other amounts follow in an order that --seed shuffles.\n\n"
        "Examples:\n"
        "  assay inject --method app.Engine.step --sweep 100:200:1100 --runs 5 -o step.csv -- \\\n"
        "      assay record -o out/{run}-{amount} -- java -jar app.jar\n"
        "  assay causality out/*/*.trace\n"
        "  assay inject --method app.Engine.step --amount 1000 -o step.csv -- \\\n"
        "      java -XX:StartFlightRecording:filename=step-{amount}-{run}.jfr -jar app.jar",
};

/* ------------------------------------------------------------------------------------------- the series -- */

/* SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). */
static uint64_t draw(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

/* 0 first, the others in an order of the run's own (Fisher and Yates). The bias of % is below 10000/2^64. */
static void shuffle(const struct inject_options *told, uint64_t run, uint32_t *order)
{
    uint64_t state = told->seed ^ run << 32;
    memcpy(order, told->amounts, told->amount_count * sizeof *order);
    for (size_t left = told->amount_count - 1; left > 1; left--) {
        size_t pick = 1 + (size_t)(draw(&state) % left);
        uint32_t swapped = order[left];
        order[left] = order[pick];
        order[pick] = swapped;
    }
}

struct series {
    const struct inject_options *told;
    struct attempt attempt;
    struct inject_table table;
    size_t done, left; /* runs of this session; still to be made */
    double spent_ms;
    size_t failed;
};

static bool has(const struct series *series, uint32_t amount, uint64_t run)
{
    const struct inject_row *row = table_find(&series->table, series->told->method, series->told->work, amount, run);
    return row && strcmp(row->status, "ok") == 0;
}

static void show_progress(const struct series *series, uint32_t amount, uint64_t run)
{
    char left[32], eta[64] = "";
    if (series->done > 0)
        snprintf(eta, sizeof eta, ", about %s left",
                 progress_time((uint64_t)(series->spent_ms / (double)series->done * (double)series->left * 1e6), left));
    say_progress("run %" PRIu64 " of %" PRIu64 ", amount %" PRIu32 ", %zu to go%s", run, series->told->runs, amount,
                 series->left, eta);
}

/* Writes the table down as it is. 0 or 1. */
static int keep(struct series *series)
{
    guard_judge(&series->table);
    int error = series->told->output ? table_save(&series->table, series->told->output) : 0;
    if (error)
        say_error("%s: %s", series->told->output, strerror(error));
    return error != 0;
}

static int run_once(struct series *series, uint32_t amount, uint64_t run)
{
    struct inject_row row;
    char why[INJECT_WHY_MAX];
    show_progress(series, amount, run);
    enum attempt_outcome outcome = attempt_run(&series->attempt, amount, run, &row, why);
    say_clear_progress();
    if (outcome == ATTEMPT_INTERRUPTED)
        return 128 + series->attempt.launcher->interrupted_by;
    if (outcome != ATTEMPT_ROW) {
        say_error("%s", why);
        return 1;
    }
    series->left--;
    series->done++;
    series->spent_ms += row.program_ms;
    bool bad = strcmp(row.status, "ok") != 0;
    if (bad)
        say_error("amount %" PRIu32 ", run %" PRIu64 ": the command ended with %s", amount, run, row.status);
    series->failed += bad;
    if (!table_put(&series->table, &row)) {
        say_error("out of memory");
        return 1;
    }
    int status = keep(series);
    if (!status && bad && amount == 0) {
        say_error("nothing is injected into a command that fails by itself");
        return 1;
    }
    return status;
}

static int run_all(struct series *series)
{
    const struct inject_options *told = series->told;
    uint32_t *order = calloc(told->amount_count, sizeof *order);
    int status = order ? 0 : 1;
    for (uint64_t run = 1; run <= told->runs && !status; run++) {
        shuffle(told, run, order);
        for (size_t i = 0; i < told->amount_count && !status; i++)
            if (!has(series, order[i], run))
                status = run_once(series, order[i], run);
    }
    free(order);
    return status;
}

/* -------------------------------------------------------------------------------------------- the end -- */

static void report(const struct series *series)
{
    size_t rows = 0, changed = 0;
    const char *example = "";
    double least = INFINITY;
    for (size_t i = 0; i < series->table.count; i++) {
        const struct inject_row *row = &series->table.rows[i];
        if (strcmp(row->method, series->told->method) != 0 || strcmp(row->work, series->told->work) != 0)
            continue;
        rows += row->amount > 0;
        least = fmin(least, row->program_ms);
        if (strcmp(row->guard, "ok") != 0) {
            changed++;
            example = row->guard;
        }
    }
    if (changed > 0)
        say_note("%zu of %zu points are invalid: with the work the JIT compiler decides otherwise (%s)", changed, rows,
                 example);
    if (least < 500)
        say_note("a run took only %.0f ms: most of that is start-up; let the program do more", least);
    if (series->failed > 0)
        say_note("%zu run%s failed; the same command line tries them again", series->failed,
                 series->failed == 1 ? "" : "s");
}

static char *join(char *const *words)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out && words[i]; i++)
        fprintf(out, "%s%s", i ? " " : "", words[i]);
    if (!out || fclose(out) != 0)
        return NULL;
    return text;
}

/* Rows of the same method that another command left would be taken for this one's. */
static bool is_ours(const struct series *series, char why[INJECT_WHY_MAX])
{
    for (size_t i = 0; i < series->table.count; i++) {
        const struct inject_row *row = &series->table.rows[i];
        if (strcmp(row->method, series->told->method) == 0 && strcmp(row->work, series->told->work) == 0 &&
            strcmp(row->status, "ok") == 0 && strcmp(row->command, series->attempt.command) != 0) {
            snprintf(why, INJECT_WHY_MAX, "it holds rows of %.100s from another command (%.200s); choose another -o",
                     row->method, row->command);
            return false;
        }
    }
    return true;
}

static bool find_agents(struct attempt *attempt, bool native)
{
    const char *name = native ? NATIVE_REPORT_LIBRARY : "libassay-inject.so";
    int error = agents_path(name, native ? attempt->library : attempt->agent);
    const char *cause = native ? "" : "assay was built without a JDK, or ";
    if (error)
        say_error("lib/assay/%s: %s; %sassay is not installed whole", name, strerror(error), cause);
    else if (native && strpbrk(attempt->library, " :\t\n"))
        say_error("%s: LD_PRELOAD can't hold a path with a space or a colon; move assay to another directory",
                  attempt->library);
    else
        return true;
    return false;
}

static int begin(struct series *series)
{
    const struct inject_options *told = series->told;
    char why[INJECT_WHY_MAX] = "";
    if (!find_agents(&series->attempt, native_is_name(told->method)))
        return 1;
    series->attempt.command = join(told->command);
    if (!series->attempt.command ||
        (told->output && (!table_read(&series->table, told->output, why) || !is_ours(series, why)))) {
        say_error("%s: %s", told->output ? told->output : "", series->attempt.command ? why : "out of memory");
        return 1;
    }
    for (uint64_t run = 1; run <= told->runs; run++)
        for (size_t i = 0; i < told->amount_count; i++)
            series->left += !has(series, told->amounts[i], run);
    size_t all = told->amount_count * told->runs;
    if (series->left < all)
        say_note("%s has %zu of %zu runs; %zu to go", told->output, all - series->left, all, series->left);
    else
        say_note("%zu runs: %" PRIu64 " with each of %zu amounts, 0 first, then shuffled (seed %" PRIu64 ")", all,
                 told->runs, told->amount_count, told->seed);
    series->attempt.round_ns = attempt_calibrate(told->work);
    return 0;
}

/* Without -o the table is all that goes to standard output. Returns where it goes, -1 on failure. */
static int divert(const struct inject_options *told)
{
    if (told->output)
        return STDOUT_FILENO;
    int own = dup(STDOUT_FILENO);
    return own >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 ? own : -1;
}

static int finish(const struct series *series, int out, int status)
{
    FILE *file = series->told->output ? NULL : fdopen(out, "w");
    if (file && series->table.count > 0) {
        int error = table_print(&series->table, file);
        if (error)
            say_error("standard output: %s", strerror(error));
        status = error && !status ? 1 : status;
    }
    if (file && fclose(file) != 0 && !status)
        status = 1;
    if (status > 128)
        say_note("interrupted; %zu runs are kept%s", series->table.count,
                 series->told->output ? ", and the same command line goes on" : "");
    return !status && series->failed > 0 ? 1 : status;
}

int main(int argc, char **argv)
{
    struct inject_options told = {.work = "fib", .runs = 5, .seed = 1};
    struct launcher launcher;
    argp_err_exit_status = 2;
    if (!add_amount(&told, 0))
        return 1;
    argp_parse(&parser, argc, argv, ARGP_IN_ORDER, NULL, &told);
    say_init(told.quiet);
    int out = divert(&told);
    struct series series = {.told = &told, .attempt = {.options = &told, .launcher = &launcher}};
    launch_init(&launcher);
    int status = out < 0 ? 1 : begin(&series);
    if (!status) {
        status = run_all(&series);
        report(&series);
        status = finish(&series, out, status);
    }
    table_free(&series.table);
    free((char *)(uintptr_t)series.attempt.command);
    free(told.amounts);
    return status;
}
