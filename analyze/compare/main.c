/*
 * assay compare - how many times slower or faster than the baseline is each group?
 *
 * Input: tables. Values (times) by group.
 * Methods: Welch's t with Fieller's interval (stats/inference/compare.h, stats/estimates/ratio.h); a bootstrap interval
 * (BCa) and its test; Mann and Whitney's test and interval (stats/inference/rank.h) of the medians. What cannot be
 * compared is left out (leave_out.h), on either side.
 */
#include <errno.h>
#include <string.h>

#include "analyze/compare/compare_pairs.h"
#include "analyze/compare/compare_rows.h"
#include "analyze/compare/gate.h"
#include "analyze/compare/pull_request.h"
#include "analyze/cli/number.h"
#include "analyze/driver/tables/table_analyzer.h"

static struct {
    const char *baseline;
    const char *pair;   /* the column that names pairs, or NULL */
    bool several_files; /* which are compared */
    enum comparison_question question;
    struct gate gate;
    enum comparison_effect effect;
    const char *pull_request; /* a file, or NULL */
    const char *higher[TABLE_ANALYZER_COLUMNS_MAX];
    size_t higher_count;
    bool in_family; /* p are adjusted for all tests of the table */
    enum family_method family;
} options;

static const bool keeps_values = true;
static const char *const methods[] = {[COMPARISON_WELCH] = "welch",
                                      [COMPARISON_BOOTSTRAP] = "bootstrap",
                                      [COMPARISON_MANN_WHITNEY] = "mann-whitney",
                                      [COMPARISON_PAIRED_T] = "paired-t",
                                      [COMPARISON_WILCOXON] = "wilcoxon",
                                      [COMPARISON_SIGN] = "sign",
                                      NULL};
static const char *const figures[] = {"ratios", NULL};

static enum comparison_method compare_method(const char *name)
{
    enum comparison_method method = COMPARISON_WELCH;
    while (strcmp(methods[method], name) != 0)
        method++;
    return method;
}

/* Its columns have the names of both sides, if there are only two. */
static int compare_write_pull_request(const struct compare_task *task, struct error_text *message)
{
    const struct groups *groups = task->groups;
    const size_t column = task->baseline.column;
    bool paired = compare_is_paired(task), two = paired ? task->text_count == 2 : groups->count == 2;
    struct pull_request request = {.rows = task->rows,
                                   .gate = &options.gate,
                                   .old = paired ? task->baseline.text : groups_name(groups, task->baseline.group),
                                   .warnings = task->report->warnings,
                                   .notes = task->report->notes,
                                   .tests = options.in_family ? task->family.tests : 0};
    for (size_t g = 0; g < groups->count && two; g++) {
        const char *text = paired ? groups->texts[g][column] : groups_name(groups, g);
        request.new = strcmp(text, request.old) != 0 ? text : request.new;
    }
    int error = pull_request_write(&request, options.pull_request);
    return error ? error_set(message, STATUS_BAD, "%s: %s", options.pull_request, strerror(error)) : STATUS_GOOD;
}

/* Compares, and fills the report of the task. */
static int compare_make_report(struct compare_task *task, struct error_text *message)
{
    struct compare_rows *rows = task->rows;
    struct report *report = task->report;
    unsigned given = (rows->has_metrics ? WITH_METRIC : 0) | (compare_is_paired(task) ? WITH_BASELINES : 0) |
                     (comparison_has_medians(task->request.method) ? WITH_MEDIANS : WITH_MEANS) |
                     (options.in_family ? WITH_FAMILY : 0) | (task->request.margin > 0 ? WITH_MARGIN : 0) |
                     (task->request.effect ? WITH_EFFECT : 0);
    int status = report_tables(report, compare_tables, given) != 0 ? STATUS_BAD : compare_all(task);
    if (!status && options.in_family && compare_rows_adjust(rows, options.family, &task->family) != STATS_OK)
        status = STATUS_BAD;
    if (status)
        return error_set(message, STATUS_BAD, "out of memory");
    compare_rows_decide(rows, &task->request);
    compare_rows_report(rows, task->request.effect, report);
    compare_notes(task);
    if (options.in_family)
        compare_note_family(task, options.family);
    if (compare_rows_count(rows, ROW_COMPARED) == 0)
        return error_set(message, STATUS_BAD, "nothing can be compared: %s",
                         *task->first.text ? task->first.text : "no benchmark is on both sides");
    compare_write_headline(task);
    if (options.gate.word_count > 0)
        status = gate_close(&options.gate, rows, report, message);
    if (!status && options.pull_request)
        status = compare_write_pull_request(task, message);
    return status;
}

static int compare_report(void *state, const struct table_settings *settings, void *own, struct report *report,
                          struct error_text *message)
{
    (void)own;
    enum comparison_method method = compare_method(settings->method);
    struct compare_rows rows = {0};
    struct pairing pairing = {0};
    struct compare_task task = {.groups = state,
                                .settings = settings,
                                .report = report,
                                .rows = &rows,
                                .direction = {options.higher, options.higher_count},
                                .request = {.method = method,
                                            .question = options.question,
                                            .effect = options.effect,
                                            .margin = options.gate.margin,
                                            .confidence = settings->confidence},
                                .decides =
                                    options.gate.margin > 0 || options.gate.word_count > 0 || options.pull_request};
    const char *unknown = direction_unknown(&task.direction, task.groups);
    if (unknown)
        return error_set(message, STATUS_USAGE, "--higher-is-better %s: no column of values, unit or text of a group",
                         unknown);
    if (settings->lost_first && !options.baseline)
        return error_set(message, STATUS_BAD,
                         "the first group, %.100s, has no values; say with --baseline which one to "
                         "compare with",
                         settings->lost_first);
    int status = options.pair ? pairing_init(&pairing, state, message) : STATUS_GOOD;
    task.pairing = options.pair ? &pairing : NULL;
    if (!status)
        status = baseline_find(task.groups, options.baseline, options.several_files, &task.baseline, message);
    if (status) {
        pairing_free(&pairing);
        return status;
    }
    rows.has_metrics = task.groups->columns.value_count > 1;
    status = compare_make_report(&task, message);
    compare_rows_free(&rows);
    pairing_free(&pairing);
    return status;
}

/* Takes "file" out of the columns of --by where there are several files, which then are groups. Whether it was there.
 */
static bool compare_split_by_file(struct rows_request *request, size_t files)
{
    static const char *groups[TABLE_ANALYZER_COLUMNS_MAX];
    size_t kept = 0, count = request->group_count;
    for (size_t i = 0; i < count; i++)
        if (files < 2 || strcmp(request->groups[i], "file") != 0)
            groups[kept++] = request->groups[i];
    request->groups = groups;
    request->group_count = kept;
    request->one_series_a_file |= kept < count;
    return kept < count;
}

/* Values of a group with one text in the column of --pair become one. Without --by, files (or the columns of --wide)
 * are the groups. */
static int compare_request_pairs(struct table_settings *settings, struct error_text *message)
{
    struct rows_request *request = &settings->request;
    if (request->within_count > 0)
        return error_set(message, STATUS_USAGE, "--pair names what values belong together; leave --within out");
    if (settings->only_steady)
        return error_set(message, STATUS_USAGE, "--steady is of the iterations of a process; leave --pair out");
    for (size_t i = 0; i < request->group_count; i++)
        if (strcmp(request->groups[i], options.pair) == 0)
            return error_set(message, STATUS_USAGE, "'%s' is in both --by and --pair", options.pair);
    if (options.effect == COMPARISON_CLIFF || options.effect == COMPARISON_A12)
        return error_set(message, STATUS_USAGE,
                         "--effect cliff and a12 are of independent values; with --pair use g, gz or rank");
    if (options.effect == COMPARISON_G)
        options.effect = COMPARISON_GAV;
    if (!settings->names_method)
        settings->method = methods[COMPARISON_PAIRED_T];
    if (!comparison_is_of_pairs(compare_method(settings->method)))
        return error_set(message, STATUS_USAGE,
                         "--method %s compares independent values; with --pair use paired-t, wilcoxon or sign",
                         settings->method);
    request->within = &options.pair;
    request->within_count = 1;
    request->within_any_file = true;
    request->levels = false;
    request->whole_groups_default = false;
    settings->keeps_processes = true;
    return STATUS_GOOD;
}

/* The directory of a path, "." if it has none. NULL without memory; it lives as long as the program. */
static const char *compare_directory(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? strndup(path, (size_t)(slash - path)) : ".";
}

/* With several files the first one named is the baseline, or its directory if these are compared; rows refer to it by
 * its displayed name. A baseline that is not a file's name is a text of the groups of --by, in all files together. */
static int compare_finalize(void *own, struct table_settings *settings, struct error_text *message)
{
    (void)own;
    const struct common *common = &settings->common;
    if (options.pair && compare_request_pairs(settings, message))
        return STATUS_USAGE;
    if (!options.pair && comparison_is_of_pairs(compare_method(settings->method)))
        return error_set(message, STATUS_USAGE,
                         "--method %s compares pairs; name with --pair the column that they share", settings->method);
    if (!options.pair && (options.effect == COMPARISON_GZ || options.effect == COMPARISON_RANK))
        return error_set(message, STATUS_USAGE,
                         "--effect gz and rank are of pairs; name with --pair the column that they share");
    bool wholes = compare_split_by_file(&settings->request, common->path_count) && settings->request.group_count == 0;
    settings->request.whole_groups_default &= !wholes;
    bool directories = table_analyzer_groups_by(settings, "directory");
    bool pools =
        directories || (settings->request.group_count > 0 && options.baseline && !settings->request.one_series_a_file &&
                        !baseline_is_file(options.baseline, (const char *const *)common->paths, common->path_count));
    options.several_files = common->path_count > 1 && !pools;
    settings->request.text_is_group = !settings->request.one_series_a_file && !wholes && !options.pair;
    settings->request.one_series_a_file |= options.several_files;
    if (!options.baseline && settings->request.wide_count > 0)
        options.baseline = settings->request.wide[0];
    if (!options.baseline && directories && common->path_count > 1)
        options.baseline = compare_directory(common->paths[0]);
    if (!options.baseline && options.several_files)
        options.baseline = strcmp(settings->common.paths[0], "-") == 0 ? "standard input" : settings->common.paths[0];
    if (options.gate.margin > 0 && options.question != COMPARISON_DIFFERS)
        return error_set(message, STATUS_USAGE, "--margin tests for equivalence; leave --alternative out");
    if (options.gate.word_count > 0 && options.question != COMPARISON_DIFFERS)
        return error_set(message, STATUS_USAGE, "--fail-on says which difference matters; leave --alternative out");
    if (options.gate.strict && (options.gate.word_count == 0 || options.gate.margin == 0))
        return error_set(message, STATUS_USAGE,
                         "--strict needs --fail-on and --margin: without a margin, nothing shows equality");
    if (options.gate.margin > 0)
        options.question = COMPARISON_EQUIVALENT;
    return STATUS_GOOD;
}

enum {
    KEY_BASELINE = 0x100,
    KEY_ALTERNATIVE,
    KEY_MARGIN,
    KEY_HIGHER,
    KEY_FAMILY,
    KEY_FAIL_ON,
    KEY_STRICT,
    KEY_PULL_REQUEST,
    KEY_EFFECT,
    KEY_PAIR
};

static int compare_parse_option(int key, char *arg, void *own)
{
    (void)own;
    switch (key) {
    case KEY_BASELINE:
        options.baseline = arg;
        return 0;
    case KEY_ALTERNATIVE:
        if (strcmp(arg, "two-sided") == 0)
            options.question = COMPARISON_DIFFERS;
        else if (strcmp(arg, "less") == 0)
            options.question = COMPARISON_LESS;
        else if (strcmp(arg, "greater") == 0)
            options.question = COMPARISON_GREATER;
        else
            return EINVAL;
        return 0;
    case KEY_HIGHER:
        options.higher_count = table_analyzer_split(arg, options.higher, TABLE_ANALYZER_COLUMNS_MAX);
        return options.higher_count ? 0 : EINVAL;
    case KEY_PAIR:
        options.pair = arg;
        return 0;
    case KEY_EFFECT:
        if (strcmp(arg, "g") == 0)
            options.effect = COMPARISON_G;
        else if (strcmp(arg, "cliff") == 0)
            options.effect = COMPARISON_CLIFF;
        else if (strcmp(arg, "a12") == 0)
            options.effect = COMPARISON_A12;
        else if (strcmp(arg, "gz") == 0)
            options.effect = COMPARISON_GZ;
        else if (strcmp(arg, "rank") == 0)
            options.effect = COMPARISON_RANK;
        else
            return EINVAL;
        return 0;
    case KEY_FAMILY:
        options.in_family = true;
        return family_parse(arg, &options.family) ? 0 : EINVAL;
    case KEY_MARGIN:
        return number_parse_percent(arg, 1e-6, 1000, &options.gate.margin);
    case KEY_FAIL_ON:
        options.gate.word_count = table_analyzer_split(arg, options.gate.words, GATE_WORDS_MAX);
        for (size_t i = 0; i < options.gate.word_count; i++)
            if (!gate_knows(options.gate.words[i]))
                return EINVAL;
        return options.gate.word_count ? 0 : EINVAL;
    case KEY_PULL_REQUEST:
        options.pull_request = arg;
        return 0;
    case KEY_STRICT:
        options.gate.strict = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option compare_options[] = {
    {"baseline", KEY_BASELINE, "NAME", 0,
     "the group to compare with (default: the first one, or the first of several files); with several group "
     "columns, a text in one of them also works; a file can be named without folders and suffix",
     0},
    {"alternative", KEY_ALTERNATIVE, "SIDE", 0, "what p tests: two-sided (default), less or greater than the baseline",
     0},
    {"margin", KEY_MARGIN, "PERCENT", 0,
     "test whether both are equal within PERCENT: equivalent; faster or slower by more; or undecided, with the "
     "number of runs that are missing",
     0},
    {"fail-on", KEY_FAIL_ON, "WORD[,WORD…]", 0,
     "exit with status 3 if this verdict is shown (with --margin, beyond it): slower, faster, larger, smaller, "
     "more, less, or for any kind of values worse, better or different",
     0},
    {"strict", KEY_STRICT, NULL, 0,
     "with --fail-on and --margin: exit with status 1 if a comparison is undecided, or only one side has a "
     "benchmark",
     0},
    {"pair", KEY_PAIR, "COL", 0,
     "values with the same text in this column belong together: test their differences, by --method paired-t "
     "(default), wilcoxon or sign",
     0},
    {"effect", KEY_EFFECT, "SIZE", 0,
     "add an effect size with its interval: g (Hedges), cliff (Cliff's delta) or a12 (Vargha and Delaney); with --pair "
     "g, "
     "gz (of the differences) or rank (rank-biserial)",
     0},
    {"pull-request", KEY_PULL_REQUEST, "FILE", 0,
     "also write the result to FILE as Markdown for a comment on a pull request: what changed first, the rest "
     "folded",
     0},
    {"family", KEY_FAMILY, "METHOD", 0,
     "adjust p for the number of tests in the table, and decide by the adjusted one: holm (no false difference, "
     "with the given confidence) or bh (few false ones among those shown)",
     0},
    {"higher-is-better", KEY_HIGHER, "NAME[,NAME…]", 0,
     "of which values more is better: a column of values, a unit, or a text of a group (ops/s, fps and the like "
     "are "
     "known)",
     0},
    {0}};

int main(int argc, char **argv)
{
    static const struct table_analyzer program = {
        .name = "compare",
        .doc = "How many times slower or faster than the baseline is each group?\v"
               "Examples:\n"
               "  assay compare --value time --by version --baseline v1 times.csv\n"
               "  assay compare hyperfine.json                  values and names of the tool\n"
               "  assay compare old.json new.json               benchmark by benchmark\n"
               "  assay compare --method mann-whitney a.txt b.txt    medians, as benchstat\n"
               "  assay compare --by file old.csv new.csv       all values of a file together\n"
               "  assay compare --margin 1% old.csv new.csv     are they equal within 1 %?\n"
               "  assay compare --fail-on slower --margin 2% old.json new.json    in CI\n"
               "  assay compare --by version,program --baseline v1 times.csv\n"
               "  assay compare --pair name old.csv new.csv     program by program\n"
               "  assay compare --family holm old.json new.json      p of many benchmarks",
        .options = compare_options,
        .parse = compare_parse_option,
        .methods = methods,
        .figures = figures,
        .tables = compare_tables,
        .table_count = 1,
        .finalize = compare_finalize,
        .has_levels = true,
        .consumer = GROUPS_CONSUMER(&keeps_values),
        .report = compare_report};
    return table_analyzer_main(&program, argc, argv);
}
