/* Partial states. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/strides/counts.h"
#include "analyze/strides/loads.h"
#include "base/text.h"

static json_t *loads_save_text(const struct loads *loads, uint32_t text)
{
    return text_json(loads->texts.texts[text], strlen(loads->texts.texts[text]));
}

static json_t *loads_save_partners(const struct loads_row *row)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < row->partner_count; i++) {
        const struct loads_partner *partner = &row->partners[i];
        json_array_append_new(list, json_pack("[I,I,I,o,o]", (json_int_t)partner->location, (json_int_t)partner->how,
                                              (json_int_t)partner->executions, histogram_save(&partner->offsets),
                                              histogram_save(&partner->strides)));
    }
    if (json_array_size(list) == row->partner_count)
        return list;
    json_decref(list);
    return NULL;
}

static json_t *loads_save_row(const struct loads_row *row)
{
    return json_pack("[I,I,I,I,I,I,I,I,I,I,I,I,I,o,o,o]", (json_int_t)row->location, (json_int_t)row->loop,
                     (json_int_t)row->inner, (json_int_t)row->middle, (json_int_t)row->accesses,
                     (json_int_t)row->misses, (json_int_t)row->stall, (json_int_t)row->executions,
                     (json_int_t)row->repeats, (json_int_t)row->lost_partners, (json_int_t)row->address,
                     (json_int_t)row->serial, (json_int_t)row->entry, histogram_save(&row->strides),
                     loads_save_partners(row), counts_save_prefetches(&row->prefetches));
}

json_t *loads_save(const struct loads *loads)
{
    json_t *locations = json_array(), *loops = json_array(), *rows = json_array();
    for (uint32_t i = 0; i < loads->locations.count; i++) {
        const struct loads_location *location = loads_location_at(loads, i);
        json_array_append_new(locations,
                              json_pack("[o,o,I,I,I,o,I]", loads_save_text(loads, location->text),
                                        loads_save_text(loads, location->module), (json_int_t)loads_position(location),
                                        (json_int_t)location->bytes, (json_int_t)location->number,
                                        loads_save_text(loads, location->file), (json_int_t)location->line));
    }
    for (uint32_t i = 0; i < loads->loops.count; i++) {
        const struct loads_loop *loop = loads_loop_at(loads, i);
        json_array_append_new(loops, json_pack("[I,I,I,I,I,I]", (json_int_t)loop->location, (json_int_t)loop->outer,
                                               (json_int_t)loop->entries, (json_int_t)loop->iterations,
                                               (json_int_t)loop->spans, (json_int_t)loop->accesses));
    }
    for (uint32_t i = 0; i < loads->rows.count; i++)
        json_array_append_new(rows, loads_save_row(loads_row_at(loads, i)));
    bool whole = json_array_size(locations) == loads->locations.count && json_array_size(loops) == loads->loops.count &&
                 json_array_size(rows) == loads->rows.count;
    json_t *saved = json_pack("{s:o, s:o, s:o}", "places", locations, "loops", loops, "rows", rows);
    if (whole)
        return saved;
    json_decref(saved);
    return NULL;
}

/* -------------------------------------------------------------------------------------------------- loading -- */

static int loads_load_location(struct loads *loads, json_t *saved)
{
    const char *text, *module, *file;
    json_int_t position, bytes, number, line;
    if (json_unpack(saved, "[s,s,I,I,I,s,I!]", &text, &module, &position, &bytes, &number, &file, &line) != 0)
        return EINVAL;
    struct loads_location location = {.text = text_set_add(&loads->texts, text),
                                      .module = text_set_add(&loads->texts, module),
                                      .position_words = {(uint32_t)position, (uint32_t)((uint64_t)position >> 32)},
                                      .bytes = (uint32_t)bytes,
                                      .number = (uint32_t)number,
                                      .file = text_set_add(&loads->texts, file),
                                      .line = (uint32_t)line};
    if (location.text == TEXT_SET_FULL || location.module == TEXT_SET_FULL || location.file == TEXT_SET_FULL)
        return ENOMEM;
    uint32_t index = keyed_add(&loads->locations, &location);
    return index == KEYED_FULL ? ENOMEM : index + 1 == loads->locations.count ? 0 : EINVAL;
}

static bool loads_is_location(const struct loads *loads, json_int_t location)
{
    return location >= 0 && (size_t)location < loads->locations.count;
}

static int loads_load_loop(struct loads *loads, json_t *saved)
{
    json_int_t location, outer, entries, iterations, spans, accesses;
    if (json_unpack(saved, "[I,I,I,I,I,I!]", &location, &outer, &entries, &iterations, &spans, &accesses) != 0 ||
        !loads_is_location(loads, location) || !(outer == LOADS_NONE || loads_is_location(loads, outer)))
        return EINVAL;
    uint32_t index = loads_loop(loads, (uint32_t)location, (uint32_t)outer);
    if (index == LOADS_NONE)
        return ENOMEM;
    struct loads_loop *loop = loads_loop_at(loads, index);
    loop->entries = (uint64_t)entries;
    loop->iterations = (uint64_t)iterations;
    loop->spans = (uint64_t)spans;
    loop->accesses = (uint64_t)accesses;
    return 0;
}

static int loads_load_partner(const struct loads *loads, struct loads_row *row, json_t *saved)
{
    json_int_t location, how, executions;
    json_t *offsets, *strides;
    struct loads_partner *partner;
    if (json_unpack(saved, "[I,I,I,o,o!]", &location, &how, &executions, &offsets, &strides) != 0 ||
        !loads_is_location(loads, location) || how < 0 || how > LOADS_INDEX)
        return EINVAL;
    if (loads_partner(row, (uint32_t)location, (enum loads_how)how, &partner) != 0)
        return ENOMEM;
    if (!partner || partner->executions > 0)
        return EINVAL;
    partner->executions = (uint64_t)executions;
    int error = histogram_load(&partner->offsets, offsets);
    return error ? error : histogram_load(&partner->strides, strides);
}

static int loads_load_row(struct loads *loads, json_t *saved)
{
    json_int_t location, loop, inner, middle, accesses, misses, stall, executions, repeats, lost, address, serial,
        entry;
    json_t *strides, *partners, *prefetches;
    if (json_unpack(saved, "[I,I,I,I,I,I,I,I,I,I,I,I,I,o,o,o!]", &location, &loop, &inner, &middle, &accesses, &misses,
                    &stall, &executions, &repeats, &lost, &address, &serial, &entry, &strides, &partners,
                    &prefetches) != 0 ||
        !loads_is_location(loads, location) || !loads_is_location(loads, loop) || !loads_is_location(loads, inner) ||
        !loads_is_location(loads, middle) || loads_location_at(loads, (uint32_t)location)->bytes == 0)
        return EINVAL;
    size_t before = loads->rows.count;
    uint32_t index = loads_row(loads, (uint32_t)location, (uint32_t)loop, (uint32_t)inner, (uint32_t)middle);
    if (index == LOADS_NONE)
        return ENOMEM;
    if (index != before)
        return EINVAL;
    struct loads_row *row = loads_row_at(loads, index);
    row->accesses = (uint64_t)accesses;
    row->misses = (uint64_t)misses;
    row->stall = (uint64_t)stall;
    row->executions = (uint64_t)executions;
    row->repeats = (uint64_t)repeats;
    row->lost_partners = (uint64_t)lost;
    row->address = (uint64_t)address;
    row->serial = (uint64_t)serial;
    row->entry = (uint64_t)entry;
    int error = counts_load_prefetches(&row->prefetches, prefetches);
    error = error ? error : histogram_load(&row->strides, strides);
    for (size_t i = 0; !error && i < json_array_size(partners); i++)
        error = loads_load_partner(loads, row, json_array_get(partners, i));
    return error;
}

static int loads_load_list(struct loads *loads, const json_t *list, int (*load)(struct loads *, json_t *))
{
    int error = json_is_array(list) ? 0 : EINVAL;
    for (size_t i = 0; !error && i < json_array_size(list); i++)
        error = load(loads, json_array_get(list, i));
    return error;
}

int loads_load(struct loads *loads, const json_t *saved)
{
    int error = loads_load_list(loads, json_object_get(saved, "places"), loads_load_location);
    if (!error)
        error = loads_load_list(loads, json_object_get(saved, "loops"), loads_load_loop);
    return error ? error : loads_load_list(loads, json_object_get(saved, "rows"), loads_load_row);
}
