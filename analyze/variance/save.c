/* The state as JSON, and back: arrays of numbers, texts by their index. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/variance/variance.h"
#include "base/grow.h"

/* ------------------------------------------------------------------------------------------ numbers -- */

/* A sum may be beyond a double's digits: as two. */
static void put(json_t *array, double value)
{
    json_array_append_new(array, json_real(value));
}

static void put_long(json_t *array, long double value)
{
    put(array, (double)value);
    put(array, (double)(value - (double)value));
}

static void put_index(json_t *array, uint32_t index)
{
    json_array_append_new(array, json_integer(index == VARIANCE_NONE     ? -1
                                              : index == VARIANCE_OTHERS ? -2
                                                                         : (json_int_t)index));
}

static void put_count(json_t *array, uint64_t count)
{
    json_array_append_new(array, json_integer((json_int_t)count));
}

static void put_moments(json_t *array, const struct weighted_moments *moments)
{
    put_count(array, moments->n);
    put(array, moments->weight);
    put(array, moments->weight_squares);
    put(array, moments->mean);
    put(array, moments->second);
    put(array, moments->third);
    put(array, moments->fourth);
}

/* The numbers of an array, one after the other; `good` ends with the first that is none. */
struct taking {
    const json_t *array;
    size_t at;
    bool good;
};

static double take(struct taking *taking)
{
    const json_t *number = json_array_get(taking->array, taking->at++);
    taking->good &= json_is_number(number) && isfinite(json_number_value(number));
    return json_number_value(number);
}

static long double take_long(struct taking *taking)
{
    long double high = take(taking);
    return high + take(taking);
}

static uint64_t take_count(struct taking *taking)
{
    const json_t *number = json_array_get(taking->array, taking->at++);
    taking->good &= json_is_integer(number) && json_integer_value(number) >= 0;
    return taking->good ? (uint64_t)json_integer_value(number) : 0;
}

/* An index below `limit`, or, if that is allowed, none. */
static uint32_t take_index(struct taking *taking, size_t limit, bool may_lack)
{
    const json_t *number = json_array_get(taking->array, taking->at++);
    json_int_t index = json_is_integer(number) ? json_integer_value(number) : -2;
    bool lacks = may_lack && index == -1;
    taking->good &= lacks || (index >= 0 && (uint64_t)index < limit);
    return lacks || !taking->good ? VARIANCE_NONE : (uint32_t)index;
}

/* The parent of a node, which stands before it. */
static uint32_t take_parent(struct taking *taking, size_t limit)
{
    if (json_integer_value(json_array_get(taking->array, taking->at)) != -2)
        return take_index(taking, limit, true);
    taking->at++;
    return VARIANCE_OTHERS;
}

static struct weighted_moments take_moments(struct taking *taking)
{
    struct weighted_moments moments = {.n = take_count(taking)};
    moments.weight = take(taking);
    moments.weight_squares = take(taking);
    moments.mean = take(taking);
    moments.second = take(taking);
    moments.third = take(taking);
    moments.fourth = take(taking);
    taking->good &= moments.n == 0 || (moments.weight > 0 && moments.weight_squares > 0 && moments.second >= 0);
    return moments;
}

/* The classes that have any, each by its number; most have none. */
static void put_noise(json_t *array, const struct variance_noise *noise)
{
    size_t used = 0;
    for (size_t i = 0; i < NOISE_CLASSES; i++)
        used += noise->classes[i] > 0;
    put_count(array, used);
    for (size_t i = 0; i < NOISE_CLASSES; i++)
        if (noise->classes[i] > 0) {
            put_count(array, i);
            put_count(array, noise->classes[i]);
        }
}

static void take_noise(struct taking *taking, struct variance_noise *noise)
{
    for (uint64_t used = take_count(taking); used > 0 && taking->good; used--) {
        uint64_t class = take_count(taking), count = take_count(taking);
        taking->good &= class < NOISE_CLASSES;
        if (taking->good) {
            noise->classes[class] += count;
            noise->n += count;
        }
    }
}

/* ------------------------------------------------------------------------------------------ saving -- */

static json_t *save_run(const struct variance *variance, size_t i)
{
    const struct variance_run *run = variance_run_at(variance, i);
    json_t *array = json_array();
    put_index(array, run->id);
    for (size_t m = 0; m < VARIANCE_METRICS; m++) {
        put_index(array, run->metrics[m]);
        put(array, run->total[m]);
        put_noise(array, &run->noise[m]);
    }
    put_count(array, run->events);
    put_count(array, run->orphans);
    put_count(array, run->backwards);
    put_count(array, run->unfinished);
    put_count(array, run->below_probe);
    put_count(array, run->stepped);
    put_count(array, run->every);
    for (size_t what = 0; what < INSTANCE_COUNT; what++)
        put_count(array, run->outcomes[what]);
    return array;
}

static json_t *save_node(const struct variance *variance, size_t i)
{
    json_t *array = json_array();
    put_index(array, variance_node_at(variance, i)->parent);
    put_index(array, variance_node_at(variance, i)->function);
    return array;
}

static json_t *save_cell(const struct variance *variance, size_t i)
{
    const struct variance_cell *cell = variance_cell_at(variance, i);
    json_t *array = json_array();
    put_index(array, cell->run);
    put_index(array, cell->node);
    put_index(array, cell->thread);
    put_moments(array, &cell->times);
    put(array, cell->first);
    put(array, cell->last);
    for (size_t m = 0; m < VARIANCE_METRICS; m++) {
        put_moments(array, &cell->tallies[m].values);
        put(array, cell->tallies[m].with_time);
        put(array, cell->inclusive[m]);
    }
    return array;
}

static json_t *save_part(const struct variance *variance, size_t i)
{
    const struct variance_part *part = variance_part_at(variance, i);
    json_t *array = json_array();
    put_index(array, part->run);
    put_index(array, part->parent);
    put_index(array, part->function);
    put_count(array, part->present);
    for (size_t m = 0; m < VARIANCE_METRICS; m++) {
        put_long(array, part->sum[m]);
        put_long(array, part->squares[m]);
        put_long(array, part->with_root[m]);
    }
    return array;
}

static json_t *save_correlation(const struct variance *variance, size_t i)
{
    const struct variance_correlation *correlation = variance_correlation_at(variance, i);
    json_t *array = json_array();
    put_index(array, correlation->run);
    for (size_t m = 0; m < VARIANCE_METRICS; m++)
        for (size_t f = 0; f < FACTORS; f++) {
            const struct weighted_pairs *pairs = &correlation->pairs[m][f];
            put_count(array, pairs->n);
            put(array, pairs->weight);
            put(array, pairs->weight_squares);
            put(array, pairs->mean_x);
            put(array, pairs->mean_y);
            put(array, pairs->xx);
            put(array, pairs->yy);
            put(array, pairs->xy);
        }
    return array;
}

static json_t *save_instance(const struct variance *variance, size_t i)
{
    const struct variance_instance *instance = &variance->instances[i];
    json_t *array = json_array();
    put_index(array, instance->run);
    put_index(array, instance->node);
    put_index(array, instance->thread);
    put(array, instance->time);
    put(array, instance->weight);
    for (size_t m = 0; m < VARIANCE_METRICS; m++)
        put(array, instance->values[m]);
    return array;
}

/* JSON has no other texts than UTF-8: others become their bytes in hexadecimal after this mark. */
static const char BYTES_MARK = '\1';

static json_t *save_text(const struct variance *variance, size_t i)
{
    const char *text = variance->texts.texts[i];
    json_t *saved = *text == BYTES_MARK ? NULL : json_string(text);
    char *bytes = saved ? NULL : malloc(2 * strlen(text) + 2);
    if (!bytes)
        return saved;
    *bytes = BYTES_MARK;
    bytes[1] = '\0';
    for (size_t at = 0; text[at]; at++)
        sprintf(bytes + 1 + 2 * at, "%02x", (unsigned char)text[at]);
    saved = json_string(bytes);
    free(bytes);
    return saved;
}

static bool load_text(struct variance *variance, const char *saved)
{
    if (*saved != BYTES_MARK)
        return text_set_add(&variance->texts, saved) != TEXT_SET_FULL;
    size_t length = strlen(saved + 1) / 2;
    char *text = calloc(length + 1, 1);
    unsigned byte;
    for (size_t at = 0; text && at < length; at++)
        if (sscanf(saved + 1 + 2 * at, "%2x", &byte) == 1)
            text[at] = (char)byte;
    bool good = text && text_set_add(&variance->texts, text) != TEXT_SET_FULL;
    free(text);
    return good;
}

static json_t *save_all(const struct variance *variance, size_t count,
                        json_t *(*save)(const struct variance *variance, size_t i))
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, save(variance, i));
    return array;
}

json_t *variance_save(const struct variance *variance)
{
    const struct variance_wish *wish = variance->wish;
    return json_pack("{s:b, s:b, s:s*, s:s*, s:s*, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "unweighted", wish->unweighted,
                     "contexts", wish->contexts, "explain", wish->explain, "correlate", wish->correlate, "instances of",
                     wish->instances, "texts", save_all(variance, variance->texts.count, save_text), "runs",
                     save_all(variance, variance->runs.count, save_run), "nodes",
                     save_all(variance, variance->nodes.count, save_node), "cells",
                     save_all(variance, variance->cells.count, save_cell), "parts",
                     save_all(variance, variance->parts.count, save_part), "correlations",
                     save_all(variance, variance->correlations.count, save_correlation), "instances",
                     save_all(variance, variance->instance_count, save_instance));
}

/* ------------------------------------------------------------------------------------------ loading -- */

static bool load_run(struct variance *variance, struct taking *taking)
{
    struct variance_run run = {.id = take_index(taking, variance->texts.count, false)};
    for (size_t m = 0; m < VARIANCE_METRICS; m++) {
        run.metrics[m] = take_index(taking, variance->texts.count, true);
        run.total[m] = take(taking);
        take_noise(taking, &run.noise[m]);
    }
    run.events = take_count(taking);
    run.orphans = take_count(taking);
    run.backwards = take_count(taking);
    run.unfinished = take_count(taking);
    run.below_probe = take_count(taking);
    run.stepped = take_count(taking);
    run.every = take_count(taking) > 0;
    for (size_t what = 0; what < INSTANCE_COUNT; what++)
        run.outcomes[what] = take_count(taking);
    return taking->good && keyed_add(&variance->runs, &run) != KEYED_FULL;
}

static bool load_node(struct variance *variance, struct taking *taking)
{
    uint32_t parent = take_parent(taking, variance->nodes.count);
    uint32_t function = take_index(taking, variance->texts.count, false);
    return taking->good && variance_node_of(variance, parent, function) != KEYED_FULL;
}

static bool load_cell(struct variance *variance, struct taking *taking)
{
    struct variance_cell cell = {.run = take_index(taking, variance->runs.count, false)};
    cell.node = take_index(taking, variance->nodes.count, false);
    cell.thread = take_index(taking, variance->texts.count, false);
    cell.times = take_moments(taking);
    cell.first = take(taking);
    cell.last = take(taking);
    for (size_t m = 0; m < VARIANCE_METRICS; m++) {
        cell.tallies[m].values = take_moments(taking);
        cell.tallies[m].with_time = take(taking);
        cell.inclusive[m] = take(taking);
    }
    return taking->good && keyed_add(&variance->cells, &cell) != KEYED_FULL;
}

static bool load_part(struct variance *variance, struct taking *taking)
{
    struct variance_part part = {.run = take_index(taking, variance->runs.count, false)};
    part.parent = take_index(taking, variance->parts.count, true);
    part.function = take_index(taking, variance->texts.count, false);
    part.present = take_count(taking);
    for (size_t m = 0; m < VARIANCE_METRICS; m++) {
        part.sum[m] = take_long(taking);
        part.squares[m] = take_long(taking);
        part.with_root[m] = take_long(taking);
    }
    return taking->good && keyed_add(&variance->parts, &part) != KEYED_FULL;
}

static bool load_correlation(struct variance *variance, struct taking *taking)
{
    struct variance_correlation correlation = {.run = take_index(taking, variance->runs.count, false)};
    for (size_t m = 0; m < VARIANCE_METRICS; m++)
        for (size_t f = 0; f < FACTORS; f++) {
            struct weighted_pairs *pairs = &correlation.pairs[m][f];
            pairs->n = take_count(taking);
            pairs->weight = take(taking);
            pairs->weight_squares = take(taking);
            pairs->mean_x = take(taking);
            pairs->mean_y = take(taking);
            pairs->xx = take(taking);
            pairs->yy = take(taking);
            pairs->xy = take(taking);
            taking->good &= pairs->n == 0 || (pairs->weight > 0 && pairs->weight_squares > 0);
        }
    return taking->good && keyed_add(&variance->correlations, &correlation) != KEYED_FULL;
}

static bool load_instance(struct variance *variance, struct taking *taking)
{
    struct variance_instance instance = {.run = take_index(taking, variance->runs.count, false)};
    instance.node = take_index(taking, variance->nodes.count, false);
    instance.thread = take_index(taking, variance->texts.count, false);
    instance.time = take(taking);
    instance.weight = take(taking);
    for (size_t m = 0; m < VARIANCE_METRICS; m++)
        instance.values[m] = take(taking);
    struct variance_instance *grown = taking->good ? grow_unset(variance->instances, &variance->instance_capacity,
                                                                variance->instance_count, sizeof *variance->instances)
                                                   : NULL;
    if (!grown)
        return false;
    variance->instances = grown;
    grown[variance->instance_count++] = instance;
    return true;
}

static bool load_all(struct variance *variance, const json_t *array,
                     bool (*load)(struct variance *variance, struct taking *taking))
{
    size_t i;
    json_t *item;
    bool good = json_is_array(array);
    json_array_foreach(array, i, item)
    {
        struct taking taking = {.array = item, .good = json_is_array(item)};
        good = good && load(variance, &taking);
    }
    return good;
}

static bool same_name(const json_t *saved, const char *key, const char *name)
{
    const char *text = json_string_value(json_object_get(saved, key));
    return !text || !name ? !text && !name : strcmp(text, name) == 0;
}

int variance_load(struct variance *variance, const json_t *saved)
{
    const struct variance_wish *wish = variance->wish;
    if (json_is_true(json_object_get(saved, "unweighted")) != wish->unweighted ||
        json_is_true(json_object_get(saved, "contexts")) != wish->contexts ||
        !same_name(saved, "explain", wish->explain) || !same_name(saved, "correlate", wish->correlate) ||
        !same_name(saved, "instances of", wish->instances))
        return ENOTSUP;
    const json_t *texts = json_object_get(saved, "texts");
    for (size_t i = 0; i < json_array_size(texts); i++) {
        const char *text = json_string_value(json_array_get(texts, i));
        if (!text || !load_text(variance, text))
            return EINVAL;
    }
    return load_all(variance, json_object_get(saved, "runs"), load_run) &&
                   load_all(variance, json_object_get(saved, "nodes"), load_node) &&
                   load_all(variance, json_object_get(saved, "cells"), load_cell) &&
                   load_all(variance, json_object_get(saved, "parts"), load_part) &&
                   load_all(variance, json_object_get(saved, "correlations"), load_correlation) &&
                   load_all(variance, json_object_get(saved, "instances"), load_instance)
               ? 0
               : EINVAL;
}
