/*
 * assay hot - which methods are hot?
 *
 * Records: sample (context). A sample stands for one interval of the sampling clock, so a method's share of the samples
 * of a run estimates its share of the run's time on that clock; the mean over runs has the interval x̄ ± t·s/√n.
 * Columns: rank; method; share (0-1) of the samples of a run, mean over runs; lo, hi, half_width: interval of that mean
 * (blank for one run); samples: in all runs; runs.
 * Source: Mytkowicz, Diwan, Hauswirth, Sweeney, "Evaluating the Accuracy of Java Profilers", PLDI 2010, §3.5, Fig. 1.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/lib/analyzer.h"
#include "analyze/lib/profile.h"
#include "stats/interval.h"

enum { TOP_FOR_PEOPLE = 20 };
enum { KEY_LINES = 0x100, KEY_BY };

struct hot_options {
    bool inclusive, threads, lines, has_top;
    unsigned long top;
    const char *by;
};

static struct hot_options own;

static const struct argp_option options[] = {
    {"inclusive", 'i', NULL, 0,
     "share of the samples in which the method is anywhere on the stack (recursion counts once)", 0},
    {"threads", 't', NULL, 0, "one row for each thread and method", 0},
    {"lines", KEY_LINES, NULL, 0, "one row for each source line", 0},
    {"top", 'n', "N", 0, "only the N hottest (default: 20 for people, all for machines; 0: all)", 0},
    {"by", KEY_BY, "LABEL", 0, "a table for each clock, engine, command or mode of the recording", 0},
    {0}};

static int parse(int key, char *arg, void *unused)
{
    char *end;
    (void)unused;
    switch (key) {
    case 'i':
        own.inclusive = true;
        return 0;
    case 't':
        own.threads = true;
        return 0;
    case KEY_LINES:
        own.lines = true;
        return 0;
    case KEY_BY:
        own.by = arg;
        return profile_label_known(arg) ? 0 : EINVAL;
    case 'n':
        own.top = strtoul(arg, &end, 10);
        own.has_top = true;
        return *end || end == arg || *arg == '-' ? EINVAL : 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ------------------------------------------------------------------------------------------ rows -- */

struct row {
    const char *thread, *method;
    uint32_t line;  /* + 1, as in the state */
    double *shares; /* [runs of the group] */
    double mean;
    uint64_t samples;
    struct interval interval;
    bool has_interval;
};

static int by_share(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->mean != y->mean)
        return x->mean > y->mean ? -1 : 1;
    int order = strcmp(x->method, y->method);
    if (order == 0)
        order = x->line < y->line ? -1 : x->line > y->line;
    return order ? order : strcmp(x->thread, y->thread);
}

static void finish_row(struct row *row, size_t runs, const struct analysis_options *analysis)
{
    double sum = 0;
    for (size_t i = 0; i < runs; i++)
        sum += row->shares[i];
    row->mean = sum / (double)runs;
    enum interval_method method = analysis->use_z ? INTERVAL_Z : INTERVAL_T;
    row->has_interval = interval_mean(row->shares, runs, method, analysis->confidence, &row->interval) == STATS_OK;
}

static void print_row(struct table *table, const struct row *row, size_t rank, size_t runs)
{
    char method[METHOD_NAME_MAX + 16];
    table_count(table, rank);
    if (own.threads)
        table_text(table, row->thread);
    if (own.lines && row->line > 1)
        snprintf(method, sizeof method, "%s:%u", row->method, row->line - 1);
    else
        snprintf(method, sizeof method, own.lines ? "%s:?" : "%s", row->method);
    table_text(table, method);
    table_real(table, row->mean);
    table_real(table, row->has_interval ? row->interval.low : NAN);
    table_real(table, row->has_interval ? row->interval.high : NAN);
    table_real(table, row->has_interval ? row->interval.half : NAN);
    table_count(table, row->samples);
    table_count(table, runs);
}

/* ------------------------------------------------------------------------------------------ report -- */

static int make_rows(const struct profile *state, const struct profile_group *group,
                     const struct analysis_options *analysis, struct profile_sums *sums, struct row **out)
{
    struct row *rows = calloc(sums->count + 1, sizeof *rows);
    if (!rows)
        return ENOMEM;
    for (size_t i = 0; i < sums->count; i++) {
        const struct profile_sum *sum = &sums->items[i];
        rows[i] = (struct row){.thread = own.threads ? state->texts.texts[sum->thread] : "",
                               .method = state->texts.texts[sum->method],
                               .line = sum->line,
                               .shares = sum->shares,
                               .samples = sum->samples};
        finish_row(&rows[i], group->run_count, analysis);
    }
    qsort(rows, sums->count, sizeof *rows, by_share);
    *out = rows;
    return 0;
}

static void note_rest(struct report *report, const struct row *rows, size_t shown, size_t count)
{
    double rest = 0;
    for (size_t i = shown; i < count; i++)
        rest += rows[i].mean;
    if (own.inclusive)
        report_note(report, "%zu more rows are not shown (--top 0 shows all)", count - shown);
    else
        report_note(report, "%zu more rows with %.2f %% of the samples are not shown (--top 0 shows all)",
                    count - shown, 100 * rest);
}

static int report_group(const struct profile *state, const struct profile_group *group, struct report *report)
{
    struct profile_sums sums;
    struct row *rows = NULL;
    int error = profile_sum(state, group, own.inclusive, own.threads, own.lines, &sums);
    if (!error)
        error = make_rows(state, group, report->options, &sums, &rows);
    size_t top = own.has_top ? own.top : report->options->for_people ? TOP_FOR_PEOPLE : 0;
    size_t shown = top == 0 || top > sums.count ? sums.count : top;
    for (size_t i = 0; !error && i < shown; i++) {
        if (own.by)
            table_text(report->table, group->label);
        print_row(report->table, &rows[i], i + 1, group->run_count);
    }
    if (!error && shown < sums.count)
        note_rest(report, rows, shown, sums.count);
    free(rows);
    profile_sums_free(&sums);
    return error;
}

static struct table *make_table(void)
{
    struct table_column columns[10];
    size_t count = 0;
    if (own.by)
        columns[count++] = (struct table_column){own.by, TABLE_TEXT};
    columns[count++] = (struct table_column){"rank", TABLE_COUNT};
    if (own.threads)
        columns[count++] = (struct table_column){"thread", TABLE_TEXT};
    columns[count++] = (struct table_column){"method", TABLE_TEXT};
    const char *const shares[] = {"share", "lo", "hi", "half_width"};
    for (size_t i = 0; i < 4; i++)
        columns[count++] = (struct table_column){shares[i], TABLE_SHARE};
    columns[count++] = (struct table_column){"samples", TABLE_COUNT};
    columns[count++] = (struct table_column){"runs", TABLE_COUNT};
    return table_new(columns, count);
}

static void notes(const struct profile *state, const struct profile_groups *groups, struct report *report)
{
    const struct analysis_options *analysis = report->options;
    size_t runs = state->run_count, empty = profile_empty_runs(state);
    report_note(report, "%s share of samples per run, mean over runs; lo-hi: %g %% interval by %s",
                own.inclusive ? "inclusive" : "self", 100 * analysis->confidence,
                analysis->use_z ? "the normal quantile (z)" : "Student's t");
    if (empty > 0)
        report_warn(report, "%zu of %zu runs have no sample and are left out", empty, runs);
    if (groups->count == 1 && groups->items[0].run_count == 1)
        report_note(report, "one run has no interval: record more with assay record --runs");
    const char *mixed = own.by ? NULL : profile_mixed_label(state);
    if (mixed)
        report_warn(report, "these runs differ in %s; --by %s gives a table for each", mixed, mixed);
}

static int report_all(void *state, struct report *report)
{
    struct profile_groups groups;
    int error = profile_group(state, own.by, &groups);
    if (error)
        return error;
    report->table = make_table();
    if (!report->table)
        error = ENOMEM;
    for (size_t i = 0; !error && i < groups.count; i++)
        error = report_group(state, &groups.items[i], report);
    if (!error)
        notes(state, &groups, report);
    profile_groups_free(&groups);
    return error;
}

static const struct analyzer_input inputs[] = {{TRACE_SAMPLE, UINT64_C(1) << SAMPLE_CONTEXT}, {0, 0}};

static const struct analyzer analyzer = {
    .name = "hot",
    .doc = "Which methods are hot? Share of the samples of each method, with its interval over runs.\v"
           "Examples:\n"
           "  assay record --runs 30 -o out -- java -jar app.jar\n"
           "  assay hot out/*.trace\n"
           "  assay hot --inclusive --top 5 out/*.trace\n"
           "  assay hot --by clock --format csv -o hot.csv random/*.trace safepoint/*.trace\n"
           "  assay hot --plot hot.pdf out/*.trace\n",
    .options = options,
    .parse = parse,
    .own = &own,
    .inputs = inputs,
    .figure = "hot",
    .init = profile_init,
    .feed = profile_feed,
    .settle = profile_settle,
    .merge = profile_merge,
    .save = profile_save,
    .load = profile_load,
    .report = report_all,
    .free = profile_free,
};

int main(int argc, char **argv)
{
    return analyzer_main(&analyzer, argc, argv);
}
