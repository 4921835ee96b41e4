#include "analyze/compare/compare_outcome.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *compare_name_with(const struct compare_task *task, size_t group, const char *text)
{
    const struct groups *groups = task->groups;
    size_t size = strlen(groups_name(groups, group)) + (text ? strlen(text) : 0) + 3, length = 0;
    char *name = malloc(size);
    if (!name)
        return NULL;
    *name = '\0';
    for (size_t c = 0; c < groups->columns.group_count; c++) {
        const char *part = compare_is_paired(task) && c == task->baseline.column ? text : groups->texts[group][c];
        if (part)
            length += (size_t)snprintf(name + length, size - length, "%s%s", length ? ", " : "", part);
    }
    return name;
}

size_t compare_first_alike(const struct compare_task *task, size_t group)
{
    const size_t column = task->baseline.column;
    size_t first = 0;
    while (strcmp(task->groups->texts[first][column], task->groups->texts[group][column]) != 0)
        first++;
    return first;
}

size_t compare_text_count(const struct compare_task *task)
{
    size_t count = 0;
    for (size_t g = 0; compare_is_paired(task) && g < task->groups->count; g++)
        count += compare_first_alike(task, g) == g;
    return count;
}

char *compare_benchmark(const struct compare_task *task, size_t group, const char *text)
{
    char *name = compare_name_with(task, group, NULL), *long_name;
    if (!name || task->text_count < 3)
        return name;
    int length = asprintf(&long_name, "%s (%s)", name, text);
    free(name);
    return length < 0 ? NULL : long_name;
}

int compare_add_row(struct compare_task *task, const struct compare_row *row, const char *unit, char *benchmark)
{
    const struct outcome outcome = {.row = row->which,
                                    .benchmark = benchmark,
                                    .metric = task->groups->columns.value_count > 1 ? row->metric : NULL,
                                    .unit = unit,
                                    .center = row->found->center,
                                    .center_baseline = row->found->center_baseline,
                                    .ratio = row->found->ratio,
                                    .kind = row->kind,
                                    .result = row->result,
                                    .verdict = row->verdict,
                                    .more_runs = row->more_runs};
    compare_rows_add(task->report, row);
    return outcomes_add(&task->outcomes, outcome) ? STATUS_GOOD : STATUS_BAD;
}

/* Adds the row of a group that has values, while its counterpart of this name has none. */
static int compare_add_missing(struct compare_task *task, size_t group, size_t value, enum outcome_row which,
                               const char *name, char *benchmark)
{
    const struct groups *groups = task->groups;
    const bool is_new = which == OUTCOME_NEW;
    struct comparison found = {.p = NAN,
                               .log10_p = NAN,
                               .no_test = STATS_TOO_FEW,
                               .no_interval = STATS_TOO_FEW,
                               .center = NAN,
                               .center_baseline = NAN,
                               .ratio = {NAN, NAN, NAN}};
    struct comparison_side side;
    enum stats_status status = comparison_side_init(&side, groups_series(groups, group, value));
    const size_t n = side.n;
    if (!status)
        *(is_new ? &found.center : &found.center_baseline) =
            task->request.method == COMPARISON_MANN_WHITNEY ? side.median : side.mean;
    comparison_side_free(&side);
    const struct compare_row row = {.which = which,
                                    .metric = groups->columns.values[value],
                                    .name = name,
                                    .baseline = is_new ? NULL : groups_name(groups, group),
                                    .n = is_new ? n : 0,
                                    .n_baseline = is_new ? 0 : n,
                                    .found = &found,
                                    .kind = direction_of(&task->direction, groups, group, value),
                                    .verdict = is_new ? "new" : "vanished"};
    int added = compare_add_row(task, &row, groups_unit(groups, group, value), benchmark);
    return status == STATS_NO_MEMORY ? STATUS_BAD : added;
}

int compare_add_one_sided(struct compare_task *task, size_t group, size_t baseline, size_t value, bool *added)
{
    const struct groups *groups = task->groups;
    bool has = groups_series(groups, group, value)->n > 0;
    bool had = baseline != BASELINE_NONE && groups_series(groups, baseline, value)->n > 0;
    *added = has != had;
    if (!*added)
        return STATUS_GOOD;
    return compare_add_missing(task, has ? group : baseline, value, has ? OUTCOME_NEW : OUTCOME_VANISHED,
                               groups_name(groups, group),
                               compare_benchmark(task, group, groups->texts[group][task->baseline.column]));
}

static bool compare_has_counterpart(const struct compare_task *task, const size_t *partners, size_t baseline,
                                    const char *text)
{
    const struct groups *groups = task->groups;
    for (size_t g = 0; g < groups->count; g++)
        if (g != baseline && partners[g] == baseline && strcmp(groups->texts[g][task->baseline.column], text) == 0)
            return true;
    return false;
}

int compare_add_vanished(struct compare_task *task, const size_t *partners, size_t value)
{
    const struct groups *groups = task->groups;
    int status = STATUS_GOOD;
    for (size_t b = 0; b < groups->count && compare_is_paired(task); b++)
        for (size_t g = 0; g < groups->count && !status; g++) {
            const char *text = groups->texts[g][task->baseline.column];
            if (partners[b] != b || groups_series(groups, b, value)->n == 0 || strcmp(text, task->baseline.text) == 0 ||
                compare_first_alike(task, g) != g || compare_has_counterpart(task, partners, b, text))
                continue;
            char *name = compare_name_with(task, b, text), *benchmark = compare_benchmark(task, b, text);
            status = name ? compare_add_missing(task, b, value, OUTCOME_VANISHED, name, benchmark) : STATUS_BAD;
            free(name);
        }
    return status;
}
