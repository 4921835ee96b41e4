/* Profiles as rows of shares over runs. */
#include "analyze/hot/profile.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool profile_label_known(const char *name)
{
    for (size_t l = 0; l < PROFILE_LABELS; l++)
        if (strcmp(name, profile_label_names[l]) == 0)
            return true;
    return false;
}

size_t profile_empty_runs(const struct profile *profile)
{
    size_t empty = 0;
    for (size_t i = 0; i < profile_run_count(profile); i++)
        empty += profile_run_at(profile, i)->samples == 0;
    return empty;
}

const char *profile_mixed_label(const struct profile *profile)
{
    for (size_t l = 0; l < PROFILE_LABELS; l++)
        for (size_t i = 1; i < profile_run_count(profile); i++)
            if (profile_run_at(profile, i)->labels[l] != profile_run_at(profile, 0)->labels[l])
                return profile_label_names[l];
    return NULL;
}

/* ------------------------------------------------------------------------------------------ groups -- */

struct ordered_run {
    const char *label, *id;
    size_t index;
};

static int profile_compare_runs(const void *a, const void *b)
{
    const struct ordered_run *x = a, *y = b;
    int order = strcmp(x->label, y->label);
    return order ? order : strcmp(x->id, y->id);
}

int profile_group(const struct profile *profile, const char *by, struct profile_groups *groups)
{
    *groups = (struct profile_groups){0};
    struct ordered_run *runs = calloc(profile_run_count(profile) + 1, sizeof *runs);
    size_t count = 0, label = 0;
    int error = runs ? 0 : ENOMEM;
    assert(!by || profile_label_known(by));
    while (by && strcmp(by, profile_label_names[label]) != 0)
        label++;
    for (size_t i = 0; !error && i < profile_run_count(profile); i++) {
        const struct profile_run *run = profile_run_at(profile, i);
        if (run->samples > 0)
            runs[count++] = (struct ordered_run){by ? profile_text(profile, run->labels[label]) : "",
                                                 profile_text(profile, run->id), i};
    }
    if (!error)
        qsort(runs, count, sizeof *runs, profile_compare_runs);
    for (size_t i = 0; !error && i < count; i++) {
        if (i == 0 || strcmp(runs[i].label, runs[i - 1].label) != 0) {
            struct profile_group *items = realloc(groups->items, (groups->count + 1) * sizeof *items);
            if (!items) {
                error = ENOMEM;
                break;
            }
            groups->items = items;
            items[groups->count++] =
                (struct profile_group){.label = runs[i].label, .runs = malloc((count - i) * sizeof *items->runs)};
        }
        struct profile_group *group = &groups->items[groups->count - 1];
        if (group->runs)
            group->runs[group->run_count++] = runs[i].index;
        else
            error = ENOMEM;
    }
    free(runs);
    return error;
}

void profile_groups_free(struct profile_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++)
        free(groups->items[i].runs);
    free(groups->items);
}

/* ------------------------------------------------------------------------------------------ sums -- */

/* Sums the entries that have the right granularity, and not only zeros. */
static int profile_sum_entries(const struct profile *profile, const struct profile_group *group,
                               const size_t *positions, const struct profile_granularity *granularity,
                               struct profile_sums *sums)
{
    for (size_t i = 0; i < profile_entry_count(profile); i++) {
        const struct profile_entry *entry = profile_entry_at(profile, i);
        uint64_t weight = granularity->inclusive ? entry->inclusive : entry->self;
        if ((entry->line > 0) != granularity->lines || weight == 0 || positions[entry->run] == SIZE_MAX)
            continue;
        const struct profile_sum like = {granularity->threads ? entry->thread : 0, entry->method, entry->line, NULL, 0};
        uint32_t at = keyed_add(&sums->items, &like);
        if (at == KEYED_FULL)
            return ENOMEM;
        struct profile_sum *sum = keyed_at(&sums->items, at);
        if (!sum->shares && !(sum->shares = calloc(group->run_count, sizeof *sum->shares)))
            return ENOMEM;
        sum->samples += weight;
        sum->shares[positions[entry->run]] += (double)weight;
    }
    return 0;
}

int profile_sum(const struct profile *profile, const struct profile_group *group,
                const struct profile_granularity *granularity, struct profile_sums *sums)
{
    *sums = (struct profile_sums){{.item_bytes = sizeof(struct profile_sum), .key_bytes = 3 * sizeof(uint32_t)}};
    /* the index of each run in the group; SIZE_MAX: not in it */
    size_t *positions = malloc((profile_run_count(profile) + 1) * sizeof *positions);
    for (size_t i = 0; positions && i < profile_run_count(profile); i++)
        positions[i] = SIZE_MAX;
    for (size_t i = 0; positions && i < group->run_count; i++)
        positions[group->runs[i]] = i;
    int error = positions ? profile_sum_entries(profile, group, positions, granularity, sums) : ENOMEM;
    for (size_t i = 0; !error && i < sums->items.count; i++) {
        const struct profile_sum *sum = keyed_at(&sums->items, i);
        for (size_t r = 0; r < group->run_count; r++)
            sum->shares[r] /= (double)profile_run_at(profile, group->runs[r])->samples;
    }
    free(positions);
    return error;
}

void profile_sums_free(struct profile_sums *sums)
{
    for (size_t i = 0; i < sums->items.count; i++)
        free(((struct profile_sum *)keyed_at(&sums->items, i))->shares);
    keyed_free(&sums->items);
}
