/* The state as JSON, and back. Rows are arrays of whole numbers: 64-bit words, the upper half as negative numbers. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/phases/sums/state.h"
#include "base/text.h"

enum { PROBE_NUMBERS = 3 * METRICS_MAX };

static void phases_save_word(json_t *row, uint64_t word)
{
    json_array_append_new(row, json_integer((json_int_t)word));
}

static void phases_save_wide(json_t *row, wide_u128 value)
{
    uint64_t words[2];
    wide_to_words(value, words);
    phases_save_word(row, words[0]);
    phases_save_word(row, words[1]);
}

static void phases_save_sums(json_t *row, const struct phases_sums *sums)
{
    for (size_t m = 0; m < METRICS_MAX; m++)
        phases_save_wide(row, sums->metrics[m]);
    for (size_t m = 0; m < METRICS_MAX; m++)
        phases_save_wide(row, sums->probe[m]);
}

static json_t *phases_save_run(const struct phases_run *run)
{
    json_t *row = json_array();
    phases_save_word(row, run->id);
    phases_save_word(row, run->path);
    for (size_t m = 0; m < METRICS_MAX; m++)
        phases_save_word(row, run->metrics[m]);
    const uint64_t counts[] = {run->events,      run->orphans, run->too_deep, run->backwards,
                               run->below_probe, run->wall_ns, run->cpu_ns};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        phases_save_word(row, counts[i]);
    for (size_t p = 0; p < PROBE_NUMBERS; p++)
        json_array_append_new(row, isnan(run->probe[p / 3][p % 3]) ? json_null() : json_real(run->probe[p / 3][p % 3]));
    return row;
}

static json_t *phases_save_role(const struct phases_role *role)
{
    json_t *row = json_array();
    phases_save_word(row, role->run);
    phases_save_word(row, role->role);
    phases_save_word(row, role->streams);
    phases_save_sums(row, &role->span);
    for (size_t m = 0; m < METRICS_MAX; m++)
        phases_save_wide(row, role->inside[m]);
    return row;
}

static json_t *phases_save_trace(const struct phases_trace *trace)
{
    json_t *row = json_array();
    phases_save_word(row, trace->path);
    phases_save_word(row, trace->run);
    for (size_t c = 0; c < COMPONENTS; c++) {
        phases_save_word(row, trace->threads[c]);
        phases_save_word(row, trace->cpu_ns[c]);
    }
    for (size_t v = 0; v < VM_COUNT; v++)
        phases_save_word(row, trace->vm_ns[v]);
    phases_save_word(row, trace->vm_elapsed_ns);
    return row;
}

static json_t *phases_save_entry(const struct phases_entry *entry)
{
    json_t *row = json_array(), *rates = json_array(), *spreads = json_array();
    phases_save_word(row, entry->run);
    phases_save_word(row, entry->method);
    phases_save_word(row, entry->calls);
    phases_save_word(row, entry->exceptions);
    for (size_t u = 0; u < UNFINISHED_COUNT; u++)
        phases_save_word(row, entry->unfinished[u]);
    phases_save_sums(row, &entry->inclusive);
    phases_save_sums(row, &entry->exclusive);
    for (size_t m = 0; m < METRICS_MAX; m++) {
        uint64_t words[MOMENTS_WORDS];
        moments_to_words(&entry->moments[m], words);
        for (size_t w = 0; w < MOMENTS_WORDS; w++)
            phases_save_word(row, words[w]);
        json_array_append_new(rates, quotients_save(&entry->rates[m]));
    }
    json_array_append_new(spreads, spread_save(&entry->times));
    for (size_t s = 0; entry->spreads && s < METRICS_MAX + RATES_MAX; s++)
        json_array_append_new(spreads, spread_save(&entry->spreads[s]));
    return json_pack("{s:o, s:o, s:o}", "row", row, "rates", rates, "spreads", spreads);
}

json_t *phases_save(const struct phases *phases)
{
    json_t *texts = json_array(), *runs = json_array(), *roles = json_array(), *traces = json_array();
    json_t *entries = json_array();
    for (size_t i = 0; i < phases->texts.count; i++)
        json_array_append_new(texts, text_json(phases->texts.texts[i], strlen(phases->texts.texts[i])));
    for (size_t i = 0; i < phases->runs.count; i++)
        json_array_append_new(runs, phases_save_run(phases_run_at(phases, i)));
    for (size_t i = 0; i < phases->roles.count; i++)
        json_array_append_new(roles, phases_save_role(phases_role_at(phases, i)));
    for (size_t i = 0; i < phases->traces.count; i++)
        json_array_append_new(traces, phases_save_trace(keyed_at(&phases->traces, i)));
    for (size_t i = 0; i < phases->entries.count; i++)
        json_array_append_new(entries, phases_save_entry(phases_entry_at(phases, i)));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:b}", "texts", texts, "runs", runs, "roles", roles, "traces", traces,
                     "entries", entries, "spreads", (int)phases->spreads);
}

/* ------------------------------------------------------------------------------------------ loading -- */

/* A row that is read from left to right; `bad` once anything is invalid. */
struct row {
    const json_t *json;
    size_t next;
    bool bad;
};

static uint64_t phases_load_word(struct row *row)
{
    const json_t *word = json_array_get(row->json, row->next++);
    row->bad |= !json_is_integer(word);
    return (uint64_t)json_integer_value(word);
}

static uint32_t phases_load_below(struct row *row, uint64_t limit)
{
    uint64_t word = phases_load_word(row);
    row->bad |= word >= limit;
    return row->bad ? 0 : (uint32_t)word;
}

static wide_u128 phases_load_wide(struct row *row)
{
    uint64_t words[2];
    words[0] = phases_load_word(row);
    words[1] = phases_load_word(row);
    return wide_from_words(words);
}

static void phases_load_sums(struct row *row, struct phases_sums *sums)
{
    for (size_t m = 0; m < METRICS_MAX; m++)
        sums->metrics[m] = phases_load_wide(row);
    for (size_t m = 0; m < METRICS_MAX; m++)
        sums->probe[m] = phases_load_wide(row);
}

static bool phases_load_run(struct phases *phases, const json_t *saved)
{
    struct row row = {.json = saved};
    struct phases_run run = {.id = phases_load_below(&row, phases->texts.count)};
    run.path = phases_load_below(&row, phases->texts.count);
    for (size_t m = 0; m < METRICS_MAX; m++) {
        uint64_t text = phases_load_word(&row);
        row.bad |= text >= phases->texts.count && !(m > 0 && text == TEXT_NONE);
        run.metrics[m] = (uint32_t)text;
    }
    uint64_t *const counts[] = {&run.events,      &run.orphans, &run.too_deep, &run.backwards,
                                &run.below_probe, &run.wall_ns, &run.cpu_ns};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        *counts[i] = phases_load_word(&row);
    for (size_t p = 0; p < PROBE_NUMBERS; p++) {
        const json_t *number = json_array_get(saved, row.next++);
        run.probe[p / 3][p % 3] = json_is_number(number) ? json_number_value(number) : NAN;
    }
    return !row.bad && keyed_add(&phases->runs, &run) == phases->runs.count - 1;
}

static bool phases_load_role(struct phases *phases, const json_t *saved)
{
    struct row row = {.json = saved};
    struct phases_role role = {.run = phases_load_below(&row, phases->runs.count)};
    role.role = phases_load_below(&row, COMPONENTS);
    role.streams = phases_load_word(&row);
    phases_load_sums(&row, &role.span);
    for (size_t m = 0; m < METRICS_MAX; m++)
        role.inside[m] = phases_load_wide(&row);
    return !row.bad && keyed_add(&phases->roles, &role) == phases->roles.count - 1;
}

static bool phases_load_trace(struct phases *phases, const json_t *saved)
{
    struct row row = {.json = saved};
    struct phases_trace trace = {.path = phases_load_below(&row, phases->texts.count)};
    trace.run = phases_load_below(&row, phases->runs.count);
    for (size_t c = 0; c < COMPONENTS; c++) {
        trace.threads[c] = phases_load_word(&row);
        trace.cpu_ns[c] = phases_load_word(&row);
    }
    for (size_t v = 0; v < VM_COUNT; v++)
        trace.vm_ns[v] = phases_load_word(&row);
    trace.vm_elapsed_ns = phases_load_word(&row);
    return !row.bad && keyed_add(&phases->traces, &trace) == phases->traces.count - 1;
}

static bool phases_load_spreads(struct phases_entry *entry, const json_t *saved)
{
    size_t count = json_array_size(saved), all = METRICS_MAX + RATES_MAX;
    if ((count != 1 && count != 1 + all) || !spread_load(json_array_get(saved, 0), &entry->times))
        return false;
    if (count == 1)
        return true;
    entry->spreads = calloc(all, sizeof *entry->spreads);
    bool good = entry->spreads != NULL;
    for (size_t s = 0; good && s < all; s++) {
        entry->spreads[s].limit = SPREAD_OTHERS;
        good = spread_load(json_array_get(saved, 1 + s), &entry->spreads[s]);
    }
    return good;
}

static bool phases_load_entry(struct phases *phases, const json_t *saved)
{
    struct row row = {.json = json_object_get(saved, "row")};
    struct phases_entry entry = {.run = phases_load_below(&row, phases->runs.count), .times.limit = SPREAD_TIMES};
    const json_t *rates = json_object_get(saved, "rates");
    entry.method = phases_load_below(&row, phases->texts.count);
    entry.calls = phases_load_word(&row);
    entry.exceptions = phases_load_word(&row);
    for (size_t u = 0; u < UNFINISHED_COUNT; u++)
        entry.unfinished[u] = phases_load_word(&row);
    phases_load_sums(&row, &entry.inclusive);
    phases_load_sums(&row, &entry.exclusive);
    for (size_t m = 0; m < METRICS_MAX; m++) {
        uint64_t words[MOMENTS_WORDS];
        for (size_t w = 0; w < MOMENTS_WORDS; w++)
            words[w] = phases_load_word(&row);
        row.bad |= moments_from_words(words, &entry.moments[m]) != STATS_OK;
        row.bad |= !quotients_load(json_array_get(rates, m), &entry.rates[m]);
    }
    if (row.bad)
        return false;
    uint32_t index = keyed_add(&phases->entries, &entry);
    return index == phases->entries.count - 1 &&
           phases_load_spreads(phases_entry_at(phases, index), json_object_get(saved, "spreads"));
}

static bool phases_load_rows(struct phases *phases, const json_t *rows, bool (*load)(struct phases *, const json_t *))
{
    bool good = json_is_array(rows);
    for (size_t i = 0; good && i < json_array_size(rows); i++)
        good = load(phases, json_array_get(rows, i));
    return good;
}

static bool phases_load_text(struct phases *phases, const json_t *saved)
{
    const char *text = json_string_value(saved);
    return text && text_set_add(&phases->texts, text) == phases->texts.count - 1;
}

int phases_load(struct phases *phases, const json_t *saved)
{
    phases->spreads |= json_is_true(json_object_get(saved, "spreads"));
    bool good = phases_load_rows(phases, json_object_get(saved, "texts"), phases_load_text) &&
                phases_load_rows(phases, json_object_get(saved, "runs"), phases_load_run) &&
                phases_load_rows(phases, json_object_get(saved, "roles"), phases_load_role) &&
                phases_load_rows(phases, json_object_get(saved, "traces"), phases_load_trace) &&
                phases_load_rows(phases, json_object_get(saved, "entries"), phases_load_entry);
    return good ? 0 : EINVAL;
}
