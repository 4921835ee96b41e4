/* The state as JSON, and back. Rows are arrays of whole numbers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cache/machine_parts.h"
#include "analyze/cache/misses.h"
#include "base/text.h"

enum {
    NUMBERS_OF_MACHINE = 5 * (CACHE_LEVELS_MAX + 1) + 12,
    NUMBERS_OF_PLACE = 6 + 2 * CACHE_LEVELS_MAX,
    NUMBERS_OF_TRACE = 4
};
enum { NUMBERS_OF_COUNTS = sizeof(struct cache_counts) / sizeof(uint64_t) };
_Static_assert(sizeof(struct cache_counts) % sizeof(uint64_t) == 0, "counts are whole numbers");

/* What makes a machine, as numbers: its name is not among them. */
static void machine_numbers(const struct cache_machine *machine, uint64_t numbers[NUMBERS_OF_MACHINE])
{
    size_t count = 0;
    for (unsigned i = 0; i <= CACHE_LEVELS_MAX; i++) {
        const struct cache_level *level = i < CACHE_LEVELS_MAX ? &machine->levels[i] : &machine->instructions;
        const uint64_t own[] = {level->bytes, level->line, level->ways, level->latency, level->replacement};
        for (size_t n = 0; n < sizeof own / sizeof *own; n++)
            numbers[count++] = own[n];
    }
    const uint64_t rest[] = {machine->level_count, machine->tlb_entries,    machine->tlb_ways,
                             machine->page,        machine->walk,           machine->memory,
                             machine->mshrs,       machine->prefetcher,     machine->prefetch_level,
                             machine->cachegrind,  machine->write_allocate, machine->prefetch_needs_tlb};
    for (size_t n = 0; n < sizeof rest / sizeof *rest; n++)
        numbers[count++] = rest[n];
}

static void level_of_numbers(struct cache_level *level, const uint64_t numbers[5])
{
    *level = (struct cache_level){.bytes = numbers[0],
                                  .line = (unsigned)numbers[1],
                                  .ways = (unsigned)numbers[2],
                                  .latency = (unsigned)numbers[3],
                                  .replacement = (enum cache_replacement)numbers[4]};
}

/* Whether they are those of a machine. */
static bool machine_of_numbers(const uint64_t numbers[NUMBERS_OF_MACHINE], struct cache_machine *machine)
{
    const uint64_t *rest = numbers + 5 * (CACHE_LEVELS_MAX + 1);
    struct complaint unused;
    for (size_t i = 0; i < NUMBERS_OF_MACHINE; i++)
        if (numbers[i] > UINT32_MAX && i % 5 != 0)
            return false;
    for (unsigned i = 0; i < CACHE_LEVELS_MAX; i++)
        level_of_numbers(&machine->levels[i], numbers + 5 * i);
    level_of_numbers(&machine->instructions, numbers + 5 * CACHE_LEVELS_MAX);
    machine->level_count = (unsigned)rest[0];
    machine->tlb_entries = (unsigned)rest[1];
    machine->tlb_ways = (unsigned)rest[2];
    machine->page = (unsigned)rest[3];
    machine->walk = (unsigned)rest[4];
    machine->memory = (unsigned)rest[5];
    machine->mshrs = (unsigned)rest[6];
    machine->prefetcher = (enum cache_prefetcher)rest[7];
    machine->prefetch_level = (unsigned)rest[8];
    machine->cachegrind = rest[9];
    machine->write_allocate = rest[10];
    machine->prefetch_needs_tlb = rest[11];
    return machine->level_count <= CACHE_LEVELS_MAX && rest[7] <= CACHE_PREFETCHER_STREAM &&
           machine_check(machine, true, &unused) == STATUS_GOOD;
}

bool misses_same_machine(const struct cache_machine *a, const struct cache_machine *b)
{
    uint64_t left[NUMBERS_OF_MACHINE], right[NUMBERS_OF_MACHINE];
    machine_numbers(a, left);
    machine_numbers(b, right);
    return memcmp(left, right, sizeof left) == 0;
}

/* ------------------------------------------------------------------------------------------ saving -- */

static void put(json_t *row, uint64_t number)
{
    json_array_append_new(row, json_integer((json_int_t)number));
}

static void put_all(json_t *row, const uint64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put(row, numbers[i]);
}

static json_t *save_place(const struct misses_place *place)
{
    json_t *row = json_array();
    const uint64_t first[] = {place->method, place->file, place->line, place->loads, place->stores, place->tlb_misses};
    put_all(row, first, sizeof first / sizeof *first);
    put_all(row, place->load_misses, CACHE_LEVELS_MAX);
    put_all(row, place->store_misses, CACHE_LEVELS_MAX);
    return row;
}

static json_t *save_trace(const struct misses_trace *trace)
{
    json_t *counts = json_array(), *places = json_array(), *numbers = json_array();
    const uint64_t own[NUMBERS_OF_TRACE] = {trace->instructions, trace->gaps, trace->unknown, trace->by_thread};
    put_all(counts, (const uint64_t *)&trace->counts, NUMBERS_OF_COUNTS);
    put_all(numbers, own, NUMBERS_OF_TRACE);
    for (size_t i = 0; i < trace->place_count; i++)
        json_array_append_new(places, save_place(&trace->places[i]));
    return json_pack("{s:o, s:o, s:o, s:o}", "trace", text_json(trace->path, strlen(trace->path)), "numbers", numbers,
                     "counts", counts, "places", places);
}

json_t *misses_save(const struct misses *misses)
{
    uint64_t numbers[NUMBERS_OF_MACHINE];
    json_t *traces = json_array(), *texts = json_array(), *machine = json_array();
    machine_numbers(&misses->machine, numbers);
    put_all(machine, numbers, NUMBERS_OF_MACHINE);
    for (size_t i = 0; i < misses->count; i++)
        json_array_append_new(traces, save_trace(&misses->traces[i]));
    for (uint32_t i = 0; i < misses->texts.count; i++)
        json_array_append_new(texts, text_json(misses->texts.texts[i], strlen(misses->texts.texts[i])));
    if (json_array_size(traces) < misses->count || json_array_size(texts) < misses->texts.count) {
        json_decref(machine);
        json_decref(traces);
        json_decref(texts);
        return NULL;
    }
    return json_pack("{s:s, s:o, s:o, s:o}", "name", misses->machine.name, "machine", machine, "texts", texts, "traces",
                     traces);
}

/* ------------------------------------------------------------------------------------------ loading -- */

/* Takes so many whole numbers of the row; whether it has them, and none is below 0. */
static bool get_all(const json_t *row, size_t from, uint64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const json_t *number = json_array_get(row, from + i);
        if (!json_is_integer(number) || json_integer_value(number) < 0)
            return false;
        numbers[i] = (uint64_t)json_integer_value(number);
    }
    return true;
}

static bool load_place(const struct misses *misses, const json_t *row, struct misses_place *place)
{
    uint64_t first[6];
    enum { FIRST = sizeof first / sizeof *first };
    if (json_array_size(row) != NUMBERS_OF_PLACE || !get_all(row, 0, first, FIRST) ||
        !get_all(row, FIRST, place->load_misses, CACHE_LEVELS_MAX) ||
        !get_all(row, FIRST + CACHE_LEVELS_MAX, place->store_misses, CACHE_LEVELS_MAX) ||
        first[0] >= misses->texts.count || first[1] >= misses->texts.count || first[2] > UINT32_MAX)
        return false;
    place->method = (uint32_t)first[0];
    place->file = (uint32_t)first[1];
    place->line = (uint32_t)first[2];
    place->loads = first[3];
    place->stores = first[4];
    place->tlb_misses = first[5];
    return true;
}

static int load_trace(struct misses *misses, json_t *saved)
{
    struct misses_trace trace = {0};
    uint64_t own[NUMBERS_OF_TRACE];
    const char *path;
    json_t *numbers, *counts, *places;
    if (json_unpack(saved, "{s:s, s:o, s:o, s:o}", "trace", &path, "numbers", &numbers, "counts", &counts, "places",
                    &places) != 0 ||
        !get_all(numbers, 0, own, NUMBERS_OF_TRACE) ||
        !get_all(counts, 0, (uint64_t *)&trace.counts, NUMBERS_OF_COUNTS) || !json_is_array(places))
        return EINVAL;
    trace.path = strdup(path);
    trace.place_count = json_array_size(places);
    trace.places = calloc(trace.place_count + 1, sizeof *trace.places);
    trace.instructions = own[0];
    trace.gaps = own[1];
    trace.unknown = own[2];
    trace.by_thread = own[3] != 0;
    int error = trace.path && trace.places ? 0 : ENOMEM;
    for (size_t i = 0; i < trace.place_count && !error; i++)
        error = load_place(misses, json_array_get(places, i), &trace.places[i]) ? 0 : EINVAL;
    if (!error)
        error = misses_add(misses, &trace);
    if (error) {
        free(trace.path);
        free(trace.places);
    }
    return error;
}

int misses_load(struct misses *misses, const json_t *saved)
{
    struct cache_machine machine = {0};
    uint64_t numbers[NUMBERS_OF_MACHINE];
    const char *name = json_string_value(json_object_get(saved, "name"));
    const json_t *texts = json_object_get(saved, "texts"), *traces = json_object_get(saved, "traces");
    if (!name || !get_all(json_object_get(saved, "machine"), 0, numbers, NUMBERS_OF_MACHINE) ||
        !machine_of_numbers(numbers, &machine) || !json_is_array(texts) || !json_is_array(traces))
        return EINVAL;
    snprintf(machine.name, sizeof machine.name, "%s", name);
    if (!misses_take_machine(misses, &machine))
        return ENOTSUP;
    for (size_t i = 0; i < json_array_size(texts); i++) {
        const char *text = json_string_value(json_array_get(texts, i));
        uint32_t number = text ? text_set_add(&misses->texts, text) : 0;
        if (!text || number != i) /* the texts are distinct */
            return text && number == TEXT_SET_FULL ? ENOMEM : EINVAL;
    }
    int error = 0;
    for (size_t i = 0; i < json_array_size(traces) && !error; i++)
        error = load_trace(misses, json_array_get(traces, i));
    return error;
}
