/* Joins two states: texts are renumbered, and entries with the same key are added up. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/phases/sums/state.h"

static int phases_join_texts(struct phases *phases, const struct phases *other, uint32_t *map)
{
    for (uint32_t i = 0; i < other->texts.count; i++)
        if ((map[i] = text_set_add(&phases->texts, other->texts.texts[i])) == TEXT_SET_FULL)
            return ENOMEM;
    return 0;
}

static int phases_join_runs(struct phases *phases, const struct phases *other, const struct phases_map *map)
{
    for (size_t i = 0; i < other->runs.count; i++) {
        const struct phases_run *from = phases_run_at(other, i);
        struct phases_run key = {.id = map->texts[from->id], .path = map->texts[from->path]};
        for (size_t m = 0; m < METRICS_MAX; m++)
            key.metrics[m] = from->metrics[m] == TEXT_NONE ? TEXT_NONE : map->texts[from->metrics[m]];
        memcpy(key.probe, from->probe, sizeof key.probe);
        key.wall_ns = from->wall_ns;
        key.cpu_ns = from->cpu_ns;
        if ((map->runs[i] = phases_run_add(phases, &key)) == KEYED_FULL)
            return ENOMEM;
        struct phases_run *run = phases_run_at(phases, map->runs[i]);
        run->events += from->events;
        run->orphans += from->orphans;
        run->too_deep += from->too_deep;
        run->backwards += from->backwards;
        run->below_probe += from->below_probe;
    }
    return 0;
}

static int phases_join_roles(struct phases *phases, const struct phases *other, const struct phases_map *map)
{
    for (size_t i = 0; i < other->roles.count; i++) {
        const struct phases_role *from = phases_role_at(other, i);
        if ((map->roles[i] = phases_role_of(phases, map->runs[from->run], from->role)) == KEYED_FULL)
            return ENOMEM;
        struct phases_role *role = phases_role_at(phases, map->roles[i]);
        role->streams += from->streams;
        phases_sums_add(&role->span, &from->span);
        for (size_t m = 0; m < METRICS_MAX; m++)
            role->inside[m] += from->inside[m];
    }
    return 0;
}

static bool phases_join_spreads(struct phases_entry *entry, const struct phases_entry *from)
{
    if (!spread_merge(&entry->times, &from->times))
        return false;
    if (!from->spreads)
        return true;
    if (!entry->spreads && !(entry->spreads = calloc(METRICS_MAX + RATES_MAX, sizeof *entry->spreads)))
        return false;
    for (size_t s = 0; s < METRICS_MAX + RATES_MAX; s++) {
        entry->spreads[s].limit = SPREAD_OTHERS;
        if (!spread_merge(&entry->spreads[s], &from->spreads[s]))
            return false;
    }
    return true;
}

static int phases_join_entry(struct phases_entry *entry, const struct phases_entry *from)
{
    entry->calls += from->calls;
    entry->exceptions += from->exceptions;
    for (size_t u = 0; u < UNFINISHED_COUNT; u++)
        entry->unfinished[u] += from->unfinished[u];
    phases_sums_add(&entry->inclusive, &from->inclusive);
    phases_sums_add(&entry->exclusive, &from->exclusive);
    for (size_t m = 0; m < METRICS_MAX; m++) {
        if (moments_merge(&entry->moments[m], &from->moments[m]) != STATS_OK)
            return EOVERFLOW;
        quotients_merge(&entry->rates[m], &from->rates[m]);
    }
    return phases_join_spreads(entry, from) ? 0 : ENOMEM;
}

static int phases_join_entries(struct phases *phases, const struct phases *other, const struct phases_map *map)
{
    int error = 0;
    for (size_t i = 0; !error && i < other->entries.count; i++) {
        const struct phases_entry *from = phases_entry_at(other, i);
        map->entries[i] = phases_entry_of(phases, map->runs[from->run], map->texts[from->method]);
        error =
            map->entries[i] == KEYED_FULL ? ENOMEM : phases_join_entry(phases_entry_at(phases, map->entries[i]), from);
    }
    return error;
}

/* All parts of a trace know its threads; the first one counts. */
static int phases_join_traces(struct phases *phases, const struct phases *other, const struct phases_map *map)
{
    for (size_t i = 0; i < other->traces.count; i++) {
        struct phases_trace trace = *(const struct phases_trace *)keyed_at(&other->traces, i);
        trace.path = map->texts[trace.path];
        trace.run = map->runs[trace.run];
        if (keyed_add(&phases->traces, &trace) == KEYED_FULL)
            return ENOMEM;
    }
    return 0;
}

int phases_join(struct phases *phases, struct phases *other, struct phases_map *map)
{
    *map = (struct phases_map){.texts = calloc(other->texts.count + 1, sizeof(uint32_t)),
                               .runs = calloc(other->runs.count + 1, sizeof(uint32_t)),
                               .entries = calloc(other->entries.count + 1, sizeof(uint32_t)),
                               .roles = calloc(other->roles.count + 1, sizeof(uint32_t))};
    int error = map->texts && map->runs && map->entries && map->roles ? phases_flush(other) : ENOMEM;
    if (!error)
        error = phases_flush(phases);
    if (!error)
        error = phases_join_texts(phases, other, map->texts);
    if (!error)
        error = phases_join_runs(phases, other, map);
    if (!error)
        error = phases_join_roles(phases, other, map);
    if (!error)
        error = phases_join_entries(phases, other, map);
    if (!error)
        error = phases_join_traces(phases, other, map);
    phases->spreads |= other->spreads;
    return error;
}

void phases_map_free(struct phases_map *map)
{
    free(map->texts);
    free(map->runs);
    free(map->entries);
    free(map->roles);
    *map = (struct phases_map){0};
}
