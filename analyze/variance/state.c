/* The state: its relations, and what single instances add to them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/variance/reading.h"
#include "base/hash.h"
#include "base/text.h"

/* ------------------------------------------------------------------------------------------ objects of rows -- */

static int moments_join(void *object, const void *other)
{
    weighted_moments_merge(object, other);
    return 0;
}

static json_t *moments_save(const void *object)
{
    const struct weighted_moments *moments = object;
    return json_pack("[I,f,f,f,f,f,f]", (json_int_t)moments->n, moments->weight, moments->weight_squares, moments->mean,
                     moments->second, moments->third, moments->fourth);
}

static int moments_load(void *object, const json_t *saved)
{
    struct weighted_moments *moments = object;
    json_int_t n;
    bool good =
        json_unpack((json_t *)(uintptr_t)saved, "[I,F,F,F,F,F,F!]", &n, &moments->weight, &moments->weight_squares,
                    &moments->mean, &moments->second, &moments->third, &moments->fourth) == 0;
    if (!good || n < 0 || (n > 0 && !(moments->weight > 0 && moments->weight_squares > 0 && moments->second >= 0)))
        return EINVAL;
    moments->n = (uint64_t)n;
    return 0;
}

static int pairs_join(void *object, const void *other)
{
    weighted_pairs_merge(object, other);
    return 0;
}

static json_t *pairs_save(const void *object)
{
    const struct weighted_pairs *pairs = object;
    return json_pack("[I,f,f,f,f,f,f,f]", (json_int_t)pairs->n, pairs->weight, pairs->weight_squares, pairs->mean_x,
                     pairs->mean_y, pairs->xx, pairs->yy, pairs->xy);
}

static int pairs_load(void *object, const json_t *saved)
{
    struct weighted_pairs *pairs = object;
    json_int_t n;
    bool good =
        json_unpack((json_t *)(uintptr_t)saved, "[I,F,F,F,F,F,F,F!]", &n, &pairs->weight, &pairs->weight_squares,
                    &pairs->mean_x, &pairs->mean_y, &pairs->xx, &pairs->yy, &pairs->xy) == 0;
    if (!good || n < 0 || (n > 0 && !(pairs->weight > 0 && pairs->weight_squares > 0)))
        return EINVAL;
    pairs->n = (uint64_t)n;
    return 0;
}

static const struct field_class moments_class = {
    .bytes = sizeof(struct weighted_moments), .join = moments_join, .save = moments_save, .load = moments_load};
static const struct field_class pairs_class = {
    .bytes = sizeof(struct weighted_pairs), .join = pairs_join, .save = pairs_save, .load = pairs_load};

/* ------------------------------------------------------------------------------------------ relations -- */

static const struct field run_fields[] = {
    FIELD(variance_run, id, FIELD_TEXT, JOIN_KEY),
    FIELD_ARRAY(variance_run, metrics, FIELD_TEXT, JOIN_KEY, VARIANCE_METRICS, .optional = true),
    FIELD_ARRAY(variance_run, total, FIELD_REAL, JOIN_SUM, VARIANCE_METRICS),
    FIELD(variance_run, events, FIELD_COUNT, JOIN_SUM),
    FIELD(variance_run, orphans, FIELD_COUNT, JOIN_SUM),
    FIELD(variance_run, backwards, FIELD_COUNT, JOIN_SUM),
    FIELD_ARRAY(variance_run, outcomes, FIELD_COUNT, JOIN_SUM, INSTANCE_COUNT),
    FIELD(variance_run, every, FIELD_FLAG, JOIN_SUM),
    FIELD_OBJECTS_OF(variance_run, noise, &field_counts_class, VARIANCE_METRICS),
    FIELD(variance_run, unfinished, FIELD_COUNT, JOIN_SUM),
    FIELD(variance_run, below_probe, FIELD_COUNT, JOIN_SUM),
    FIELD(variance_run, stepped, FIELD_COUNT, JOIN_SUM)};
static const struct field node_fields[] = {
    FIELD_ROW_OF(variance_node, parent, JOIN_KEY, VARIANCE_NODES, .optional = true),
    FIELD(variance_node, function, FIELD_TEXT, JOIN_KEY),
    FIELD(variance_node, beyond, FIELD_NUMBER, JOIN_KEY, .limit = 2)};
static const struct field cell_fields[] = {
    FIELD_ROW_OF(variance_cell, run, JOIN_KEY, VARIANCE_RUNS),
    FIELD_ROW_OF(variance_cell, node, JOIN_KEY, VARIANCE_NODES),
    FIELD(variance_cell, thread, FIELD_TEXT, JOIN_KEY),
    FIELD_OBJECT_OF(variance_cell, times, &moments_class),
    FIELD(variance_cell, first, FIELD_REAL, JOIN_OWN),
    FIELD(variance_cell, last, FIELD_REAL, JOIN_OWN),
    FIELD_OBJECTS_OF(variance_cell, values, &moments_class, VARIANCE_METRICS),
    FIELD_ARRAY(variance_cell, with_time, FIELD_REAL, JOIN_OWN, VARIANCE_METRICS),
    FIELD_ARRAY(variance_cell, inclusive, FIELD_REAL, JOIN_SUM, VARIANCE_METRICS)};
static const struct field part_fields[] = {
    FIELD_ROW_OF(variance_part, run, JOIN_KEY, VARIANCE_RUNS),
    FIELD_ROW_OF(variance_part, parent, JOIN_KEY, VARIANCE_PARTS, .optional = true),
    FIELD(variance_part, function, FIELD_TEXT, JOIN_KEY),
    FIELD(variance_part, present, FIELD_COUNT, JOIN_SUM),
    FIELD_ARRAY(variance_part, sum, FIELD_LONG, JOIN_SUM, VARIANCE_METRICS),
    FIELD_ARRAY(variance_part, squares, FIELD_LONG, JOIN_SUM, VARIANCE_METRICS),
    FIELD_ARRAY(variance_part, with_root, FIELD_LONG, JOIN_SUM, VARIANCE_METRICS)};
enum { PAIRS = VARIANCE_METRICS * FACTORS };
static const struct field correlation_fields[] = {FIELD_ROW_OF(variance_correlation, run, JOIN_KEY, VARIANCE_RUNS),
                                                  FIELD_OBJECTS_OF(variance_correlation, pairs, &pairs_class, PAIRS)};
static const struct field instance_fields[] = {
    FIELD_ROW_OF(variance_instance, run, JOIN_FIRST, VARIANCE_RUNS),
    FIELD_ROW_OF(variance_instance, node, JOIN_FIRST, VARIANCE_NODES),
    FIELD(variance_instance, thread, FIELD_TEXT, JOIN_FIRST),
    FIELD(variance_instance, time, FIELD_REAL, JOIN_FIRST),
    FIELD(variance_instance, weight, FIELD_REAL, JOIN_FIRST),
    FIELD_ARRAY(variance_instance, values, FIELD_REAL, JOIN_FIRST, VARIANCE_METRICS)};

static bool variance_run_is_valid(const void *row)
{
    const struct variance_run *run = row;
    bool good = true;
    for (size_t m = 0; m < VARIANCE_METRICS; m++)
        good &= run->noise[m].length <= NOISE_CLASSES;
    return good;
}

/* A context beyond a limit becomes that of all such contexts. */
static bool variance_admit_node(struct relations *relations, void *row)
{
    struct variance_node *node = row;
    const struct variance_node *above =
        node->parent == FIELD_NONE ? NULL : relations_at(relations, VARIANCE_NODES, node->parent);
    node->depth = above ? above->depth + 1 : 1;
    if (above && (above->beyond || node->depth > VARIANCE_DEPTH ||
                  (relations_count(relations, VARIANCE_NODES) >= VARIANCE_CONTEXTS &&
                   relations_find(relations, VARIANCE_NODES, node) == FIELD_NONE)))
        *node = (struct variance_node){FIELD_NONE, node->function, 1, 1};
    return true;
}

/* How times and values go together follows from the means of both, before they are joined. */
static int variance_join_cells(struct relations *unused, void *row, const void *other)
{
    (void)unused;
    struct variance_cell *cell = row;
    const struct variance_cell *more = other;
    double a = cell->times.weight, b = more->times.weight;
    if (more->times.n > 0 && (cell->times.n == 0 || more->first < cell->first))
        cell->first = more->first;
    if (more->times.n > 0 && (cell->times.n == 0 || more->last > cell->last))
        cell->last = more->last;
    for (size_t m = 0; m < VARIANCE_METRICS; m++) {
        double delta = (more->times.mean - cell->times.mean) * (more->values[m].mean - cell->values[m].mean);
        cell->with_time[m] += more->with_time[m] + (a > 0 && b > 0 ? delta * a * b / (a + b) : 0);
    }
    return 0;
}

enum { KEY_WORD = sizeof(uint32_t) };
static const struct relation variance_relations[VARIANCE_RELATIONS] = {
    [VARIANCE_RUNS] = {"runs", sizeof(struct variance_run), (1 + VARIANCE_METRICS) * KEY_WORD,
                       RELATION_FIELDS(run_fields), .valid = variance_run_is_valid},
    [VARIANCE_NODES] = {"nodes", sizeof(struct variance_node), 3 * KEY_WORD, RELATION_FIELDS(node_fields),
                        .admit = variance_admit_node},
    [VARIANCE_CELLS] = {"cells", sizeof(struct variance_cell), 3 * KEY_WORD, RELATION_FIELDS(cell_fields),
                        .join = variance_join_cells},
    [VARIANCE_PARTS] = {"parts", sizeof(struct variance_part), 3 * KEY_WORD, RELATION_FIELDS(part_fields)},
    [VARIANCE_CORRELATIONS] = {"correlations", sizeof(struct variance_correlation), KEY_WORD,
                               RELATION_FIELDS(correlation_fields)},
    [VARIANCE_INSTANCES] = {"instances", sizeof(struct variance_instance), 0, RELATION_FIELDS(instance_fields)}};

struct variance *variance_new(const struct variance_wish *wish)
{
    struct variance *variance = calloc(1, sizeof *variance);
    if (!variance)
        return NULL;
    relations_init(&variance->relations, variance_relations, VARIANCE_RELATIONS);
    variance->wish = wish;
    return variance;
}

void variance_free(void *state)
{
    struct variance *variance = state;
    variance_free_reading(variance);
    relations_free(&variance->relations);
    free(variance);
}

size_t variance_metric_count(const struct variance_run *run)
{
    size_t count = 0;
    while (count < VARIANCE_METRICS && run->metrics[count] != FIELD_NONE)
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
    struct variance_node node = {.parent = parent, .function = function};
    variance_admit_node(&variance->relations, &node);
    return relations_row(&variance->relations, VARIANCE_NODES, &node);
}

/* ------------------------------------------------------------------------------------------ a sample -- */

enum { SAMPLED = 4096 };

/* By which a sample is drawn: it depends on nothing but the instance, so neither does the sample on the order of files
 * and threads. */
static uint64_t variance_instance_rank(const struct variance *variance, size_t i)
{
    const struct variance_instance *instance = variance_instance_at(variance, i);
    uint64_t time;
    memcpy(&time, &instance->time, sizeof time);
    return hash_text(variance_text(variance, instance->thread), hash_mix(time, SAMPLED));
}

static void variance_swap_instances(struct variance *variance, size_t i, size_t j)
{
    struct variance_instance *a = variance_instance_at(variance, i), *b = variance_instance_at(variance, j), moved = *a;
    *a = *b;
    *b = moved;
}

/* Instances from this one on are new: for --correlate a sample is enough, of the SAMPLED lowest ranks. They are a heap,
 * whose first one has the highest rank. */
static void variance_sample_instances(struct variance *variance, size_t from)
{
    size_t count = variance_instance_count(variance);
    if (variance->wish->instances)
        return;
    for (size_t i = from; i < count && i < SAMPLED; i++)
        for (size_t at = i, above; at > 0; at = above) {
            above = (at - 1) / 2;
            if (variance_instance_rank(variance, above) >= variance_instance_rank(variance, at))
                break;
            variance_swap_instances(variance, above, at);
        }
    for (size_t i = from > SAMPLED ? from : SAMPLED; i < count; i++) {
        if (variance_instance_rank(variance, i) >= variance_instance_rank(variance, 0))
            continue;
        variance_swap_instances(variance, 0, i);
        for (size_t at = 0, next; (next = 2 * at + 1) < SAMPLED; at = next) {
            if (next + 1 < SAMPLED &&
                variance_instance_rank(variance, next) < variance_instance_rank(variance, next + 1))
                next++;
            if (variance_instance_rank(variance, next) <= variance_instance_rank(variance, at))
                break;
            variance_swap_instances(variance, next, at);
        }
    }
    if (count > SAMPLED)
        variance->relations.rows[VARIANCE_INSTANCES].count = SAMPLED;
}

/* ------------------------------------------------------------------------------------------ instances -- */

bool variance_observe(struct variance *variance, uint32_t index, double time, double weight,
                      const double values[VARIANCE_METRICS], const int64_t *arguments)
{
    struct variance_cell *cell = variance_cell_at(variance, index);
    size_t count = variance_metric_count(variance_run_at(variance, cell->run));
    cell->first = cell->times.n > 0 && cell->first < time ? cell->first : time;
    cell->last = cell->times.n > 0 && cell->last > time ? cell->last : time;
    for (size_t m = 0; m < count; m++) {
        const struct weighted_moments *x = &cell->times, *y = &cell->values[m]; /* before this instance */
        if (x->weight > 0)
            cell->with_time[m] += (time - x->mean) * (values[m] - y->mean) * x->weight * weight / (x->weight + weight);
        weighted_moments_add(&cell->values[m], values[m], weight);
    }
    weighted_moments_add(&cell->times, time, weight);
    uint32_t function = variance_node_at(variance, cell->node)->function;
    if (function == variance->correlated && !correlate_observe(variance, cell->run, time, weight, values, arguments))
        return false;
    if (function != (variance->wish->instances ? variance->kept : variance->correlated))
        return true;
    struct variance_instance instance = {cell->run, cell->node, cell->thread, time, weight, {0}};
    memcpy(instance.values, values, sizeof instance.values);
    uint32_t number = relations_row(&variance->relations, VARIANCE_INSTANCES, &instance);
    if (number != FIELD_NONE)
        variance_sample_instances(variance, number);
    return number != FIELD_NONE;
}

/* ------------------------------------------------------------------------------------------ states -- */

int variance_merge(void *state, void *other)
{
    struct variance *variance = state;
    size_t before = variance_instance_count(variance);
    int error = relations_merge(&variance->relations, &((struct variance *)other)->relations);
    if (!error)
        variance_sample_instances(variance, before);
    return error;
}

static json_t *variance_save_name(const char *name)
{
    return name ? text_json(name, strlen(name)) : json_null();
}

static json_t *variance_save_wish(const struct variance_wish *wish)
{
    return json_pack("[b, b, o, o, o]", wish->unweighted, wish->contexts, variance_save_name(wish->instances),
                     variance_save_name(wish->correlate), variance_save_name(wish->explain));
}

json_t *variance_save(void *state)
{
    const struct variance *variance = state;
    json_t *saved = relations_save(&variance->relations);
    if (json_object_set_new(saved, "wish", variance_save_wish(variance->wish)) == 0)
        return saved;
    json_decref(saved);
    return NULL;
}

int variance_load(void *state, const json_t *saved)
{
    struct variance *variance = state;
    const json_t *other = json_object_get(saved, "wish");
    json_t *wish = variance_save_wish(variance->wish);
    int error = !wish ? ENOMEM : !json_is_array(other) ? EINVAL : json_equal(wish, other) ? 0 : ENOTSUP;
    json_decref(wish);
    return error ? error : relations_load(&variance->relations, saved);
}
