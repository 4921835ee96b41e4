#include "analyze/strides/loads.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/names/method_name.h"
#include "analyze/strides/counts.h"

void loads_init(struct loads *loads)
{
    *loads = (struct loads){
        .places = {.item_bytes = sizeof(struct loads_place), .key_bytes = offsetof(struct loads_place, file)},
        .rows = {.item_bytes = sizeof(struct loads_row), .key_bytes = offsetof(struct loads_row, inner)},
        .loops = {.item_bytes = sizeof(struct loads_loop), .key_bytes = offsetof(struct loads_loop, outer)}};
}

static void free_row(struct loads_row *row)
{
    histogram_free(&row->strides);
    for (uint32_t i = 0; i < row->partner_count; i++) {
        histogram_free(&row->partners[i].offsets);
        histogram_free(&row->partners[i].strides);
    }
    free(row->partners);
}

void loads_free(struct loads *loads)
{
    for (uint32_t i = 0; i < loads->rows.count; i++)
        free_row(loads_row_at(loads, i));
    keyed_free(&loads->places);
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

const struct loads_place *loads_place_at(const struct loads *loads, uint32_t index)
{
    return keyed_at(&loads->places, index);
}

const struct loads_loop *loads_loop_find(const struct loads *loads, uint32_t place)
{
    uint32_t index = keyed_find(&loads->loops, &place);
    return index == KEYED_FULL ? NULL : loads_loop_at(loads, index);
}

const struct loads_row *loads_row_find(const struct loads *loads, uint32_t place, uint32_t loop)
{
    const struct loads_row key = {.place = place, .loop = loop};
    uint32_t index = keyed_find(&loads->rows, &key);
    return index == KEYED_FULL ? NULL : loads_row_at(loads, index);
}

int64_t loads_position(const struct loads_place *place)
{
    return (int64_t)((uint64_t)place->position_words[1] << 32 | place->position_words[0]);
}

const char *loads_text(const struct loads *loads, uint32_t place)
{
    return loads->texts.texts[loads_place_at(loads, place)->text];
}

double loads_trips(const struct loads_loop *loop)
{
    return loop->entries > 0 ? (double)loop->iterations / (double)loop->entries : 0;
}

/* -------------------------------------------------------------------------------------------------- new items -- */

static void frame_text(const struct trace_names *names, const struct trace_frame *frame, char *text, size_t size)
{
    method_name(&names->methods[frame->method], text);
    size_t length = strlen(text);
    if (frame->line > 0)
        snprintf(text + length, size - length, ":%" PRIu32, frame->line);
    else if (frame->module > 0 && frame->position >= 0)
        snprintf(text + length, size - length, "@0x%" PRIx64, (uint64_t)frame->position);
}

uint32_t loads_place(struct loads *loads, const struct trace_names *names, uint32_t context, uint32_t bytes,
                     uint32_t number)
{
    char text[METHOD_NAME_MAX + 32];
    const struct trace_frame *frame = &names->frames[trace_names_context(names, context)->frame];
    const char *path = names->modules[frame->module].path, *base = strrchr(path, '/');
    frame_text(names, frame, text, sizeof text);
    struct loads_place place = {
        .text = text_set_add(&loads->texts, text),
        .module = text_set_add(&loads->texts, base ? base + 1 : path),
        .position_words = {(uint32_t)frame->position, (uint32_t)((uint64_t)frame->position >> 32)},
        .bytes = bytes,
        .number = number,
        .file = text_set_add(&loads->texts, names->methods[frame->method].file),
        .line = frame->line};
    if (place.text == TEXT_SET_FULL || place.module == TEXT_SET_FULL || place.file == TEXT_SET_FULL)
        return LOADS_NONE;
    return keyed_add(&loads->places, &place);
}

uint32_t loads_row(struct loads *loads, uint32_t place, uint32_t loop, uint32_t inner, uint32_t middle)
{
    const struct loads_row row = {.place = place, .loop = loop, .inner = inner, .middle = middle};
    return keyed_add(&loads->rows, &row);
}

uint32_t loads_loop(struct loads *loads, uint32_t place, uint32_t outer)
{
    const struct loads_loop loop = {.place = place, .outer = outer};
    return keyed_add(&loads->loops, &loop);
}

int loads_partner(struct loads_row *row, uint32_t place, enum loads_how how, struct loads_partner **partner)
{
    *partner = NULL;
    for (uint32_t i = 0; i < row->partner_count; i++)
        if (row->partners[i].place == place && row->partners[i].how == how)
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
    **partner = (struct loads_partner){.place = place, .how = how};
    return 0;
}

/* -------------------------------------------------------------------------------------------------- merging -- */

static uint32_t copy_text(struct loads *loads, const struct loads *other, uint32_t text)
{
    return text_set_add(&loads->texts, other->texts.texts[text]);
}

/* numbers[i]: the place here of place i there. */
static int merge_places(struct loads *loads, const struct loads *other, uint32_t *numbers)
{
    for (uint32_t i = 0; i < other->places.count; i++) {
        struct loads_place place = *loads_place_at(other, i);
        place.text = copy_text(loads, other, place.text);
        place.module = copy_text(loads, other, place.module);
        place.file = copy_text(loads, other, place.file);
        if (place.text == TEXT_SET_FULL || place.module == TEXT_SET_FULL || place.file == TEXT_SET_FULL)
            return ENOMEM;
        numbers[i] = keyed_add(&loads->places, &place);
        if (numbers[i] == KEYED_FULL)
            return ENOMEM;
    }
    return 0;
}

static int merge_partner(struct loads_row *row, const struct loads_partner *from, const uint32_t *numbers)
{
    struct loads_partner *partner;
    if (loads_partner(row, numbers[from->place], (enum loads_how)from->how, &partner) != 0)
        return ENOMEM;
    if (!partner)
        return 0;
    partner->executions += from->executions;
    int error = histogram_merge(&partner->offsets, &from->offsets);
    return error ? error : histogram_merge(&partner->strides, &from->strides);
}

static int merge_row(struct loads *loads, const struct loads_row *from, const uint32_t *numbers)
{
    uint32_t index =
        loads_row(loads, numbers[from->place], numbers[from->loop], numbers[from->inner], numbers[from->middle]);
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
        error = merge_partner(row, &from->partners[i], numbers);
    return error;
}

static int merge_loop(struct loads *loads, const struct loads_loop *from, const uint32_t *numbers)
{
    uint32_t index =
        loads_loop(loads, numbers[from->place], from->outer == LOADS_NONE ? LOADS_NONE : numbers[from->outer]);
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
    uint32_t *numbers = calloc(other->places.count + 1, sizeof *numbers);
    int error = numbers ? merge_places(loads, other, numbers) : ENOMEM;
    for (uint32_t i = 0; !error && i < other->loops.count; i++)
        error = merge_loop(loads, loads_loop_at(other, i), numbers);
    for (uint32_t i = 0; !error && i < other->rows.count; i++)
        error = merge_row(loads, loads_row_at(other, i), numbers);
    free(numbers);
    return error;
}
