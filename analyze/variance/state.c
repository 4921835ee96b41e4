#include "analyze/variance/reading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"

enum { RUN_KEY = (1 + VARIANCE_METRICS) * sizeof(uint32_t), NODE_KEY = 2 * sizeof(uint32_t) };
enum { CELL_KEY = 3 * sizeof(uint32_t), PART_KEY = 3 * sizeof(uint32_t), CORRELATION_KEY = sizeof(uint32_t) };
enum { SAMPLED = 4096 };

struct variance *variance_new(const struct variance_wish *wish)
{
    struct variance *variance = calloc(1, sizeof *variance);
    if (!variance)
        return NULL;
    variance->wish = wish;
    variance->explained = variance->kept = variance->correlated = VARIANCE_NONE;
    variance->runs = (struct keyed){.item_bytes = sizeof(struct variance_run), .key_bytes = RUN_KEY};
    variance->nodes = (struct keyed){.item_bytes = sizeof(struct variance_node), .key_bytes = NODE_KEY};
    variance->cells = (struct keyed){.item_bytes = sizeof(struct variance_cell), .key_bytes = CELL_KEY};
    variance->parts = (struct keyed){.item_bytes = sizeof(struct variance_part), .key_bytes = PART_KEY};
    variance->correlations =
        (struct keyed){.item_bytes = sizeof(struct variance_correlation), .key_bytes = CORRELATION_KEY};
    return variance;
}

void variance_free(struct variance *variance)
{
    text_set_free(&variance->texts);
    keyed_free(&variance->runs);
    keyed_free(&variance->nodes);
    keyed_free(&variance->cells);
    keyed_free(&variance->parts);
    keyed_free(&variance->correlations);
    free(variance->instances);
    free(variance);
}

size_t variance_metric_count(const struct variance_run *run)
{
    size_t count = 0;
    while (count < VARIANCE_METRICS && run->metrics[count] != VARIANCE_NONE)
        count++;
    return count;
}

int variance_metric(const struct variance *variance, const struct variance_run *run, const char *name)
{
    for (size_t m = 0; m < variance_metric_count(run); m++)
        if (strcmp(variance_text(variance, run->metrics[m]), name) == 0)
            return (int)m;
    return -1;
}

uint32_t variance_add_node(struct variance *variance, uint32_t parent, uint32_t function)
{
    struct variance_node node = {.parent = parent, .function = function, .depth = 1};
    if (parent != VARIANCE_NONE && parent != VARIANCE_OTHERS) {
        const struct variance_node *above = variance_node_at(variance, parent);
        node.depth = above->depth + 1;
        if (above->parent == VARIANCE_OTHERS || node.depth > VARIANCE_DEPTH ||
            (variance->nodes.count >= VARIANCE_CONTEXTS && keyed_find(&variance->nodes, &node) == KEYED_FULL))
            node = (struct variance_node){VARIANCE_OTHERS, function, 1};
    }
    return keyed_add(&variance->nodes, &node);
}

/* ------------------------------------------------------------------------------------------ instances -- */

static bool variance_add_instance(struct variance *variance, const struct variance_instance *instance)
{
    struct variance_instance *grown = grow_unset(variance->instances, &variance->instance_capacity,
                                                 variance->instance_count, sizeof *variance->instances);
    if (!grown)
        return false;
    variance->instances = grown;
    grown[variance->instance_count++] = *instance;
    return true;
}

/* ------------------------------------------------------------------------------------------ a sample -- */

/* By which a sample is drawn: it depends on nothing but the instance, so neither does the sample on the order of files
 * and threads. */
static uint64_t variance_instance_rank(const struct variance *variance, const struct variance_instance *instance)
{
    uint64_t time;
    memcpy(&time, &instance->time, sizeof time);
    return hash_text(variance_text(variance, instance->thread), hash_mix(time, SAMPLED));
}

static void variance_swap_instances(struct variance_instance *a, struct variance_instance *b)
{
    struct variance_instance moved = *a;
    *a = *b;
    *b = moved;
}

/* A heap: the highest rank comes first. */
static void variance_heap_rise(struct variance *variance, size_t at)
{
    struct variance_instance *heap = variance->instances;
    for (;
         at > 0 && variance_instance_rank(variance, &heap[(at - 1) / 2]) < variance_instance_rank(variance, &heap[at]);
         at = (at - 1) / 2)
        variance_swap_instances(&heap[(at - 1) / 2], &heap[at]);
}

static void variance_heap_sink(struct variance *variance)
{
    struct variance_instance *heap = variance->instances;
    for (size_t at = 0, next; (next = 2 * at + 1) < variance->instance_count; at = next) {
        if (next + 1 < variance->instance_count &&
            variance_instance_rank(variance, &heap[next]) < variance_instance_rank(variance, &heap[next + 1]))
            next++;
        if (variance_instance_rank(variance, &heap[next]) <= variance_instance_rank(variance, &heap[at]))
            break;
        variance_swap_instances(&heap[next], &heap[at]);
    }
}

/* The instances with the SAMPLED lowest ranks stay. */
static bool variance_sample_instance(struct variance *variance, const struct variance_instance *instance)
{
    if (variance->instance_count < SAMPLED) {
        bool good = variance_add_instance(variance, instance);
        if (good)
            variance_heap_rise(variance, variance->instance_count - 1);
        return good;
    }
    if (variance_instance_rank(variance, instance) < variance_instance_rank(variance, &variance->instances[0])) {
        variance->instances[0] = *instance;
        variance_heap_sink(variance);
    }
    return true;
}

/* For --correlate a sample of them is enough. */
static bool variance_add_wanted(struct variance *variance, const struct variance_instance *instance)
{
    return variance->wish->instances ? variance_add_instance(variance, instance)
                                     : variance_sample_instance(variance, instance);
}

bool variance_observe(struct variance *variance, uint32_t index, double time, double weight,
                      const double values[VARIANCE_METRICS], const int64_t *arguments)
{
    struct variance_cell *cell = variance_cell_at(variance, index);
    size_t count = variance_metric_count(variance_run_at(variance, cell->run));
    cell->first = cell->times.n > 0 && cell->first < time ? cell->first : time;
    cell->last = cell->times.n > 0 && cell->last > time ? cell->last : time;
    for (size_t m = 0; m < count; m++) {
        struct variance_tally *tally = &cell->tallies[m];
        const struct weighted_moments *x = &cell->times, *y = &tally->values; /* before this instance */
        if (x->weight > 0)
            tally->with_time += (time - x->mean) * (values[m] - y->mean) * x->weight * weight / (x->weight + weight);
        weighted_moments_add(&tally->values, values[m], weight);
    }
    weighted_moments_add(&cell->times, time, weight);
    uint32_t function = variance_node_at(variance, cell->node)->function;
    if (function == variance->correlated && !correlate_observe(variance, cell->run, time, weight, values, arguments))
        return false;
    if (function != (variance->wish->instances ? variance->kept : variance->correlated))
        return true;
    struct variance_instance instance = {cell->run, cell->node, cell->thread, time, weight, {0}};
    memcpy(instance.values, values, sizeof instance.values);
    return variance_add_wanted(variance, &instance);
}

/* ------------------------------------------------------------------------------------------ joining -- */

static void variance_join_cell(struct variance_cell *cell, const struct variance_cell *other)
{
    double a = cell->times.weight, b = other->times.weight;
    if (cell->times.n == 0 || other->first < cell->first)
        cell->first = other->times.n > 0 ? other->first : cell->first;
    if (cell->times.n == 0 || other->last > cell->last)
        cell->last = other->times.n > 0 ? other->last : cell->last;
    for (size_t m = 0; m < VARIANCE_METRICS; m++) {
        struct variance_tally *tally = &cell->tallies[m];
        const struct variance_tally *more = &other->tallies[m];
        double delta = (other->times.mean - cell->times.mean) * (more->values.mean - tally->values.mean);
        tally->with_time += more->with_time + (a > 0 && b > 0 ? delta * a * b / (a + b) : 0);
        weighted_moments_merge(&tally->values, &more->values);
        cell->inclusive[m] += other->inclusive[m];
    }
    weighted_moments_merge(&cell->times, &other->times);
}

static void variance_join_run(struct variance_run *run, const struct variance_run *other)
{
    run->events += other->events;
    run->orphans += other->orphans;
    run->backwards += other->backwards;
    run->unfinished += other->unfinished;
    run->below_probe += other->below_probe;
    run->stepped += other->stepped;
    run->every |= other->every;
    for (size_t i = 0; i < INSTANCE_COUNT; i++)
        run->outcomes[i] += other->outcomes[i];
    for (size_t m = 0; m < VARIANCE_METRICS; m++) {
        run->total[m] += other->total[m];
        variance_noise_join(&run->noise[m], &other->noise[m]);
    }
}

/* The indexes that another state's items have in this one. */
struct map {
    uint32_t *texts, *runs, *nodes, *parts;
};

static uint32_t variance_map_index(const uint32_t *map, uint32_t old)
{
    return old == VARIANCE_NONE ? VARIANCE_NONE : map[old];
}

static bool variance_join_texts_and_runs(struct variance *variance, const struct variance *other, struct map *map)
{
    for (uint32_t i = 0; i < other->texts.count; i++)
        if ((map->texts[i] = text_set_add(&variance->texts, other->texts.texts[i])) == TEXT_SET_FULL)
            return false;
    for (size_t i = 0; i < other->runs.count; i++) {
        const struct variance_run *from = variance_run_at(other, i);
        struct variance_run key = {.id = map->texts[from->id]};
        for (size_t m = 0; m < VARIANCE_METRICS; m++)
            key.metrics[m] = variance_map_index(map->texts, from->metrics[m]);
        if ((map->runs[i] = keyed_add(&variance->runs, &key)) == KEYED_FULL)
            return false;
        variance_join_run(variance_run_at(variance, map->runs[i]), from);
    }
    return true;
}

/* Parents stand before their children. */
static bool variance_join_nodes_and_parts(struct variance *variance, const struct variance *other, struct map *map)
{
    for (size_t i = 0; i < other->nodes.count; i++) {
        const struct variance_node *from = variance_node_at(other, i);
        uint32_t parent = from->parent < other->nodes.count ? map->nodes[from->parent] : from->parent;
        if ((map->nodes[i] = variance_add_node(variance, parent, map->texts[from->function])) == KEYED_FULL)
            return false;
    }
    for (size_t i = 0; i < other->parts.count; i++) {
        const struct variance_part *from = variance_part_at(other, i);
        const struct variance_part key = {.run = map->runs[from->run],
                                          .parent = variance_map_index(map->parts, from->parent),
                                          .function = map->texts[from->function]};
        if ((map->parts[i] = keyed_add(&variance->parts, &key)) == KEYED_FULL)
            return false;
        struct variance_part *part = variance_part_at(variance, map->parts[i]);
        part->present += from->present;
        for (size_t m = 0; m < VARIANCE_METRICS; m++) {
            part->sum[m] += from->sum[m];
            part->squares[m] += from->squares[m];
            part->with_root[m] += from->with_root[m];
        }
    }
    return true;
}

static bool variance_join_cells_and_instances(struct variance *variance, const struct variance *other,
                                              const struct map *map)
{
    for (size_t i = 0; i < other->cells.count; i++) {
        const struct variance_cell *from = variance_cell_at(other, i);
        const struct variance_cell key = {
            .run = map->runs[from->run], .node = map->nodes[from->node], .thread = map->texts[from->thread]};
        uint32_t at = keyed_add(&variance->cells, &key);
        if (at == KEYED_FULL)
            return false;
        variance_join_cell(variance_cell_at(variance, at), from);
    }
    for (size_t i = 0; i < other->instance_count; i++) {
        struct variance_instance instance = other->instances[i];
        instance.run = map->runs[instance.run];
        instance.node = map->nodes[instance.node];
        instance.thread = map->texts[instance.thread];
        if (!variance_add_wanted(variance, &instance))
            return false;
    }
    return true;
}

static bool variance_join_correlations(struct variance *variance, const struct variance *other, const struct map *map)
{
    for (size_t i = 0; i < other->correlations.count; i++) {
        const struct variance_correlation *from = variance_correlation_at(other, i);
        uint32_t at = keyed_add(&variance->correlations, &(struct variance_correlation){.run = map->runs[from->run]});
        if (at == KEYED_FULL)
            return false;
        for (size_t m = 0; m < VARIANCE_METRICS; m++)
            for (size_t f = 0; f < FACTORS; f++)
                weighted_pairs_merge(&variance_correlation_at(variance, at)->pairs[m][f], &from->pairs[m][f]);
    }
    return true;
}

int variance_join(struct variance *variance, const struct variance *other)
{
    struct map map = {.texts = calloc(other->texts.count + 1, sizeof *map.texts),
                      .runs = calloc(other->runs.count + 1, sizeof *map.runs),
                      .nodes = calloc(other->nodes.count + 1, sizeof *map.nodes),
                      .parts = calloc(other->parts.count + 1, sizeof *map.parts)};
    bool good =
        map.texts && map.runs && map.nodes && map.parts && variance_join_texts_and_runs(variance, other, &map) &&
        variance_join_nodes_and_parts(variance, other, &map) &&
        variance_join_cells_and_instances(variance, other, &map) && variance_join_correlations(variance, other, &map);
    free(map.texts);
    free(map.runs);
    free(map.nodes);
    free(map.parts);
    return good ? 0 : ENOMEM;
}
