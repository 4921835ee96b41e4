/*
 * inspect.c - assay-inspect: partially interprets loops of Java methods, with the objects of living JVMs, by an agent
 * in those of a command, or with those of a heap dump; and shows the strides of their loads.
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

#include "base/clock.h"
#include "base/suggest.h"
#include "base/quantity.h"
#include "collect/inspect/heapdump/dump_inspect.h"
#include "collect/record/directory.h"
#include "collect/record/record.h"
#include "collect/record/run_files.h"
#include "collect/record/log.h"
#include "collect/record/series/progress.h"
#include "collect/record/start/budget.h"
#include "trace/trace.h"

const char *argp_program_version = "assay-inspect " ASSAY_VERSION;

/* ------------------------------------------------------------------------------------------ the command line -- */

enum { OPTION_ITERATIONS = 256, OPTION_ENTRIES, OPTION_METHODS, OPTION_HEAP_DUMP, OPTION_CLASSES, OPTION_OVERWRITE };

static const struct argp_option OPTIONS[] = {
    {"iterations", OPTION_ITERATIONS, "N", 0, "Interpret so many iterations of each loop (20)", 1},
    {"entries", OPTION_ENTRIES, "N", 0, "Inspect so many entries of each method (1)", 1},
    {"methods", OPTION_METHODS, "N|NAME,...", 0,
     "Inspect at most N methods (200), the first that are compiled; of a heap dump first those on a stack. Or, of a "
     "heap dump, the methods with these names: 'HashMap.get', 'com.example.*'",
     1},
    {"heap-dump", OPTION_HEAP_DUMP, "FILE", 0,
     "Inspect the objects of this heap dump (HPROF, perhaps packed by gzip), and run nothing", 2},
    {"classes", OPTION_CLASSES, "PATH", 0,
     "Of a heap dump: the program's classes, a folder, a jar or a jmod; may be repeated", 2},
    {"output", 'o', "DIR|FILE", 0,
     "Directory for one .trace per JVM or heap dump (assay-out), or FILE.trace for a single one", 3},
    {"overwrite", OPTION_OVERWRITE, NULL, 0, "Remove the series or the trace that is in the way", 3},
    {"quiet", 'q', NULL, 0, "Only errors, and no table", 3},
    {0}};

static const char DOCUMENTATION[] =
    "Partially interprets the loops of Java methods without side effects, and records what they load from which "
    "addresses: of hot methods in the Java virtual machines of COMMAND; or of methods with the objects of a heap dump."
    "\v"
    "Examples:\n"
    "  assay inspect -- java -jar bench.jar\n"
    "                                    traces in assay-out/, and a table\n"
    "  assay inspect -o one.trace -- java Sort\n"
    "                                    one JVM, one file\n"
    "  assay inspect --iterations 100 --entries 3 -o out/ -- java Sort\n"
    "                                    longer, and three times\n"
    "  jcmd PID GC.heap_dump -all /tmp/app.hprof\n"
    "  assay inspect --heap-dump /tmp/app.hprof --classes app.jar\n"
    "                                    the same without the process\n"
    "  assay inspect --heap-dump app.hprof --classes bin/ --methods 'Index.*'\n"
    "                                    methods of one class\n"
    "\n"
    "The exit status is COMMAND's (128+N if signal N killed it), 127 or 126 if COMMAND could not be executed, 1 if "
    "inspection failed or the heap dump is cut or damaged, 2 for bad usage.";

struct limits {
    uint64_t iterations, entries, methods;
};

/* Texts of options that may be repeated, or of a list. */
struct texts {
    char **all; /* [count] */
    size_t count;
};

struct command_line {
    struct record_options *options;
    struct limits limits;
    const char *heap_dump; /* NULL: a command is run */
    struct texts classes, methods;
};

static void inspect_add_text(struct argp_state *state, struct texts *texts, char *text)
{
    char **grown = reallocarray(texts->all, texts->count + 1, sizeof *grown);
    if (!grown)
        argp_failure(state, STATUS_BAD, ENOMEM, "options");
    texts->all = grown;
    grown[texts->count++] = text;
}

static uint64_t inspect_parse_count(struct argp_state *state, const char *option, const char *text, uint64_t most)
{
    uint64_t count = 0;
    if (!quantity_count(text, &count) || count < 1 || count > most)
        argp_error(state, "--%s %s: must be a whole number from 1 to %" PRIu64, option, text, most);
    return count;
}

/* A number is a limit; else it is a list of names. */
static void inspect_parse_methods(struct argp_state *state, struct command_line *line, char *text)
{
    enum { METHODS_MAX = 1000000 };
    char *next = text;
    if (strspn(text, "0123456789") == strlen(text)) {
        line->limits.methods = inspect_parse_count(state, "methods", text, METHODS_MAX);
        return;
    }
    for (char *name; (name = strsep(&next, ",")) != NULL;) {
        if (!strchr(name, '.'))
            argp_error(state, "--methods %s: '%s' is neither a number nor 'Class.method'", text, name);
        inspect_add_text(state, &line->methods, name);
    }
}

static void inspect_finalize_options(struct argp_state *state, const struct command_line *line)
{
    struct record_options *options = line->options;
    size_t length = strlen(options->output), end = strlen(".trace");
    if (!options->command && !line->heap_dump)
        argp_error(state, "no COMMAND to run, and no --heap-dump");
    if (options->command && line->heap_dump)
        argp_error(state, "%s: with --heap-dump no COMMAND is run; give the program's classes with --classes",
                   options->command[0]);
    if (line->heap_dump && line->classes.count == 0)
        argp_error(state, "--heap-dump needs --classes: a dump has no bytecode");
    if (!line->heap_dump && line->classes.count > 0)
        argp_error(state, "--classes is for --heap-dump; a living JVM has its classes");
    if (!line->heap_dump && line->methods.count > 0)
        argp_error(state, "--methods with names is for --heap-dump; of a living JVM it is a number");
    options->output_is_file = length > end && strcmp(options->output + length - end, ".trace") == 0;
    options->clocks[0] = (struct record_clock){.name = "inspect"};
    options->clock_count = 1;
    options->inspect = json_pack("{s:I, s:I, s:I}", "iterations", (json_int_t)line->limits.iterations, "entries_max",
                                 (json_int_t)line->limits.entries, "methods_max", (json_int_t)line->limits.methods);
}

static error_t inspect_parse_option(int key, char *text, struct argp_state *state)
{
    enum { ITERATIONS_MAX = 10000, ENTRIES_MAX = 1000 };
    struct command_line *line = state->input;
    struct record_options *options = line->options;
    switch (key) {
    case OPTION_ITERATIONS:
        line->limits.iterations = inspect_parse_count(state, "iterations", text, ITERATIONS_MAX);
        return 0;
    case OPTION_ENTRIES:
        line->limits.entries = inspect_parse_count(state, "entries", text, ENTRIES_MAX);
        return 0;
    case OPTION_METHODS:
        inspect_parse_methods(state, line, text);
        return 0;
    case OPTION_HEAP_DUMP:
        line->heap_dump = text;
        return 0;
    case OPTION_CLASSES:
        inspect_add_text(state, &line->classes, text);
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
        inspect_finalize_options(state, line);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ------------------------------------------------------------------------------------------ the summary -- */

static json_int_t inspect_json_count(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* "20 left, 3 exception: null": what is not zero, but for `except`. */
static void inspect_list_counts(const json_t *counts, const char *except, char *text, size_t size)
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

/* What became of the methods of one trace. */
static void inspect_report_trace(const char *path)
{
    struct trace *trace;
    struct error_text message;
    char methods[512], loops[512];
    if (trace_open(path, &trace, &message) != 0) {
        log_error("%s: %s", path, message.text);
        return;
    }
    const json_t *inspect = json_object_get(trace_metadata(trace), "inspect");
    const json_t *of_methods = json_object_get(inspect, "methods"), *of_loops = json_object_get(inspect, "loops");
    inspect_list_counts(of_methods, "methods with loops", methods, sizeof methods);
    inspect_list_counts(of_loops, "", loops, sizeof loops);
    if (inspect_json_count(of_methods, "methods with loops") == 0)
        log_error("%s: the JVM has compiled no method with a loop (a short run, or -Xint), so nothing was inspected",
                  path);
    else
        log_note("%s: of %" JSON_INTEGER_FORMAT " compiled methods with loops: %s; their loops: %s", path,
                 inspect_json_count(of_methods, "methods with loops"), methods, *loops ? loops : "none");
    const json_t *cost = json_object_get(inspect, "cost");
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
        log_note("%s: inspection took %.1f ms of CPU time: %.2f %% of the process%s", path, own_ns / 1e6,
                 100 * own_ns / process_ns, of_compiling);
    trace_close(trace);
}

/* ------------------------------------------------------------------------------------------ the strides -- */

/* The arguments of assay-strides: its path, and those of the traces. */
struct strides {
    char program[RECORD_PATH_MAX + 64];
    char **arguments;    /* NULL-terminated */
    size_t count, first; /* first: of the traces */
};

static bool strides_add_argument(struct strides *strides, const char *text)
{
    char **grown = reallocarray(strides->arguments, strides->count + 2, sizeof *grown);
    if (!grown)
        return false;
    strides->arguments = grown;
    grown[strides->count] = strdup(text);
    grown[strides->count + 1] = NULL;
    return grown[strides->count++];
}

/* The program and its options. A loop that would have gone on has so many iterations in the trace
 * (collect/inspect/interpret/interpreter.h). */
static bool strides_add_program(uint64_t iterations, struct strides *strides)
{
    enum { SMALL = 20 }; /* as assay-strides has it */
    char text[64];
    char own[RECORD_PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    own[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(own, '/');
    snprintf(strides->program, sizeof strides->program, "%.*s/assay-strides", (int)(slash ? slash - own : 0), own);
    snprintf(text, sizeof text, "--small-loop=%" PRIu64, iterations < SMALL ? iterations : SMALL);
    bool good = strides_add_argument(strides, strides->program) && strides_add_argument(strides, text);
    strides->first = strides->count;
    return good;
}

/* Standard output is the command's. */
static void strides_run_program(const struct strides *strides)
{
    fflush(stderr);
    pid_t child = fork();
    if (child == 0) {
        dup2(STDERR_FILENO, STDOUT_FILENO);
        execv(strides->program, strides->arguments);
        _exit(127);
    }
    if (child < 0)
        log_error("assay strides: %s", strerror(errno));
    else
        waitpid(child, NULL, 0);
}

static void strides_free_arguments(struct strides *strides)
{
    for (size_t i = 0; i < strides->count; i++)
        free(strides->arguments[i]);
    free(strides->arguments);
}

/* ------------------------------------------------------------------------------------------ a heap dump -- */

/* The progress of one step, and when it began. */
struct step {
    const char *what;
    uint64_t begun_ns, reported_ns;
};

static void inspect_report_step(void *user, const char *what, uint64_t done, uint64_t all)
{
    enum { REPORT_NS = 200000000 };
    struct step *step = user;
    uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
    char left[32] = "-";
    if (!step->what || strcmp(step->what, what) != 0)
        *step = (struct step){.what = what, .begun_ns = now_ns};
    if (now_ns - step->reported_ns < REPORT_NS || all == 0)
        return;
    step->reported_ns = now_ns;
    double share = (double)done / (double)all;
    if (share > 0.01)
        progress_time((uint64_t)((double)(now_ns - step->begun_ns) * (1 - share) / share), left);
    log_progress("%s: %.0f %%, %s left", what, 100 * share, left);
}

/* Makes the place for the trace: DIR/NAME.trace for the dump NAME.hprof or NAME.hprof.gz, or FILE. False: said why
 * there is none. */
static bool inspect_prepare_output(const struct record_options *options, const char *dump, char *path, size_t size)
{
    static const char *const ENDS[] = {".gz", ".hprof"};
    const char *slash = strrchr(dump, '/'), *name = slash ? slash + 1 : dump;
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; i++) {
        size_t end = strlen(ENDS[i]);
        if (length > end && strncmp(name + length - end, ENDS[i], end) == 0)
            length -= end;
    }
    if (options->output_is_file)
        snprintf(path, size, "%s", options->output);
    else
        snprintf(path, size, "%s/%.*s.trace", options->output, (int)length, name);

    int error = options->output_is_file ? 0 : directory_make(options->output);
    if (error) {
        log_error("%s: %s", options->output, strerror(error));
        return false;
    }
    if (options->overwrite)
        unlink(path);
    if (access(path, F_OK) != 0)
        return true;
    log_error("%s: is there already; choose another place with -o, or --overwrite it", path);
    return false;
}

static void inspect_report_dump(const char *path, const json_t *about)
{
    char methods[512], loops[512], arguments[256];
    const json_t *of_methods = json_object_get(about, "methods"), *dump = json_object_get(about, "heap_dump");
    inspect_list_counts(of_methods, "methods with loops", methods, sizeof methods);
    inspect_list_counts(json_object_get(about, "loops"), "", loops, sizeof loops);
    inspect_list_counts(json_object_get(about, "arguments"), "", arguments, sizeof arguments);
    if (inspect_json_count(of_methods, "inspected") == 0)
        log_error("%s: no method with a loop was found in --classes (%s), so nothing was inspected", path,
                  *methods ? methods : "or none of these --methods");
    else
        log_note("%s: of %" JSON_INTEGER_FORMAT " methods with loops: %s; their loops: %s", path,
                 inspect_json_count(of_methods, "methods with loops"), methods, *loops ? loops : "none");
    log_note("%s: arguments of %" JSON_INTEGER_FORMAT " entries, %" JSON_INTEGER_FORMAT " of them on stacks: %s", path,
             inspect_json_count(json_object_get(about, "entries"), "inspections"),
             inspect_json_count(json_object_get(about, "entries"), "on stacks"), *arguments ? arguments : "none");
    const json_t *layout = json_object_get(dump, "layout");
    char classes[256];
    inspect_list_counts(json_object_get(layout, "classes"), "", classes, sizeof classes);
    if (!json_is_true(json_object_get(layout, "known")))
        log_error("%s: no array shows where objects have their elements; these are assumed to be in their usual places",
                  path);
    else
        log_note("%s: Java %" JSON_INTEGER_FORMAT ", headers of %" JSON_INTEGER_FORMAT
                 " bytes, references of %" JSON_INTEGER_FORMAT "; computed layouts of classes: %s",
                 path, inspect_json_count(layout, "java"), inspect_json_count(layout, "header_bytes"),
                 inspect_json_count(layout, "reference_bytes"), *classes ? classes : "none");
    if (inspect_json_count(json_object_get(layout, "classes"), "contradicted") > 0)
        log_error("%s: some objects are shorter than computed: within them, offsets and intra strides may be wrong",
                  path);
}

static int inspect_dump(const struct command_line *line)
{
    const struct record_options *options = line->options;
    char path[RECORD_PATH_MAX + 512];
    struct error_text message = {.text = ""};
    struct step step = {.what = NULL};
    json_t *about;
    if (!inspect_prepare_output(options, line->heap_dump, path, sizeof path))
        return STATUS_BAD;
    const struct dump_inspect_options dump = {.dump = line->heap_dump,
                                              .trace = path,
                                              .classes = line->classes.all,
                                              .class_count = line->classes.count,
                                              .methods = line->methods.all,
                                              .method_count = line->methods.count,
                                              .iterations = line->limits.iterations,
                                              .entries = line->limits.entries,
                                              .methods_max = line->limits.methods,
                                              .progress = {log_shows_progress() ? inspect_report_step : NULL, &step}};
    int status = dump_inspect(&dump, &about, &message);
    log_clear_progress();
    if (status != STATUS_GOOD)
        log_error("%s%s", message.text, about ? "; what is before that is used" : "");
    if (!about)
        return status;
    inspect_report_dump(path, about);
    struct strides strides = {.arguments = NULL};
    if (inspect_json_count(json_object_get(about, "methods"), "inspected") == 0)
        status = STATUS_BAD;
    else if (!options->quiet && strides_add_program(dump.iterations, &strides) && strides_add_argument(&strides, path))
        strides_run_program(&strides);
    strides_free_arguments(&strides);
    json_decref(about);
    return status;
}

/* ------------------------------------------------------------------------------------------ main -- */

static int inspect_command(void *user)
{
    struct record_options *options = user;
    int status = record_main(options);
    if (status >= 126)
        return status;
    struct run_files_list traces;
    struct strides strides = {.arguments = NULL};
    bool good = strides_add_program((uint64_t)inspect_json_count(options->inspect, "iterations"), &strides);
    if (options->output_is_file) {
        good = good && access(options->output, R_OK) == 0 && strides_add_argument(&strides, options->output);
    } else if (good && run_files_list(options->output, NULL, &traces) == 0) {
        for (size_t i = 0; good && i < traces.count; i++) {
            char path[RECORD_PATH_MAX + 512];
            snprintf(path, sizeof path, "%s/%s", options->output, traces.names[i]);
            good = strides_add_argument(&strides, path);
        }
        run_files_free(&traces);
    }
    for (size_t i = strides.first; good && i < strides.count; i++)
        inspect_report_trace(strides.arguments[i]);
    if (good && strides.count > strides.first && !options->quiet)
        strides_run_program(&strides);
    strides_free_arguments(&strides);
    return status;
}

int main(int argc, char **argv)
{
    static const struct argp ARGP = {OPTIONS,
                                     inspect_parse_option,
                                     "COMMAND [ARGUMENT...]\n--heap-dump FILE --classes PATH",
                                     DOCUMENTATION,
                                     NULL,
                                     NULL,
                                     NULL};
    struct record_options options = {
        .mode = "inspect", .engine = "auto", .runs = 1, .max_cost = 0.1, .output = "assay-out"};
    struct command_line line = {.options = &options, .limits = {.iterations = 20, .entries = 1, .methods = 200}};
    argp_err_exit_status = STATUS_USAGE;
    /* In order: options after COMMAND are COMMAND's, with or without `--`. */
    suggest_parse(&ARGP, argc, argv, ARGP_IN_ORDER, &line);
    if (line.heap_dump)
        log_init(options.quiet, "");
    int status = line.heap_dump ? inspect_dump(&line) : budget_run(inspect_command, &options);
    json_decref(options.inspect);
    free(line.classes.all);
    free(line.methods.all);
    return status;
}
