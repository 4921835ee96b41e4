/*
 * assay hot - which methods are hot?
 *
 * Records: sample (context, weight). A sample stands for one interval of the sampling clock, so a method's share of the
 * samples of a run estimates its share of the run's time on that clock; the mean over runs has the interval x̄ ± t·s/√n,
 * or Wilson's where that would extend beyond 0 to 1 (stats/estimates/proportion.h). With several clocks, engines or
 * modes, what not all of them see has no share; --roles and --without choose what has one (hot/population.c).
 *
 * Source: Mytkowicz, Diwan,
 * Hauswirth, Sweeney, "Evaluating the Accuracy of Java Profilers", PLDI 2010, §3.5, Fig. 1.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/driver/analyzer.h"
#include "analyze/hot/profile.h"
#include "trace/names/unseen.h"
#include "analyze/cli/number.h"
#include "table/model/table_round.h"

enum { TOP_FOR_READERS = 20, TOP_IN_FIGURES = 40 };
enum { KEY_LINES = 0x100, KEY_BY, KEY_ROLES, KEY_WITHOUT };

struct hot_options {
    bool inclusive, threads, lines, has_top;
    unsigned long top;
    enum run_label by;
    bool chooses; /* --roles or --without */
    struct population_choice choice;
};

static struct hot_options own = {.by = RUN_LABELS};

static const struct argp_option options[] = {
    {"inclusive", 'i', NULL, 0,
     "show the share of samples with the method anywhere on the stack (recursion counts once)", 0},
    {"threads", 't', NULL, 0, "one row for each thread and method", 0},
    {"lines", KEY_LINES, NULL, 0, "one row for each source line", 0},
    {"top", 'n', "N", 0, "only the N hottest (default: 20 for people, all for machines; 0: all)", 0},
    {"by", KEY_BY, "LABEL", 0, "a table for each " RUN_LABEL_HELP, 0},
    {"roles", KEY_ROLES, "ROLE[,ROLE...]", 0,
     "count only samples of threads with these roles: java, jit, gc, vm, native or unknown; shares are of these", 0},
    {"without", KEY_WITHOUT, "NAME", 0,
     "leave out the samples of this method or code, such as '[JIT compiler]'; may be repeated", 0},
    {0}};

/* Sets the roles that a list names; false if it names another. */
static bool hot_parse_roles(char *list)
{
    own.choice.roles = 0;
    for (char *rest = list, *name; (name = strsep(&rest, ","));) {
        unsigned role = sample_role_named(name);
        if (role == SAMPLE_ROLES)
            return false;
        own.choice.roles |= 1u << role;
    }
    own.chooses = true;
    return true;
}

static int hot_add_without(char *name)
{
    struct population_choice *choice = &own.choice;
    char **grown = realloc(choice->without, (choice->without_count + 1) * sizeof *grown);
    if (!grown)
        return ENOMEM;
    choice->without = grown;
    choice->without[choice->without_count++] = name;
    own.chooses = true;
    return 0;
}

static int hot_parse_option(int key, char *arg, void *unused)
{
    char *end;
    (void)unused;
    switch (key) {
    case KEY_ROLES:
        return hot_parse_roles(arg) ? 0 : EINVAL;
    case KEY_WITHOUT:
        return hot_add_without(arg);
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
        own.by = run_label_select(arg);
        return own.by < RUN_LABELS ? 0 : EINVAL;
    case 'n':
        own.top = strtoul(arg, &end, 10);
        own.has_top = true;
        return *end || end == arg || *arg == '-' ? EINVAL : 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const char *hot_conflict(const void *unused)
{
    (void)unused;
    return own.inclusive && own.choice.without_count > 0
               ? "--without leaves out a method's own samples: not with --inclusive"
               : NULL;
}

static unsigned hot_label(const void *unused)
{
    (void)unused;
    return own.by;
}

/* ------------------------------------------------------------------------------------------ rows -- */

struct hot_row {
    const char *label, *thread, *method;
    uint64_t rank, samples, runs;
    double share, low, high, half_width;
};

enum { WITH_BY = 1, WITH_THREADS = 2 };

static struct column hot_columns[] = {
    COLUMN(hot_row, "LABEL", TABLE_TEXT, label, "Only with --by LABEL, which is its name: its value.", .when = WITH_BY),
    COLUMN(hot_row, "rank", TABLE_COUNT, rank, "1, 2, 3, ... within a table."),
    COLUMN(hot_row, "thread", TABLE_TEXT, thread, "Only with --threads: the thread's name.", .when = WITH_THREADS),
    COLUMN(
        hot_row, "method", TABLE_TEXT, method,
        "Class, name and the types of the parameters, without their packages; a native function has its name. Names in "
        "brackets denote code that is not a method."),
    COLUMN(hot_row, "share", TABLE_SHARE, share,
           "The number of samples of the method divided by the number of all samples of the run; mean over runs. It is "
           "given "
           "as 0 to 1, or in percent in the formats for readers. With --inclusive shares add up to more than 1."),
    COLUMN(hot_row, "lo", TABLE_SHARE, low,
           "The lower end of the confidence interval of that mean: mean - q s/sqrt(n), for n runs with the sample "
           "standard "
           "deviation s (n-1) and the quantile q of --method and --confidence. It is blank for one run. Where an end "
           "would "
           "extend beyond 0 to 1 the interval is Wilson's for the effective number of observations, with q in place of "
           "z."),
    COLUMN(hot_row, "hi", TABLE_SHARE, high, "The upper end of this interval: mean + q s/sqrt(n), or Wilson's."),
    COLUMN(hot_row, "half_width", TABLE_SHARE, half_width,
           "Half the width of the interval: q s/sqrt(n), except for Wilson's."),
    COLUMN(hot_row, "samples", TABLE_COUNT, samples, "The number of samples of the method in all runs."),
    COLUMN(hot_row, "runs", TABLE_COUNT, runs, "The number of runs in the table.")};
static const struct columns tables[] = {
    COLUMNS("One row for each method, from the largest share to the smallest", hot_columns)};

static unsigned hot_given_options(void)
{
    return (own.by < RUN_LABELS ? WITH_BY : 0) | (own.threads ? WITH_THREADS : 0);
}

/* ------------------------------------------------------------------------------------------ report -- */

/* The rows of one group of runs, hottest first; the first `shown` are printed. */
struct group {
    const struct profile_group *runs;
    struct profile_rows rows;
    size_t shown;
};

/* Notes the rows that are not shown. Samples from before main() are the first sign of a recorder that blocks its
 * program: the program does not get to its own work. */
static void hot_note_group(struct report *report, const struct group *group)
{
    enum { MANY = 20 };
    static const double NEARLY_ALL = 0.9, MUCH = 0.1;
    double rest = 0;
    size_t left = group->rows.count - group->shown;
    const char *label = group->runs->label, *colon = own.by < RUN_LABELS ? ": " : "";
    for (size_t i = 0; i < group->rows.count; i++) {
        const struct profile_row *row = &group->rows.items[i];
        rest += i < group->shown ? 0 : row->mean;
        if (i < group->shown && row->mean >= MUCH && row->samples >= MANY && unseen_is_file(row->method))
            report_warn_of(report, row->method, "",
                           "a file without symbols has one row for all of its functions; install its debug symbols "
                           "(Debian: a package -dbgsym), and record again");
        if (row->mean <= NEARLY_ALL || row->samples < MANY || strcmp(row->method, "[VM start-up]") != 0)
            continue;
        report_warn(report,
                    "DO NOT BELIEVE this table: %.1f %% of the samples are from before main(): the program did next to "
                    "nothing, or made no progress",
                    100 * row->mean);
        report->no_result = true;
    }
    if (left > 0 && own.inclusive)
        report_note(report, "%s%s%zu more rows are not shown (--top 0 shows all)", label, colon, left);
    else if (left > 0)
        report_note(report, "%s%s%zu more rows with %.2f %% of the samples are not shown (--top 0 shows all)", label,
                    colon, left, 100 * rest);
}

static void hot_add_row(struct table *table, const struct group *group, const struct profile_row *row, size_t rank)
{
    char method[METHOD_NAME_MAX + 16];
    if (own.lines && row->line > 1)
        snprintf(method, sizeof method, "%s:%u", row->method, row->line - 1);
    else
        snprintf(method, sizeof method, own.lines ? "%s:?" : "%s", row->method);
    const struct hot_row cells = {.label = group->runs->label,
                                  .rank = rank,
                                  .thread = row->thread,
                                  .method = method,
                                  .share = row->mean,
                                  .low = row->has_interval ? row->interval.low : NAN,
                                  .high = row->has_interval ? row->interval.high : NAN,
                                  .half_width = row->has_interval ? row->interval.half : NAN,
                                  .samples = row->samples,
                                  .runs = group->runs->run_count};
    columns_add(table, tables, COLUMNS_MACHINE, hot_given_options(), &cells);
}

static size_t hot_find_row(const struct group *group, const struct profile_row *like)
{
    size_t i = 0;
    while (i < group->rows.count &&
           (strcmp(group->rows.items[i].method, like->method) != 0 || group->rows.items[i].line != like->line ||
            strcmp(group->rows.items[i].thread, like->thread) != 0))
        i++;
    return i;
}

/* What is hot in one group is drawn for all of them, since a share of zero is a result. */
static void hot_plot_group(struct table *figure, const struct group *groups, size_t count, const struct group *group)
{
    for (size_t other = 0; other < count; other++)
        for (size_t i = 0; i < groups[other].shown && i < TOP_IN_FIGURES; i++) {
            const struct profile_row *row = &groups[other].rows.items[i];
            size_t known = 0;
            while (known < other && hot_find_row(&groups[known], row) >= groups[known].shown)
                known++;
            if (known < other)
                continue; /* drawn already */
            size_t mine = hot_find_row(group, row);
            struct profile_row none = {.thread = row->thread, .method = row->method, .line = row->line};
            none.has_interval = group->runs->run_count > 1;
            hot_add_row(figure, group, mine < group->rows.count ? &group->rows.items[mine] : &none, mine + 1);
        }
}

static void hot_note_all(const struct profile *state, const struct profile_groups *groups, struct report *report)
{
    const struct analysis_options *analysis = report->options;
    size_t empty = groups->empty, runs = groups->run_count + empty;
    char percent[NUMBER_PERCENT_MAX];
    report_note(report,
                "%s share of samples per run, mean over runs; lo-hi: %s %% interval by %s, or by Wilson where that "
                "would extend beyond 0 to 100 %%",
                own.inclusive ? "inclusive" : "self", number_percent(analysis->confidence, percent),
                analysis->use_z ? "the normal quantile (z)" : "Student's t");
    report->no_result |= empty == runs;
    if (empty > 0)
        report_warn(report, "%zu of %zu run%s %s no samples%s and %s left out", empty, runs, runs == 1 ? "" : "s",
                    empty == 1 ? "has" : "have", own.chooses ? " that --roles and --without keep" : "",
                    empty == 1 ? "is" : "are");
    if (groups->count == 1 && groups->items[0].run_count == 1)
        report_note(report, "one run gives no interval: record more with assay record --runs");
    enum run_label mixed = own.by < RUN_LABELS ? RUN_LABELS : profile_mixed_label(state);
    if (mixed < RUN_LABELS)
        report_warn(report, "these runs differ in %s; --by %s gives a table for each", run_label_name(mixed),
                    run_label_name(mixed));
    if (groups->count > 0 && !*groups->items[groups->count - 1].label) /* in order: none has a text */
        run_label_refuse_unknown(report);
    for (size_t g = 0; own.by == RUN_LABEL_FILE && g < groups->count; g++)
        if (!*groups->items[g].label)
            report_warn(report, RUN_LABEL_NO_FILES);
}

/* The hottest row, if there is one table; runs that differ in a label are more than one sentence can answer for. */
static void hot_write_headline(const struct profile *profile, const struct group *group, struct report *report)
{
    const struct profile_row *row = group->rows.items;
    bool has = group->rows.count > 0 && row->has_interval;
    char share[TABLE_ROUND_MAX], percent[NUMBER_PERCENT_MAX], line[16] = "";
    if (group->rows.count == 0 || own.inclusive || own.by < RUN_LABELS || profile_mixed_label(profile) < RUN_LABELS)
        return;
    table_round_estimate(100 * row->mean, has ? 100 * row->interval.low : NAN, has ? 100 * row->interval.high : NAN, 0,
                         false, share);
    if (own.lines && row->line > 1)
        snprintf(line, sizeof line, ":%u", row->line - 1);
    const char *kept = own.chooses ? " that --roles and --without keep" : "",
               *thread = own.threads ? " in thread " : "", *name = own.threads ? row->thread : "";
    if (has)
        report_headline(report, "%s%s%s%s has %s %% of the samples%s: the mean over %zu runs, with %s %% confidence.",
                        row->method, line, thread, name, share, kept, group->runs->run_count,
                        number_percent(report->options->confidence, percent));
    else
        report_headline(report, "%s%s%s%s has %s %% of the samples%s; one run gives no interval.", row->method, line,
                        thread, name, share, kept);
}

static int hot_add_groups(const struct profile *profile, const struct profile_groups *runs, struct group *groups,
                          struct report *report)
{
    const struct profile_granularity granularity = {own.inclusive, own.threads, own.lines};
    size_t top = own.has_top ? own.top : report->options->human_readable ? TOP_FOR_READERS : 0;
    int error = 0;
    for (size_t g = 0; !error && g < runs->count; g++) {
        struct profile_rows *rows = &groups[g].rows;
        groups[g].runs = &runs->items[g];
        error = profile_rows(profile, runs, g, &granularity, report->options, rows);
        groups[g].shown = top == 0 || top > rows->count ? rows->count : top;
        for (size_t i = 0; !error && i < groups[g].shown; i++)
            hot_add_row(report->table, &groups[g], &groups[g].rows.items[i], i + 1);
        if (!error)
            hot_note_group(report, &groups[g]);
    }
    if (!error && runs->count == 1)
        hot_write_headline(profile, &groups[0], report);
    for (size_t g = 0; !error && report->figure && g < runs->count; g++)
        hot_plot_group(report->figure, groups, runs->count, &groups[g]);
    return error;
}

/* Compares the groups on what all of them see if clocks, engines, modes and profilers make them, which are ways to
 * observe a program. Other labels may be of different programs. */
static int hot_make_groups(struct profile *profile, struct report *report, struct profile_groups *runs)
{
    bool observe = own.by == RUN_LABEL_CLOCK || own.by == RUN_LABEL_ENGINE || own.by == RUN_LABEL_MODE ||
                   own.by == RUN_LABEL_PROFILER;
    int error = own.chooses ? population_choose(profile, &own.choice, report) : 0;
    if (!error)
        error = profile_group(profile, own.by, runs);
    if (error || runs->count < 2 || own.inclusive || !observe)
        return error;
    error = population_level(profile, runs, report);
    if (error)
        return error;
    profile_groups_free(runs);
    return profile_group(profile, own.by, runs);
}

static int hot_report(void *state, struct report *report)
{
    struct profile_groups runs = {0};
    int error = hot_make_groups(state, report, &runs);
    struct group *groups = calloc(runs.count + 1, sizeof *groups);
    bool draw = own.by < RUN_LABELS && report->wants_figure;
    if (own.by < RUN_LABELS)
        hot_columns[0].name = run_label_column(own.by, tables);
    report->table = columns_table(tables, COLUMNS_MACHINE, hot_given_options());
    report->figure = draw ? columns_table(tables, COLUMNS_MACHINE, hot_given_options()) : NULL;
    if (!groups || !report->table || (draw && !report->figure))
        error = ENOMEM;
    if (!error)
        error = hot_add_groups(state, &runs, groups, report);
    if (!error)
        hot_note_all(state, &runs, report);
    for (size_t g = 0; groups && g < runs.count; g++) {
        profile_rows_free(&groups[g].rows);
    }
    free(groups);
    profile_groups_free(&runs);
    return error;
}

static void *hot_init(const struct analysis_options *unused)
{
    (void)unused;
    return profile_new(own.by == RUN_LABEL_FILE);
}

static const struct analyzer_input inputs[] = {{TRACE_SAMPLE, PROFILE_COLUMNS}, {0, 0}};

static const struct analyzer analyzer = {
    .name = "hot",
    .doc = "Which methods are hot? Share of the samples of each method, with its interval over runs.\v"
           "Examples:\n"
           "  assay record --runs 30 -o out -- java -jar app.jar\n"
           "  assay hot out/*.trace\n"
           "  assay hot recording.jfr perf.txt stacks.folded\n"
           "  assay hot --inclusive --top 5 out/*.trace\n"
           "  assay hot --roles java out/*.trace\n"
           "  assay hot --by clock -o hot.csv random/*.trace safepoint/*.trace\n"
           "  assay hot --plot hot.pdf out/*.trace\n"
           "Allocations of a pprof or JFR profile, by bytes instead of their number:\n"
           "  assay import -o heap.trace heap.pb.gz && assay hot --weight bytes heap.trace\n",
    .options = options,
    .parse = hot_parse_option,
    .conflict = hot_conflict,
    .own = &own,
    .pools = true,
    .own_by = hot_label,
    .inputs = inputs,
    .figure = "hot",
    .tables = tables,
    .table_count = 1,
    .relations = profile_relations,
    .relation_count = PROFILE_RELATIONS,
    .init = hot_init,
    .feed = profile_feed,
    .finalize = profile_finalize,
    .report = hot_report,
    .free = profile_free,
};

int main(int argc, char **argv)
{
    return analyzer_main(&analyzer, argc, argv);
}
