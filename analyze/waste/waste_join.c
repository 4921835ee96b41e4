/* Joins the counts of several parts; saves and loads them. */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/waste/waste.h"
#include "base/text.h"

/* ------------------------------------------------------------------------------------------ merging -- */

/* Maps numbers in `from` to numbers in `into`. */
struct mapping {
    uint32_t *texts, *sources, *nodes, *objects;
};

static int waste_map_texts(struct waste *into, const struct waste *from, const struct mapping *map)
{
    for (uint32_t i = 0; i < from->texts.count; i++)
        if ((map->texts[i] = text_set_add(&into->texts, from->texts.texts[i])) == TEXT_SET_FULL)
            return ENOMEM;
    return 0;
}

static int waste_map_sources(struct waste *into, const struct waste *from, const struct mapping *map)
{
    int error = 0;
    for (size_t i = 0; !error && i < from->sources.count; i++) {
        struct waste_source source = *(const struct waste_source *)keyed_at(&from->sources, i);
        source.run = map->texts[source.run];
        for (size_t l = 0; l < WASTE_LABELS; l++)
            source.labels[l] = map->texts[source.labels[l]];
        error = waste_add_source(into, &source, &map->sources[i]);
    }
    return error;
}

static int waste_map_recordings(struct waste *into, const struct waste *from, const struct mapping *map)
{
    for (size_t i = 0; i < from->recordings.count; i++) {
        struct waste_recording recording = *(const struct waste_recording *)keyed_at(&from->recordings, i);
        recording.path = map->texts[recording.path];
        if (waste_add_recording(into, &recording))
            return ENOMEM;
    }
    return 0;
}

/* Parents come first. */
static int waste_map_nodes(struct waste *into, const struct waste *from, const struct mapping *map)
{
    for (uint32_t i = 1; i < from->nodes.count; i++) {
        const struct waste_node *node = waste_node_at(from, i);
        map->nodes[i] = waste_node_in(into, map->nodes[node->parent], map->texts[node->text]);
        if (map->nodes[i] == KEYED_FULL)
            return ENOMEM;
    }
    return 0;
}

static int waste_map_objects(struct waste *into, const struct waste *from, const struct mapping *map)
{
    for (size_t i = 1; i < from->objects.count; i++) {
        struct waste_object object = *(const struct waste_object *)keyed_at(&from->objects, i);
        object.node = map->nodes[object.node];
        if ((map->objects[i] = keyed_add(&into->objects, &object)) == KEYED_FULL)
            return ENOMEM;
    }
    return 0;
}

static int waste_join_counts(struct waste *into, const struct waste *from, const struct mapping *map)
{
    int error = 0;
    for (size_t i = 0; !error && i < from->totals.count; i++) {
        struct waste_total total = *(const struct waste_total *)keyed_at(&from->totals, i);
        total.source = map->sources[total.source];
        total.thread = map->texts[total.thread];
        error = waste_add_total(into, &total);
    }
    for (size_t i = 0; !error && i < from->bursts.count; i++) {
        struct waste_burst burst = *(const struct waste_burst *)keyed_at(&from->bursts, i);
        burst.source = map->sources[burst.source];
        error = waste_add_burst(into, &burst);
    }
    for (size_t i = 0; !error && i < from->pairs.count; i++) {
        struct waste_pair pair = *(const struct waste_pair *)keyed_at(&from->pairs, i);
        pair.source = map->sources[pair.source];
        pair.thread = map->texts[pair.thread];
        pair.first = map->nodes[pair.first];
        pair.second = map->nodes[pair.second];
        pair.scope = map->nodes[pair.scope];
        pair.object = map->objects[pair.object];
        for (size_t side = 0; side < WASTE_SIDES; side++)
            if (pair.instructions[side])
                pair.instructions[side] = map->texts[pair.instructions[side] - 1] + 1;
        error = waste_add_pair(into, &pair);
    }
    return error;
}

int waste_join(struct waste *into, const struct waste *from)
{
    static int (*const steps[])(struct waste *, const struct waste *,
                                const struct mapping *) = {waste_map_texts, waste_map_sources, waste_map_recordings,
                                                           waste_map_nodes, waste_map_objects, waste_join_counts};
    struct mapping map = {
        calloc(from->texts.count + 1, sizeof(uint32_t)), calloc(from->sources.count + 1, sizeof(uint32_t)),
        calloc(from->nodes.count + 1, sizeof(uint32_t)), calloc(from->objects.count + 1, sizeof(uint32_t))};
    int error = map.texts && map.sources && map.nodes && map.objects ? 0 : ENOMEM;
    for (size_t i = 0; !error && i < sizeof steps / sizeof *steps; i++)
        error = steps[i](into, from, &map);
    into->unknown += from->unknown;
    free(map.texts);
    free(map.sources);
    free(map.nodes);
    free(map.objects);
    return error;
}

/* Nothing to join with: the first part of a merge, or the only one. */
int waste_merge(void *state, void *other)
{
    struct waste *into = state, *from = other, empty = *into;
    if (into->texts.count > 0 || into->sources.count > 0 || into->unknown > 0)
        return waste_join(into, from);
    *into = *from;
    *from = empty;
    return 0;
}

/* ------------------------------------------------------------------------------------------ saving -- */

/* The form of an item of each set in a file: all of its integers, in order. */
enum { WORDS_MAX = 32 };

static size_t waste_source_words(const void *item, uint64_t words[WORDS_MAX])
{
    const struct waste_source *source = item;
    size_t n = 0;
    words[n++] = source->run;
    for (size_t l = 0; l < WASTE_LABELS; l++)
        words[n++] = source->labels[l];
    words[n++] = source->kinds;
    return n;
}

static size_t waste_recording_words(const void *item, uint64_t words[WORDS_MAX])
{
    const struct waste_recording *recording = item;
    size_t n = 0;
    words[n++] = recording->path;
    words[n++] = recording->burst_enable;
    words[n++] = recording->burst_disable;
    words[n++] = recording->burst_auto;
    words[n++] = recording->kernel;
    words[n++] = recording->rewritten;
    words[n++] = recording->between_threads;
    words[n++] = recording->array_lengths;
    for (size_t i = 0; i < WASTE_LOSSES; i++)
        words[n++] = recording->losses[i];
    for (size_t o = 0; o < OUTCOME_COUNT; o++)
        words[n++] = recording->outcomes[o];
    return n;
}

static size_t waste_node_words(const void *item, uint64_t words[WORDS_MAX])
{
    const struct waste_node *node = item;
    words[0] = node->parent;
    words[1] = node->text;
    return 2;
}

static size_t waste_object_words(const void *item, uint64_t words[WORDS_MAX])
{
    const struct waste_object *object = item;
    words[0] = object->kind;
    words[1] = object->node;
    return 2;
}

static size_t waste_total_words(const void *item, uint64_t words[WORDS_MAX])
{
    const struct waste_total *total = item;
    size_t n = 0;
    words[n++] = total->source;
    words[n++] = total->thread;
    for (size_t a = 0; a < ACCESS_COUNT; a++)
        for (size_t v = 0; v < VALUES_COUNT; v++)
            words[n++] = total->bytes[a][v];
    return n;
}

static size_t waste_pair_words(const void *item, uint64_t words[WORDS_MAX])
{
    const struct waste_pair *pair = item;
    const uint64_t all[] = {
        pair->source, pair->thread, pair->waste,         pair->first, pair->second,           pair->scope,
        pair->object, pair->events, pair->wasted_events, pair->bytes, pair->approximate_bytes};
    size_t n = sizeof all / sizeof *all;
    memcpy(words, all, sizeof all);
    for (size_t v = 0; v < VALUES_COUNT; v++)
        words[n++] = pair->wasted[v];
    words[n++] = pair->traps;
    words[n++] = pair->squares;
    words[n++] = pair->wasted_squares;
    for (size_t side = 0; side < WASTE_SIDES; side++) {
        words[n++] = pair->instructions[side];
        words[n++] = pair->several[side];
    }
    words[n++] = pair->on_stack.traps;
    words[n++] = pair->on_stack.bytes;
    words[n++] = pair->on_stack.wasted_bytes;
    words[n++] = pair->on_stack.squares;
    words[n++] = pair->on_stack.wasted_squares;
    return n;
}

/* The windows' sums are integers; those of products may exceed 64 bits, and are saved as the bits of a double. */
static size_t waste_burst_words(const void *item, uint64_t words[WORDS_MAX])
{
    const struct waste_burst *burst = item;
    const double *products = burst->windows.products;
    size_t n = 0;
    words[n++] = burst->source;
    words[n++] = burst->waste;
    words[n++] = (uint64_t)burst->windows.n;
    for (size_t i = 0; i < WINDOWS_SUMS; i++)
        words[n++] = (uint64_t)burst->windows.sums[i];
    memcpy(words + n, products, WINDOWS_PRODUCTS * sizeof *products);
    return n + WINDOWS_PRODUCTS;
}

static json_t *waste_save_set(const struct keyed *set, size_t first, size_t (*words_of)(const void *, uint64_t *))
{
    json_t *rows = json_array();
    for (size_t i = first; i < set->count; i++) {
        uint64_t words[WORDS_MAX];
        size_t count = words_of(keyed_at(set, i), words);
        assert(count <= WORDS_MAX);
        json_t *row = json_array();
        for (size_t w = 0; w < count; w++)
            json_array_append_new(row, json_integer((json_int_t)words[w]));
        json_array_append_new(rows, row);
    }
    return rows;
}

json_t *waste_save(void *state)
{
    const struct waste *waste = state;
    json_t *texts = json_array(), *recordings = waste_save_set(&waste->recordings, 0, waste_recording_words);
    for (uint32_t i = 0; i < waste->texts.count; i++)
        json_array_append_new(texts, text_json(waste->texts.texts[i], strlen(waste->texts.texts[i])));
    for (size_t i = 0; i < waste->recordings.count; i++) {
        double tolerance = ((const struct waste_recording *)keyed_at(&waste->recordings, i))->fp_tolerance;
        json_array_append_new(json_array_get(recordings, i), isnan(tolerance) ? json_null() : json_real(tolerance));
    }
    return json_pack("{s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "texts", texts, "unknown",
                     (json_int_t)waste->unknown, "sources", waste_save_set(&waste->sources, 0, waste_source_words),
                     "recordings", recordings, "nodes", waste_save_set(&waste->nodes, 1, waste_node_words), "objects",
                     waste_save_set(&waste->objects, 1, waste_object_words), "totals",
                     waste_save_set(&waste->totals, 0, waste_total_words), "bursts",
                     waste_save_set(&waste->bursts, 0, waste_burst_words), "pairs",
                     waste_save_set(&waste->pairs, 0, waste_pair_words));
}
