#include "analyze/driver/by_label.h"
#include "analyze/driver/driver.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_METHOD = 0x1000, KEY_KEEP_GOING, KEY_SAVE, KEY_PROFILE, KEY_BY };

static const struct argp_option common_options[] = {
    {NULL, 0, NULL, 0, "Common to all analyzers:", 100},
    COMMON_OPTIONS,
    COMMON_PLOT_OPTION,
    {"method", KEY_METHOD, "t|z", 0, "intervals by Student's t (default) or, as in the papers, by the normal quantile",
     100},
    {"keep-going", KEY_KEEP_GOING, NULL, 0,
     "exit 0 even if a trace is damaged or cut; what is missing is still reported", 100},
    {"save-state", KEY_SAVE, "FILE", 0,
     "save the partial state instead of reporting; use such files as input, or join them with assay merge", 100},
    {"profile", KEY_PROFILE, "NAME", 0,
     "of inputs that are profiles of other tools and hold several: this event or type of value (default: CPU time)",
     100},
    {0}};

static const struct argp_option by_option = {
    "by", KEY_BY, "LABEL", 0, "a result for each " RUN_LABEL_HELP ", instead of one for all inputs", 90};

/* Only analyzers that read the weights of samples have these. */
static const struct argp_option weight_options[] = {SELECTION_OPTIONS(90)};

bool frame_reads_weights(const struct analyzer *analyzer)
{
    for (const struct analyzer_input *wanted = analyzer->inputs; wanted->kind; wanted++)
        if (wanted->kind == TRACE_SAMPLE && wanted->columns & TRACE_COLUMN(SAMPLE_WEIGHT))
            return true;
    return false;
}

void driver_print_error(const struct settings *settings, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    result_vprint_error(settings->analyzer->name, format, args);
    va_end(args);
}

static error_t settings_parse_option(int key, char *arg, struct argp_state *state)
{
    struct settings *settings = state->input;
    const struct analyzer *analyzer = settings->analyzer;
    const char *conflict;
    switch (key) {
    case KEY_SAVE:
        settings->save_state = arg;
        return 0;
    case KEY_PROFILE:
        settings->profile = arg;
        return 0;
    case KEY_BY:
        settings->by = run_label_select(arg);
        if (settings->by == RUN_LABELS)
            argp_error(state, "--by names a label: " RUN_LABEL_HELP);
        return 0;
    case KEY_METHOD:
        if (strcmp(arg, "t") != 0 && strcmp(arg, "z") != 0)
            argp_error(state, "--method %s: must be t or z", arg);
        settings->options.use_z = arg[0] == 'z';
        return 0;
    case KEY_KEEP_GOING:
        settings->keep_going = true;
        return 0;
    case SELECTION_WEIGHT:
    case SELECTION_STATE:
        return selection_option(&settings->options.selection, key, arg, state);
    case ARGP_KEY_NO_ARGS:
        argp_error(state,
                   "name at least one trace, what `assay record` wrote (DIR/*.trace), or profile of another tool");
        return EINVAL;
    case ARGP_KEY_SUCCESS:
        conflict = analyzer->conflict ? analyzer->conflict(analyzer->own) : NULL;
        if (conflict)
            argp_error(state, "%s", conflict);
        conflict = settings->by < RUN_LABELS && analyzer->conflict_by ? analyzer->conflict_by(analyzer->own) : NULL;
        if (conflict)
            argp_error(state, "%s", conflict);
        if (settings->save_state && analyzer->baseline && analyzer->baseline->count > 0)
            argp_error(state, "--save-state saves one set of inputs: save the baseline by itself");
        settings->common.result.figure = analyzer->figure; /* which may depend on options */
        common_finalize(&settings->common, state);
        return 0;
    default:
        return common_option(&settings->common, key, arg, state);
    }
}

static void settings_append_options(struct argp_option *all, size_t *count, const struct argp_option *more,
                                    size_t more_count)
{
    for (size_t i = 0; i < more_count; i++)
        all[(*count)++] = more[i];
}

static struct argp_option *settings_join_options(const struct analyzer *analyzer)
{
    enum { COMMON = sizeof common_options / sizeof *common_options };
    enum { OF_WEIGHTS = sizeof weight_options / sizeof *weight_options };
    const struct argp_option *own = analyzer->options;
    size_t own_count = 0, count = 0;
    while (own && (own[own_count].name || own[own_count].doc))
        own_count++;
    struct argp_option *all = calloc(own_count + OF_WEIGHTS + 1 + COMMON_FIGURE_OPTIONS_MAX + COMMON, sizeof *all);
    if (!all)
        return NULL;
    settings_append_options(all, &count, own, own_count);
    settings_append_options(all, &count, weight_options, frame_reads_weights(analyzer) ? OF_WEIGHTS : 0);
    settings_append_options(all, &count, &by_option, analyzer->by ? 1 : 0);
    common_append_figure_options(all, &count);
    settings_append_options(all, &count, common_options, COMMON);
    return all;
}

/* The descriptions of the analyzer's tables, and of what --by adds; NULL without memory. */
static struct columns *settings_join_tables(const struct analyzer *analyzer, size_t *count)
{
    struct columns *tables = calloc(analyzer->table_count + 1, sizeof *tables);
    *count = 0;
    for (size_t t = 0; tables && t < analyzer->table_count; t++)
        tables[(*count)++] = analyzer->tables[t];
    if (tables && analyzer->by)
        tables[(*count)++] = by_label_columns;
    return tables;
}

void settings_parse(struct settings *settings, const struct analyzer *analyzer, int argc, char **argv)
{
    /* A part should be worth a thread and a merge: four million records take about 20 ms to decode. Tests cut small
     * traces by ASSAY_PART_RECORDS. */
    const char *records = getenv("ASSAY_PART_RECORDS");
    uint64_t part_records = records ? strtoull(records, NULL, 10) : 0;
    *settings = (struct settings){
        .analyzer = analyzer,
        .by = RUN_LABELS,
        .part_records = part_records ? part_records : UINT64_C(1) << 22,
        .common = {.parse = analyzer->parse,
                   .own = analyzer->own,
                   .result = {.program = analyzer->name,
                              .doc = analyzer->doc,
                              .command = result_command(analyzer->name, analyzer->subject, argc, argv)},
                   .confidence = 0.95}};
    struct result *result = &settings->common.result;
    struct argp_option *options = settings_join_options(analyzer);
    settings->tables = settings_join_tables(analyzer, &settings->common.table_count);
    const struct argp argp = {options, settings_parse_option, "TRACE...", analyzer->doc, NULL, NULL, NULL};
    if (!options || !settings->tables || !result->command) {
        driver_print_error(settings, "out of memory");
        exit(1);
    }
    settings->common.tables = settings->tables;
    common_parse(analyzer->name, &argp, argc, argv, settings);
    free(options);
    settings->options.human_readable = result_is_human_readable(result->format);
    settings->options.confidence = settings->common.confidence;
    settings->options.own = analyzer->own;
    if (settings->by < RUN_LABELS)
        settings->analyzer = by_label_analyzer(analyzer, settings->by);
    result->warnings_in_table = settings->options.human_readable && !settings->save_state;
}
