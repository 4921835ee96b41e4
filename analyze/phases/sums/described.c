/* The state as relations: their fields, and the objects in them. */
#include <errno.h>
#include <stdlib.h>

#include "analyze/phases/sums/state.h"

/* ------------------------------------------------------------------------------------------ moments -- */

static int phases_moments_join(void *into, const void *from)
{
    return moments_merge(into, from) == STATS_OK ? 0 : EOVERFLOW;
}

static json_t *phases_moments_save(const void *moments)
{
    uint64_t words[MOMENTS_WORDS];
    json_t *saved = json_array();
    moments_to_words(moments, words);
    for (size_t w = 0; w < MOMENTS_WORDS; w++)
        json_array_append_new(saved, json_integer((json_int_t)words[w]));
    if (json_array_size(saved) == MOMENTS_WORDS)
        return saved;
    json_decref(saved);
    return NULL;
}

static int phases_moments_load(void *moments, const json_t *saved)
{
    uint64_t words[MOMENTS_WORDS];
    bool good = json_array_size(saved) == MOMENTS_WORDS;
    for (size_t w = 0; good && w < MOMENTS_WORDS; w++) {
        good = json_is_integer(json_array_get(saved, w));
        words[w] = (uint64_t)json_integer_value(json_array_get(saved, w));
    }
    return good && moments_from_words(words, moments) == STATS_OK ? 0 : EINVAL;
}

static const struct field_class moments_class = {.bytes = sizeof(struct moments),
                                                 .join = phases_moments_join,
                                                 .save = phases_moments_save,
                                                 .load = phases_moments_load};

/* ------------------------------------------------------------------------------------------ spreads -- */

bool phases_spreads_extend(struct phases_spreads *spreads)
{
    if (!spreads->others)
        spreads->others = calloc(OTHER_SPREADS, sizeof *spreads->others);
    for (size_t s = 0; spreads->others && s < OTHER_SPREADS; s++)
        spreads->others[s].limit = SPREAD_OTHERS;
    return spreads->others != NULL;
}

static int phases_spreads_join(void *into, const void *from)
{
    struct phases_spreads *spreads = into;
    const struct phases_spreads *other = from;
    spreads->times.limit = SPREAD_TIMES;
    bool good = spread_merge(&spreads->times, &other->times) && (!other->others || phases_spreads_extend(spreads));
    for (size_t s = 0; good && other->others && s < OTHER_SPREADS; s++)
        good = spread_merge(&spreads->others[s], &other->others[s]);
    return good ? 0 : ENOMEM;
}

static json_t *phases_spreads_save(const void *object)
{
    const struct phases_spreads *spreads = object;
    size_t count = spreads->others ? OTHER_SPREADS : 0;
    json_t *saved = json_array();
    json_array_append_new(saved, spread_save(&spreads->times));
    for (size_t s = 0; s < count; s++)
        json_array_append_new(saved, spread_save(&spreads->others[s]));
    if (json_array_size(saved) == 1 + count)
        return saved;
    json_decref(saved);
    return NULL;
}

static int phases_spreads_load(void *object, const json_t *saved)
{
    struct phases_spreads *spreads = object;
    size_t count = json_array_size(saved);
    spreads->times.limit = SPREAD_TIMES;
    if ((count != 1 && count != 1 + OTHER_SPREADS) || !spread_load(json_array_get(saved, 0), &spreads->times))
        return EINVAL;
    if (count > 1 && !phases_spreads_extend(spreads))
        return ENOMEM;
    for (size_t s = 1; s < count; s++)
        if (!spread_load(json_array_get(saved, s), &spreads->others[s - 1]))
            return EINVAL;
    return 0;
}

static void phases_spreads_free(void *object)
{
    struct phases_spreads *spreads = object;
    spread_free(&spreads->times);
    for (size_t s = 0; spreads->others && s < OTHER_SPREADS; s++)
        spread_free(&spreads->others[s]);
    free(spreads->others);
}

static const struct field_class spreads_class = {.bytes = sizeof(struct phases_spreads),
                                                 .join = phases_spreads_join,
                                                 .save = phases_spreads_save,
                                                 .load = phases_spreads_load,
                                                 .free = phases_spreads_free};

/* ------------------------------------------------------------------------------------------ relations -- */

enum { SUMS = sizeof(struct phases_sums) / sizeof(wide_u128) };

static const struct field run_fields[] = {FIELD(phases_run, id, FIELD_TEXT, JOIN_KEY),
                                          {.type = FIELD_TEXT,
                                           .join = JOIN_KEY,
                                           .offset = offsetof(struct phases_run, metrics),
                                           .count = METRICS_MAX,
                                           .optional = true},
                                          FIELD(phases_run, path, FIELD_TEXT, JOIN_FIRST),
                                          FIELD(phases_run, wall_ns, FIELD_COUNT, JOIN_OWN),
                                          FIELD(phases_run, cpu_ns, FIELD_COUNT, JOIN_OWN),
                                          {.type = FIELD_REAL,
                                           .join = JOIN_FIRST,
                                           .offset = offsetof(struct phases_run, probe),
                                           .count = 3 * METRICS_MAX,
                                           .optional = true},
                                          FIELD(phases_run, events, FIELD_COUNT, JOIN_SUM),
                                          FIELD(phases_run, orphans, FIELD_COUNT, JOIN_SUM),
                                          FIELD(phases_run, too_deep, FIELD_COUNT, JOIN_SUM),
                                          FIELD(phases_run, backwards, FIELD_COUNT, JOIN_SUM),
                                          FIELD(phases_run, below_probe, FIELD_COUNT, JOIN_SUM)};
static const struct field role_fields[] = {
    FIELD_ROW_OF(phases_role, run, JOIN_KEY, PHASES_RUNS),
    {.type = FIELD_NUMBER, .join = JOIN_KEY, .offset = offsetof(struct phases_role, role), .limit = COMPONENTS},
    FIELD(phases_role, streams, FIELD_COUNT, JOIN_SUM),
    FIELD_ARRAY(phases_role, span, FIELD_WIDE, JOIN_SUM, SUMS),
    FIELD_ARRAY(phases_role, inside, FIELD_WIDE, JOIN_SUM, METRICS_MAX)};
/* All parts of a trace know its threads; the first one counts. */
static const struct field trace_fields[] = {FIELD(phases_trace, path, FIELD_TEXT, JOIN_KEY),
                                            FIELD_ROW_OF(phases_trace, run, JOIN_FIRST, PHASES_RUNS),
                                            FIELD_ARRAY(phases_trace, threads, FIELD_COUNT, JOIN_FIRST, COMPONENTS),
                                            FIELD_ARRAY(phases_trace, cpu_ns, FIELD_COUNT, JOIN_FIRST, COMPONENTS),
                                            FIELD_ARRAY(phases_trace, vm_ns, FIELD_COUNT, JOIN_FIRST, VM_COUNT),
                                            FIELD(phases_trace, vm_elapsed_ns, FIELD_COUNT, JOIN_FIRST)};
/* Without `open` and `nested`, which belong to the stream at hand. */
static const struct field entry_fields[] = {
    FIELD_ROW_OF(phases_entry, run, JOIN_KEY, PHASES_RUNS),
    FIELD(phases_entry, method, FIELD_TEXT, JOIN_KEY),
    FIELD(phases_entry, calls, FIELD_COUNT, JOIN_SUM),
    FIELD(phases_entry, exceptions, FIELD_COUNT, JOIN_SUM),
    FIELD_ARRAY(phases_entry, unfinished, FIELD_COUNT, JOIN_SUM, UNFINISHED_COUNT),
    FIELD_ARRAY(phases_entry, inclusive, FIELD_WIDE, JOIN_SUM, SUMS),
    FIELD_ARRAY(phases_entry, exclusive, FIELD_WIDE, JOIN_SUM, SUMS),
    FIELD_OBJECTS_OF(phases_entry, moments, &moments_class, METRICS_MAX),
    FIELD_OBJECTS_OF(phases_entry, rates, &quotients_class, RATES_MAX),
    FIELD_OBJECT_OF(phases_entry, spreads, &spreads_class)};

/* Whichever trace of the run has the times of the command. */
static int phases_join_times(struct relations *relations, void *row, const void *other)
{
    (void)relations;
    struct phases_run *run = row;
    const struct phases_run *from = other;
    run->wall_ns = run->wall_ns ? run->wall_ns : from->wall_ns;
    run->cpu_ns = run->cpu_ns ? run->cpu_ns : from->cpu_ns;
    return 0;
}

static bool phases_run_is_valid(const void *row)
{
    return ((const struct phases_run *)row)->metrics[0] != FIELD_NONE;
}

const struct relation phases_relations[] = {
    [PHASES_RUNS] = {"runs", sizeof(struct phases_run), (1 + METRICS_MAX) * sizeof(uint32_t),
                     RELATION_FIELDS(run_fields), phases_join_times, phases_run_is_valid},
    [PHASES_ROLES] = {"roles", sizeof(struct phases_role), 2 * sizeof(uint32_t), RELATION_FIELDS(role_fields)},
    [PHASES_TRACES] = {"traces", sizeof(struct phases_trace), sizeof(uint32_t), RELATION_FIELDS(trace_fields)},
    [PHASES_ENTRIES] = {"entries", sizeof(struct phases_entry), 2 * sizeof(uint32_t), RELATION_FIELDS(entry_fields)}};
