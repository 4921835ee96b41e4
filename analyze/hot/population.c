#include "analyze/hot/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error_text.h"
#include "trace/names/unseen.h"

/* Samples by group and text, and which texts are removed. */
struct population {
    double *samples; /* [groups][texts]; whole numbers */
    bool *unseen;    /* [texts] */
    size_t texts;
};

/* Removes the entry's own samples. */
static void population_remove(struct profile *profile, struct profile_entry *entry)
{
    if (entry->line == 0)
        profile_source_at(profile, entry->source)->samples -= entry->self;
    entry->self = 0;
}

/* Reports the samples that were removed, by role and by name. */
static void population_note_removed(const uint64_t *by_role, uint64_t by_name, uint64_t all, struct report *report)
{
    char parts[256] = "", part[64];
    uint64_t removed = by_name;
    for (unsigned role = 0; role < SAMPLE_ROLES; role++) {
        removed += by_role[role];
        if (by_role[role] == 0)
            continue;
        snprintf(part, sizeof part, "%s %.2f %%", trace_role_name(role), 100 * (double)by_role[role] / (double)all);
        error_list(parts, sizeof parts, part);
    }
    if (by_name > 0) {
        snprintf(part, sizeof part, "--without %.2f %%", 100 * (double)by_name / (double)all);
        error_list(parts, sizeof parts, part);
    }
    if (removed > 0)
        report_note(report, "shares are of the samples that --roles and --without keep; %.2f %% are left out (%s)",
                    100 * (double)removed / (double)all, parts);
    else
        report_note(report, "--roles and --without leave no sample out");
}

/* The texts that --without names, [texts]; warns about those that no method has. To be freed; NULL without memory. */
static bool *population_find_without(const struct profile *profile, const struct population_choice *choice,
                                     struct report *report)
{
    const size_t texts = profile->relations.texts.count;
    bool *without = calloc(texts + 1, sizeof *without), *is_method = calloc(texts + 1, sizeof *is_method);
    for (size_t i = 0; is_method && i < profile_entry_count(profile); i++)
        is_method[profile_entry_at(profile, i)->method] = true;
    for (size_t w = 0; without && is_method && w < choice->without_count; w++) {
        uint32_t text = text_set_find(&profile->relations.texts, choice->without[w]);
        if (text == TEXT_SET_FULL || !is_method[text])
            report_warn(report, "--without '%s': no method has this name", choice->without[w]);
        else
            without[text] = true;
    }
    if (!is_method) {
        free(without);
        without = NULL;
    }
    free(is_method);
    return without;
}

int population_choose(struct profile *profile, const struct population_choice *choice, struct report *report)
{
    uint64_t by_role[SAMPLE_ROLES] = {0}, by_name = 0, all = 0;
    bool *without = population_find_without(profile, choice, report);
    for (size_t i = 0; without && i < profile_entry_count(profile); i++) {
        struct profile_entry *entry = profile_entry_at(profile, i);
        uint64_t self = entry->line == 0 ? entry->self : 0; /* lines are counted with their method */
        all += self;
        if (choice->roles && !(choice->roles >> entry->role & 1)) {
            by_role[entry->role] += self;
            population_remove(profile, entry);
            entry->inclusive = 0;
        } else if (without[entry->method]) {
            by_name += self;
            population_remove(profile, entry);
        }
    }
    if (without && all > 0)
        population_note_removed(by_role, by_name, all, report);
    int error = without ? 0 : ENOMEM;
    free(without);
    return error;
}

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
    bool good = own.samples && own.unseen;
    for (size_t i = 0; good && i < profile_entry_count(profile); i++) {
        const struct profile_entry *entry = profile_entry_at(profile, i);
        size_t group = groups->positions[entry->source].group;
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
        population_remove(profile, entry);
    }
    free(own.samples);
    free(own.unseen);
    return good ? 0 : ENOMEM;
}
