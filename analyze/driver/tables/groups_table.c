#include "analyze/driver/tables/groups_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The columns of a table under construction: group columns, whose names are allocated once final, then "metric" and the
 * program's, whose names stay. */
struct plan {
    const struct rows_columns *columns;
    struct table_column *all;
    size_t count;     /* of all */
    size_t finalized; /* of the group columns */
};

static bool groups_table_has_name(const struct plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->count; i++)
        if ((i < plan->finalized || i >= plan->columns->group_count) && strcmp(plan->all[i].name, name) == 0)
            return true;
    return false;
}

/* A new name must not take a later group column's own name. */
static bool groups_table_is_original_name(const struct plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->columns->group_count; i++)
        if (strcmp(plan->columns->groups[i], name) == 0)
            return true;
    return false;
}

/* Allocated; NULL without memory. */
static char *groups_table_unused_name(const struct plan *plan, const char *name)
{
    char *next = strdup(name);
    bool taken = next && groups_table_has_name(plan, next);
    while (taken) {
        char *longer;
        int length = asprintf(&longer, "group_%s", next);
        free(next);
        next = length < 0 ? NULL : longer;
        taken = next && (groups_table_has_name(plan, next) || groups_table_is_original_name(plan, next));
    }
    return next;
}

static bool groups_table_name_columns(struct plan *plan)
{
    for (; plan->finalized < plan->columns->group_count; plan->finalized++) {
        char *name = groups_table_unused_name(plan, plan->columns->groups[plan->finalized]);
        if (!name)
            return false;
        plan->all[plan->finalized] = (struct table_column){name, TABLE_TEXT};
    }
    return true;
}

static struct table *groups_table_create(const struct rows_columns *columns, const struct table_column *own,
                                         size_t own_count, bool has_metric)
{
    struct plan plan = {columns, calloc(columns->group_count + 1 + own_count, sizeof *own), columns->group_count, 0};
    struct table *table = NULL;
    if (!plan.all)
        return NULL;
    if (has_metric)
        plan.all[plan.count++] = (struct table_column){"metric", TABLE_TEXT};
    memcpy(plan.all + plan.count, own, own_count * sizeof *own);
    plan.count += own_count;
    if (groups_table_name_columns(&plan))
        table = table_new(plan.all, plan.count);
    for (size_t i = 0; i < plan.finalized; i++)
        free((char *)(uintptr_t)plan.all[i].name);
    free(plan.all);
    return table;
}

struct table *groups_table_new(const struct groups *groups, const struct table_column *own, size_t own_count)
{
    return groups_table_create(&groups->columns, own, own_count, groups->columns.value_count > 1);
}

struct table *groups_columns_table(const struct groups *groups, const struct columns *own)
{
    struct table_column *list = calloc(own->count + 1, sizeof *list);
    struct table *table = list ? groups_table_new(groups, list, columns_list(own, COLUMNS_MACHINE, 0, list)) : NULL;
    free(list);
    return table;
}

struct table *groups_texts_table(const struct groups *groups, const struct table_column *own, size_t own_count)
{
    return groups_table_create(&groups->columns, own, own_count, false);
}

void groups_texts(struct table *table, const struct groups *groups, size_t group)
{
    for (size_t i = 0; i < groups->columns.group_count; i++)
        table_text(table, groups->texts[group][i]);
}

void groups_table_begin(struct table *table, const struct groups *groups, size_t group, size_t value)
{
    groups_texts(table, groups, group);
    if (groups->columns.value_count > 1)
        table_text(table, groups->columns.values[value]);
}

char *groups_table_label(const struct groups *groups, size_t group, size_t value)
{
    const char *name = groups_name(groups, group);
    const char *metric = groups->columns.value_count > 1 ? groups->columns.values[value] : "";
    char *label;
    int length = asprintf(&label, "%s%s%s", name, *name && *metric ? ", " : "", metric);
    return length < 0 ? NULL : label;
}

struct table *groups_values_table(const struct groups *groups)
{
    struct table *table = groups_table_new(groups, (const struct table_column[]){{"value", TABLE_REAL}}, 1);
    for (size_t g = 0; table && g < groups->count; g++)
        for (size_t v = 0; v < groups->columns.value_count; v++) {
            const struct series *series = groups_series(groups, g, v);
            for (size_t i = 0; i < series->n; i++) {
                groups_table_begin(table, groups, g, v);
                table_real(table, series_double(series, i));
            }
        }
    return table;
}
