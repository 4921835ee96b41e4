#include "analyze/history/histories.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cli/number.h"
#include "stats/estimates/median.h"
#include "stats/estimates/order.h"

/* A commit of a benchmark, while groups are sorted into them. */
struct entry {
    size_t benchmark;
    size_t number; /* in the order of first appearance */
    const char *commit, *order;
    double order_number;
    size_t first_group; /* of a list through struct arrangement's next_group */
};

#define NO_GROUP SIZE_MAX

struct arrangement {
    const struct groups *groups;
    struct histories *histories;
    size_t commit_column, order_column;      /* SIZE_MAX: none */
    size_t *name_columns, name_column_count; /* the columns that name a benchmark */
    struct entry *entries;
    size_t entry_count, *next_group; /* [groups->count] each */
    struct text_set benchmarks, commits;
};

const struct history *histories_item(const struct histories *histories, size_t benchmark, size_t value)
{
    return &histories->items[benchmark * histories->names.columns.value_count + value];
}

void histories_free(struct histories *histories)
{
    size_t values = histories->names.columns.value_count;
    for (size_t i = 0; histories->items && i < histories->names.count * values; i++)
        free(histories->items[i].commits);
    for (size_t b = 0; b < histories->names.count; b++) {
        free(histories->names.texts[b]);
        free(histories->names.names[b]);
    }
    free(histories->items);
    free(histories->first_groups);
    free(histories->names.texts);
    free(histories->names.names);
    free((void *)(uintptr_t)histories->names.columns.groups);
}

/* ------------------------------------------------------------------------------------------ entries -- */

static size_t arrangement_find_column(const struct groups *groups, const char *name)
{
    for (size_t c = 0; name && c < groups->columns.group_count; c++)
        if (strcmp(groups->columns.groups[c], name) == 0)
            return c;
    return SIZE_MAX;
}

/* Makes the empty benchmarks, and their columns: all but those of the commit and its order. */
static bool arrangement_keep_columns(struct arrangement *arrangement)
{
    const struct rows_columns *columns = &arrangement->groups->columns;
    const char **names = calloc(columns->group_count + 1, sizeof *names);
    arrangement->name_columns = calloc(columns->group_count + 1, sizeof *arrangement->name_columns);
    for (size_t c = 0; names && arrangement->name_columns && c < columns->group_count; c++)
        if (c != arrangement->commit_column && c != arrangement->order_column) {
            names[arrangement->name_column_count] = columns->groups[c];
            arrangement->name_columns[arrangement->name_column_count++] = c;
        }
    struct groups *result = &arrangement->histories->names;
    result->columns = *columns;
    result->columns.groups = names;
    result->columns.group_count = arrangement->name_column_count;
    result->texts = calloc(arrangement->groups->count + 1, sizeof *result->texts);
    result->names = calloc(arrangement->groups->count + 1, sizeof *result->names);
    arrangement->histories->first_groups = calloc(arrangement->groups->count + 1, sizeof(size_t));
    return names && arrangement->name_columns && result->texts && result->names && arrangement->histories->first_groups;
}

/* "random, fop", allocated. */
static char *arrangement_join_texts(const struct arrangement *arrangement, char *const *texts)
{
    size_t size = 1;
    for (size_t i = 0; i < arrangement->name_column_count; i++)
        size += strlen(texts[i]) + strlen(", ");
    char *joined = calloc(size, 1), *end = joined;
    for (size_t i = 0; joined && i < arrangement->name_column_count; i++)
        end = stpcpy(stpcpy(end, i ? ", " : ""), texts[i]);
    return joined;
}

/* The benchmark of a group, which is new if it has not been met before; TEXT_SET_FULL without memory. */
static size_t arrangement_find_benchmark(struct arrangement *arrangement, size_t group)
{
    struct groups *result = &arrangement->histories->names;
    char **texts = calloc(arrangement->name_column_count + 1, sizeof *texts);
    for (size_t i = 0; texts && i < arrangement->name_column_count; i++)
        texts[i] = arrangement->groups->texts[group][arrangement->name_columns[i]];
    size_t number =
        texts ? text_set_add_tuple(&arrangement->benchmarks, (const char *const *)texts, arrangement->name_column_count)
              : TEXT_SET_FULL;
    if (number != result->count || number == TEXT_SET_FULL) {
        free(texts);
        return number;
    }
    result->texts[number] = texts;
    result->names[number] = arrangement_join_texts(arrangement, texts);
    arrangement->histories->first_groups[number] = group;
    result->count++;
    return result->names[number] ? number : TEXT_SET_FULL;
}

/* Adds a group to the entry of its benchmark and commit. */
static bool arrangement_add_group(struct arrangement *arrangement, size_t group)
{
    const struct groups *groups = arrangement->groups;
    char **texts = groups->texts[group];
    const char *order = arrangement->order_column == SIZE_MAX ? NULL : texts[arrangement->order_column];
    size_t benchmark = arrangement_find_benchmark(arrangement, group);
    if (benchmark == TEXT_SET_FULL)
        return false;
    char number_text[24];
    snprintf(number_text, sizeof number_text, "%zu", benchmark);
    const char *key[] = {number_text, texts[arrangement->commit_column]};
    size_t number = text_set_add_tuple(&arrangement->commits, key, 2);
    if (number == TEXT_SET_FULL)
        return false;
    struct entry *entry = &arrangement->entries[number];
    if (number == arrangement->entry_count) {
        *entry = (struct entry){benchmark, number, key[1], order, 0, NO_GROUP};
        arrangement->entry_count++;
    }
    /* The list keeps the order of the groups. */
    size_t *end = &entry->first_group;
    while (*end != NO_GROUP)
        end = &arrangement->next_group[*end];
    *end = group;
    arrangement->next_group[group] = NO_GROUP;
    return true;
}

static int entry_compare_numbers(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->benchmark != y->benchmark)
        return x->benchmark < y->benchmark ? -1 : 1;
    if (x->order_number != y->order_number)
        return x->order_number < y->order_number ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int entry_compare_texts(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = x->order && y->order && x->benchmark == y->benchmark ? strcmp(x->order, y->order) : 0;
    return order ? order : entry_compare_numbers(a, b);
}

static void arrangement_sort(struct arrangement *arrangement)
{
    bool numbers = arrangement->order_column != SIZE_MAX;
    for (size_t i = 0; i < arrangement->entry_count && numbers; i++) {
        struct entry *entry = &arrangement->entries[i];
        numbers = number_parse(entry->order, -1e300, 1e300, &entry->order_number) == 0;
    }
    for (size_t i = 0; i < arrangement->entry_count && !numbers; i++)
        arrangement->entries[i].order_number = 0;
    qsort(arrangement->entries, arrangement->entry_count, sizeof *arrangement->entries,
          numbers ? entry_compare_numbers : entry_compare_texts);
}

/* ------------------------------------------------------------------------------------------ commits -- */

/* Summarizes an entry's values in one column; n is 0 if it has none. */
static int arrangement_summarize(const struct arrangement *arrangement, const struct entry *entry, size_t value,
                                 double confidence, struct history_commit *out)
{
    size_t n = 0, at = 0;
    for (size_t g = entry->first_group; g != NO_GROUP; g = arrangement->next_group[g])
        n += groups_series(arrangement->groups, g, value)->n;
    *out = (struct history_commit){.text = entry->commit, .n = n};
    if (n == 0)
        return STATUS_GOOD;
    double *x = malloc(n * sizeof *x);
    if (!x)
        return STATUS_BAD;
    for (size_t g = entry->first_group; g != NO_GROUP; g = arrangement->next_group[g]) {
        const struct series *series = groups_series(arrangement->groups, g, value);
        series_to_doubles(series, x + at);
        at += series->n;
    }
    order_sort(x, n);
    order_quantile(x, n, 0.5, &out->value);
    out->varies = x[0] != x[n - 1];
    if (median_interval(x, n, confidence, &out->low, &out->high) != STATS_OK) {
        out->low = x[0];
        out->high = x[n - 1];
    }
    free(x);
    return STATUS_GOOD;
}

/* Makes the histories of one benchmark from its entries, which are sorted. */
static int arrangement_fill(const struct arrangement *arrangement, const struct entry *entries, size_t count,
                            double confidence)
{
    size_t values = arrangement->groups->columns.value_count;
    for (size_t v = 0; v < values; v++) {
        struct history *history = &arrangement->histories->items[entries->benchmark * values + v];
        history->commits = calloc(count, sizeof *history->commits);
        if (!history->commits)
            return STATUS_BAD;
        for (size_t i = 0; i < count; i++) {
            struct history_commit *commit = &history->commits[history->count];
            if (arrangement_summarize(arrangement, &entries[i], v, confidence, commit) != STATUS_GOOD)
                return STATUS_BAD;
            history->count += commit->n > 0;
        }
    }
    return STATUS_GOOD;
}

int histories_init(struct histories *histories, const struct groups *groups, struct histories_columns columns,
                   double confidence, struct error_text *message)
{
    *histories = (struct histories){0};
    struct arrangement arrangement = {.groups = groups,
                                      .histories = histories,
                                      .commit_column = arrangement_find_column(groups, columns.commit),
                                      .order_column = arrangement_find_column(groups, columns.order),
                                      .entries = calloc(groups->count + 1, sizeof(struct entry)),
                                      .next_group = calloc(groups->count + 1, sizeof(size_t))};
    bool good = arrangement.entries && arrangement.next_group && arrangement_keep_columns(&arrangement);
    for (size_t g = 0; good && g < groups->count; g++)
        good = arrangement_add_group(&arrangement, g);
    if (good) {
        arrangement_sort(&arrangement);
        histories->items = calloc(histories->names.count * groups->columns.value_count + 1, sizeof *histories->items);
        good = histories->items != NULL;
    }
    for (size_t i = 0, n; good && i < arrangement.entry_count; i += n) {
        const struct entry *entries = arrangement.entries + i;
        for (n = 1; i + n < arrangement.entry_count && entries[n].benchmark == entries->benchmark;)
            n++;
        good = arrangement_fill(&arrangement, entries, n, confidence) == STATUS_GOOD;
    }
    text_set_free(&arrangement.benchmarks);
    text_set_free(&arrangement.commits);
    free(arrangement.name_columns);
    free(arrangement.entries);
    free(arrangement.next_group);
    if (good)
        return STATUS_GOOD;
    histories_free(histories);
    return error_set(message, STATUS_BAD, "out of memory");
}
