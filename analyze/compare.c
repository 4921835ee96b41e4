/*
 * assay compare - how many times slower or faster than the baseline is each group?
 *
 * Input: tables. Values (times) by group.
 * Columns: name, baseline (groups); n, n_baseline (values); ratio = mean / mean of the baseline, with the interval
 * ratio_lo … ratio_hi; speedup = 1/ratio (of rates: the ratio), with speedup_lo … speedup_hi; p of the hypothesis that
 * there is no difference, and log10_p; method of both. Methods: Welch's t with the delta method (stats/compare.h,
 * stats/ratio.h); the same test with a bootstrap interval (BCa); Mann and Whitney's test (stats/rank.h) with a
 * bootstrap interval. What cannot be compared is left out (leave_out.h), on either side.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/lib/baseline.h"
#include "analyze/lib/comparison.h"
#include "analyze/lib/groups_table.h"
#include "analyze/lib/leave_out.h"
#include "analyze/lib/number.h"
#include "analyze/lib/p_text.h"
#include "analyze/lib/steady.h"
#include "analyze/lib/tabular.h"
#include "stats/effective.h"

static struct {
    const char *baseline;
    bool several_files; /* which are what is compared */
} options;

static const bool keeps_values = true;
static const char *const methods[] = {"welch", "bootstrap", "mann-whitney", NULL};
static const char *const figures[] = {"ratios", NULL};

static const struct table_column columns[] = {
    {"metric", TABLE_TEXT},      {"name", TABLE_TEXT},      {"baseline", TABLE_TEXT}, {"n", TABLE_COUNT},
    {"n_baseline", TABLE_COUNT}, {"ratio", TABLE_REAL},     {"ratio_lo", TABLE_REAL}, {"ratio_hi", TABLE_REAL},
    {"speedup", TABLE_REAL},     {"p", TABLE_REAL},         {"log10_p", TABLE_REAL},  {"method", TABLE_TEXT},
    {"speedup_lo", TABLE_REAL},  {"speedup_hi", TABLE_REAL}};
static const struct table_column people_columns[] = {
    {"metric", TABLE_TEXT},    {"name", TABLE_TEXT},        {"baseline", TABLE_TEXT}, {"n", TABLE_COUNT},
    {"ratio", TABLE_ESTIMATE}, {"speedup", TABLE_ESTIMATE}, {"p", TABLE_TEXT},        {"method", TABLE_TEXT}};

enum { FEW = 20 }; /* values, for the bootstrap */

enum { METRIC, NAME, BASELINE, TEXTS }; /* the first columns of both tables */

/* From the value to the farther bound. */
static double reach(const struct ratio *ratio)
{
    return fmax(ratio->high - ratio->ratio, ratio->ratio - ratio->low);
}

/* A text that is NULL has no column. */
static void add_texts(struct table *table, const char *const texts[TEXTS])
{
    for (int i = 0; i < TEXTS; i++)
        if (texts[i])
            table_text(table, texts[i]);
}

static void add_row(struct report *report, const char *const texts[TEXTS], const struct comparison_side *a,
                    const struct comparison_side *b, const struct comparison *found)
{
    const struct ratio *ratio = &found->ratio;
    const struct ratio *speedup = &found->speedup;
    int places = table_places((ratio->high - ratio->low) / 2), speedup_places = table_places(reach(speedup));
    add_texts(report->table, texts);
    table_count(report->table, a->n);
    table_count(report->table, b->n);
    table_rounded(report->table, ratio->ratio, places);
    table_rounded(report->table, ratio->low, places);
    table_rounded(report->table, ratio->high, places);
    table_rounded(report->table, speedup->ratio, speedup_places);
    table_real(report->table, found->p);
    table_real(report->table, found->log10_p);
    table_text(report->table, found->method);
    table_rounded(report->table, speedup->low, speedup_places);
    table_rounded(report->table, speedup->high, speedup_places);
}

static void add_people_row(struct table *table, const char *const texts[TEXTS], const struct comparison_side *a,
                           const struct comparison *found)
{
    char p[P_TEXT_MAX];
    const struct ratio *ratio = &found->ratio;
    add_texts(table, texts);
    table_count(table, a->n);
    table_estimate(table, ratio->ratio, (ratio->high - ratio->low) / 2);
    if (found->speedup.high == found->speedup.high)
        table_estimate(table, found->speedup.ratio, reach(&found->speedup));
    else
        table_blank(table);
    p_text(found->p, found->log10_p, p);
    table_text(table, p);
    table_text(table, found->method);
}

/* ------------------------------------------------------------------------------------------ report -- */

struct task {
    const struct groups *groups;
    const struct tabular_settings *settings;
    struct baseline baseline;
    bool rates; /* of some comparison: more is better */
    struct report *report;
    struct complaint first; /* reason why something was left out */
};

static bool has_metric(const struct groups *groups)
{
    return groups->columns.value_count > 1;
}

/* Each group has a baseline of its own. */
static bool is_paired(const struct task *task)
{
    return task->baseline.group == BASELINE_NONE;
}

static const char *reason(enum stats_status status, const struct comparison_side *a, const struct comparison_side *b)
{
    if (status == STATS_DOMAIN)
        return a->mean > 0 && b->mean > 0 ? "a resample's mean is not above 0" : "a mean is not above 0";
    return stats_status_text(status);
}

static void add_rows(struct task *task, const char *texts[TEXTS], const struct comparison_side sides[2],
                     const struct comparison *found)
{
    add_row(task->report, texts, &sides[0], &sides[1], found);
    if (!is_paired(task))
        texts[BASELINE] = NULL; /* a note has it */
    add_people_row(task->report->people, texts, &sides[0], found);
}

/* What was found, or why nothing was, of a group and its baseline. */
static void tell(struct task *task, size_t g, size_t baseline, size_t value, const struct comparison_side sides[2],
                 const struct comparison *found, enum stats_status status)
{
    const struct groups *groups = task->groups;
    const char *name = groups_name(groups, g), *base_name = groups_name(groups, baseline);
    const char *texts[TEXTS] = {has_metric(groups) ? groups->columns.values[value] : NULL, name, base_name};
    char *owned = groups_table_label(groups, g, value);
    const char *label = owned ? owned : "";
    if (status)
        leave_out(task->report, &task->first, "%sno comparison of %zu value%s with %zu of %s: %s", label, sides[0].n,
                  sides[0].n == 1 ? "" : "s", sides[1].n, base_name, reason(status, &sides[0], &sides[1]));
    else
        add_rows(task, texts, sides, found);
    if (!status && found->constant)
        report_warn(task->report, "%sthe values are all equal, and so are those of %s: there is no p", label,
                    base_name);
    free(owned);
}

/* What benchmark tools give as operations or bytes a time. */
static bool is_rate(const char *unit)
{
    const char *slash = unit ? strrchr(unit, '/') : NULL;
    return slash && (strncmp(unit, "ops/", 4) == 0 || strcmp(slash, "/s") == 0 || strcmp(slash, "/sec") == 0);
}

static void compare_pair(struct task *task, size_t g, size_t baseline, size_t value)
{
    bool rates = is_rate(groups_unit(task->groups, g, value));
    const struct series *series[2] = {groups_series(task->groups, g, value),
                                      groups_series(task->groups, baseline, value)};
    struct comparison_side sides[2] = {{.n = series[0]->n}, {.n = series[1]->n}};
    struct comparison found;
    enum stats_status status = comparison_side_init(&sides[0], series[0]);
    if (!status)
        status = comparison_side_init(&sides[1], series[1]);
    if (!status)
        status =
            comparison_make(&sides[0], &sides[1], task->settings->method, rates, task->settings->confidence, &found);
    task->rates |= rates;
    tell(task, g, baseline, value, sides, &found, status);
    comparison_side_free(&sides[0]);
    comparison_side_free(&sides[1]);
}

static bool is_partner(size_t g, const size_t *partners, size_t count)
{
    for (size_t other = 0; other < count; other++)
        if (other != g && partners[other] == g)
            return true;
    return false;
}

/* The baseline of each group; a warning for each group, on either side, that is alone. */
static void find_partners(struct task *task, size_t *partners)
{
    const struct groups *groups = task->groups;
    for (size_t g = 0; g < groups->count; g++)
        partners[g] = baseline_of(groups, &task->baseline, g);
    for (size_t g = 0; g < groups->count; g++) {
        const char *name = groups_name(groups, g);
        if (partners[g] == BASELINE_NONE)
            leave_out(task->report, &task->first, "%s: %s has no such group to compare with", name,
                      task->baseline.text);
        else if (partners[g] == g && !is_partner(g, partners, groups->count))
            leave_out(task->report, &task->first, "%s: only %s has such a group: nothing to compare with it", name,
                      task->baseline.text);
    }
}

/* A ratio of nanoseconds to microseconds, or to operations a second, says nothing. */
static bool same_unit(struct task *task, size_t g, size_t baseline, size_t value)
{
    const char *unit = groups_unit(task->groups, g, value), *other = groups_unit(task->groups, baseline, value);
    if (!unit || strcmp(unit, other) == 0)
        return true;
    char *label = groups_table_label(task->groups, g, value);
    leave_out(task->report, &task->first, "%sno comparison with %s, which is not in %s but in %s", label ? label : "",
              groups_name(task->groups, baseline), unit, other);
    free(label);
    return false;
}

static int compare_all(struct task *task)
{
    size_t count = task->groups->count, *partners = calloc(count, sizeof *partners);
    if (!partners)
        return STATUS_BAD;
    find_partners(task, partners);
    for (size_t v = 0; v < task->groups->columns.value_count; v++)
        for (size_t g = 0; g < count; g++)
            if (partners[g] != g && partners[g] != BASELINE_NONE && same_unit(task, g, partners[g], v))
                compare_pair(task, g, partners[g], v);
    free(partners);
    return STATUS_GOOD;
}

static void warn_of_few(const struct task *task)
{
    size_t least = SIZE_MAX;
    for (size_t g = 0; g < task->groups->count; g++)
        least = groups_series(task->groups, g, 0)->n < least ? groups_series(task->groups, g, 0)->n : least;
    if (strcmp(task->settings->method, "welch") != 0 && least < FEW)
        report_warn(task->report,
                    "bootstrap intervals of less than %d values a group are too narrow; here there are %zu", FEW,
                    least);
}

/* What the intervals would not know. */
static void warn_of_unsteady(const struct task *task)
{
    unsigned jobs = task->settings->request.jobs;
    for (size_t g = 0; g < task->groups->count; g++)
        for (size_t v = 0; v < task->groups->columns.value_count; v++) {
            struct effective effective = {.ess = NAN};
            const struct series *series = groups_series(task->groups, g, v);
            char *label = groups_table_label(task->groups, g, v);
            if (effective_of_series(series, jobs, &effective) != STATS_OK)
                effective.ess = NAN;
            steady_warn(series, effective.ess, jobs, label ? label : "", task->report);
            free(label);
        }
}

static void add_note(const struct task *task)
{
    static const char rates[] = ": more is better, so speedup is the ratio itself";
    char percent[NUMBER_PERCENT_MAX];
    const char *unit = groups_common_unit(task->groups);
    if (unit)
        report_note(task->report, "unit: %s%s", unit, task->rates ? rates : "");
    else if (task->rates)
        report_note(task->report, "of rates%s", rates);
    report_note(task->report,
                "ratio of the means to that of %s%s, with its %s %% interval; each p is of one comparison alone",
                is_paired(task) ? "the like in " : "",
                is_paired(task) ? task->baseline.text : groups_name(task->groups, task->baseline.group),
                number_percent(task->settings->confidence, percent));
}

/* Without the columns that would say nothing. */
static struct table *new_table(const struct table_column *from, size_t count, bool metric, bool baseline)
{
    struct table_column kept[sizeof columns / sizeof *columns];
    size_t kept_count = 0;
    for (size_t i = 0; i < count; i++)
        if ((i != METRIC || metric) && (i != BASELINE || baseline))
            kept[kept_count++] = from[i];
    return table_new(kept, kept_count);
}

#define COLUMNS(columns) columns, sizeof columns / sizeof columns[0]

static int report(void *state, const struct tabular_settings *settings, void *own, struct report *report,
                  struct complaint *complaint)
{
    (void)own;
    struct task task = {.groups = state, .settings = settings, .report = report};
    bool metric = has_metric(task.groups);
    int status = baseline_find(task.groups, options.baseline, options.several_files, &task.baseline, complaint);
    if (status)
        return status;
    report->table = new_table(COLUMNS(columns), metric, true);
    report->people = new_table(COLUMNS(people_columns), metric, is_paired(&task));
    if (!report->table || !report->people || compare_all(&task) != STATUS_GOOD)
        return complain(complaint, STATUS_BAD, "out of memory");
    warn_of_few(&task);
    warn_of_unsteady(&task);
    add_note(&task);
    if (table_row_count(report->table) == 0)
        return complain(complaint, STATUS_BAD, "nothing can be compared: %s", task.first.text);
    return STATUS_GOOD;
}

static int settle(void *own, struct tabular_settings *settings, struct complaint *complaint)
{
    (void)own, (void)complaint;
    options.several_files = settings->path_count > 1 && settings->request.group_count == 0;
    settings->request.one_series_a_file |= options.several_files;
    return STATUS_GOOD;
}

static int parse(int key, char *arg, void *own)
{
    (void)own;
    if (key != 0x100)
        return ARGP_ERR_UNKNOWN;
    options.baseline = arg;
    return 0;
}

int main(int argc, char **argv)
{
    static const struct argp_option own_options[] = {
        {"baseline", 0x100, "NAME", 0,
         "the group to compare with (default: the first one); with several group columns also a text in one of them",
         0},
        {0}};
    static const struct tabular program = {
        .name = "compare",
        .doc =
            "How many times slower or faster than the baseline is each group?\v"
            "Examples:\n"
            "  assay compare --value time --by version --baseline v1 times.csv\n"
            "  assay compare hyperfine.json                      values and names are those of the tool\n"
            "  assay compare --baseline old.json old.json new.json    each benchmark with its like in the other file\n"
            "  assay compare --by version,program --baseline v1 --method bootstrap --format latex times.csv",
        .options = own_options,
        .parse = parse,
        .methods = methods,
        .figures = figures,
        .settle = settle,
        .consumer = {groups_init, groups_feed, groups_merge, groups_free, &keeps_values},
        .report = report};
    return tabular_main(&program, argc, argv);
}
