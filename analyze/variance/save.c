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
static void variance_append_real(json_t *array, double value)
{
    json_array_append_new(array, json_real(value));
}

static void variance_append_long(json_t *array, long double value)
{
    variance_append_real(array, (double)value);
    variance_append_real(array, (double)(value - (double)value));
}

static void variance_append_index(json_t *array, uint32_t index)
{
    json_array_append_new(array, json_integer(index == VARIANCE_NONE     ? -1
                                              : index == VARIANCE_OTHERS ? -2
                                                                         : (json_int_t)index));
}

static void variance_append_count(json_t *array, uint64_t count)
{
    json_array_append_new(array, json_integer((json_int_t)count));
}

static void variance_append_moments(json_t *array, const struct weighted_moments *moments)
{
    variance_append_count(array, moments->n);
    variance_append_real(array, moments->weight);
    variance_append_real(array, moments->weight_squares);
    variance_append_real(array, moments->mean);
    variance_append_real(array, moments->second);
    variance_append_real(array, moments->third);
    variance_append_real(array, moments->fourth);
}

/* The numbers of an array, one after the other; `good` ends with the first that is none. */
struct reader {
    const json_t *array;
    size_t at;
    bool good;
};

static double variance_read_real(struct reader *reader)
{
    const json_t *number = json_array_get(reader->array, reader->at++);
    reader->good &= json_is_number(number) && isfinite(json_number_value(number));
    return json_number_value(number);
}

static long double variance_read_long(struct reader *reader)
{
    long double high = variance_read_real(reader);
    return high + variance_read_real(reader);
}

static uint64_t variance_read_count(struct reader *reader)
{
    const json_t *number = json_array_get(reader->array, reader->at++);
    reader->good &= json_is_integer(number) && json_integer_value(number) >= 0;
    return reader->good ? (uint64_t)json_integer_value(number) : 0;
}

/* An index below `limit`, or, if that is allowed, none. */
static uint32_t variance_read_index(struct reader *reader, size_t limit, bool may_lack)
{
    const json_t *number = json_array_get(reader->array, reader->at++);
    json_int_t index = json_is_integer(number) ? json_integer_value(number) : -2;
    bool lacks = may_lack && index == -1;
    reader->good &= lacks || (index >= 0 && (uint64_t)index < limit);
    return lacks || !reader->good ? VARIANCE_NONE : (uint32_t)index;
}

static struct weighted_moments variance_read_moments(struct reader *reader)
{
    struct weighted_moments moments = {.n = variance_read_count(reader)};
    moments.weight = variance_read_real(reader);
    moments.weight_squares = variance_read_real(reader);
    moments.mean = variance_read_real(reader);
    moments.second = variance_read_real(reader);
    moments.third = variance_read_real(reader);
    moments.fourth = variance_read_real(reader);
    reader->good &= moments.n == 0 || (moments.weight > 0 && moments.weight_squares > 0 && moments.second >= 0);
    return moments;
}

/* The classes that have any, each by its number; most have none. */
static void variance_append_noise(json_t *array, const struct variance_noise *noise)
{
    size_t used = 0;
    for (size_t i = 0; i < NOISE_CLASSES; i++)
        used += noise->classes[i] > 0;
    variance_append_count(array, used);
    for (size_t i = 0; i < NOISE_CLASSES; i++)
        if (noise->classes[i] > 0) {
            variance_append_count(array, i);
            variance_append_count(array, noise->classes[i]);
        }
}

static void variance_read_noise(struct reader *reader, struct variance_noise *noise)
{
    for (uint64_t used = variance_read_count(reader); used > 0 && reader->good; used--) {
        uint64_t class = variance_read_count(reader), count = variance_read_count(reader);
        reader->good &= class < NOISE_CLASSES;
        if (reader->good) {
            noise->classes[class] += count;
            noise->n += count;
        }
    }
}

/* ------------------------------------------------------------------------------------------ saving -- */

static json_t *variance_save_run(const struct variance *variance, size_t i)
{
    const struct variance_run *run = variance_run_at(variance, i);
    json_t *array = json_array();
    variance_append_index(array, run->id);
    for (size_t m = 0; m < VARIANCE_METRICS; m++) {
        variance_append_index(array, run->metrics[m]);
        variance_append_real(array, run->total[m]);
        variance_append_noise(array, &run->noise[m]);
    }
    variance_append_count(array, run->events);
    variance_append_count(array, run->orphans);
    variance_append_count(array, run->backwards);
    variance_append_count(array, run->unfinished);
    variance_append_count(array, run->below_probe);
    variance_append_count(array, run->stepped);
    variance_append_count(array, run->every);
    for (size_t what = 0; what < INSTANCE_COUNT; what++)
        variance_append_count(array, run->outcomes[what]);
    return array;
}

static json_t *variance_save_node(const struct variance *variance, size_t i)
{
    json_t *array = json_array();
    variance_append_index(array, variance_node_at(variance, i)->parent);
    variance_append_index(array, variance_node_at(variance, i)->function);
    return array;
}

static json_t *variance_save_cell(const struct variance *variance, size_t i)
{
    const struct variance_cell *cell = variance_cell_at(variance, i);
    json_t *array = json_array();
    variance_append_index(array, cell->run);
    variance_append_index(array, cell->node);
    variance_append_index(array, cell->thread);
    variance_append_moments(array, &cell->times);
    variance_append_real(array, cell->first);
    variance_append_real(array, cell->last);
    for (size_t m = 0; m < VARIANCE_METRICS; m++) {
        variance_append_moments(array, &cell->tallies[m].values);
        variance_append_real(array, cell->tallies[m].with_time);
        variance_append_real(array, cell->inclusive[m]);
    }
    return array;
}

static json_t *variance_save_part(const struct variance *variance, size_t i)
{
    const struct variance_part *part = variance_part_at(variance, i);
    json_t *array = json_array();
    variance_append_index(array, part->run);
    variance_append_index(array, part->parent);
    variance_append_index(array, part->function);
    variance_append_count(array, part->present);
    for (size_t m = 0; m < VARIANCE_METRICS; m++) {
        variance_append_long(array, part->sum[m]);
        variance_append_long(array, part->squares[m]);
        variance_append_long(array, part->with_root[m]);
    }
    return array;
}

static json_t *variance_save_correlation(const struct variance *variance, size_t i)
{
    const struct variance_correlation *correlation = variance_correlation_at(variance, i);
    json_t *array = json_array();
    variance_append_index(array, correlation->run);
    for (size_t m = 0; m < VARIANCE_METRICS; m++)
        for (size_t f = 0; f < FACTORS; f++) {
            const struct weighted_pairs *pairs = &correlation->pairs[m][f];
            variance_append_count(array, pairs->n);
            variance_append_real(array, pairs->weight);
            variance_append_real(array, pairs->weight_squares);
            variance_append_real(array, pairs->mean_x);
            variance_append_real(array, pairs->mean_y);
            variance_append_real(array, pairs->xx);
            variance_append_real(array, pairs->yy);
            variance_append_real(array, pairs->xy);
        }
    return array;
}

static json_t *variance_save_instance(const struct variance *variance, size_t i)
{
    const struct variance_instance *instance = &variance->instances[i];
    json_t *array = json_array();
    variance_append_index(array, instance->run);
    variance_append_index(array, instance->node);
    variance_append_index(array, instance->thread);
    variance_append_real(array, instance->time);
    variance_append_real(array, instance->weight);
    for (size_t m = 0; m < VARIANCE_METRICS; m++)
        variance_append_real(array, instance->values[m]);
    return array;
}

/* JSON has no other texts than UTF-8: others become their bytes in hexadecimal after this mark. */
static const char BYTES_MARK = '\1';

static json_t *variance_save_text(const struct variance *variance, size_t i)
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

static bool variance_load_text(struct variance *variance, const char *saved)
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

static json_t *variance_save_list(const struct variance *variance, size_t count,
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
                     wish->instances, "texts", variance_save_list(variance, variance->texts.count, variance_save_text),
                     "runs", variance_save_list(variance, variance->runs.count, variance_save_run), "nodes",
                     variance_save_list(variance, variance->nodes.count, variance_save_node), "cells",
                     variance_save_list(variance, variance->cells.count, variance_save_cell), "parts",
                     variance_save_list(variance, variance->parts.count, variance_save_part), "correlations",
                     variance_save_list(variance, variance->correlations.count, variance_save_correlation), "instances",
                     variance_save_list(variance, variance->instance_count, variance_save_instance));
}

/* ------------------------------------------------------------------------------------------ loading -- */

static bool variance_load_run(struct variance *variance, struct reader *reader)
{
    struct variance_run run = {.id = variance_read_index(reader, variance->texts.count, false)};
    for (size_t m = 0; m < VARIANCE_METRICS; m++) {
        run.metrics[m] = variance_read_index(reader, variance->texts.count, true);
        run.total[m] = variance_read_real(reader);
        variance_read_noise(reader, &run.noise[m]);
    }
    run.events = variance_read_count(reader);
    run.orphans = variance_read_count(reader);
    run.backwards = variance_read_count(reader);
    run.unfinished = variance_read_count(reader);
    run.below_probe = variance_read_count(reader);
    run.stepped = variance_read_count(reader);
    run.every = variance_read_count(reader) > 0;
    for (size_t what = 0; what < INSTANCE_COUNT; what++)
        run.outcomes[what] = variance_read_count(reader);
    return reader->good && keyed_add(&variance->runs, &run) != KEYED_FULL;
}

static bool variance_load_node(struct variance *variance, struct reader *reader)
{
    uint32_t parent = VARIANCE_OTHERS; /* or a node before this one, or none */
    if (json_integer_value(json_array_get(reader->array, reader->at)) == -2)
        reader->at++;
    else
        parent = variance_read_index(reader, variance->nodes.count, true);
    uint32_t function = variance_read_index(reader, variance->texts.count, false);
    return reader->good && variance_add_node(variance, parent, function) != KEYED_FULL;
}

static bool variance_load_cell(struct variance *variance, struct reader *reader)
{
    struct variance_cell cell = {.run = variance_read_index(reader, variance->runs.count, false)};
    cell.node = variance_read_index(reader, variance->nodes.count, false);
    cell.thread = variance_read_index(reader, variance->texts.count, false);
    cell.times = variance_read_moments(reader);
    cell.first = variance_read_real(reader);
    cell.last = variance_read_real(reader);
    for (size_t m = 0; m < VARIANCE_METRICS; m++) {
        cell.tallies[m].values = variance_read_moments(reader);
        cell.tallies[m].with_time = variance_read_real(reader);
        cell.inclusive[m] = variance_read_real(reader);
    }
    return reader->good && keyed_add(&variance->cells, &cell) != KEYED_FULL;
}

static bool variance_load_part(struct variance *variance, struct reader *reader)
{
    struct variance_part part = {.run = variance_read_index(reader, variance->runs.count, false)};
    part.parent = variance_read_index(reader, variance->parts.count, true);
    part.function = variance_read_index(reader, variance->texts.count, false);
    part.present = variance_read_count(reader);
    for (size_t m = 0; m < VARIANCE_METRICS; m++) {
        part.sum[m] = variance_read_long(reader);
        part.squares[m] = variance_read_long(reader);
        part.with_root[m] = variance_read_long(reader);
    }
    return reader->good && keyed_add(&variance->parts, &part) != KEYED_FULL;
}

static bool variance_load_correlation(struct variance *variance, struct reader *reader)
{
    struct variance_correlation correlation = {.run = variance_read_index(reader, variance->runs.count, false)};
    for (size_t m = 0; m < VARIANCE_METRICS; m++)
        for (size_t f = 0; f < FACTORS; f++) {
            struct weighted_pairs *pairs = &correlation.pairs[m][f];
            pairs->n = variance_read_count(reader);
            pairs->weight = variance_read_real(reader);
            pairs->weight_squares = variance_read_real(reader);
            pairs->mean_x = variance_read_real(reader);
            pairs->mean_y = variance_read_real(reader);
            pairs->xx = variance_read_real(reader);
            pairs->yy = variance_read_real(reader);
            pairs->xy = variance_read_real(reader);
            reader->good &= pairs->n == 0 || (pairs->weight > 0 && pairs->weight_squares > 0);
        }
    return reader->good && keyed_add(&variance->correlations, &correlation) != KEYED_FULL;
}

static bool variance_load_instance(struct variance *variance, struct reader *reader)
{
    struct variance_instance instance = {.run = variance_read_index(reader, variance->runs.count, false)};
    instance.node = variance_read_index(reader, variance->nodes.count, false);
    instance.thread = variance_read_index(reader, variance->texts.count, false);
    instance.time = variance_read_real(reader);
    instance.weight = variance_read_real(reader);
    for (size_t m = 0; m < VARIANCE_METRICS; m++)
        instance.values[m] = variance_read_real(reader);
    struct variance_instance *grown = reader->good ? grow_unset(variance->instances, &variance->instance_capacity,
                                                                variance->instance_count, sizeof *variance->instances)
                                                   : NULL;
    if (!grown)
        return false;
    variance->instances = grown;
    grown[variance->instance_count++] = instance;
    return true;
}

static bool variance_load_list(struct variance *variance, const json_t *array,
                               bool (*load)(struct variance *variance, struct reader *reader))
{
    size_t i;
    json_t *item;
    bool good = json_is_array(array);
    json_array_foreach(array, i, item)
    {
        struct reader reader = {.array = item, .good = json_is_array(item)};
        good = good && load(variance, &reader);
    }
    return good;
}

static bool variance_is_same_name(const json_t *saved, const char *key, const char *name)
{
    const char *text = json_string_value(json_object_get(saved, key));
    return !text || !name ? !text && !name : strcmp(text, name) == 0;
}

int variance_load(void *state, const json_t *saved)
{
    struct variance *variance = state;
    const struct variance_wish *wish = variance->wish;
    if (json_is_true(json_object_get(saved, "unweighted")) != wish->unweighted ||
        json_is_true(json_object_get(saved, "contexts")) != wish->contexts ||
        !variance_is_same_name(saved, "explain", wish->explain) ||
        !variance_is_same_name(saved, "correlate", wish->correlate) ||
        !variance_is_same_name(saved, "instances of", wish->instances))
        return ENOTSUP;
    const json_t *texts = json_object_get(saved, "texts");
    for (size_t i = 0; i < json_array_size(texts); i++) {
        const char *text = json_string_value(json_array_get(texts, i));
        if (!text || !variance_load_text(variance, text))
            return EINVAL;
    }
    return variance_load_list(variance, json_object_get(saved, "runs"), variance_load_run) &&
                   variance_load_list(variance, json_object_get(saved, "nodes"), variance_load_node) &&
                   variance_load_list(variance, json_object_get(saved, "cells"), variance_load_cell) &&
                   variance_load_list(variance, json_object_get(saved, "parts"), variance_load_part) &&
                   variance_load_list(variance, json_object_get(saved, "correlations"), variance_load_correlation) &&
                   variance_load_list(variance, json_object_get(saved, "instances"), variance_load_instance)
               ? 0
               : EINVAL;
}
