#include "analyze/hot/profile.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

const char *const profile_label_names[PROFILE_LABELS] = {"clock", "engine", "command", "mode"};

void *profile_init(const struct analysis_options *options)
{
    (void)options;
    return calloc(1, sizeof(struct profile));
}

void profile_free(void *state)
{
    struct profile *profile = state;
    text_set_free(&profile->texts);
    hash_free(&profile->entry_hash);
    free(profile->runs);
    free(profile->entries);
    profile_end_trace(profile);
    free(profile);
}

/* ------------------------------------------------------------------------------------------ runs, entries -- */

size_t profile_run_of(struct profile *profile, const char *id, const char *const labels[PROFILE_LABELS])
{
    uint32_t text = text_set_add(&profile->texts, id);
    for (size_t i = 0; i < profile->run_count; i++)
        if (profile->runs[i].id == text)
            return i;
    struct profile_run *runs = realloc(profile->runs, (profile->run_count + 1) * sizeof *runs);
    if (!runs)
        return SIZE_MAX;
    profile->runs = runs;
    struct profile_run *run = &runs[profile->run_count];
    *run = (struct profile_run){.id = text};
    bool full = text == TEXT_SET_FULL;
    for (size_t i = 0; i < PROFILE_LABELS; i++) {
        run->labels[i] = text_set_add(&profile->texts, labels[i]);
        full |= run->labels[i] == TEXT_SET_FULL;
    }
    return full ? SIZE_MAX : profile->run_count++;
}

struct entry_key {
    const struct profile *profile;
    const struct profile_entry *entry;
};

static bool entry_equal(const void *user, uint32_t id)
{
    const struct entry_key *key = user;
    const struct profile_entry *a = &key->profile->entries[id - 1], *b = key->entry;
    return a->run == b->run && a->thread == b->thread && a->method == b->method && a->line == b->line;
}

static uint64_t entry_hash(const struct profile_entry *entry)
{
    return hash_mix(hash_mix(entry->run, entry->thread), hash_mix(entry->method, entry->line));
}

static int new_entry(struct profile *profile, const struct profile_entry *entry, uint64_t hash)
{
    struct profile_entry *entries =
        grow_unset(profile->entries, &profile->entry_capacity, profile->entry_count, sizeof *entries);
    if (!entries)
        return ENOMEM;
    profile->entries = entries;
    if (hash_add(&profile->entry_hash, hash, (uint32_t)profile->entry_count + 1))
        return ENOMEM;
    profile->entries[profile->entry_count++] = *entry;
    return 0;
}

int profile_add(struct profile *profile, const struct profile_entry *counts)
{
    uint64_t hash = entry_hash(counts);
    struct entry_key key = {profile, counts};
    uint32_t id = hash_find(&profile->entry_hash, hash, entry_equal, &key);
    if (!id)
        return new_entry(profile, counts, hash);
    profile->entries[id - 1].self += counts->self;
    profile->entries[id - 1].inclusive += counts->inclusive;
    return 0;
}

/* ------------------------------------------------------------------------------------------ feeding -- */

int profile_feed(void *state, const struct analysis_trace *trace, const struct trace_batch *batch)
{
    struct profile *profile = state;
    int error = 0;
    if (profile->fed && profile->stream != batch->thread)
        error = profile_fold(profile);
    if (!error && !profile->trace)
        error = profile_begin_trace(profile, trace);
    if (error)
        return error;
    profile->stream = batch->thread;
    profile->fed = true;
    const uint64_t *contexts = batch->integers[SAMPLE_CONTEXT], *weights = batch->integers[SAMPLE_WEIGHT];
    size_t limit = trace->names->context_count;
    for (size_t i = 0; i < batch->count; i++)
        profile->counts[contexts[i] < limit ? contexts[i] : 0] += trace_sample_weight(weights[i]);
    return 0;
}

int profile_settle(void *state, const struct analysis_trace *trace)
{
    struct profile *profile = state;
    int error = profile->trace ? 0 : profile_begin_trace(profile, trace);
    /* A trace without samples is still a run. */
    if (!error)
        error = profile_fold(profile);
    profile_end_trace(profile);
    return error;
}
