#include "analyze/strides/loads.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/names/method_name.h"
#include "analyze/strides/counts.h"

void loads_init(struct loads *loads)
{
    *loads = (struct loads){
        .locations = {.item_bytes = sizeof(struct loads_location), .key_bytes = offsetof(struct loads_location, file)},
        .rows = {.item_bytes = sizeof(struct loads_row), .key_bytes = offsetof(struct loads_row, inner)},
        .loops = {.item_bytes = sizeof(struct loads_loop), .key_bytes = offsetof(struct loads_loop, outer)}};
}

void loads_free(struct loads *loads)
{
    for (uint32_t i = 0; i < loads->rows.count; i++) {
        struct loads_row *row = loads_row_at(loads, i);
        histogram_free(&row->strides);
        for (uint32_t p = 0; p < row->partner_count; p++) {
            histogram_free(&row->partners[p].offsets);
            histogram_free(&row->partners[p].strides);
        }
        free(row->partners);
    }
    keyed_free(&loads->locations);
    keyed_free(&loads->rows);
    keyed_free(&loads->loops);
    text_set_free(&loads->texts);
}

struct loads_row *loads_row_at(const struct loads *loads, uint32_t index)
{
    return keyed_at(&loads->rows, index);
}

struct loads_loop *loads_loop_at(const struct loads *loads, uint32_t index)
{
    return keyed_at(&loads->loops, index);
}

const struct loads_location *loads_location_at(const struct loads *loads, uint32_t index)
{
    return keyed_at(&loads->locations, index);
}

const struct loads_loop *loads_loop_find(const struct loads *loads, uint32_t location)
{
    uint32_t index = keyed_find(&loads->loops, &location);
    return index == KEYED_FULL ? NULL : loads_loop_at(loads, index);
}

const struct loads_row *loads_row_find(const struct loads *loads, uint32_t location, uint32_t loop)
{
    const struct loads_row key = {.location = location, .loop = loop};
    uint32_t index = keyed_find(&loads->rows, &key);
    return index == KEYED_FULL ? NULL : loads_row_at(loads, index);
}

int64_t loads_position(const struct loads_location *location)
{
    return (int64_t)((uint64_t)location->position_words[1] << 32 | location->position_words[0]);
}

const char *loads_text(const struct loads *loads, uint32_t location)
{
    return loads->texts.texts[loads_location_at(loads, location)->text];
}

double loads_trips(const struct loads_loop *loop)
{
    return loop->entries > 0 ? (double)loop->iterations / (double)loop->entries : 0;
}

/* -------------------------------------------------------------------------------------------------- new items -- */

static void loads_frame_text(const struct trace_names *names, const struct trace_frame *frame, char *text, size_t size)
{
    method_name(&names->methods[frame->method], text);
    size_t length = strlen(text);
    if (frame->line > 0)
        snprintf(text + length, size - length, ":%" PRIu32, frame->line);
    else if (frame->module > 0 && frame->position >= 0)
        snprintf(text + length, size - length, "@0x%" PRIx64, (uint64_t)frame->position);
}

uint32_t loads_location(struct loads *loads, const struct trace_names *names, uint32_t context, uint32_t bytes,
                        uint32_t number)
{
    char text[METHOD_NAME_MAX + 32];
    const struct trace_frame *frame = &names->frames[trace_names_context(names, context)->frame];
    const char *path = names->modules[frame->module].path, *base = strrchr(path, '/');
    loads_frame_text(names, frame, text, sizeof text);
    struct loads_location location = {
        .text = text_set_add(&loads->texts, text),
        .module = text_set_add(&loads->texts, base ? base + 1 : path),
        .position_words = {(uint32_t)frame->position, (uint32_t)((uint64_t)frame->position >> 32)},
        .bytes = bytes,
        .number = number,
        .file = text_set_add(&loads->texts, names->methods[frame->method].file),
        .line = frame->line};
    if (location.text == TEXT_SET_FULL || location.module == TEXT_SET_FULL || location.file == TEXT_SET_FULL)
        return LOADS_NONE;
    return keyed_add(&loads->locations, &location);
}

uint32_t loads_row(struct loads *loads, uint32_t location, uint32_t loop, uint32_t inner, uint32_t middle)
{
    const struct loads_row row = {.location = location, .loop = loop, .inner = inner, .middle = middle};
    return keyed_add(&loads->rows, &row);
}

uint32_t loads_loop(struct loads *loads, uint32_t location, uint32_t outer)
{
    const struct loads_loop loop = {.location = location, .outer = outer};
    return keyed_add(&loads->loops, &loop);
}

int loads_partner(struct loads_row *row, uint32_t location, enum loads_how how, struct loads_partner **partner)
{
    *partner = NULL;
    for (uint32_t i = 0; i < row->partner_count; i++)
        if (row->partners[i].location == location && row->partners[i].how == how)
            *partner = &row->partners[i];
    if (*partner)
        return 0;
    if (row->partner_count == LOADS_PARTNERS_MAX) {
        row->lost_partners++;
        return 0;
    }
    struct loads_partner *partners = reallocarray(row->partners, row->partner_count + 1, sizeof *partners);
    if (!partners)
        return ENOMEM;
    row->partners = partners;
    *partner = &partners[row->partner_count++];
    **partner = (struct loads_partner){.location = location, .how = how};
    return 0;
}

/* -------------------------------------------------------------------------------------------------- merging -- */

static uint32_t loads_copy_text(struct loads *loads, const struct loads *other, uint32_t text)
{
    return text_set_add(&loads->texts, other->texts.texts[text]);
}

/* numbers[i]: the location here of location i there. */
static int loads_merge_locations(struct loads *loads, const struct loads *other, uint32_t *numbers)
{
    for (uint32_t i = 0; i < other->locations.count; i++) {
        struct loads_location location = *loads_location_at(other, i);
        location.text = loads_copy_text(loads, other, location.text);
        location.module = loads_copy_text(loads, other, location.module);
        location.file = loads_copy_text(loads, other, location.file);
        if (location.text == TEXT_SET_FULL || location.module == TEXT_SET_FULL || location.file == TEXT_SET_FULL)
            return ENOMEM;
        numbers[i] = keyed_add(&loads->locations, &location);
        if (numbers[i] == KEYED_FULL)
            return ENOMEM;
    }
    return 0;
}

static int loads_merge_partner(struct loads_row *row, const struct loads_partner *from, const uint32_t *numbers)
{
    struct loads_partner *partner;
    if (loads_partner(row, numbers[from->location], (enum loads_how)from->how, &partner) != 0)
        return ENOMEM;
    if (!partner)
        return 0;
    partner->executions += from->executions;
    int error = histogram_merge(&partner->offsets, &from->offsets);
    return error ? error : histogram_merge(&partner->strides, &from->strides);
}

static int loads_merge_row(struct loads *loads, const struct loads_row *from, const uint32_t *numbers)
{
    uint32_t index =
        loads_row(loads, numbers[from->location], numbers[from->loop], numbers[from->inner], numbers[from->middle]);
    if (index == LOADS_NONE)
        return ENOMEM;
    struct loads_row *row = loads_row_at(loads, index);
    row->accesses += from->accesses;
    row->misses += from->misses;
    row->stall += from->stall;
    counts_add_prefetches(&row->prefetches, &from->prefetches);
    row->executions += from->executions;
    row->repeats += from->repeats;
    row->lost_partners += from->lost_partners;
    if (row->entry == 0) {
        row->address = from->address;
        row->serial = from->serial;
        row->entry = from->entry;
    }
    int error = histogram_merge(&row->strides, &from->strides);
    for (uint32_t i = 0; !error && i < from->partner_count; i++)
        error = loads_merge_partner(row, &from->partners[i], numbers);
    return error;
}

static int loads_merge_loop(struct loads *loads, const struct loads_loop *from, const uint32_t *numbers)
{
    uint32_t index =
        loads_loop(loads, numbers[from->location], from->outer == LOADS_NONE ? LOADS_NONE : numbers[from->outer]);
    if (index == LOADS_NONE)
        return ENOMEM;
    struct loads_loop *loop = loads_loop_at(loads, index);
    loop->entries += from->entries;
    loop->iterations += from->iterations;
    loop->spans += from->spans;
    loop->accesses += from->accesses;
    return 0;
}

int loads_merge(struct loads *loads, const struct loads *other)
{
    uint32_t *numbers = calloc(other->locations.count + 1, sizeof *numbers);
    int error = numbers ? loads_merge_locations(loads, other, numbers) : ENOMEM;
    for (uint32_t i = 0; !error && i < other->loops.count; i++)
        error = loads_merge_loop(loads, loads_loop_at(other, i), numbers);
    for (uint32_t i = 0; !error && i < other->rows.count; i++)
        error = loads_merge_row(loads, loads_row_at(other, i), numbers);
    free(numbers);
    return error;
}
