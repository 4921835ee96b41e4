/* Profiles as rows of shares over runs. */
#include "analyze/hot/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum run_label profile_mixed_label(const struct profile *profile)
{
    for (enum run_label label = 0; label < RUN_LABELS; label++)
        for (size_t i = 1; run_label_separates(label) && i < profile_source_count(profile); i++)
            if (profile_source_at(profile, i)->labels[label] != profile_source_at(profile, 0)->labels[label])
                return label;
    return RUN_LABELS;
}

/* ------------------------------------------------------------------------------------------ groups -- */

struct ordered_source {
    const char *label, *id;
    size_t index;
    uint64_t samples;
};

static int profile_compare_sources(const void *a, const void *b)
{
    const struct ordered_source *x = a, *y = b;
    int order = strcmp(x->label, y->label);
    return order ? order : strcmp(x->id, y->id);
}

/* Adds the run that these sources are to its group, the last one or a new one. 0 or ENOMEM. */
static int profile_add_run(struct profile_groups *groups, const struct ordered_source *sources, size_t count)
{
    uint64_t samples = 0;
    for (size_t i = 0; i < count; i++)
        samples += sources[i].samples;
    if (samples == 0) {
        groups->empty++;
        return 0;
    }
    struct profile_group *group = groups->count > 0 ? &groups->items[groups->count - 1] : NULL;
    if (!group || strcmp(group->label, sources->label) != 0) {
        group = &groups->items[groups->count++];
        *group = (struct profile_group){.label = sources->label};
    }
    uint64_t *grown = realloc(group->samples, (group->run_count + 1) * sizeof *grown);
    if (!grown)
        return ENOMEM;
    group->samples = grown;
    for (size_t i = 0; i < count; i++)
        groups->positions[sources[i].index] = (struct profile_position){groups->count - 1, group->run_count};
    group->samples[group->run_count++] = samples;
    groups->run_count++;
    return 0;
}

int profile_group(const struct profile *profile, enum run_label by, struct profile_groups *groups)
{
    size_t count = profile_source_count(profile);
    struct ordered_source *sources = calloc(count + 1, sizeof *sources);
    *groups = (struct profile_groups){.items = calloc(count + 1, sizeof *groups->items),
                                      .positions = calloc(count + 1, sizeof *groups->positions)};
    int error = sources && groups->items && groups->positions ? 0 : ENOMEM;
    for (size_t i = 0; !error && i < count; i++) {
        const struct profile_source *source = profile_source_at(profile, i);
        sources[i] = (struct ordered_source){by < RUN_LABELS ? profile_text(profile, source->labels[by]) : "",
                                             profile_text(profile, source->id), i, source->samples};
        groups->positions[i].group = SIZE_MAX;
    }
    if (!error)
        qsort(sources, count, sizeof *sources, profile_compare_sources);
    for (size_t i = 0, n; !error && i < count; i += n) {
        for (n = 1; i + n < count && profile_compare_sources(&sources[i], &sources[i + n]) == 0; n++)
            continue;
        error = profile_add_run(groups, sources + i, n);
    }
    free(sources);
    return error;
}

void profile_groups_free(struct profile_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++)
        free(groups->items[i].samples);
    free(groups->items);
    free(groups->positions);
}

/* ------------------------------------------------------------------------------------------ sums -- */

/* Sums the entries that have the right granularity, and not only zeros. */
static int profile_sum_entries(const struct profile *profile, const struct profile_groups *groups, size_t g,
                               const struct profile_granularity *granularity, struct profile_sums *sums)
{
    for (size_t i = 0; i < profile_entry_count(profile); i++) {
        const struct profile_entry *entry = profile_entry_at(profile, i);
        const struct profile_position position = groups->positions[entry->source];
        uint64_t weight = granularity->inclusive ? entry->inclusive : entry->self;
        if ((entry->line > 0) != granularity->lines || weight == 0 || position.group != g)
            continue;
        const struct profile_sum like = {granularity->threads ? entry->thread : 0, entry->method, entry->line, NULL, 0};
        uint32_t at = keyed_add(&sums->items, &like);
        if (at == KEYED_FULL)
            return ENOMEM;
        struct profile_sum *sum = keyed_at(&sums->items, at);
        if (!sum->shares && !(sum->shares = calloc(groups->items[g].run_count, sizeof *sum->shares)))
            return ENOMEM;
        sum->samples += weight;
        sum->shares[position.run] += (double)weight;
    }
    return 0;
}

int profile_sum(const struct profile *profile, const struct profile_groups *groups, size_t g,
                const struct profile_granularity *granularity, struct profile_sums *sums)
{
    const struct profile_group *group = &groups->items[g];
    *sums = (struct profile_sums){{.item_bytes = sizeof(struct profile_sum), .key_bytes = 3 * sizeof(uint32_t)}};
    int error = profile_sum_entries(profile, groups, g, granularity, sums);
    for (size_t i = 0; !error && i < sums->items.count; i++) {
        const struct profile_sum *sum = keyed_at(&sums->items, i);
        for (size_t r = 0; r < group->run_count; r++)
            sum->shares[r] /= (double)group->samples[r];
    }
    return error;
}

void profile_sums_free(struct profile_sums *sums)
{
    for (size_t i = 0; i < sums->items.count; i++)
        free(((struct profile_sum *)keyed_at(&sums->items, i))->shares);
    keyed_free(&sums->items);
}
