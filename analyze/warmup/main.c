/*
 * assay warmup - does a benchmark reach a steady state, after how many iterations, and how fast is it then?
 *
 * Input: tables. Values are the iterations of processes, in the order of the rows; the last group columns tell the
 * processes of a benchmark apart (--within, or what the format implies).
 * Summary: groups, processes. Source: stats/inference/warmup.h; Barrett et al. 2017 for the classes of processes, for
 * "inconsistent", and for percentiles over processes.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cli/number.h"
#include "analyze/driver/tables/direction.h"
#include "analyze/driver/tables/groups_table.h"
#include "analyze/driver/tables/levels_report.h"
#include "analyze/driver/tables/table_analyzer.h"
#include "analyze/warmup/warmup_figure.h"
#include "analyze/warmup/warmup_process.h"
#include "stats/estimates/interval.h"
#include "stats/estimates/order.h"

static struct {
    const char *direction; /* NULL: by the unit, or what the file says */
    bool processes;        /* a row for each */
} options;

static const bool keeps_values = true;
static const char *const figures[] = {"warmup", NULL};

/* ------------------------------------------------------------------------------------------ columns -- */

/* What is before the steady state, over processes: the median, and the 5th and 95th percentiles. */
struct before {
    double median, low, high;
};

struct warmup_row {
    uint64_t iterations, outliers, segments, processes, classes[WARMUP_CLASSES];
    const char *class;
    struct before iterations_before, time_before;
    struct interval steady; /* NaN where there is none */
    struct column_estimate estimate;
    double steady_sd;
    char counts[128], before[64]; /* for readers */
    const char *counts_shown, *before_shown;
};

static const struct column process_columns[] = {
    COLUMN(warmup_row, "class", TABLE_TEXT, class, "flat, warm-up, slowdown or no steady state."),
    COLUMN(warmup_row, "iterations", TABLE_COUNT, iterations, "The number of iterations."),
    COLUMN(warmup_row, "steady_from", TABLE_REAL, iterations_before.median,
           "Iterations before the steady state; blank if there is none."),
    COLUMN(warmup_row, "before", TABLE_REAL, time_before.median,
           "The sum of these iterations, which is the time to the steady state if values are times."),
    COLUMN(warmup_row, "steady", TABLE_REAL, steady.mean, "The mean of the iterations in the steady state."),
    COLUMN(warmup_row, "sd", TABLE_REAL, steady_sd, "Their standard deviation, with the divisor n-1."),
    COLUMN(warmup_row, "segments", TABLE_COUNT, segments,
           "Segments of constant mean and variance: one more than there are change points."),
    COLUMN(warmup_row, "outliers", TABLE_COUNT, outliers,
           "Iterations that segments leave out, since they are far from those around them."),
};

static const struct column group_columns[] = {
    COLUMN(warmup_row, "class", TABLE_TEXT, class,
           "flat, warm-up, slowdown or no steady state if all processes are; else inconsistent."),
    COLUMN(warmup_row, "processes", TABLE_COUNT, processes, "The number of processes.", .readers = COLUMN_MACHINE),
    COLUMN(warmup_row, "processes", TABLE_TEXT, counts_shown, NULL, .readers = COLUMN_HUMAN),
    COLUMN(warmup_row, "flat", TABLE_COUNT, classes[WARMUP_FLAT], "Processes that are steady from the first iteration.",
           .readers = COLUMN_MACHINE),
    COLUMN(warmup_row, "warm_up", TABLE_COUNT, classes[WARMUP_FASTER], "Those that become better, and then steady.",
           .readers = COLUMN_MACHINE),
    COLUMN(warmup_row, "slowdown", TABLE_COUNT, classes[WARMUP_SLOWER],
           "Those that are worse in the steady state than before.", .readers = COLUMN_MACHINE),
    COLUMN(warmup_row, "no_steady_state", TABLE_COUNT, classes[WARMUP_UNSTEADY], "Those without a steady state.",
           .readers = COLUMN_MACHINE),
    COLUMN(warmup_row, "steady_from", TABLE_REAL, iterations_before.median,
           "Iterations before the steady state: the median over the processes that have one.",
           .readers = COLUMN_MACHINE),
    COLUMN(warmup_row, "steady_from_lo", TABLE_REAL, iterations_before.low, "Their 5th percentile.",
           .readers = COLUMN_MACHINE),
    COLUMN(warmup_row, "steady_from_hi", TABLE_REAL, iterations_before.high, "Their 95th percentile.",
           .readers = COLUMN_MACHINE),
    COLUMN(warmup_row, "steady_from", TABLE_TEXT, before_shown, NULL, .readers = COLUMN_HUMAN),
    COLUMN(warmup_row, "before", TABLE_REAL, time_before.median,
           "The sum of these iterations, which is the time to the steady state if values are times: the median."),
    COLUMN(warmup_row, "before_lo", TABLE_REAL, time_before.low, "The 5th percentile of these sums.",
           .readers = COLUMN_MACHINE),
    COLUMN(warmup_row, "before_hi", TABLE_REAL, time_before.high, "Their 95th percentile.", .readers = COLUMN_MACHINE),
    COLUMN(warmup_row, "steady", TABLE_REAL, steady.mean, "The mean over processes of their mean in the steady state.",
           .half_width = offsetof(struct warmup_row, steady.half), .readers = COLUMN_MACHINE),
    COLUMN(warmup_row, "lo", TABLE_REAL, steady.low,
           "The lower end of its interval, by Student's t on the means of processes; blank for one process.",
           .half_width = offsetof(struct warmup_row, steady.half), .readers = COLUMN_MACHINE),
    COLUMN(warmup_row, "hi", TABLE_REAL, steady.high, "Its upper end.",
           .half_width = offsetof(struct warmup_row, steady.half), .readers = COLUMN_MACHINE),
    COLUMN(warmup_row, "steady", TABLE_ESTIMATE, estimate, NULL, .readers = COLUMN_HUMAN),
    COLUMN(warmup_row, "outliers", TABLE_COUNT, outliers,
           "Iterations that segments leave out, since they are far from those around them. Means include them.",
           .readers = COLUMN_MACHINE),
};

static const struct columns tables[] = {
    COLUMNS("One row for each group, over its processes; the group columns come first", group_columns),
    COLUMNS("With --processes, or if nothing tells processes apart, one row for each process", process_columns)};

/* ------------------------------------------------------------------------------------------ rows -- */

static void warmup_add_process(struct report *report, const struct groups *groups, size_t g, size_t value,
                               const struct warmup_process *process)
{
    bool steady = process->found.class != WARMUP_UNSTEADY;
    const struct warmup_row row = {.class = warmup_class_name(process->found.class),
                                   .iterations = process->iterations,
                                   .outliers = process->found.outliers,
                                   .segments = process->found.segment_count,
                                   .iterations_before = {.median = steady ? (double)process->found.steady_from : NAN},
                                   .time_before = {.median = process->before},
                                   .steady = {.mean = process->mean},
                                   .steady_sd = process->sd};
    groups_report_row(report, groups, g, value, &row);
}

static void warmup_summarize_before(double *values, size_t count, struct before *before)
{
    *before = (struct before){NAN, NAN, NAN};
    if (count == 0)
        return;
    order_sort(values, count);
    order_quantile(values, count, 0.5, &before->median);
    order_quantile(values, count, 0.05, &before->low);
    order_quantile(values, count, 0.95, &before->high);
}

/* "28 flat, 2 warm-up" */
static void warmup_write_counts(struct warmup_row *row)
{
    size_t used = 0;
    for (unsigned class = 0; class < WARMUP_CLASSES; class ++)
        if (row->classes[class] > 0 && used < sizeof row->counts)
            used += (size_t)snprintf(row->counts + used, sizeof row->counts - used, "%s%" PRIu64 " %s",
                                     used > 0 ? ", " : "", row->classes[class], warmup_class_name(class));
    row->counts_shown = row->counts;
    const struct before *before = &row->iterations_before;
    if (before->low < before->high)
        snprintf(row->before, sizeof row->before, "%.4g [%.4g, %.4g]", before->median, before->low, before->high);
    else if (!isnan(before->median))
        snprintf(row->before, sizeof row->before, "%.4g", before->median);
    row->before_shown = *row->before ? row->before : NULL;
}

/* The row of a group, from `count` processes. `scratch`: [3 · count]. */
static void warmup_summarize(const struct warmup_process *const *processes, size_t count, double confidence,
                             double *scratch, struct warmup_row *row)
{
    double *from = scratch, *before = scratch + count, *means = scratch + 2 * count;
    size_t steady = 0;
    *row = (struct warmup_row){.processes = count, .class = warmup_class_name(processes[0]->found.class)};
    for (size_t i = 0; i < count; i++) {
        const struct warmup_process *process = processes[i];
        row->classes[process->found.class]++;
        row->outliers += process->found.outliers;
        if (process->found.class != processes[0]->found.class)
            row->class = "inconsistent";
        if (process->found.class == WARMUP_UNSTEADY)
            continue;
        from[steady] = (double)process->found.steady_from;
        before[steady] = process->before;
        means[steady++] = process->mean;
    }
    warmup_summarize_before(from, steady, &row->iterations_before);
    warmup_summarize_before(before, steady, &row->time_before);
    if (interval_mean(means, steady, INTERVAL_T, confidence, &row->steady) != STATS_OK)
        row->steady = (struct interval){.mean = steady == 1 ? means[0] : NAN, .low = NAN, .high = NAN, .half = NAN};
    row->estimate = (struct column_estimate){row->steady.mean, row->steady.low, row->steady.high};
    warmup_write_counts(row);
}

/* ------------------------------------------------------------------------------------------ report -- */

struct warmup_task {
    struct groups *groups;            /* of processes, and later of their groups */
    struct warmup_process *processes; /* [process · value_count]; iterations 0: it was left out */
    size_t process_count;
    struct report *report;
    const struct table_settings *settings;
};

static bool warmup_higher_is_better(const struct groups *groups, size_t group, size_t value)
{
    if (options.direction)
        return strcmp(options.direction, "higher") == 0;
    return direction_more_is_better(direction_of(&(struct direction){NULL, 0}, groups, group, value));
}

static void warmup_leave_out(struct warmup_task *task, size_t g, size_t value, enum stats_status status)
{
    char *label = groups_table_label(task->groups, g, value);
    report_warn_of(task->report, label ? label : "", "",
                   status == STATS_TOO_FEW ? "too few iterations for a classification: it is left out"
                                           : "it is left out: %s",
                   stats_status_text(status));
    free(label);
}

static int warmup_classify_all(struct warmup_task *task, struct error_text *message)
{
    size_t values = task->groups->columns.value_count;
    for (size_t g = 0; g < task->process_count; g++)
        for (size_t v = 0; v < values; v++) {
            struct warmup_process *process = &task->processes[g * values + v];
            struct warmup_options how = task->settings->steady;
            how.higher_is_better = warmup_higher_is_better(task->groups, g, v);
            enum stats_status status = warmup_process_classify(process, groups_series(task->groups, g, v), &how);
            if (status == STATS_NO_MEMORY)
                return error_set(message, STATUS_BAD, "out of memory");
            if (status)
                warmup_leave_out(task, g, v, status);
        }
    return STATUS_GOOD;
}

static int warmup_report_processes(struct warmup_task *task, struct error_text *message)
{
    size_t values = task->groups->columns.value_count;
    if (groups_report_tables(task->report, task->groups, true, &tables[1], 0))
        return error_set(message, STATUS_BAD, "out of memory");
    for (size_t i = 0; i < task->process_count * values; i++)
        if (task->processes[i].iterations > 0)
            warmup_add_process(task->report, task->groups, i / values, i % values, &task->processes[i]);
    return STATUS_GOOD;
}

/* The rows of group g: its processes are `first`, next[first] and so on, up to SIZE_MAX. */
static void warmup_add_group(struct warmup_task *task, size_t g, size_t first, const size_t *next, double *scratch,
                             const struct warmup_process **chosen)
{
    size_t values = task->groups->columns.value_count;
    for (size_t v = 0; v < values; v++) {
        struct warmup_row row;
        size_t count = 0;
        for (size_t p = first; p != SIZE_MAX; p = next[p])
            if (task->processes[p * values + v].iterations > 0)
                chosen[count++] = &task->processes[p * values + v];
        if (count == 0)
            continue;
        warmup_summarize(chosen, count, task->settings->confidence, scratch, &row);
        groups_report_row(task->report, task->groups, g, v, &row);
    }
}

static int warmup_report_groups(struct warmup_task *task, struct error_text *message)
{
    size_t process_count = task->process_count;
    uint32_t *group_of = malloc((process_count + 1) * sizeof *group_of);
    size_t *first = malloc((process_count + 1) * sizeof *first); /* of each group; they are no more than processes */
    size_t *next = malloc((process_count + 1) * sizeof *next);
    double *scratch = malloc(3 * (process_count + 1) * sizeof *scratch);
    const struct warmup_process **chosen = malloc((process_count + 1) * sizeof(struct warmup_process *));
    int status = group_of && first && next && scratch && chosen ? groups_take_means(task->groups, group_of, message)
                                                                : error_set(message, STATUS_BAD, "out of memory");
    if (!status && groups_report_tables(task->report, task->groups, true, &tables[0], 0))
        status = error_set(message, STATUS_BAD, "out of memory");
    if (!status) {
        for (size_t g = 0; g < task->groups->count; g++)
            first[g] = SIZE_MAX;
        for (size_t p = process_count; p-- > 0; first[group_of[p]] = p)
            next[p] = first[group_of[p]];
        for (size_t g = 0; g < task->groups->count; g++)
            warmup_add_group(task, g, first[g], next, scratch, chosen);
    }
    free(group_of);
    free(first);
    free(next);
    free(scratch);
    free(chosen);
    return status;
}

static int warmup_report(void *state, const struct table_settings *settings, void *own, struct report *report,
                         struct error_text *message)
{
    (void)own;
    struct groups *groups = state;
    struct warmup_task task = {
        .groups = groups, .process_count = groups->count, .report = report, .settings = settings};
    char percent[NUMBER_PERCENT_MAX];
    bool apart = groups->columns.within_count > 0;
    size_t values = groups->columns.value_count;
    task.processes = calloc(groups->count * values + 1, sizeof *task.processes);
    int status = task.processes ? warmup_classify_all(&task, message) : error_set(message, STATUS_BAD, "out of memory");
    report->y_label = warmup_figure_label(groups);
    if (!status && report->wants_figure && !(report->figure = warmup_figure_table(groups, task.processes)))
        status = error_set(message, STATUS_BAD, "out of memory");
    if (!status)
        status = apart && !options.processes ? warmup_report_groups(&task, message)
                                             : warmup_report_processes(&task, message);
    if (!status && table_row_count(report->table) == 0 && !table_failed(report->table))
        status = error_set(message, STATUS_BAD, "no process has the %d iterations that a classification needs",
                           (int)WARMUP_N_MIN);
    if (!status) {
        if (!apart)
            report_note(report, "each group is taken for one process; --within COL names the column that tells the "
                                "processes of a group apart");
        report_note(report,
                    "levels within %g %% are equal (--tolerance); a steady state has the last %g %% of the iterations "
                    "or more (--steady-share)",
                    100 * settings->steady.tolerance, 100 * settings->steady.share);
        if (apart && !options.processes)
            report_note(report,
                        "steady_from: the median over processes, with the 5th and 95th percentiles; before: the sum of "
                        "these iterations; steady: with its %s %% interval over processes",
                        number_percent(settings->confidence, percent));
        report->summary =
            json_pack("{s:I, s:I}", "groups", (json_int_t)groups->count, "processes", (json_int_t)task.process_count);
    }
    for (size_t i = 0; task.processes && i < task.process_count * values; i++)
        warmup_free(&task.processes[i].found);
    free(task.processes);
    return status;
}

/* ------------------------------------------------------------------------------------------ options -- */

enum { KEY_PROCESSES = 0x100, KEY_DIRECTION };

static int warmup_parse_option(int key, char *arg, void *own)
{
    (void)own;
    switch (key) {
    case KEY_PROCESSES:
        options.processes = true;
        return 0;
    case KEY_DIRECTION:
        options.direction = arg;
        return strcmp(arg, "lower") == 0 || strcmp(arg, "higher") == 0 ? 0 : EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv)
{
    static const struct argp_option own_options[] = {
        {"processes", KEY_PROCESSES, NULL, 0, "a row for each process", 0},
        {"direction", KEY_DIRECTION, "lower|higher", 0,
         "which values are better (default: what the file or the unit says, or else lower)", 0},
        {0}};
    static const struct table_analyzer program = {
        .name = "warmup",
        .doc = "Does a benchmark reach a steady state, after how many iterations, and how fast is it then?\v"
               "Examples:\n"
               "  bzip2 -dc krun-results.json.bz2 | assay warmup\n"
               "  assay warmup --by benchmark --within run --value ms iterations.csv\n"
               "  assay warmup --processes jmh.json                  which processes differ\n"
               "  assay warmup --tolerance 3% --format csv dacapo-*.log\n"
               "  assay warmup --plot iterations.pdf dacapo-*.log",
        .options = own_options,
        .parse = warmup_parse_option,
        .figures = figures,
        .tables = tables,
        .table_count = 2,
        .has_levels = true,
        .keeps_processes = true,
        .consumer = GROUPS_CONSUMER(&keeps_values),
        .report = warmup_report};
    return table_analyzer_main(&program, argc, argv);
}
