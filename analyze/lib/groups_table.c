#include "analyze/lib/groups_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_taken(const char *name, const struct table_column *own, size_t own_count)
{
    for (size_t i = 0; i < own_count; i++)
        if (strcmp(own[i].name, name) == 0)
            return true;
    return false;
}

static struct table *new_table(const struct rows_columns *columns, const struct table_column *own, size_t own_count,
                               bool has_metric)
{
    struct table_column *all = calloc(columns->group_count + 1 + own_count, sizeof *all);
    char(*renamed)[256] = calloc(columns->group_count + 1, sizeof *renamed);
    struct table *table = NULL;
    size_t count = 0;
    if (all && renamed) {
        for (size_t i = 0; i < columns->group_count; i++) {
            bool taken = is_taken(columns->groups[i], own, own_count);
            snprintf(renamed[i], sizeof renamed[i], "%s%s", taken ? "group_" : "", columns->groups[i]);
            all[count++] = (struct table_column){renamed[i], TABLE_TEXT};
        }
        if (has_metric)
            all[count++] = (struct table_column){"metric", TABLE_TEXT};
        memcpy(all + count, own, own_count * sizeof *own);
        table = table_new(all, count + own_count);
    }
    free(all);
    free(renamed);
    return table;
}

struct table *groups_table_new(const struct groups *groups, const struct table_column *own, size_t own_count)
{
    return new_table(&groups->columns, own, own_count, groups->columns.value_count > 1);
}

struct table *groups_texts_table(const struct groups *groups, const struct table_column *own, size_t own_count)
{
    return new_table(&groups->columns, own, own_count, false);
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

void groups_table_label(const struct groups *groups, size_t group, size_t value, char *text, size_t size)
{
    const struct rows_columns *columns = &groups->columns;
    groups_name(groups, group, text, size);
    size_t length = strlen(text);
    if (columns->value_count > 1)
        snprintf(text + length, size - length, "%s%s", length ? ", " : "", columns->values[value]);
    length = strlen(text);
    if (length)
        snprintf(text + length, size - length, ": ");
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
