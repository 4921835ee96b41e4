#include "analyze/hot/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stats/estimates/proportion.h"

static int profile_compare_rows(const void *a, const void *b)
{
    const struct profile_row *x = a, *y = b;
    if (x->mean != y->mean)
        return x->mean > y->mean ? -1 : 1;
    int order = strcmp(x->method, y->method);
    if (order == 0)
        order = x->line < y->line ? -1 : x->line > y->line;
    return order ? order : strcmp(x->thread, y->thread);
}

static struct profile_row profile_make_row(const struct profile *profile, const struct profile_sum *sum, size_t runs,
                                           bool threads, const struct analysis_options *options)
{
    struct profile_row row = {.thread = threads ? profile_text(profile, sum->thread) : "",
                              .method = profile_text(profile, sum->method),
                              .line = sum->line,
                              .samples = sum->samples};
    long double total = 0;
    for (size_t i = 0; i < runs; i++)
        total += sum->shares[i];
    row.mean = (double)(total / (long double)runs);
    enum interval_method method = options->use_z ? INTERVAL_Z : INTERVAL_T;
    row.has_interval =
        proportion_mean_interval(sum->shares, runs, method, options->confidence, &row.interval) == STATS_OK;
    return row;
}

int profile_rows(const struct profile *profile, const struct profile_groups *groups, size_t g,
                 const struct profile_granularity *granularity, const struct analysis_options *options,
                 struct profile_rows *rows)
{
    *rows = (struct profile_rows){0};
    int error = profile_sum(profile, groups, g, granularity, &rows->sums);
    rows->items = error ? NULL : calloc(rows->sums.items.count + 1, sizeof *rows->items);
    if (!rows->items)
        return error ? error : ENOMEM;
    for (size_t i = 0; i < rows->sums.items.count; i++)
        rows->items[rows->count++] = profile_make_row(profile, keyed_at(&rows->sums.items, i),
                                                      groups->items[g].run_count, granularity->threads, options);
    qsort(rows->items, rows->count, sizeof *rows->items, profile_compare_rows);
    return 0;
}

void profile_rows_free(struct profile_rows *rows)
{
    free(rows->items);
    profile_sums_free(&rows->sums);
}
