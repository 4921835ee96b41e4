/* The state as JSON, and back. Rows are arrays of whole numbers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cache/machine_parts.h"
#include "analyze/cache/misses.h"
#include "base/text.h"

enum { NUMBERS_OF_LOCATION = 6 + 2 * CACHE_LEVELS_MAX, NUMBERS_OF_TRACE = 4 };
enum { NUMBERS_OF_COUNTS = sizeof(struct cache_counts) / sizeof(uint64_t) };
_Static_assert(sizeof(struct cache_counts) % sizeof(uint64_t) == 0, "counts are whole numbers");

/* ------------------------------------------------------------------------------------------ saving -- */

/* False without memory, here and below. */
static bool misses_append_numbers(json_t *row, const uint64_t *numbers, size_t count)
{
    bool good = true;
    for (size_t i = 0; i < count && good; i++)
        good = json_array_append_new(row, json_integer((json_int_t)numbers[i])) == 0;
    return good;
}

static bool misses_append_location(json_t *locations, const struct misses_location *location)
{
    const uint64_t first[] = {location->method, location->file,   location->line,
                              location->loads,  location->stores, location->tlb_misses};
    json_t *row = json_array();
    bool good = misses_append_numbers(row, first, sizeof first / sizeof *first) &&
                misses_append_numbers(row, location->load_misses, CACHE_LEVELS_MAX) &&
                misses_append_numbers(row, location->store_misses, CACHE_LEVELS_MAX);
    return json_array_append_new(locations, row) == 0 && good;
}

static json_t *misses_save_trace(const struct misses_trace *trace)
{
    json_t *counts = json_array(), *locations = json_array(), *numbers = json_array();
    const uint64_t own[NUMBERS_OF_TRACE] = {trace->instructions, trace->gaps, trace->unknown, trace->by_thread};
    bool good = misses_append_numbers(counts, (const uint64_t *)&trace->counts, NUMBERS_OF_COUNTS) &&
                misses_append_numbers(numbers, own, NUMBERS_OF_TRACE);
    for (size_t i = 0; i < trace->location_count && good; i++)
        good = misses_append_location(locations, &trace->locations[i]);
    json_t *saved = json_pack("{s:o, s:o, s:o, s:o}", "trace", text_json(trace->path, strlen(trace->path)), "numbers",
                              numbers, "counts", counts, "places", locations);
    if (good)
        return saved;
    json_decref(saved);
    return NULL;
}

json_t *misses_save(void *state)
{
    const struct misses *misses = state;
    json_t *traces = json_array(), *texts = json_array();
    for (size_t i = 0; i < misses->count; i++)
        json_array_append_new(traces, misses_save_trace(&misses->traces[i]));
    for (uint32_t i = 0; i < misses->texts.count; i++)
        json_array_append_new(texts, text_json(misses->texts.texts[i], strlen(misses->texts.texts[i])));
    if (json_array_size(traces) < misses->count || json_array_size(texts) < misses->texts.count) {
        json_decref(traces);
        json_decref(texts);
        return NULL;
    }
    return json_pack("{s:o, s:o, s:o}", "machine", cache_machine_save(&misses->machine), "texts", texts, "traces",
                     traces);
}

/* ------------------------------------------------------------------------------------------ loading -- */

/* Takes so many whole numbers of the row; whether it has them, and none is below 0. */
static bool misses_read_numbers(const json_t *row, size_t from, uint64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const json_t *number = json_array_get(row, from + i);
        if (!json_is_integer(number) || json_integer_value(number) < 0)
            return false;
        numbers[i] = (uint64_t)json_integer_value(number);
    }
    return true;
}

static bool misses_load_location(const struct misses *misses, const json_t *row, struct misses_location *location)
{
    uint64_t first[6];
    enum { FIRST = sizeof first / sizeof *first };
    if (json_array_size(row) != NUMBERS_OF_LOCATION || !misses_read_numbers(row, 0, first, FIRST) ||
        !misses_read_numbers(row, FIRST, location->load_misses, CACHE_LEVELS_MAX) ||
        !misses_read_numbers(row, FIRST + CACHE_LEVELS_MAX, location->store_misses, CACHE_LEVELS_MAX) ||
        first[0] >= misses->texts.count || first[1] >= misses->texts.count || first[2] > UINT32_MAX)
        return false;
    location->method = (uint32_t)first[0];
    location->file = (uint32_t)first[1];
    location->line = (uint32_t)first[2];
    location->loads = first[3];
    location->stores = first[4];
    location->tlb_misses = first[5];
    return true;
}

static int misses_load_trace(struct misses *misses, json_t *saved)
{
    struct misses_trace trace = {0};
    uint64_t own[NUMBERS_OF_TRACE];
    const char *path;
    json_t *numbers, *counts, *locations;
    if (json_unpack(saved, "{s:s, s:o, s:o, s:o}", "trace", &path, "numbers", &numbers, "counts", &counts, "places",
                    &locations) != 0 ||
        !misses_read_numbers(numbers, 0, own, NUMBERS_OF_TRACE) ||
        !misses_read_numbers(counts, 0, (uint64_t *)&trace.counts, NUMBERS_OF_COUNTS) || !json_is_array(locations))
        return EINVAL;
    trace.path = strdup(path);
    trace.location_count = json_array_size(locations);
    trace.locations = calloc(trace.location_count + 1, sizeof *trace.locations);
    trace.instructions = own[0];
    trace.gaps = own[1];
    trace.unknown = own[2];
    trace.by_thread = own[3] != 0;
    int error = trace.path && trace.locations ? 0 : ENOMEM;
    for (size_t i = 0; i < trace.location_count && !error; i++)
        error = misses_load_location(misses, json_array_get(locations, i), &trace.locations[i]) ? 0 : EINVAL;
    if (!error)
        error = misses_add(misses, &trace);
    if (error) {
        free(trace.path);
        free(trace.locations);
    }
    return error;
}

int misses_load(void *state, const json_t *saved)
{
    struct misses *misses = state;
    struct cache_machine machine;
    const json_t *texts = json_object_get(saved, "texts"), *traces = json_object_get(saved, "traces");
    if (!cache_machine_load(&machine, json_object_get(saved, "machine")) || !json_is_array(texts) ||
        !json_is_array(traces))
        return EINVAL;
    if (!misses_adopt_machine(misses, &machine))
        return ENOTSUP;
    for (size_t i = 0; i < json_array_size(texts); i++) {
        const char *text = json_string_value(json_array_get(texts, i));
        uint32_t number = text ? text_set_add(&misses->texts, text) : 0;
        if (!text || number != i) /* the texts are distinct */
            return text && number == TEXT_SET_FULL ? ENOMEM : EINVAL;
    }
    int error = 0;
    for (size_t i = 0; i < json_array_size(traces) && !error; i++)
        error = misses_load_trace(misses, json_array_get(traces, i));
    return error;
}
