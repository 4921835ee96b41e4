/*
 * assay history - which commits changed a benchmark, by how much, and how certain is that?
 *
 * Input: tables. Values of a benchmark by commit; the commits in the order of their first rows, or of a column.
 * Method: after each commit, a permutation test of whether the level has changed since the last change, at a level that
 * keeps the rate of false alarms of the whole history (stats/inference/sequential.h). Values that never vary need no
 * test (analyze/history/history_changes.h).
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cli/number.h"
#include "analyze/driver/tables/direction.h"
#include "analyze/driver/tables/groups_table.h"
#include "analyze/driver/tables/table_analyzer.h"
#include "analyze/history/history_changes.h"
#include "analyze/history/known_changes.h"
#include "base/grow.h"
#include "table/model/p_text.h"

static struct {
    const char *benchmark[TABLE_ANALYZER_COLUMNS_MAX]; /* columns of --group */
    size_t benchmark_count;
    const char *commit, *order; /* columns */
    const char *known;          /* a file */
    const char *direction;      /* NULL: as the file or the unit says */
    double alpha, margin;
} options = {.alpha = 0.001};

enum { SIZE_TEXT_MAX = 96 };

static const bool keeps_values = true;
static const char *const figures[] = {"history", NULL};

/* ------------------------------------------------------------------------------------------ columns -- */

struct history_row {
    size_t benchmark, value; /* of the history */
    struct history_change change;
    uint64_t age, suspects;
    const char *commit, *first, *last, *found, *verdict, *method, *p_text, *size_text;
    double p;
};

#define HUMAN(name, type, member, ...)                                                                                 \
    COLUMN(history_row, name, type, member, NULL, .readers = COLUMN_HUMAN, __VA_ARGS__)
#define MACHINE(name, type, member, text, ...)                                                                         \
    COLUMN(history_row, name, type, member, text, .readers = COLUMN_MACHINE, __VA_ARGS__)

static const struct column history_columns[] = {
    COLUMN(history_row, "commit", TABLE_TEXT, commit,
           "The commit that most likely changed the level: the first one at the new level."),
    HUMAN("change", TABLE_TEXT, size_text),
    MACHINE("change", TABLE_SHARE, change.size, "after / before - 1; blank if before is not above 0."),
    MACHINE("change_lo", TABLE_SHARE, change.low,
            "The lower end of its interval; blank if there is none, as the level before may be 0."),
    MACHINE("change_hi", TABLE_SHARE, change.high, "The upper end."),
    HUMAN("p", TABLE_TEXT, p_text),
    MACHINE("p", TABLE_REAL, p,
            "The p-value of the look that found the change: how often the same values in random order differ that much "
            "anywhere. It is at least 1/(permutations + 1), and blank for exact values."),
    COLUMN(history_row, "verdict", TABLE_TEXT, verdict,
           "better or worse, by --direction, or else by what the file or the unit says; without either, less is "
           "better."),
    COLUMN(history_row, "before", TABLE_REAL, change.before,
           "The level since the change before, in the unit of the values: the mean of the commits' medians, outliers "
           "clipped."),
    COLUMN(history_row, "after", TABLE_REAL, change.after, "The level until the next change, or until now."),
    COLUMN(history_row, "n_before", TABLE_COUNT, change.n_before, "The number of commits at the level before."),
    COLUMN(history_row, "n_after", TABLE_COUNT, change.n_after, "The number of commits at the level after."),
    MACHINE("first", TABLE_TEXT, first,
            "The change happened between this commit and last, with the given confidence; outliers and autocorrelation "
            "make the range too short."),
    MACHINE("last", TABLE_TEXT, last, "The last commit that is suspect."),
    COLUMN(history_row, "suspects", TABLE_COUNT, suspects, "The number of commits from first to last."),
    COLUMN(history_row, "found", TABLE_TEXT, found, "The commit whose values showed the change."),
    MACHINE("age", TABLE_COUNT, age, "The number of commits of this history after the one that changed it."),
    MACHINE("method", TABLE_TEXT, method, "permutation test, or exact values.")};
static const struct columns tables[] = {
    COLUMNS("One row for each change, newest first, after the columns of --group and, if there are several value "
            "columns, metric, which names the value column",
            history_columns)};

/* For the figure. */
struct commit_row {
    uint64_t position;
    double value, low, high, level, change;
};

static const struct column commit_columns[] = {COLUMN(commit_row, "position", TABLE_COUNT, position, NULL),
                                               COLUMN(commit_row, "value", TABLE_REAL, value, NULL),
                                               COLUMN(commit_row, "lo", TABLE_REAL, low, NULL),
                                               COLUMN(commit_row, "hi", TABLE_REAL, high, NULL),
                                               COLUMN(commit_row, "level", TABLE_REAL, level, NULL),
                                               COLUMN(commit_row, "change", TABLE_REAL, change, NULL)};
static const struct columns commit_table = COLUMNS("One row for each commit", commit_columns);

/* "+14.3% [13.1%, 15.6%]", as precise as the interval. */
static const char *history_size_text(const struct history_row *row, char text[SIZE_TEXT_MAX])
{
    double size = 100 * row->change.size, low = 100 * row->change.low, high = 100 * row->change.high;
    double half = fmin(size - low, high - size);
    int decimal_places = table_places(half);
    if (isnan(size)) {
        return NULL;
    }
    decimal_places = decimal_places == TABLE_PLACES_ALL ? 2
                     : decimal_places < 0               ? 0
                     : decimal_places > 12              ? 12
                                                        : decimal_places;
    if (isnan(low) || low == high)
        snprintf(text, SIZE_TEXT_MAX, "%+.*f%%", decimal_places, size);
    else
        snprintf(text, SIZE_TEXT_MAX, "%+.*f%% [%+.*f%%, %+.*f%%]", decimal_places, size, decimal_places, low,
                 decimal_places, high);
    return text;
}

/* ------------------------------------------------------------------------------------------ rows -- */

struct history_task {
    const struct groups *groups;
    const struct table_settings *settings;
    struct report *report;
    struct histories histories;
    struct known_changes known;
    struct history_row *rows;
    size_t row_count, row_capacity;
    uint64_t history_count, commit_count, exact_count, short_count, correlated_count;
    uint64_t known_count, small_count; /* changes left out */
};

/* Whether more is better, of the values of a benchmark. */
static bool history_more_is_better(const struct history_task *task, size_t benchmark, size_t value)
{
    size_t group = task->histories.first_groups[benchmark];
    if (options.direction)
        return *options.direction == 'h';
    return direction_more_is_better(direction_of(&(struct direction){NULL, 0}, task->groups, group, value));
}

/* Whether a commit that is suspect has been acknowledged. */
static bool history_is_known(struct history_task *task, const struct history *history,
                             const struct history_change *change, const char *label)
{
    bool found = false;
    for (size_t i = change->first; i <= change->last; i++)
        found |= known_changes_match(&task->known, history->commits[i].text, label);
    return found;
}

/* Adds the row of a change, unless it is acknowledged or within the margin. */
static int history_add_row(struct history_task *task, struct history_row row, const char *label)
{
    const struct history *history = histories_item(&task->histories, row.benchmark, row.value);
    const struct history_change *change = &row.change;
    if (history_is_known(task, history, change, label)) {
        task->known_count++;
        return STATUS_GOOD;
    }
    if (fabs(change->size) < options.margin) {
        task->small_count++;
        return STATUS_GOOD;
    }
    struct history_row *rows = grow_unset(task->rows, &task->row_capacity, task->row_count, sizeof *rows);
    if (!rows)
        return STATUS_BAD;
    task->rows = rows;
    row.commit = history->commits[change->at].text;
    row.first = history->commits[change->first].text;
    row.last = history->commits[change->last].text;
    row.found = history->commits[change->found].text;
    row.suspects = change->last - change->first + 1;
    row.age = history->count - 1 - change->at;
    row.verdict =
        (change->after > change->before) == history_more_is_better(task, row.benchmark, row.value) ? "better" : "worse";
    row.method = isnan(change->p) ? "exact values" : "permutation test";
    row.p = change->p;
    task->rows[task->row_count++] = row;
    return STATUS_GOOD;
}

/* Adds all commits of a history to the figure, with the levels between changes. */
static void history_add_figure(struct history_task *task, size_t benchmark, size_t value,
                               const struct history_changes *changes)
{
    const struct history *history = histories_item(&task->histories, benchmark, value);
    for (size_t i = 0, next = 0; i < history->count; i++) {
        const struct history_commit *commit = &history->commits[i];
        bool changed = next < changes->count && changes->items[next].at == i;
        next += changed;
        double level = next > 0 ? changes->items[next - 1].after : changes->level;
        const struct commit_row row = {i + 1,        commit->value, commit->low,
                                       commit->high, level,         changed ? commit->value : NAN};
        groups_table_begin(task->report->figure, &task->histories.names, benchmark, value);
        columns_add(task->report->figure, &commit_table, COLUMNS_MACHINE, 0, &row);
    }
}

/* Finds the changes of one benchmark in one value column. */
static int history_add_item(struct history_task *task, size_t benchmark, size_t value, struct error_text *message)
{
    const struct history *history = histories_item(&task->histories, benchmark, value);
    struct history_changes changes;
    if (history->count == 0)
        return STATUS_GOOD;
    char *label = groups_table_label(&task->histories.names, benchmark, value);
    enum stats_status failed = label ? history_changes_find(history, task->groups->columns.units[value].exact,
                                                            options.alpha, task->settings->confidence, &changes)
                                     : STATS_NO_MEMORY;
    if (failed) {
        error_set(message, STATUS_BAD, "%s%s%s", label ? label : "", label && *label ? ": " : "",
                  stats_status_text(failed));
        free(label);
        return STATUS_BAD;
    }
    int status = STATUS_GOOD;
    task->history_count++;
    task->commit_count += history->count;
    task->exact_count += changes.exact;
    task->correlated_count += changes.rho > 0;
    task->short_count += history->count < 8 && !changes.exact;
    for (size_t i = 0; i < changes.count && !status; i++)
        status = history_add_row(
            task, (struct history_row){.benchmark = benchmark, .value = value, .change = changes.items[i]}, label);
    if (status)
        error_set(message, STATUS_BAD, "out of memory");
    if (task->report->figure)
        history_add_figure(task, benchmark, value, &changes);
    history_changes_free(&changes);
    free(label);
    return status;
}

static int history_row_compare(const void *a, const void *b)
{
    const struct history_row *x = a, *y = b;
    if (x->age != y->age)
        return x->age < y->age ? -1 : 1;
    if (x->benchmark != y->benchmark)
        return x->benchmark < y->benchmark ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

/* ------------------------------------------------------------------------------------------ report -- */

static void history_note_left_out(const struct history_task *task)
{
    struct report *report = task->report;
    size_t unused = known_changes_unused(&task->known);
    if (task->known_count > 0)
        report_note(report, "%" PRIu64 " change%s acknowledged in --known and left out", task->known_count,
                    task->known_count == 1 ? " is" : "s are");
    if (unused > 0)
        report_note(report, "%zu of %zu line%s of --known explain%s no change", unused, task->known.count,
                    task->known.count == 1 ? "" : "s", unused == 1 ? "s" : "");
    if (task->small_count > 0)
        report_note(report, "%" PRIu64 " change%s of less than --margin left out", task->small_count,
                    task->small_count == 1 ? " is" : "s are");
    if (task->short_count > 0)
        report_note(report, "%" PRIu64 " of %" PRIu64 " histories have fewer than 8 commits: too few to show a change",
                    task->short_count, task->history_count);
}

static void history_note_method(const struct history_task *task)
{
    struct report *report = task->report;
    const char *unit = groups_common_unit(task->groups);
    char percent[NUMBER_PERCENT_MAX];
    report_note(report, "%" PRIu64 " histor%s, %" PRIu64 " commits, %zu change%s", task->history_count,
                task->history_count == 1 ? "y" : "ies", task->commit_count, task->row_count,
                task->row_count == 1 ? "" : "s");
    if (task->exact_count < task->history_count)
        report_note(report,
                    "a look after each commit, by a permutation test; expected false alarms in 1000 unchanged commits: "
                    "at most %.3g if these are independent; %s %% intervals",
                    1000 * options.alpha, number_percent(task->settings->confidence, percent));
    if (task->exact_count > 0)
        report_note(report, "%" PRIu64 " histor%s exact: any change of value is a change", task->exact_count,
                    task->exact_count == 1 ? "y is" : "ies are");
    if (task->correlated_count > 0)
        report_note(report, "%" PRIu64 " histor%s autocorrelated, which the test takes into account",
                    task->correlated_count, task->correlated_count == 1 ? "y is" : "ies are");
    if (unit)
        report_note(report, "unit: %s", unit);
    static char label[256];
    const struct rows_columns *found = &task->groups->columns;
    snprintf(label, sizeof label, "%s%s%s%s", found->value_count > 1 ? "Metrics" : found->values[0], unit ? " (" : "",
             unit ? unit : "", unit ? ")" : "");
    report->y_label = label;
}

static void history_add_summary(const struct history_task *task)
{
    task->report->summary = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "histories", (json_int_t)task->history_count,
                                      "commits", (json_int_t)task->commit_count, "changes", (json_int_t)task->row_count,
                                      "acknowledged", (json_int_t)task->known_count, "below_margin",
                                      (json_int_t)task->small_count, "exact_histories", (json_int_t)task->exact_count);
}

static int history_find_all(struct history_task *task, struct error_text *message)
{
    size_t values = task->groups->columns.value_count;
    for (size_t i = 0; i < task->histories.names.count * values; i++)
        if (history_add_item(task, i / values, i % values, message) != STATUS_GOOD)
            return STATUS_BAD;
    if (task->row_count > 0)
        qsort(task->rows, task->row_count, sizeof *task->rows, history_row_compare);
    for (size_t i = 0; i < task->row_count; i++) {
        char p[P_TEXT_MAX], size[SIZE_TEXT_MAX];
        struct history_row *row = &task->rows[i];
        p_text(row->p, log10(row->p), p);
        row->p_text = p;
        row->size_text = history_size_text(row, size);
        groups_report_row(task->report, &task->histories.names, row->benchmark, row->value, row);
    }
    return STATUS_GOOD;
}

static void history_write_headline(const struct history_task *task)
{
    size_t changes = task->row_count;
    char size[SIZE_TEXT_MAX];
    const struct history_row *newest = task->rows;
    const char *histories = task->history_count == 1 ? "history" : "histories";
    const char *but =
        task->known_count + task->small_count > 0 ? ", besides those that are acknowledged or within the margin" : "";
    if (changes == 0) {
        report_headline(task->report, "No change is shown in %zu %s%s.", (size_t)task->history_count, histories, but);
        return;
    }
    const char *text = history_size_text(newest, size);
    report_headline(task->report, "%zu change%s shown in %zu %s%s, %s commit %s%s%s.", changes,
                    changes == 1 ? " is" : "s are", (size_t)task->history_count, histories, but,
                    changes == 1 ? "at" : "the newest at", newest->commit, text ? ": " : "", text ? text : "");
}

static int history_report(void *state, const struct table_settings *settings, void *own, struct report *report,
                          struct error_text *message)
{
    (void)own;
    struct history_task task = {.groups = state, .settings = settings, .report = report};
    int status = options.known ? known_changes_read(&task.known, options.known, message) : STATUS_GOOD;
    if (!status)
        status = histories_init(&task.histories, task.groups, (struct histories_columns){options.commit, options.order},
                                settings->confidence, message);
    if (!status) {
        int error = groups_report_tables(report, &task.histories.names, true, tables, 0);
        if (report->wants_figure)
            report->figure = groups_table_new(&task.histories.names, true, &commit_table);
        status = error || (report->wants_figure && !report->figure) ? error_set(message, STATUS_BAD, "out of memory")
                                                                    : history_find_all(&task, message);
        if (!status) {
            history_note_left_out(&task);
            history_note_method(&task);
            history_add_summary(&task);
            history_write_headline(&task);
        }
        histories_free(&task.histories);
    }
    free(task.rows);
    known_changes_free(&task.known);
    return status;
}

/* ------------------------------------------------------------------------------------------ options -- */

/* --by names the commit; --group and --order name the other columns of texts. */
static int history_finalize(void *own, struct table_settings *settings, struct error_text *message)
{
    (void)own;
    static const char *columns[TABLE_ANALYZER_COLUMNS_MAX + 2];
    struct rows_request *request = &settings->request;
    size_t count = 0;
    if (request->group_count > 1)
        return error_set(message, STATUS_USAGE,
                         "--by names the column of commits; name those of benchmarks with --group");
    options.commit = request->group_count ? request->groups[0] : "commit";
    bool by_file = settings->common.path_count > 1 && strcmp(options.commit, "file") == 0;
    for (size_t i = 0; i < options.benchmark_count; i++)
        columns[count++] = options.benchmark[i];
    if (by_file)
        request->one_series_a_file = true;
    else
        columns[count++] = options.commit;
    if (options.order)
        columns[count++] = options.order;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(columns[i], columns[j]) == 0)
                return error_set(message, STATUS_USAGE, "column '%.100s' is named twice, by --by, --group or --order",
                                 columns[i]);
    request->groups = columns;
    request->group_count = count;
    return STATUS_GOOD;
}

enum { KEY_GROUP = 0x100, KEY_ORDER, KEY_KNOWN, KEY_DIRECTION, KEY_ALPHA, KEY_MARGIN };

static int history_parse_option(int key, char *arg, void *own)
{
    (void)own;
    switch (key) {
    case KEY_GROUP:
        options.benchmark_count = table_analyzer_split(arg, options.benchmark, TABLE_ANALYZER_COLUMNS_MAX);
        return options.benchmark_count ? 0 : EINVAL;
    case KEY_ORDER:
        options.order = arg;
        return 0;
    case KEY_KNOWN:
        options.known = arg;
        return 0;
    case KEY_DIRECTION:
        options.direction = arg;
        return strcmp(arg, "lower") == 0 || strcmp(arg, "higher") == 0 ? 0 : EINVAL;
    case KEY_ALPHA:
        return number_parse(arg, 1e-5, 0.1, &options.alpha);
    case KEY_MARGIN:
        return number_parse_percent(arg, 1e-6, 1000, &options.margin);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv)
{
    static const struct argp_option own_options[] = {
        {"group", KEY_GROUP, "COL[,COL…]", 0,
         "these columns name a benchmark: each has a history of its own (default: what the format of a benchmark tool "
         "implies with --by file, otherwise all rows are one history)",
         0},
        {"order", KEY_ORDER, "COL", 0,
         "the order of the commits: a column of numbers, or of dates that sort as text (default: that of the rows)", 0},
        {"known", KEY_KNOWN, "FILE", 0,
         "leave out acknowledged changes: lines \"COMMIT [BENCHMARK]\", with # before a comment", 0},
        {"direction", KEY_DIRECTION, "lower|higher", 0,
         "which values are better (default: what the file or the unit says, or else lower)", 0},
        {"alpha", KEY_ALPHA, "P", 0, "expected false alarms for each commit without a change, at most (default 0.001)",
         0},
        {"margin", KEY_MARGIN, "PERCENT", 0, "leave out changes that are smaller", 0},
        {0}};
    static const struct table_analyzer program = {
        .name = "history",
        .doc = "Which commits changed a benchmark, by how much, and how certain is that? Change points, newest first.\v"
               "Examples:\n"
               "  assay history --by commit --value time --group benchmark runs.csv\n"
               "  assay history --order date --known accepted.txt --value time runs.csv\n"
               "  assay history --by file nightly/*.json            a file for each commit\n"
               "  assay history --by commit --value time --plot history.pdf runs.csv",
        .options = own_options,
        .parse = history_parse_option,
        .figures = figures,
        .tables = tables,
        .table_count = 1,
        .finalize = history_finalize,
        .consumer = GROUPS_CONSUMER(&keeps_values),
        .report = history_report};
    return table_analyzer_main(&program, argc, argv);
}
