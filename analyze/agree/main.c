/*
 * assay agree - do profilers agree?
 *
 * Records: sample (CPU time, context), of traces by several profilers or clocks; or a table of shares (--share).
 * Source: Mytkowicz, Diwan, Hauswirth, Sweeney, "Evaluating the Accuracy of Java Profilers", PLDI 2010, §4.1 to §4.4,
 * Fig. 1 to 5; analyze/agree/measure.h.
 */
#include <string.h>

#include "analyze/agree/measure.h"
#include "analyze/agree/sources.h"
#include "analyze/agree/tables.h"
#include "analyze/cli/number.h"
#include "analyze/driver/run_label.h"
#include "analyze/driver/tables/table_analyzer.h"

static struct {
    struct from_trace_options trace; /* first: the state looks there */
    enum tables_question question;
    uint64_t top;
    const char *baseline; /* of --observer */
    char *columns[4];     /* of a table, see below */
    const char *groups[3], *values[1];
} own = {.top = 10, .trace = {.by = RUN_LABEL_PROFILER}};

enum {
    KEY_UNION = 0x100,
    KEY_HOTNESS,
    KEY_METHODS,
    KEY_TOP,
    KEY_BY,
    KEY_WITHOUT_SIGNATURES,
    KEY_RAW_NAMES,
    KEY_OBSERVER,
    KEY_COLUMN
};
enum { COLUMN_PROFILER, COLUMN_METHOD, COLUMN_RUN, COLUMN_SHARE };

#define QUESTIONS                                                                                                       \
    {                                                                                                                   \
        "union", KEY_UNION, NULL, 0, "how many methods are among the n hottest of at least one profiler, for n from 1", \
        0},                                                                                                             \
        {"hotness", KEY_HOTNESS, NULL, 0, "share of the hottest methods in each profiler", 0},                          \
        {"methods", KEY_METHODS, NULL, 0, "the methods in which each pair differs most", 0},                            \
    {                                                                                                                   \
        "top", KEY_TOP, "N", 0, "how many of the hottest methods to compare (default 10, at most 100)", 0               \
    }

static int agree_parse_option(int key, char *arg, void *unused)
{
    (void)unused;
    switch (key) {
    case KEY_UNION:
        own.question = TABLES_UNION;
        return 0;
    case KEY_HOTNESS:
        own.question = TABLES_HOTNESS;
        return 0;
    case KEY_METHODS:
        own.question = TABLES_METHODS;
        return 0;
    case KEY_OBSERVER:
        own.question = TABLES_OBSERVER;
        own.baseline = arg;
        return 0;
    case KEY_TOP:
        return number_parse_count(arg, 1, MEASURE_TOP_MAX, &own.top);
    case KEY_BY:
        own.trace.by = run_label_select(arg);
        return own.trace.by < RUN_LABELS ? 0 : EINVAL;
    case KEY_WITHOUT_SIGNATURES:
        own.trace.without_signatures = true;
        return 0;
    case KEY_RAW_NAMES:
        own.trace.raw_names = true;
        return 0;
    default:
        if (key < KEY_COLUMN || key > KEY_COLUMN + COLUMN_SHARE)
            return ARGP_ERR_UNKNOWN;
        own.columns[key - KEY_COLUMN] = arg;
        return 0;
    }
}

/* -------------------------------------------------------------------------------------- traces -- */

static int agree_report_traces(void *state, struct report *report)
{
    const struct from_trace *from = state;
    const struct tables_options options = {
        own.question, (size_t)own.top, own.baseline, {report->options->confidence, report->options->use_z}};
    struct profiles level;
    size_t count = 0;
    int error = 0;
    profiles_init(&level);
    if (!own.trace.raw_names)
        error = profiles_level_names(&from->profiles, &level, &count);
    if (!error)
        error = tables_report(count > 0 ? &level : &from->profiles, &options, report);
    if (!error && !profiles_know_profilers(&from->profiles))
        run_label_refuse_unknown(report);
    if (!error && count > 0)
        report_note(report, "%zu method%s compared without parameters, which not every profiler knows", count,
                    count == 1 ? " is" : "s are");
    profiles_free(&level);
    return error;
}

static int agree_on_traces(int argc, char **argv)
{
    static const struct argp_option options[] = {
        QUESTIONS,
        {"by", KEY_BY, "LABEL", 0,
         "what tells profilers apart: " RUN_LABEL_HELP ", or another key of the metadata (default: profiler, which is "
         "the tool of an imported profile, else the clock)",
         0},
        {"observer", KEY_OBSERVER, "NAME", 0,
         "what a profiler that runs at the same time changes: profiles and times compared with those of NAME, which "
         "ran alone",
         0},
        {"without-signatures", KEY_WITHOUT_SIGNATURES, NULL, 0, "methods without their parameters: f(int) is f", 0},
        {"raw-names", KEY_RAW_NAMES, NULL, 0,
         "methods are called what the traces call them, also if that differs from run to run, or by the profiler", 0},
        {0}};
    static const struct analyzer_input inputs[] = {
        {TRACE_SAMPLE, TRACE_COLUMN(SAMPLE_CONTEXT) | TRACE_COLUMN(SAMPLE_CPU) | TRACE_COLUMN(SAMPLE_WEIGHT)}, {0, 0}};
    static const struct analyzer analyzer = {
        .name = "agree",
        .doc = "Do profilers agree? Hottest methods, overlap, rank correlation and distance of their profiles.\v"
               "Examples:\n"
               "  assay record --clock random,safepoint --runs 10 -o both -- java -jar app.jar\n"
               "  assay agree both/*.trace\n"
               "  assay agree --methods --top 5 both/*.trace\n"
               "  assay agree --union both/*.trace jfr/*.trace\n"
               "  assay agree recording.jfr stacks.folded\n"
               "  assay agree --by directory random/*.trace gprof/*.trace\n"
               "  assay agree --plot hotness.pdf --top 4 both/*.trace\n"
               "Does JFR disturb the program? Traces of one clock, without and with it:\n"
               "  assay agree --by directory --observer alone alone/*.trace with-jfr/*.trace\n"
               "Profiles in a table, a row for each share (--share=COL --help tells more):\n"
               "  assay agree --profiler profiler --method method --run run --share share \\\n"
               "      shares.csv",
        .options = options,
        .parse = agree_parse_option,
        .own = &own,
        .inputs = inputs,
        .raw_names = &own.trace.raw_names,
        .figure = "agree",
        .tables = agree_tables,
        .table_count = TABLES_QUESTIONS,
        .relations = profiles_relations,
        .relation_count = PROFILES_RELATIONS,
        .init = from_trace_init,
        .feed = from_trace_feed,
        .finalize = from_trace_finalize,
        .report = agree_report_traces,
        .free = from_trace_free,
    };
    return analyzer_main(&analyzer, argc, argv);
}

/* -------------------------------------------------------------------------------------- tables -- */

static int agree_report_table(void *state, const struct table_settings *settings, void *unused, struct report *report,
                              struct error_text *message)
{
    (void)unused;
    const struct tables_options options = {own.question, (size_t)own.top, NULL, {settings->confidence, false}};
    struct profiles profiles;
    profiles_init(&profiles);
    int status = from_table(state, own.columns[COLUMN_RUN] != NULL, &profiles, message);
    if (!status && tables_report(&profiles, &options, report) != 0)
        status = error_set(message, STATUS_BAD, "out of memory");
    if (!status && report->no_result)
        status = error_set(message, STATUS_BAD, "there are fewer than two profilers to compare");
    profiles_free(&profiles);
    return status;
}

static int agree_finalize(void *unused, struct table_settings *settings, struct error_text *message)
{
    (void)unused;
    if (!own.columns[COLUMN_PROFILER] || !own.columns[COLUMN_METHOD] || !own.columns[COLUMN_SHARE])
        return error_set(message, STATUS_USAGE, "name the columns: --profiler COL --method COL --share COL");
    if (settings->request.group_count > 0)
        return error_set(message, STATUS_USAGE,
                         "--by can't be used with --profiler, which already tells profiles apart");
    own.groups[COLUMN_PROFILER] = own.columns[COLUMN_PROFILER];
    own.groups[COLUMN_METHOD] = own.columns[COLUMN_METHOD];
    own.groups[COLUMN_RUN] = own.columns[COLUMN_RUN];
    own.values[0] = own.columns[COLUMN_SHARE];
    settings->request.groups = own.groups;
    settings->request.group_count = own.columns[COLUMN_RUN] ? 3 : 2;
    settings->request.values = own.values;
    settings->request.value_count = 1;
    return STATUS_GOOD;
}

static int agree_on_tables(int argc, char **argv)
{
    static const bool keeps_values = true;
    static const char *const figures[] = {"agree", NULL};
    static const struct argp_option options[] = {
        QUESTIONS,
        {"profiler", KEY_COLUMN + COLUMN_PROFILER, "COL", 0, "the profiler", 0},
        {"method", KEY_COLUMN + COLUMN_METHOD, "COL", 0, "the method", 0},
        {"run", KEY_COLUMN + COLUMN_RUN, "COL", 0, "the run (default: each profiler has one)", 0},
        {"share", KEY_COLUMN + COLUMN_SHARE, "COL", 0, "the method's share of the run's time, 0-1", 0},
        {0}};
    static const struct table_analyzer program = {
        .name = "agree",
        .doc =
            "Do profilers agree? From a table with a row for each share of a method. A method that a run does not name "
            "has share 0 in it.\v"
            "Example:\n"
            "  assay agree --profiler profiler --method method --run run --share share \\\n"
            "      shares.csv",
        .options = options,
        .parse = agree_parse_option,
        .no_values = true,
        .figures = figures,
        .tables = agree_tables,
        .table_count = TABLES_OBSERVER,
        .finalize = agree_finalize,
        .consumer = GROUPS_CONSUMER(&keeps_values),
        .report = agree_report_table};
    return table_analyzer_main(&program, argc, argv);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strncmp(argv[i], "--share", 7) == 0 || strncmp(argv[i], "--profiler", 10) == 0)
            return agree_on_tables(argc, argv);
    return agree_on_traces(argc, argv);
}
