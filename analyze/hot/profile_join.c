/* Joins profiles of several parts; saves and loads them. */
#include "analyze/hot/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

int profile_merge(void *state, void *other)
{
    struct profile *into = state;
    const struct profile *from = other;
    uint32_t *texts = malloc((from->texts.count + 1) * sizeof *texts);
    uint32_t *runs = malloc((from->run_count + 1) * sizeof *runs);
    int error = texts && runs ? 0 : ENOMEM;
    for (uint32_t i = 0; !error && i < from->texts.count; i++)
        if ((texts[i] = text_set_add(&into->texts, from->texts.texts[i])) == TEXT_SET_FULL)
            error = ENOMEM;
    for (size_t i = 0; !error && i < from->run_count; i++) {
        const char *labels[PROFILE_LABELS];
        for (size_t l = 0; l < PROFILE_LABELS; l++)
            labels[l] = from->texts.texts[from->runs[i].labels[l]];
        size_t run = profile_run_of(into, from->texts.texts[from->runs[i].id], labels);
        error = run == SIZE_MAX ? ENOMEM : 0;
        if (!error)
            into->runs[run].samples += from->runs[i].samples;
        runs[i] = (uint32_t)run;
    }
    for (size_t i = 0; !error && i < from->entry_count; i++) {
        struct profile_entry entry = from->entries[i];
        entry.run = runs[entry.run];
        entry.thread = texts[entry.thread];
        entry.method = texts[entry.method];
        error = profile_add(into, &entry);
    }
    free(texts);
    free(runs);
    return error;
}

json_t *profile_save(void *state)
{
    const struct profile *profile = state;
    json_t *texts = json_array(), *runs = json_array(), *entries = json_array();
    for (uint32_t i = 0; i < profile->texts.count; i++) {
        const char *text = profile->texts.texts[i];
        json_array_append_new(texts, text_json(text, strlen(text)));
    }
    for (size_t i = 0; i < profile->run_count; i++) {
        const struct profile_run *run = &profile->runs[i];
        json_t *row = json_pack("[I, I]", (json_int_t)run->id, (json_int_t)run->samples);
        for (size_t l = 0; l < PROFILE_LABELS; l++)
            json_array_append_new(row, json_integer(run->labels[l]));
        json_array_append_new(runs, row);
    }
    for (size_t i = 0; i < profile->entry_count; i++) {
        const struct profile_entry *entry = &profile->entries[i];
        json_array_append_new(entries,
                              json_pack("[I, I, I, I, I, I]", (json_int_t)entry->run, (json_int_t)entry->thread,
                                        (json_int_t)entry->method, (json_int_t)entry->line, (json_int_t)entry->self,
                                        (json_int_t)entry->inclusive));
    }
    return json_pack("{s:o, s:o, s:o}", "texts", texts, "runs", runs, "entries", entries);
}

/* ------------------------------------------------------------------------------------------ loading -- */

/* The integers of an array of exactly n of them ≥ 0. */
static bool profile_load_integers(const json_t *array, uint64_t *out, size_t n)
{
    if (json_array_size(array) != n)
        return false;
    for (size_t i = 0; i < n; i++) {
        const json_t *value = json_array_get(array, i);
        if (!json_is_integer(value) || json_integer_value(value) < 0)
            return false;
        out[i] = (uint64_t)json_integer_value(value);
    }
    return true;
}

static const char *profile_saved_text(const json_t *texts, uint64_t i)
{
    return json_string_value(json_array_get(texts, (size_t)i));
}

static int profile_load_run(struct profile *profile, const json_t *texts, const json_t *row)
{
    uint64_t values[2 + PROFILE_LABELS];
    const char *labels[PROFILE_LABELS];
    if (!profile_load_integers(row, values, 2 + PROFILE_LABELS) || !profile_saved_text(texts, values[0]))
        return EINVAL;
    for (size_t l = 0; l < PROFILE_LABELS; l++)
        if (!(labels[l] = profile_saved_text(texts, values[2 + l])))
            return EINVAL;
    size_t before = profile->run_count, run = profile_run_of(profile, profile_saved_text(texts, values[0]), labels);
    if (run == SIZE_MAX)
        return ENOMEM;
    profile->runs[run].samples = values[1];
    return run == before ? 0 : EINVAL;
}

static int profile_load_entry(struct profile *profile, const json_t *texts, const json_t *row)
{
    uint64_t v[6];
    if (!profile_load_integers(row, v, 6) || v[0] >= profile->run_count || v[3] > UINT32_MAX ||
        !profile_saved_text(texts, v[1]) || !profile_saved_text(texts, v[2]))
        return EINVAL;
    struct profile_entry entry = {.run = (uint32_t)v[0],
                                  .thread = text_set_add(&profile->texts, profile_saved_text(texts, v[1])),
                                  .method = text_set_add(&profile->texts, profile_saved_text(texts, v[2])),
                                  .line = (uint32_t)v[3],
                                  .self = v[4],
                                  .inclusive = v[5]};
    bool full = entry.thread == TEXT_SET_FULL || entry.method == TEXT_SET_FULL;
    return full ? ENOMEM : profile_add(profile, &entry);
}

int profile_load(void *state, const json_t *saved)
{
    const json_t *texts = json_object_get(saved, "texts"), *row;
    size_t i;
    int error = 0;
    if (!json_is_array(texts) || !json_is_array(json_object_get(saved, "runs")) ||
        !json_is_array(json_object_get(saved, "entries")))
        return EINVAL;
    json_array_foreach(json_object_get(saved, "runs"), i, row) if (!error) error = profile_load_run(state, texts, row);
    json_array_foreach(json_object_get(saved, "entries"), i, row) if (!error) error =
        profile_load_entry(state, texts, row);
    return error;
}
