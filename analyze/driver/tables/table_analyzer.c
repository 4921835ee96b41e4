#include "analyze/driver/tables/table_analyzer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/cli/number.h"
#include "analyze/cli/result.h"
#include "analyze/driver/tables/exact_memory.h"
#include "analyze/driver/tables/groups.h"
#include "analyze/driver/tables/levels_report.h"
#include "analyze/driver/tables/reading_report.h"
#include "analyze/driver/tables/steady_part.h"
#include "analyze/driver/tables/table_ranks.h"
#include "base/suggest.h"
#include "base/text.h"

enum {
    KEY_FIGURE = 0x1000,
    KEY_METHOD,
    KEY_VALUE,
    KEY_BY,
    KEY_SKIP_BAD,
    KEY_SKIP_FIRST,
    KEY_BY_FILE,
    KEY_HEADER,
    KEY_NO_HEADER,
    KEY_WIDE,
    KEY_WITHIN,
    KEY_STEADY,
    KEY_TOLERANCE,
    KEY_STEADY_SHARE
};
enum { OPTIONS_MAX = 32, PART_BYTES_MOST = 1 << 26 };

static const struct argp_option value_option = {
    "value", KEY_VALUE, "COL[,COL…]", 0, "columns of numbers (default: the only one, or what the format implies)", 90};
static const struct argp_option wide_option = {
    "wide", KEY_WIDE, "COL,COL[,…]", 0, "columns that hold values of the same quantity (old,new): a group each", 90};
static const struct argp_option within_option = {
    "within",
    KEY_WITHIN,
    "COL[,COL…]",
    0,
    "rows with the same texts there are of one process, whose mean counts as one value (default: what the format "
    "implies, as JMH's forks); none: all values are independent",
    90};
static const struct argp_option steady_option = {
    "steady", KEY_STEADY, NULL, 0, "leave out what each process measured before its steady state (assay warmup)", 91};
static const struct argp_option steady_options[] = {
    {"tolerance", KEY_TOLERANCE, "PERCENT", 0,
     "levels of a process that differ by no more are equal, in the search for its steady state (default 1%)", 91},
    {"steady-share", KEY_STEADY_SHARE, "PERCENT", 0,
     "a steady state has at least the last PERCENT of the iterations (default 25%)", 91}};
static const struct argp_option figure_options[] = {
    COMMON_PLOT_OPTION, {"figure", KEY_FIGURE, "NAME", 0, "which figure --plot draws", 100}};
static const struct argp_option method_option = {"method", KEY_METHOD, "NAME", 0, NULL, 95};
static const struct argp_option common_options[] = {
    {"by", KEY_BY, "COL[,COL…]", 0, "columns whose texts make groups", 90},
    {"by-file", KEY_BY_FILE, NULL, 0, "each of several files is a group of its own (column \"file\")", 90},
    {"header", KEY_HEADER, NULL, 0, "the first line is the header, whatever is in it", 90},
    {"no-header", KEY_NO_HEADER, NULL, 0, "the first line is data; columns are called 1, 2, 3 …", 90},
    {"skip-first", KEY_SKIP_FIRST, "N", 0, "leave the first N values of each group out: warm-up", 90},
    {"skip-bad", KEY_SKIP_BAD, NULL, 0, "skip rows that can't be read, and report how many", 90},
    COMMON_OPTIONS};

struct line {
    const struct table_analyzer *program;
    struct table_settings settings;
    const char *values[TABLE_ANALYZER_COLUMNS_MAX], *groups[TABLE_ANALYZER_COLUMNS_MAX],
        *wide[TABLE_ANALYZER_COLUMNS_MAX], *within[TABLE_ANALYZER_COLUMNS_MAX];
    bool names_figure, names_steady; /* --tolerance or --steady-share */
};

bool table_analyzer_groups_by(const struct table_settings *settings, const char *column)
{
    size_t i = 0;
    while (i < settings->request.group_count && strcmp(settings->request.groups[i], column) != 0)
        i++;
    return i < settings->request.group_count;
}

size_t table_analyzer_split(char *list, const char **pieces, size_t most)
{
    size_t count = 0;
    for (char *next = list; next;) {
        char *piece = strsep(&next, ",");
        if (!*piece || count == most)
            return 0;
        pieces[count++] = piece;
    }
    return count;
}

static void table_driver_parse_columns(const char *option, char *arg, const char **pieces, size_t *count,
                                       struct argp_state *state)
{
    if (!(*count = table_analyzer_split(arg, pieces, TABLE_ANALYZER_COLUMNS_MAX)))
        argp_error(state, "--%s: comma-separated column names, at most %d", option, TABLE_ANALYZER_COLUMNS_MAX);
    for (size_t i = 1; i < *count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(pieces[i], pieces[j]) == 0)
                argp_error(state, "--%s: '%s' is given twice", option, pieces[i]);
}

static const char *table_driver_parse_choice(const char *option, const char *arg, const char *const *names,
                                             struct argp_state *state)
{
    char list[256] = "";
    for (size_t i = 0; names[i]; i++) {
        if (strcmp(names[i], arg) == 0)
            return names[i];
        error_list(list, sizeof list, names[i]);
    }
    size_t count = 0;
    while (names[count])
        count++;
    const char *near = suggest_name(arg, names, count);
    argp_error(state, "--%s %s: must be one of %s%s%s%s", option, arg, list, near ? " (did you mean " : "",
               near ? near : "", near ? "?)" : "");
    return NULL;
}

/* Now, not after an hour's work. */
static void table_driver_finalize_options(struct line *line, struct argp_state *state)
{
    struct error_text message = {""};
    uint64_t part_bytes;
    struct table_settings *settings = &line->settings;
    settings->confidence = settings->common.confidence;
    settings->common.result.figure = settings->figure;
    /* tests cut small tables into parts; 0 leaves the size to rows.h */
    const char *part = getenv("ASSAY_PART_BYTES");
    if (part && number_parse_count(part, 1, PART_BYTES_MOST, &part_bytes) == 0)
        settings->request.part_bytes = part_bytes;
    common_finalize(&settings->common, state);
    if (line->names_figure && !result_wants_figure(&settings->common.result))
        argp_error(state, "--figure says what --plot draws; say with --plot FILE where to");
    if (settings->request.wide_count > 0 && settings->request.value_count > 0)
        argp_error(state, "--wide names the columns of values; leave --value out");
    for (size_t w = 0; w < settings->request.within_count; w++)
        for (size_t g = 0; g < settings->request.group_count; g++)
            if (strcmp(settings->request.within[w], settings->request.groups[g]) == 0)
                argp_error(state, "'%s' is in both --by and --within", settings->request.within[w]);
    if (line->names_steady && !settings->only_steady && !line->program->keeps_processes)
        argp_error(state, "--tolerance and --steady-share say what --steady leaves out; say --steady too");
    if (settings->only_steady && settings->request.within_count == 1 &&
        strcmp(settings->request.within[0], "none") == 0)
        argp_error(state, "--within none takes values as independent, without a steady state; leave --steady out");
    settings->request.levels = line->program->has_levels;
    settings->request.whole_processes = line->program->keeps_processes || settings->only_steady;
    if (line->program->finalize && line->program->finalize(line->program->own, settings, &message) != 0)
        argp_error(state, "%s", message.text);
    settings->request.lone_values = !line->program->no_values;
    settings->request.all_metrics = !line->program->no_values && !settings->common.result.plot;
    if (settings->common.path_count == 0 && isatty(STDIN_FILENO))
        argp_error(state, "name a table, or pipe one in");
}

static error_t table_driver_parse_option(int key, char *arg, struct argp_state *state)
{
    struct line *line = state->input;
    switch (key) {
    case KEY_VALUE:
        table_driver_parse_columns("value", arg, line->values, &line->settings.request.value_count, state);
        return 0;
    case KEY_BY:
        table_driver_parse_columns("by", arg, line->groups, &line->settings.request.group_count, state);
        return 0;
    case KEY_WIDE:
        table_driver_parse_columns("wide", arg, line->wide, &line->settings.request.wide_count, state);
        return 0;
    case KEY_WITHIN:
        table_driver_parse_columns("within", arg, line->within, &line->settings.request.within_count, state);
        return 0;
    case KEY_STEADY:
        line->settings.only_steady = true;
        return 0;
    case KEY_TOLERANCE:
        line->names_steady = true;
        if (number_parse_percent(arg, 0, 100, &line->settings.steady.tolerance) != 0)
            argp_error(state, "--tolerance %s: must be a percentage from 0 to 100", arg);
        return 0;
    case KEY_STEADY_SHARE:
        line->names_steady = true;
        if (number_parse_percent(arg, 0.1, 100, &line->settings.steady.share) != 0)
            argp_error(state, "--steady-share %s: must be a percentage from 0.1 to 100", arg);
        return 0;
    case KEY_SKIP_BAD:
        line->settings.request.skip_bad = true;
        return 0;
    case KEY_SKIP_FIRST:
        if (number_parse_count(arg, 0, UINT32_MAX, &line->settings.skip_first) != 0)
            argp_error(state, "--skip-first %s: must be a whole number", arg);
        return 0;
    case KEY_BY_FILE:
        line->settings.request.one_series_a_file = true;
        return 0;
    case KEY_HEADER:
        line->settings.request.header = ROWS_HEADER_PRESENT;
        return 0;
    case KEY_NO_HEADER:
        line->settings.request.header = ROWS_HEADER_ABSENT;
        return 0;
    case KEY_METHOD:
        line->settings.names_method = true;
        line->settings.method = table_driver_parse_choice("method", arg, line->program->methods, state);
        return 0;
    case KEY_FIGURE:
        line->settings.figure = table_driver_parse_choice("figure", arg, line->program->figures, state);
        line->names_figure = true;
        return 0;
    case ARGP_KEY_SUCCESS:
        table_driver_finalize_options(line, state);
        return 0;
    default:
        return common_option(&line->settings.common, key, arg, state);
    }
}

/* --help lists the values of --method and --figure. */
static const char *table_driver_describe_choices(const char *what, const char *const *names, char text[256])
{
    char list[160] = "";
    for (size_t i = 0; names[i]; i++)
        error_list(list, sizeof list, names[i]);
    snprintf(text, 256, "%s %s (default: %s)", what, list, names[0]);
    return text;
}

static void table_driver_parse_arguments(struct line *line, int argc, char **argv)
{
    static char methods[256], figures[256];
    struct argp_option options[OPTIONS_MAX + 40 + COMMON_FIGURE_OPTIONS_MAX] = {0};
    const struct table_analyzer *program = line->program;
    struct table_settings *settings = &line->settings;
    size_t count = 0;
    settings->common = (struct common){.parse = program->parse,
                                       .own = program->own,
                                       .result.program = program->name,
                                       .confidence = 0.95,
                                       .tables = program->tables,
                                       .table_count = program->table_count};
    settings->method = program->methods ? program->methods[0] : NULL;
    settings->figure = program->figures ? program->figures[0] : NULL;
    settings->steady = (struct warmup_options){.tolerance = 0.01, .share = 0.25};
    settings->request.whole_groups_default = true;
    settings->keeps_processes = program->keeps_processes;
    settings->request.values = line->values;
    settings->request.wide = line->wide;
    settings->request.within = line->within;
    settings->request.groups = line->groups;
    for (const struct argp_option *own = program->options; own && own->name && count < OPTIONS_MAX; own++)
        options[count++] = *own;
    if (!program->no_values) {
        options[count++] = value_option;
        options[count++] = wide_option;
    }
    if (program->has_levels) {
        options[count++] = within_option;
        if (!program->keeps_processes)
            options[count++] = steady_option;
        for (size_t i = 0; i < sizeof steady_options / sizeof *steady_options; i++)
            options[count++] = steady_options[i];
    }
    if (program->methods) {
        options[count] = method_option;
        options[count++].doc = table_driver_describe_choices("one of", program->methods, methods);
    }
    if (program->figures) {
        options[count++] = figure_options[0];
        options[count] = figure_options[1];
        options[count++].doc = table_driver_describe_choices("which one --plot draws", program->figures, figures);
        common_append_figure_options(options, &count);
    }
    memcpy(options + count, common_options, sizeof common_options);
    const struct argp argp = {options, table_driver_parse_option, "[TABLE...]", program->doc, NULL, NULL, NULL};
    settings->common.result.doc = program->doc;
    settings->common.result.command = result_command(program->name, NULL, argc, argv);
    if (!settings->common.result.command) {
        result_print_error(program->name, "out of memory");
        exit(1);
    }
    common_parse(program->name, &argp, argc, argv, line);
    settings->common.result.warnings_in_table = result_is_human_readable(settings->common.result.format);
}

/* Leaves out first values, and those before the steady state, and takes the means of processes. */
static int table_driver_reduce(const struct line *line, struct groups *groups, bool takes_means, struct report *report,
                               struct error_text *message)
{
    const struct table_settings *settings = &line->settings;
    size_t process_count = settings->only_steady ? groups->count : 0;
    struct steady_cut *cuts = NULL;
    uint32_t *into = NULL;
    int status = STATUS_GOOD;
    if (settings->skip_first > 0)
        status = groups_drop_first(groups, settings->skip_first, message);
    if (!status && settings->only_steady)
        status = steady_part_keep(groups, &settings->steady, &cuts, message);
    if (!status && takes_means && cuts && !(into = calloc(process_count, sizeof *into)))
        status = error_set(message, STATUS_BAD, "out of memory");
    if (!status && takes_means)
        status = groups_take_means(groups, into, message);
    if (!status && cuts)
        status = steady_part_report(cuts, process_count, into, groups, report, message);
    free(cuts);
    free(into);
    return status;
}

static int table_driver_run(struct line *line, struct error_text *message)
{
    const struct table_analyzer *program = line->program;
    struct table_settings *settings = &line->settings;
    const struct common *common = &settings->common;
    struct rows_account account = {0};
    void *state;
    int status = rows_read(&settings->request, &program->consumer, &state, &account, message);
    if (status || !state) /* none in a rank other than 0 */
        return status;
    bool takes_means = account.columns.within_count > 0 && !settings->keeps_processes;
    struct report report = {
        .warnings = json_array(), .notes = json_array(), .wants_figure = result_wants_figure(&common->result)};
    if (account.skipped > 0)
        report_warn(&report, "%" PRIu64 " of %" PRIu64 " rows were left out; the first: %s", account.skipped,
                    account.rows + account.skipped, account.first_skipped);
    status = table_driver_reduce(line, state, takes_means, &report, message);
    if (program->consumer.init == groups_init)
        settings->lost_first = reading_report_lost(state, &account, &report);
    reading_report(&account, &settings->request, &report);
    if (!status && settings->only_steady && steady_part_is_empty(state, 0))
        settings->lost_first = groups_name(state, 0);
    if (!status && takes_means)
        levels_report(state, &report);
    if (account.columns.lone_process && !settings->keeps_processes)
        report_note(&report, "a file is of one process, and so is each group: intervals are of its iterations, and say "
                             "nothing about differences between processes");
    if (!status)
        status = program->report(state, settings, program->own, &report, message);
    struct error_text plain = *message;
    if (!status) {
        json_t *input = json_array(),
               *loss = json_pack("{s:I, s:I, s:I, s:I}", "rows", (json_int_t)account.rows, "skipped",
                                 (json_int_t)account.skipped, "blank", (json_int_t)account.blank, "rounded",
                                 (json_int_t)account.rounded);
        for (size_t i = 0; i < common->path_count; i++)
            json_array_append_new(input, text_json(common->paths[i], strlen(common->paths[i])));
        if (common->path_count == 0)
            json_array_append_new(input, json_string("-"));
        status = result_write(&common->result, &report, input, loss);
        if (!status)
            status = report.no_result ? STATUS_BAD : report.status;
        json_decref(input);
        json_decref(loss);
    } else if (account.skipped > 0) { /* what failed may have lacked these rows */
        error_set(message, STATUS_BAD, "%s; %" PRIu64 " of %" PRIu64 " rows were left out, the first: %s", plain.text,
                  account.skipped, account.rows + account.skipped, account.first_skipped);
    }
    report_free(&report);
    program->consumer.free(state);
    rows_account_free(&account);
    return status;
}

int table_analyzer_main(const struct table_analyzer *program, int argc, char **argv)
{
    struct line line = {.program = program};
    struct table_settings *settings = &line.settings;
    struct error_text message = {""};
    struct table_ranks ranks;
    int status = STATUS_GOOD;
    exact_memory_watch(program->name);
    cluster_hush();
    table_driver_parse_arguments(&line, argc, argv);
    cluster_unhush();
    if (table_ranks_join(&ranks, program->name, &settings->common) != 0)
        return STATUS_BAD;
    settings->request.paths = (const char *const *)settings->common.paths;
    settings->request.path_count = settings->common.path_count;
    settings->request.share = table_ranks_share(&ranks);
    settings->request.jobs =
        settings->common.jobs < COMMON_JOBS_MAX ? (unsigned)settings->common.jobs : COMMON_JOBS_MAX;
    if (!ranks.idle)
        status = table_driver_run(&line, &message);
    if (*message.text)
        result_print_error(program->name, "%s", message.text);
    free(settings->common.paths);
    free(settings->common.result.command);
    table_ranks_leave(&ranks);
    return status;
}
