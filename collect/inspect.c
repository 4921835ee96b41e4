/*
 * inspect.c - assay-inspect: runs a command with an agent in its JVMs that partially interprets hot methods' loops, and
 * shows the strides of their loads.
 *
 * Source: Inagaki, Onodera, Komatsu, Nakatani, Stride Prefetching by Dynamically Inspecting Objects, PLDI 2003, §3.2.
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/near.h"
#include "base/quantity.h"
#include "collect/record/record.h"
#include "collect/record/run_files.h"
#include "collect/record/say.h"
#include "collect/record/start/budget.h"
#include "collect/trace/trace.h"

const char *argp_program_version = "assay-inspect " ASSAY_VERSION;

/* ------------------------------------------------------------------------------------------ the command line -- */

enum { OPTION_ITERATIONS = 256, OPTION_ENTRIES, OPTION_METHODS, OPTION_OVERWRITE };

static const struct argp_option OPTIONS[] = {
    {"iterations", OPTION_ITERATIONS, "N", 0, "Interpret so many iterations of each loop (20)", 1},
    {"entries", OPTION_ENTRIES, "N", 0, "Inspect so many entries of each method (1)", 1},
    {"methods", OPTION_METHODS, "N", 0, "Inspect at most so many methods (200), the first that are compiled", 1},
    {"output", 'o', "DIR|FILE", 0,
     "Directory for one .trace per JVM (assay-out), or FILE.trace for a command that runs one", 2},
    {"overwrite", OPTION_OVERWRITE, NULL, 0, "Remove the series that DIR or FILE holds", 2},
    {"quiet", 'q', NULL, 0, "Only errors, and no table", 2},
    {0}};

static const char DOCUMENTATION[] =
    "Runs COMMAND, partially interprets the loops of hot methods in its Java virtual machines without side effects, "
    "and "
    "records what they load from which addresses."
    "\v"
    "Examples:\n"
    "  assay inspect -- java -jar bench.jar\n"
    "                                    traces in assay-out/, and a table\n"
    "  assay inspect -o one.trace -- java Sort\n"
    "                                    one JVM, one file\n"
    "  assay inspect --iterations 100 --entries 3 -o out/ -- java Sort\n"
    "                                    longer, and three times\n"
    "\n"
    "The exit status is COMMAND's (128+N if signal N killed it), 127 or 126 if COMMAND could not be executed, 1 if "
    "inspection failed, 2 for bad usage.";

struct limits {
    uint64_t iterations, entries, methods;
};

struct command_line {
    struct record_options *options;
    struct limits limits;
};

static uint64_t parse_count(struct argp_state *state, const char *option, const char *text, uint64_t most)
{
    uint64_t count = 0;
    if (!quantity_count(text, &count) || count < 1 || count > most)
        argp_error(state, "--%s %s: must be a whole number from 1 to %" PRIu64, option, text, most);
    return count;
}

static void settle(struct argp_state *state, const struct command_line *line)
{
    struct record_options *options = line->options;
    size_t length = strlen(options->output), end = strlen(".trace");
    if (!options->command)
        argp_error(state, "no COMMAND to run");
    options->output_is_file = length > end && strcmp(options->output + length - end, ".trace") == 0;
    options->clocks[0] = (struct record_clock){.name = "inspect"};
    options->clock_count = 1;
    options->inspect = json_pack("{s:I, s:I, s:I}", "iterations", (json_int_t)line->limits.iterations, "entries_max",
                                 (json_int_t)line->limits.entries, "methods_max", (json_int_t)line->limits.methods);
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    enum { ITERATIONS_MAX = 10000, ENTRIES_MAX = 1000, METHODS_MAX = 1000000 };
    struct command_line *line = state->input;
    struct record_options *options = line->options;
    switch (key) {
    case OPTION_ITERATIONS:
        line->limits.iterations = parse_count(state, "iterations", text, ITERATIONS_MAX);
        return 0;
    case OPTION_ENTRIES:
        line->limits.entries = parse_count(state, "entries", text, ENTRIES_MAX);
        return 0;
    case OPTION_METHODS:
        line->limits.methods = parse_count(state, "methods", text, METHODS_MAX);
        return 0;
    case 'o':
        if (!*text)
            argp_error(state, "-o: an empty name");
        options->output = text;
        return 0;
    case OPTION_OVERWRITE:
        options->overwrite = true;
        return 0;
    case 'q':
        options->quiet = true;
        return 0;
    case ARGP_KEY_ARGS:
        options->command = state->argv + state->next;
        return 0;
    case ARGP_KEY_END:
        settle(state, line);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ------------------------------------------------------------------------------------------ the summary -- */

static json_int_t count_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* "20 left, 3 exception: null": what is not zero, but for `except`. */
static void list_counts(const json_t *counts, const char *except, char *text, size_t size)
{
    const char *name;
    json_t *count;
    size_t length = 0;
    *text = '\0';
    json_object_foreach((json_t *)(uintptr_t)counts, name,
                        count) if (json_integer_value(count) > 0 && strcmp(name, except) != 0 && length < size)
        length += (size_t)snprintf(text + length, size - length, "%s%" JSON_INTEGER_FORMAT " %s", length ? ", " : "",
                                   json_integer_value(count), name);
}

static void say_cost(const char *path, const json_t *cost)
{
    double compile_ns = json_number_value(json_object_get(cost, "compile_ns"));
    double process_ns = json_number_value(json_object_get(cost, "process_ns"));
    double own_ns = json_number_value(json_object_get(cost, "interpret_ns")) +
                    json_number_value(json_object_get(cost, "prepare_ns")) +
                    json_number_value(json_object_get(cost, "note_ns"));
    char of_compiling[64] = "";
    if (compile_ns > 0)
        snprintf(of_compiling, sizeof of_compiling, ", %.2f %% of the time of the JIT compilers",
                 100 * own_ns / compile_ns);
    if (process_ns > 0)
        say_note("%s: inspection took %.1f ms of CPU time: %.2f %% of the process%s", path, own_ns / 1e6,
                 100 * own_ns / process_ns, of_compiling);
}

/* What became of the methods of one trace. */
static void say_trace(const char *path)
{
    struct trace *trace;
    struct complaint complaint;
    char methods[512], loops[512];
    if (trace_open(path, &trace, &complaint) != 0) {
        say_error("%s: %s", path, complaint.text);
        return;
    }
    const json_t *inspect = json_object_get(trace_metadata(trace), "inspect");
    const json_t *of_methods = json_object_get(inspect, "methods"), *of_loops = json_object_get(inspect, "loops");
    list_counts(of_methods, "methods with loops", methods, sizeof methods);
    list_counts(of_loops, "", loops, sizeof loops);
    if (count_of(of_methods, "methods with loops") == 0)
        say_error("%s: the JVM has compiled no method with a loop (a short run, or -Xint), so nothing was inspected",
                  path);
    else
        say_note("%s: of %" JSON_INTEGER_FORMAT " compiled methods with loops: %s; their loops: %s", path,
                 count_of(of_methods, "methods with loops"), methods, *loops ? loops : "none");
    say_cost(path, json_object_get(inspect, "cost"));
    trace_close(trace);
}

/* ------------------------------------------------------------------------------------------ the strides -- */

/* The arguments of assay-strides: its path, and those of the traces. */
struct strides {
    char program[RECORD_PATH_MAX + 64];
    char **arguments;    /* NULL-terminated */
    size_t count, first; /* first: of the traces */
};

static bool add_argument(struct strides *strides, const char *text)
{
    char **grown = reallocarray(strides->arguments, strides->count + 2, sizeof *grown);
    if (!grown)
        return false;
    strides->arguments = grown;
    grown[strides->count] = strdup(text);
    grown[strides->count + 1] = NULL;
    return grown[strides->count++];
}

static void find_program(char *path, size_t size)
{
    char own[RECORD_PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    own[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(own, '/');
    snprintf(path, size, "%.*s/assay-strides", (int)(slash ? slash - own : 0), own);
}

/* A loop that would have gone on has so many iterations in the trace (collect/jvm/interpret/interpreter.h). */
static bool add_small_loop(const struct record_options *options, struct strides *strides)
{
    enum { SMALL = 20 }; /* as assay-strides has it */
    char text[64];
    json_int_t iterations = json_integer_value(json_object_get(options->inspect, "iterations"));
    snprintf(text, sizeof text, "--small-loop=%" JSON_INTEGER_FORMAT, iterations < SMALL ? iterations : SMALL);
    return add_argument(strides, text);
}

static bool find_traces(const struct record_options *options, struct strides *strides)
{
    struct run_files_list traces;
    char path[RECORD_PATH_MAX + 512];
    bool good = add_argument(strides, strides->program) && add_small_loop(options, strides);
    strides->first = strides->count;
    if (options->output_is_file)
        return good && access(options->output, R_OK) == 0 && add_argument(strides, options->output);
    if (!good || run_files_list(options->output, NULL, &traces) != 0)
        return false;
    for (size_t i = 0; good && i < traces.count; i++) {
        snprintf(path, sizeof path, "%s/%s", options->output, traces.names[i]);
        good = add_argument(strides, path);
    }
    run_files_free(&traces);
    return good && strides->count > strides->first;
}

/* Standard output is the command's. */
static void run_program(const struct strides *strides)
{
    fflush(stderr);
    pid_t child = fork();
    if (child == 0) {
        dup2(STDERR_FILENO, STDOUT_FILENO);
        execv(strides->program, strides->arguments);
        _exit(127);
    }
    if (child < 0)
        say_error("assay strides: %s", strerror(errno));
    else
        waitpid(child, NULL, 0);
}

static void show(const struct record_options *options)
{
    struct strides strides = {.arguments = NULL};
    find_program(strides.program, sizeof strides.program);
    if (find_traces(options, &strides)) {
        for (size_t i = strides.first; i < strides.count; i++)
            say_trace(strides.arguments[i]);
        if (!options->quiet)
            run_program(&strides);
    }
    for (size_t i = 0; i < strides.count; i++)
        free(strides.arguments[i]);
    free(strides.arguments);
}

/* ------------------------------------------------------------------------------------------ main -- */

static int inspect(void *user)
{
    struct record_options *options = user;
    int status = record_main(options);
    if (status < 126)
        show(options);
    json_decref(options->inspect);
    return status;
}

int main(int argc, char **argv)
{
    static const struct argp ARGP = {OPTIONS, parse, "COMMAND [ARGUMENT...]", DOCUMENTATION, NULL, NULL, NULL};
    struct record_options options = {
        .mode = "inspect", .engine = "auto", .runs = 1, .max_cost = 0.1, .output = "assay-out"};
    struct command_line line = {.options = &options, .limits = {.iterations = 20, .entries = 1, .methods = 200}};
    argp_err_exit_status = STATUS_USAGE;
    /* In order: options after COMMAND are COMMAND's, with or without `--`. */
    near_parse(&ARGP, argc, argv, ARGP_IN_ORDER, &line);
    return budget_run(inspect, &options);
}
