#include "analyze/causality/on_traces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/causality/verdicts.h"
#include "analyze/causality/traced_points.h"
#include "analyze/cli/number.h"
#include "analyze/driver/run_label.h"
#include "analyze/driver/tables/groups.h"

static struct traced_points_options traced_points = {.by = RUN_LABEL_PROFILER};
static double tolerance = 0.15;
static uint64_t look, family;
static bool lists_points;

static void on_traces_note(const struct traced_points_left_out *left_out, size_t points, struct report *report)
{
    const struct {
        size_t count;
        const char *what, *why;
    } reasons[] = {{left_out->strangers, "trace",
                    "no work was injected; record under assay inject: assay inject … -- assay record …"},
                   {left_out->failed, "run", "the command failed"},
                   {left_out->timeless, "run", "the traces don't tell how long the command ran"},
                   {left_out->empty, "run", "no sample"}};
    bool any = false;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        size_t count = reasons[i].count;
        any |= count > 0;
        if (count > 0)
            report_warn(report, "%zu %s%s left out: %s", count, reasons[i].what, count == 1 ? " is" : "s are",
                        reasons[i].why);
    }
    if (points == 0 && !any)
        report_warn(report, "there is no point: no trace was recorded with work in %s",
                    traced_points.only ? traced_points.only : "any method");
    report_note(
        report,
        "reported: the method's own share of the samples of a run, times the time that the profiler had in "
        "view; real: the program's "
        "%s",
        traced_points.time == TRACED_POINTS_CPU ? "CPU time"
        : traced_points.time == TRACED_POINTS_WALL
            ? "wall time"
            : "CPU time where intervals are of CPU time, without compilers and collectors, or of the Java threads "
              "where the trace has only these; wall time elsewhere");
    if (!traced_points.injected)
        report_note(report, "whether the JIT compiler decided alike with and without work is not known here: "
                            "--injected TABLE takes the guard of assay inject");
}

/* The table of assay inject, whose guard judges each point. */
enum { METHOD, WORK, RUN, GUARD, COLUMNS };

/* Adds the traced_points_key() of each row that is not "ok" to invalid. A status with a message. */
static int on_traces_read_injected(const char *path, struct text_set *invalid, struct error_text *message)
{
    static const char *const names[COLUMNS] = {"method", "work", "run", "guard"}, *const values[] = {"amount"};
    static const bool keeps_values = true;
    const struct rows_request request = {.paths = &path,
                                         .path_count = 1,
                                         .values = values,
                                         .value_count = 1,
                                         .groups = names,
                                         .group_count = COLUMNS,
                                         .header = ROWS_HEADER_PRESENT,
                                         .jobs = 1};
    const struct rows_consumer consumer = GROUPS_CONSUMER(&keeps_values);
    struct rows_account account = {0};
    void *state;
    int status = rows_read(&request, &consumer, &state, &account, message);
    if (status)
        return STATUS_BAD;
    const struct groups *groups = state;
    for (size_t g = 0; !status && g < groups->count; g++) {
        char *const *texts = groups->texts[g];
        const struct series *amounts = groups_series(groups, g, 0);
        for (size_t i = 0; !status && strcmp(texts[GUARD], "ok") != 0 && i < amounts->n; i++) {
            char *key = traced_points_key(texts[METHOD], texts[WORK], texts[RUN], series_double(amounts, i));
            if (!key || text_set_add(invalid, key) == TEXT_SET_FULL)
                status = error_set(message, STATUS_BAD, "out of memory");
            free(key);
        }
    }
    groups_free(state);
    rows_account_free(&account);
    return status;
}

static int on_traces_report(void *state, struct report *report)
{
    const struct verdict_options how = {report->options->confidence, tolerance, true,
                                        report->options->use_z,      look,      family};
    struct show show = {.by = traced_points_by, .by_count = TRACED_POINTS_BY_COUNT, .how = &how, .report = report};
    struct text_set invalid = {0};
    struct traced_points_texts texts = {0};
    struct traced_points_left_out left_out = {0};
    struct points points = {0};
    struct error_text message = {""};
    if (traced_points.injected && on_traces_read_injected(traced_points.injected, &invalid, &message) != 0)
        report_warn(report, "--injected: %s; points that its guard calls invalid are in these slopes", message.text);
    int error = traced_points_points(state, traced_points.injected ? &invalid : NULL, &points, &texts, &left_out);
    if (!error)
        error = lists_points ? causality_list_points(&points, report) : verdicts_report(&points, &show, true);
    report->no_result = points.count == 0 || *message.text;
    if (points.count > 0 && !traced_points_know_profilers(state))
        run_label_refuse_unknown(report);
    if (!error)
        on_traces_note(&left_out, points.count, report);
    points_free(&points);
    traced_points_texts_free(&texts);
    text_set_free(&invalid);
    return error;
}

enum {
    KEY_BY = 0x100,
    KEY_ONLY,
    KEY_INJECTED,
    KEY_TIME,
    KEY_TRACE_TOLERANCE,
    KEY_TRACE_LOOK,
    KEY_TRACE_FAMILY,
    KEY_POINTS
};

static int on_traces_parse_option(int key, char *arg, void *unused)
{
    (void)unused;
    switch (key) {
    case KEY_BY:
        traced_points.by = run_label_select(arg);
        return traced_points.by < RUN_LABELS ? 0 : EINVAL;
    case KEY_ONLY:
        traced_points.only = arg;
        return 0;
    case KEY_INJECTED:
        traced_points.injected = arg;
        return 0;
    case KEY_TIME:
        traced_points.time = strcmp(arg, "cpu") == 0 ? TRACED_POINTS_CPU : TRACED_POINTS_WALL;
        return traced_points.time == TRACED_POINTS_CPU || strcmp(arg, "wall") == 0 ? 0 : EINVAL;
    case KEY_TRACE_TOLERANCE:
        return number_parse(arg, 1e-6, 0.999999, &tolerance);
    case KEY_TRACE_LOOK:
        return number_parse_count(arg, 1, VERDICT_LOOKS_MAX, &look);
    case KEY_POINTS:
        lists_points = true;
        return 0;
    case KEY_TRACE_FAMILY:
        return number_parse_count(arg, 1, VERDICT_FAMILY_MAX, &family);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int on_traces(int argc, char **argv)
{
    static const struct argp_option own_options[] = {
        {"by", KEY_BY, "LABEL", 0,
         "what tells profilers apart: " RUN_LABEL_HELP ", or another key of the metadata (default: profiler, which is "
         "the tool of an imported profile, else the clock)",
         0},
        {"only", KEY_ONLY, "NAME", 0, "only this one of the methods that were made slower (default: all)", 0},
        {"injected", KEY_INJECTED, "TABLE", 0,
         "the table of assay inject: points that its guard calls invalid are counted and left out", 0},
        {"time", KEY_TIME, "cpu|wall", 0,
         "the program's time (default: CPU time where the profiler's intervals are of CPU time, else wall time)", 0},
        {"points", KEY_POINTS, NULL, 0, "list the points instead: a table for other programs, or for --real", 0},
        {"tolerance", KEY_TRACE_TOLERANCE, "D", 0, "slopes within 1-D to 1+D are actionable (default 0.15)", 0},
        {"look", KEY_TRACE_LOOK, "K", 0, VERDICT_LOOK_HELP, 0},
        {"family", KEY_TRACE_FAMILY, "M", 0, VERDICT_FAMILY_HELP, 0},
        {0}};
    static const struct analyzer_input inputs[] = {
        {TRACE_SAMPLE, TRACE_COLUMN(SAMPLE_CONTEXT) | TRACE_COLUMN(SAMPLE_WEIGHT)}, {0, 0}};
    static const struct analyzer analyzer = {
        .name = "causality",
        .doc = "If a method gets slower, does the profiler say so? Slope of the reported against the real change (1 is "
               "right, 0 is blind), with its interval over runs and a verdict.\v"
               "Examples:\n"
               "  assay inject --method app.Engine.step --sweep 100:200:1100 -o step.csv -- \\\n"
               "      assay record --clock random,safepoint -o out/{run}-{amount} -- \\\n"
               "      java -jar app.jar\n"
               "  assay causality --injected step.csv out/*/*.trace\n"
               "Points in a table, a row for each run (--real=COL --help tells more):\n"
               "  assay causality --method method --run run --real program_ms \\\n"
               "        --reported method_ms table.csv",
        .options = own_options,
        .parse = on_traces_parse_option,
        .own = &traced_points,
        .inputs = inputs,
        .figure = "causality",
        .tables = causality_tables,
        .table_count = CAUSALITY_TABLES,
        .relations = traced_points_relations,
        .relation_count = TRACED_POINTS_RELATIONS,
        .init = traced_points_init,
        .feed = traced_points_feed,
        .finalize = traced_points_finalize,
        .report = on_traces_report,
        .free = traced_points_free,
    };
    return analyzer_main(&analyzer, argc, argv);
}
