#include "analyze/compare/compare_missing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The column of units, which values show; SIZE_MAX if there is none. */
static size_t compare_unit_column(const struct groups *groups)
{
    for (size_t v = 0; v < groups->columns.value_count; v++)
        if (groups->columns.units[v].group != ROWS_NO_UNIT)
            return groups->columns.units[v].group;
    return SIZE_MAX;
}

char *compare_name_with(const struct compare_task *task, size_t group, const char *text)
{
    const struct groups *groups = task->groups;
    const size_t unit_column = text ? SIZE_MAX : compare_unit_column(groups);
    size_t size = strlen(groups_name(groups, group)) + (text ? strlen(text) : 0) + 3, length = 0;
    char *name = malloc(size);
    if (!name)
        return NULL;
    *name = '\0';
    for (size_t c = 0; c < groups->columns.group_count; c++) {
        const char *part = compare_is_paired(task) && c == task->baseline.column ? text : groups->texts[group][c];
        if (part && c != unit_column)
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

/* Adds the row of a group that has values, while its counterpart of this name has none. */
static int compare_add_missing(struct compare_task *task, size_t group, size_t value, enum compare_row_which which,
                               const char *name, const char *benchmark)
{
    const struct groups *groups = task->groups;
    const bool is_new = which == ROW_NEW;
    struct comparison_side side;
    struct compare_row row = {.which = which,
                              .metric = groups->columns.values[value],
                              .name = name,
                              .baseline = is_new ? NULL : groups_name(groups, group),
                              .benchmark = benchmark,
                              .unit = groups_unit(groups, group, value),
                              .found = comparison_none(),
                              .kind = direction_of(&task->direction, groups, group, value)};
    enum stats_status status = comparison_side_init(&side, groups_series(groups, group, value));
    if (!status)
        *(is_new ? &row.found.center : &row.found.center_baseline) =
            comparison_has_medians(task->request.method) ? side.median : side.mean;
    *(is_new ? &row.n : &row.n_baseline) = side.n;
    comparison_side_free(&side);
    return status != STATS_NO_MEMORY && compare_rows_add(task->rows, &row) ? STATUS_GOOD : STATUS_BAD;
}

int compare_add_one_sided(struct compare_task *task, size_t group, size_t baseline, size_t value, bool *added)
{
    const struct groups *groups = task->groups;
    bool has = groups_series(groups, group, value)->n > 0;
    bool had = baseline != BASELINE_NONE && groups_series(groups, baseline, value)->n > 0;
    *added = has != had;
    if (!*added)
        return STATUS_GOOD;
    char *benchmark = compare_benchmark(task, group, groups->texts[group][task->baseline.column]);
    int status = compare_add_missing(task, has ? group : baseline, value, has ? ROW_NEW : ROW_VANISHED,
                                     groups_name(groups, group), benchmark);
    free(benchmark);
    return status;
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
            status = name ? compare_add_missing(task, b, value, ROW_VANISHED, name, benchmark) : STATUS_BAD;
            free(benchmark);
            free(name);
        }
    return status;
}
