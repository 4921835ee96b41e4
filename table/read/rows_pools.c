#include "table/read/rows_pools.h"
#include "base/text_stream.h"

#include <stdlib.h>
#include <string.h>

/* What separates the texts of a group. */
static const char UNIT_SEPARATOR = '\x1f';

/* The texts of a row's group, joined; allocated. NULL without memory. */
static char *rows_pools_group(const struct rows_table *table, size_t group_count, size_t row)
{
    char *key = NULL;
    size_t length;
    FILE *out = text_stream_open(&key, &length);
    for (size_t g = 0; out && g < group_count; g++) {
        size_t column = table->group_at[g];
        const char *text = column < table->column_count    ? csv_cell(table->bench.csv, row, column)
                           : column == table->column_count ? table->path
                                                           : "";
        fprintf(out, "%s%c", text ? text : "", UNIT_SEPARATOR);
    }
    text_stream_close(out, &key);
    return key;
}

/* "mode, environment variable LANG": in what two conditions differ. */
static void rows_pools_differences(const json_t *a, const json_t *b, char *names, size_t size)
{
    json_t *all = json_copy((json_t *)(uintptr_t)a), *either;
    const char *name;
    json_object_update_missing(all, (json_t *)(uintptr_t)b);
    json_object_foreach(all, name, either)
    {
        const json_t *one = json_object_get(a, name), *other = json_object_get(b, name);
        if (!one || !other || !json_equal(one, other))
            error_list(names, size, name);
    }
    json_decref(all);
}

void rows_pools_add(struct rows_pools *pools, const struct rows_table *table, size_t group_count)
{
    size_t at = table->bench.conditions ? rows_table_column(table, "conditions") : SIZE_MAX;
    if (at == SIZE_MAX)
        return;
    size_t directory = rows_table_column(table, "directory");
    if (!pools->groups) {
        pools->groups = json_object();
        pools->conditions = json_object();
    }
    json_object_update(pools->conditions, table->bench.conditions);
    for (size_t row = 0; row < table->bench.csv->row_count; row++) {
        const char *own = csv_cell(table->bench.csv, row, at);
        bool below = directory != SIZE_MAX && csv_cell(table->bench.csv, row, directory);
        char *key = rows_pools_group(table, group_count, row), names[200] = "";
        const char *first = key ? json_string_value(json_object_get(pools->groups, key)) : NULL;
        if (key && own && !first) {
            json_object_set_new(pools->groups, key, json_string(own));
        } else if (own && first && *first && strcmp(own, first) != 0) {
            rows_pools_differences(json_object_get(pools->conditions, first), json_object_get(pools->conditions, own),
                                   names, sizeof names);
            if (pools->count++ == 0)
                error_set(&pools->reason, 0,
                          "%.150s: its runs share a group with runs that differ in %s; %s, or labels in --by, keep "
                          "them apart",
                          table->path, names, below ? "directory" : "--by-file");
            json_object_set_new(pools->groups, key, json_string("")); /* once is enough */
        }
        free(key);
    }
}

void rows_pools_free(struct rows_pools *pools)
{
    json_decref(pools->groups);
    json_decref(pools->conditions);
    *pools = (struct rows_pools){0};
}
