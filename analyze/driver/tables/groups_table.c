#include "analyze/driver/tables/groups_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The columns of a table under construction: those of texts, whose names are allocated once final, then "metric" and
 * the program's, whose names stay. */
struct plan {
    const char *const *texts;
    size_t text_count, named; /* the first `named` names of texts are final */
    struct table_column *all;
    size_t count;
};

static bool groups_table_has_name(const struct plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->count; i++)
        if ((i < plan->named || i >= plan->text_count) && strcmp(plan->all[i].name, name) == 0)
            return true;
    return false;
}

/* The next text's name with as many prefixes as make it unused; a new name must not take a later text's own. Allocated;
 * NULL without memory. */
static char *groups_table_unused_name(const struct plan *plan)
{
    char *name = strdup(plan->texts[plan->named]);
    bool taken = name && groups_table_has_name(plan, name);
    while (taken) {
        char *longer;
        int length = asprintf(&longer, "group_%s", name);
        free(name);
        name = length < 0 ? NULL : longer;
        taken = name && groups_table_has_name(plan, name);
        for (size_t i = 0; name && !taken && i < plan->text_count; i++)
            taken = strcmp(plan->texts[i], name) == 0;
    }
    return name;
}

static struct table *groups_table_create(const char *const *texts, size_t text_count, bool has_metric,
                                         const struct columns *own, enum columns_view view, unsigned given)
{
    struct plan plan = {texts, text_count, 0, calloc(text_count + 1 + own->count, sizeof *plan.all), text_count};
    bool good = plan.all != NULL;
    if (good && has_metric)
        plan.all[plan.count++] = (struct table_column){"metric", TABLE_TEXT};
    if (good)
        plan.count += columns_list(own, view, given, plan.all + plan.count);
    while (good && plan.named < text_count) {
        char *name = groups_table_unused_name(&plan);
        good = name != NULL;
        if (good)
            plan.all[plan.named++] = (struct table_column){name, TABLE_TEXT};
    }
    struct table *table = good ? table_new(plan.all, plan.count) : NULL;
    for (size_t i = 0; i < plan.named; i++)
        free((char *)(uintptr_t)plan.all[i].name);
    free(plan.all);
    return table;
}

struct table *groups_texts_table(const char *const *texts, size_t text_count, const struct columns *own)
{
    return groups_table_create(texts, text_count, false, own, COLUMNS_MACHINE, 0);
}

struct table *groups_table_new(const struct groups *groups, bool has_metric, const struct columns *own)
{
    const struct rows_columns *found = &groups->columns;
    return groups_table_create(found->groups, found->group_count, has_metric && found->value_count > 1, own,
                               COLUMNS_MACHINE, 0);
}

void groups_table_begin(struct table *table, const struct groups *groups, size_t group, size_t value)
{
    for (size_t i = 0; i < groups->columns.group_count; i++)
        table_text(table, groups->texts[group][i]);
    if (value != GROUPS_NO_METRIC && groups->columns.value_count > 1)
        table_text(table, groups->columns.values[value]);
}

int groups_report_tables(struct report *report, const struct groups *groups, bool has_metric, const struct columns *own,
                         unsigned given)
{
    const struct rows_columns *found = &groups->columns;
    bool metric = has_metric && found->value_count > 1, differ = columns_differ(own);
    report->columns = own;
    report->given = given;
    report->table = groups_table_create(found->groups, found->group_count, metric, own, COLUMNS_MACHINE, given);
    if (differ)
        report->human = groups_table_create(found->groups, found->group_count, metric, own, COLUMNS_HUMAN, given);
    return report->table && (report->human || !differ) ? 0 : ENOMEM;
}

void groups_report_row(struct report *report, const struct groups *groups, size_t group, size_t value, const void *row)
{
    groups_table_begin(report->table, groups, group, value);
    columns_add(report->table, report->columns, COLUMNS_MACHINE, report->given, row);
    if (!report->human)
        return;
    groups_table_begin(report->human, groups, group, value);
    columns_add(report->human, report->columns, COLUMNS_HUMAN, report->given, row);
}

char *groups_table_label(const struct groups *groups, size_t group, size_t value)
{
    const char *name = groups_name(groups, group);
    const char *metric = groups->columns.value_count > 1 ? groups->columns.values[value] : "";
    char *label;
    int length = asprintf(&label, "%s%s%s", name, *name && *metric ? ", " : "", metric);
    return length < 0 ? NULL : label;
}

struct value_row {
    double value;
};

struct table *groups_values_table(const struct groups *groups)
{
    static const struct column items[] = {COLUMN(value_row, "value", TABLE_REAL, value, "A value.")};
    static const struct columns own = COLUMNS("One row for each value", items);
    struct table *table = groups_table_new(groups, true, &own);
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

bool groups_report_units(struct report *report, const struct groups *groups, const char *more)
{
    const struct rows_columns *columns = &groups->columns;
    const char *common = groups_common_unit(groups);
    char all[300] = "", one[100];
    if (common) {
        report_note(report, "unit: %s%s", common, more);
        return true;
    }
    for (size_t v = 0; v < columns->value_count; v++) {
        const char *unit = columns->units[v].text;
        if (!unit || strcmp(unit, columns->values[v]) == 0)
            continue;
        snprintf(one, sizeof one, "%.60s in %.30s", columns->values[v], unit);
        error_list(all, sizeof all, one);
    }
    if (*all)
        report_note(report, "units: %s", all);
    return false;
}
