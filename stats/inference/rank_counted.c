#include "stats/inference/rank_counted.h"

#include <math.h>
#include <stdlib.h>

#include "stats/distributions/tail.h"

struct item {
    double value;
    uint64_t count;
    size_t group;
};

static int rank_counted_compare(const void *a, const void *b)
{
    double x = ((const struct item *)a)->value, y = ((const struct item *)b)->value;
    return x < y ? -1 : x > y;
}

/* Sums of ranks by group, ranks counted from the middle one, so that the sum of all is 0. Returns Σ(t³−t). */
static __float128 rank_counted_sum_ranks(const struct item *items, size_t count, uint64_t n, __float128 *sums)
{
    __float128 ties = 0, before = 0, middle = ((__float128)n + 1) / 2;
    for (size_t i = 0; i < count;) {
        size_t end = i;
        __float128 t = 0;
        while (end < count && items[end].value == items[i].value)
            t += (__float128)items[end++].count;
        for (; i < end; i++)
            sums[items[i].group] += (__float128)items[i].count * (before + (t + 1) / 2 - middle);
        ties += t * t * t - t;
        before += t;
    }
    return ties;
}

/* Work memory. */
struct ranking {
    struct item *items; /* [item_count], all values of all groups */
    size_t item_count;
    uint64_t *sizes;  /* [groups] */
    __float128 *sums; /* [groups], of ranks */
};

static enum stats_status rank_counted_kruskal(const struct rank_counted *groups, size_t count,
                                              const struct ranking *ranking, struct kruskal_wallis *out)
{
    struct item *items = ranking->items;
    size_t item_count = ranking->item_count;
    __float128 *sums = ranking->sums;
    uint64_t all = 0;
    /* Collects the values of all groups, and counts those of each group and of all. */
    uint64_t *sizes = ranking->sizes;
    size_t next = 0;
    for (size_t g = 0; g < count; g++)
        for (size_t i = 0; i < groups[g].count; i++) {
            const struct rank_value *value = &groups[g].values[i];
            if (!isfinite(value->value))
                return STATS_DOMAIN;
            if (value->count > RANK_N_MAX || all + value->count > RANK_N_MAX)
                return STATS_OVERFLOW;
            items[next++] = (struct item){value->value, value->count, g};
            sizes[g] += value->count;
            all += value->count;
        }
    for (size_t g = 0; g < count; g++)
        if (sizes[g] == 0)
            return STATS_TOO_FEW;
    enum stats_status status = STATS_OK;
    qsort(items, item_count, sizeof *items, rank_counted_compare);
    __float128 n = (__float128)all, h = 0, ties = rank_counted_sum_ranks(items, item_count, all, sums);
    __float128 correction = 1 - ties / (n * n * n - n);
    if (items[0].value == items[item_count - 1].value)
        return STATS_CONSTANT;
    for (size_t g = 0; g < count; g++)
        h += sums[g] * sums[g] / (__float128)ranking->sizes[g];
    struct kruskal_wallis found = {.h = (double)(12 * h / (n * (n + 1)) / correction),
                                   .dof = (double)(count - 1),
                                   .groups = count,
                                   .n = all,
                                   .ties = ties > 0};
    struct tail tail;
    status = tail_chi_square(found.h, found.dof, &tail);
    if (status)
        return status;
    found.p = tail.p;
    found.log10_p = tail.log10_p;
    *out = found;
    return STATS_OK;
}

enum stats_status rank_kruskal_wallis_counted(const struct rank_counted *groups, size_t count,
                                              struct kruskal_wallis *out)
{
    struct ranking ranking = {.item_count = 0};
    if (count < 2)
        return STATS_TOO_FEW;
    for (size_t g = 0; g < count; g++)
        ranking.item_count += groups[g].count;
    ranking.items = malloc((ranking.item_count + 1) * sizeof *ranking.items);
    ranking.sizes = calloc(count, sizeof *ranking.sizes);
    ranking.sums = calloc(count, sizeof *ranking.sums);
    enum stats_status status = ranking.items && ranking.sizes && ranking.sums
                                   ? rank_counted_kruskal(groups, count, &ranking, out)
                                   : STATS_NO_MEMORY;
    free(ranking.items);
    free(ranking.sizes);
    free(ranking.sums);
    return status;
}
