#include "analyze/frame/frame.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/figure/figure.h"
#include "analyze/frame/number.h"
#include "analyze/frame/result.h"
#include "base/near.h"

enum { KEY_CONFIDENCE = 0x1000, KEY_METHOD, KEY_FORMAT, KEY_KEEP_GOING, KEY_SAVE, KEY_PLOT };
enum { JOBS_MAX = 256 };

const char *argp_program_version = NULL;

static const struct argp_option common_options[] = {
    {NULL, 0, NULL, 0, "Common to all analyzers:", 100},
    {"format", KEY_FORMAT, "FORMAT", 0, "text (default), csv, tsv, json, markdown or latex", 100},
    {"output", 'o', "FILE", 0,
     "write the result to FILE instead of standard output; its suffix (.csv, .tex …) is the format", 100},
    {"plot", KEY_PLOT, "FILE", 0, "also draw the figure into FILE (.pdf, .svg, .png)", 100},
    {"confidence", KEY_CONFIDENCE, "P", 0, "of intervals, 0.95 (default) or 95%", 100},
    {"method", KEY_METHOD, "t|z", 0, "intervals by Student's t (default) or, as in the papers, by the normal quantile",
     100},
    {"jobs", 'j', "N", 0, "threads (default: all processors); the result is the same for any N", 100},
    {"quiet", 'q', NULL, 0, "no warnings on standard error", 100},
    {"keep-going", KEY_KEEP_GOING, NULL, 0,
     "exit 0 even if a trace is damaged or cut; what is missing is still reported", 100},
    {"save-state", KEY_SAVE, "FILE", 0,
     "save the partial state instead of reporting; use such files as input, or join them with assay merge", 100},
    {0}};

void frame_complain(const struct settings *settings, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    result_vcomplain(settings->analyzer->name, format, args);
    va_end(args);
}

static void parse_confidence(struct settings *settings, const char *arg, struct argp_state *state)
{
    if (number_parse_confidence(arg, &settings->options.confidence) != 0)
        argp_error(state, "--confidence %s: must be a number between 0 and 1, such as 0.95, or a percentage: 95%%",
                   arg);
}

static void parse_jobs(struct settings *settings, const char *arg, struct argp_state *state)
{
    char *end;
    long jobs = strtol(arg, &end, 10);
    if (*end || end == arg || jobs < 1 || jobs > JOBS_MAX)
        argp_error(state, "-j %s: must be a whole number from 1 to %d", arg, JOBS_MAX);
    settings->jobs = jobs;
}

static void parse_method(struct settings *settings, const char *arg, struct argp_state *state)
{
    if (strcmp(arg, "t") != 0 && strcmp(arg, "z") != 0)
        argp_error(state, "--method %s: must be t or z", arg);
    settings->options.use_z = arg[0] == 'z';
}

/* Now, not after an hour's work. */
static void check_plot(struct settings *settings, const char *arg, struct argp_state *state)
{
    char message[512];
    const char *figure = settings->analyzer->figure;
    if (!figure)
        argp_error(state, "--plot: assay-%s has no figure", settings->analyzer->name);
    else if (figure_check(figure, arg, message, sizeof message) != 0)
        argp_error(state, "--plot: %s", message);
    settings->plot = arg;
}

static void add_path(struct settings *settings, char *path, struct argp_state *state)
{
    char **paths = realloc(settings->paths, (settings->path_count + 1) * sizeof *paths);
    if (!paths)
        argp_failure(state, 1, ENOMEM, "reading the arguments");
    settings->paths = paths;
    paths[settings->path_count++] = path;
}

static error_t parse_own(struct settings *settings, int key, char *arg, struct argp_state *state)
{
    const struct analyzer *analyzer = settings->analyzer;
    error_t status = analyzer->parse ? analyzer->parse(key, arg, analyzer->own) : ARGP_ERR_UNKNOWN;
    if (status == EINVAL)
        argp_error(state, "'%s' is not a value that this option takes; see --help", arg ? arg : "");
    return status;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct settings *settings = state->input;
    switch (key) {
    case KEY_FORMAT:
        if (!table_format_named(arg, &settings->format))
            argp_error(state, "--format %s: must be text, csv, tsv, json, markdown or latex", arg);
        settings->names_format = true;
        return 0;
    case 'o':
        settings->output = arg;
        return 0;
    case KEY_PLOT:
        check_plot(settings, arg, state);
        return 0;
    case KEY_SAVE:
        settings->save_state = arg;
        return 0;
    case KEY_CONFIDENCE:
        parse_confidence(settings, arg, state);
        return 0;
    case KEY_METHOD:
        parse_method(settings, arg, state);
        return 0;
    case 'j':
        parse_jobs(settings, arg, state);
        return 0;
    case 'q':
        settings->quiet = true;
        return 0;
    case KEY_KEEP_GOING:
        settings->keep_going = true;
        return 0;
    case ARGP_KEY_ARG:
        add_path(settings, arg, state);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "name at least one trace: what `assay record` wrote, DIR/*.trace");
        return EINVAL;
    default:
        return parse_own(settings, key, arg, state);
    }
}

static struct argp_option *join_options(const struct argp_option *own)
{
    size_t own_count = 0, common_count = sizeof common_options / sizeof common_options[0];
    while (own && (own[own_count].name || own[own_count].doc))
        own_count++;
    struct argp_option *all = calloc(own_count + common_count, sizeof *all);
    if (all) {
        if (own_count)
            memcpy(all, own, own_count * sizeof *all);
        memcpy(all + own_count, common_options, sizeof common_options);
    }
    return all;
}

/* A part should be worth a thread and a merge: four million records take about 20 ms to decode. Tests cut small traces
 * by ASSAY_PART_RECORDS. */
static uint64_t part_records(void)
{
    const char *text = getenv("ASSAY_PART_RECORDS");
    uint64_t wanted = text ? strtoull(text, NULL, 10) : 0;
    return wanted ? wanted : UINT64_C(1) << 22;
}

void settings_parse(struct settings *settings, const struct analyzer *analyzer, int argc, char **argv)
{
    static char version[64], name[64];
    *settings = (struct settings){.analyzer = analyzer, .part_records = part_records(), .options.confidence = 0.95};
    snprintf(version, sizeof version, "assay-%s " ASSAY_VERSION, analyzer->name);
    snprintf(name, sizeof name, "assay-%s", analyzer->name);
    argp_program_version = version;
    argp_err_exit_status = 2;
    struct argp_option *options = join_options(analyzer->options);
    const struct argp argp = {options, parse_option, "TRACE...", analyzer->doc, NULL, NULL, NULL};
    argv[0] = name;
    if (!options || near_parse(&argp, argc, argv, 0, settings) != 0)
        exit(2);
    free(options);
    if (settings->output && !settings->names_format)
        table_format_of_path(settings->output, &settings->format);
    settings->options.for_people =
        settings->format == TABLE_TEXT_FORMAT || settings->format == TABLE_MARKDOWN || settings->format == TABLE_LATEX;
    settings->options.own = analyzer->own;
}
