#include "analyze/hot/profile.h"

#include <errno.h>
#include <stdlib.h>

#include "trace/names/unseen.h"

/* Samples by group and text, and which texts are removed. */
struct population {
    double *samples; /* [groups][texts]; whole numbers */
    bool *unseen;    /* [texts] */
    size_t texts;
};

static void population_warn_of_unseen(const struct profile *profile, const struct profile_groups *groups,
                                      const struct population *own, struct report *report)
{
    for (size_t g = 0; g < groups->count; g++) {
        const double *samples = &own->samples[g * own->texts];
        double left_out = 0, all = 0;
        char names[256];
        for (size_t m = 0; m < own->texts; m++) {
            left_out += own->unseen[m] ? samples[m] : 0;
            all += samples[m];
        }
        unseen_list(&profile->relations.texts, own->unseen, samples, names, sizeof names);
        if (left_out > 0)
            report_warn(report, UNSEEN_WARNING, *groups->items[g].label ? groups->items[g].label : "(no name)",
                        100 * left_out / all, names);
    }
}

int population_level(struct profile *profile, const struct profile_groups *groups, struct report *report)
{
    const size_t texts = profile->relations.texts.count;
    struct population own = {.samples = calloc(groups->count * texts + 1, sizeof *own.samples),
                             .unseen = calloc(texts + 1, sizeof *own.unseen),
                             .texts = texts};
    size_t runs = profile_run_count(profile), *group_of = malloc((runs + 1) * sizeof *group_of);
    bool good = own.samples && own.unseen && group_of;
    for (size_t r = 0; good && r < runs; r++)
        group_of[r] = SIZE_MAX; /* in none */
    for (size_t g = 0; good && g < groups->count; g++)
        for (size_t r = 0; r < groups->items[g].run_count; r++)
            group_of[groups->items[g].runs[r]] = g;
    for (size_t i = 0; good && i < profile_entry_count(profile); i++) {
        const struct profile_entry *entry = profile_entry_at(profile, i);
        size_t group = group_of[entry->run];
        if (group != SIZE_MAX && entry->line == 0)
            own.samples[group * texts + entry->method] += (double)entry->self;
    }
    for (size_t m = 0; good && m < texts; m++)
        for (size_t g = 0; g < groups->count; g++)
            own.unseen[m] |= own.samples[g * texts + m] == 0 && unseen_is_no_method(profile_text(profile, (uint32_t)m));
    if (good)
        population_warn_of_unseen(profile, groups, &own, report);
    for (size_t i = 0; good && i < profile_entry_count(profile); i++) {
        struct profile_entry *entry = profile_entry_at(profile, i);
        if (!own.unseen[entry->method])
            continue;
        if (entry->line == 0)
            profile_run_at(profile, entry->run)->samples -= entry->self;
        entry->self = 0;
    }
    free(own.samples);
    free(own.unseen);
    free(group_of);
    return good ? 0 : ENOMEM;
}
