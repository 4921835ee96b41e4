/*
 * assay causality - if a method gets slower, does the profiler say so?
 *
 * Input: traces that were recorded under assay inject (samples: context, weight), or tables. A row of a table is a
 * point: a method was made slower by some amount, the program took a time, and a profiler reported a time (or a share
 * of the program's time) for the method. Slopes are by the amount as an instrument where there is one, by least squares
 * elsewhere, one per run; the interval is Student's t over runs. Source: Mytkowicz, Diwan, Hauswirth, Sweeney,
 * "Evaluating the Accuracy of Java Profilers", PLDI 2010, §5 and §7.2, Fig. 6, Tables 2 and 3; stats/fits/slope.h;
 * analyze/causality/verdict.h.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/causality/verdicts.h"
#include "analyze/causality/on_traces.h"
#include "analyze/causality/points.h"
#include "analyze/cli/number.h"
#include "analyze/driver/tables/table_analyzer.h"

static struct {
    char *method, *run, *valid, *real, *reported, *share, *amount;
    double tolerance;
    uint64_t look, family;
    const char *groups[TABLE_ANALYZER_COLUMNS_MAX + 3], *values[3];
    struct points_columns columns;
} options = {.tolerance = 0.15};

static const bool keeps_values = true;
static const char *const figures[] = {"causality", NULL};

static int causality_report_table(void *state, const struct table_settings *settings, void *own, struct report *report,
                                  struct error_text *message)
{
    (void)own;
    const struct verdict_options how = {settings->confidence, options.tolerance, options.amount != NULL, false,
                                        options.look,         options.family};
    struct show show = {.by = options.groups, .by_count = options.columns.method, .how = &how, .report = report};
    struct points points;
    int status = points_make(state, &options.columns, &points, message);
    if (!status && verdicts_report(&points, &show, options.share != NULL) != 0)
        status = error_set(message, STATUS_BAD, "out of memory");
    points_free(&points);
    return status;
}

static int causality_finalize(void *own, struct table_settings *settings, struct error_text *message)
{
    (void)own;
    struct rows_request *request = &settings->request;
    if (!options.method || !options.real || !options.reported == !options.share)
        return error_set(
            message, STATUS_USAGE,
            "name the columns: --method COL, --real COL, and --reported COL (a time) or --share COL (of the "
            "program's time)");
    size_t count = request->group_count;
    options.columns = (struct points_columns){count, options.run != NULL, options.valid != NULL, options.share != NULL};
    memcpy(options.groups, request->groups, count * sizeof *options.groups);
    const char *const more[] = {options.method, options.run, options.valid};
    for (size_t i = 0; i < 3; i++)
        if (more[i])
            options.groups[count++] = more[i];
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(options.groups[i], options.groups[j]) == 0)
                return error_set(message, STATUS_USAGE, "column '%s' is asked for twice", options.groups[i]);
    options.values[POINTS_REAL] = options.real;
    options.values[POINTS_REPORTED] = options.reported ? options.reported : options.share;
    options.values[POINTS_AMOUNT] = options.amount;
    request->groups = options.groups;
    request->group_count = count;
    request->values = options.values;
    request->value_count = options.amount ? 3 : 2;
    return STATUS_GOOD;
}

enum { KEY_OWN = 0x100, KEY_TOLERANCE = KEY_OWN + 7, KEY_LOOK, KEY_FAMILY };

static int causality_parse_option(int key, char *arg, void *own)
{
    (void)own;
    char **const columns[] = {&options.method,   &options.run,   &options.valid, &options.real,
                              &options.reported, &options.share, &options.amount};
    if (key == KEY_TOLERANCE)
        return number_parse(arg, 1e-6, 0.999999, &options.tolerance);
    if (key == KEY_LOOK)
        return number_parse_count(arg, 1, VERDICT_LOOKS_MAX, &options.look);
    if (key == KEY_FAMILY)
        return number_parse_count(arg, 1, VERDICT_FAMILY_MAX, &options.family);
    if (key < KEY_OWN || key > KEY_TOLERANCE)
        return ARGP_ERR_UNKNOWN;
    *columns[key - KEY_OWN] = arg;
    return 0;
}

static int causality_of_tables(int argc, char **argv)
{
    static const struct argp_option own_options[] = {
        {"method", KEY_OWN, "COL", 0, "the method that was made slower", 0},
        {"run", KEY_OWN + 1, "COL", 0, "the run; each has a slope of its own (default: all rows are one run)", 0},
        {"valid", KEY_OWN + 2, "COL", 0,
         "yes or no, or the guard of assay inject: points of no are counted and left out of the slope", 0},
        {"real", KEY_OWN + 3, "COL", 0, "time of the program", 0},
        {"reported", KEY_OWN + 4, "COL", 0, "time that the profiler reported for the method, in the same unit", 0},
        {"share", KEY_OWN + 5, "COL", 0, "or the share (0-1) of the program's time that it reported", 0},
        {"amount", KEY_OWN + 6, "COL", 0,
         "how much was injected: the slope is then free of the noise in the program's time", 0},
        {"tolerance", KEY_TOLERANCE, "D", 0, "slopes within 1-D to 1+D are actionable (default 0.15)", 0},
        {"look", KEY_LOOK, "K", 0, VERDICT_LOOK_HELP, 0},
        {"family", KEY_FAMILY, "M", 0, VERDICT_FAMILY_HELP, 0},
        {0}};
    static const struct table_analyzer program = {
        .name = "causality",
        .doc = "If a method gets slower, does the profiler say so? Slope of the reported against the real change (1 is "
               "right, 0 is blind), with its interval over runs and a verdict.\v"
               "A row of the table is a point: one run with one amount of work injected into a method.\n\n"
               "Examples:\n"
               "  assay causality --method method --run run --real program_ms \\\n"
               "        --reported method_ms table.csv\n"
               "  assay causality --method method --run run --amount fib --real time_s \\\n"
               "        --share share table.csv\n"
               "  assay causality --by profiler --method method --run run --amount fib \\\n"
               "        --real time_s --share share --valid compiled_alike --plot slopes.pdf \\\n"
               "        table.csv",
        .options = own_options,
        .parse = causality_parse_option,
        .figures = figures,
        .tables = causality_tables,
        .table_count = CAUSALITY_POINTS,
        .no_values = true,
        .finalize = causality_finalize,
        .consumer = GROUPS_CONSUMER(&keeps_values),
        .report = causality_report_table};
    return table_analyzer_main(&program, argc, argv);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strncmp(argv[i], "--real", 6) == 0 || strncmp(argv[i], "--reported", 10) == 0 ||
            strncmp(argv[i], "--share", 7) == 0)
            return causality_of_tables(argc, argv);
    return on_traces(argc, argv);
}
