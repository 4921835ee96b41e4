#include "analyze/strides/loads.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/names/method_name.h"

/* Words of which a structure of counts consists. */
#define COUNTS(row, member)                                                                                            \
    FIELD_ARRAY(row, member, FIELD_COUNT, JOIN_SUM, sizeof((struct row *)NULL)->member / sizeof(uint64_t))

_Static_assert(sizeof(struct cache_counts) % sizeof(uint64_t) == 0 &&
                   sizeof(struct cache_prefetches) % sizeof(uint64_t) == 0,
               "counts are whole numbers");

static const struct field location_fields[] = {FIELD(loads_location, text, FIELD_TEXT, JOIN_KEY),
                                               FIELD(loads_location, module, FIELD_TEXT, JOIN_KEY),
                                               FIELD_ARRAY(loads_location, position_words, FIELD_NUMBER, JOIN_KEY, 2),
                                               FIELD(loads_location, bytes, FIELD_NUMBER, JOIN_KEY),
                                               FIELD(loads_location, number, FIELD_NUMBER, JOIN_KEY),
                                               FIELD(loads_location, file, FIELD_TEXT, JOIN_FIRST),
                                               FIELD(loads_location, line, FIELD_NUMBER, JOIN_FIRST)};
static const struct field loop_fields[] = {FIELD_ROW_OF(loads_loop, location, JOIN_KEY, LOADS_LOCATIONS),
                                           {.type = FIELD_ROW,
                                            .join = JOIN_FIRST,
                                            .offset = offsetof(struct loads_loop, outer),
                                            .relation = LOADS_LOCATIONS,
                                            .optional = true},
                                           COUNTS(loads_loop, entries),
                                           COUNTS(loads_loop, iterations),
                                           COUNTS(loads_loop, spans),
                                           COUNTS(loads_loop, accesses)};
static const struct field row_fields[] = {FIELD_ROW_OF(loads_row, location, JOIN_KEY, LOADS_LOCATIONS),
                                          FIELD_ROW_OF(loads_row, loop, JOIN_KEY, LOADS_LOCATIONS),
                                          FIELD_ROW_OF(loads_row, inner, JOIN_FIRST, LOADS_LOCATIONS),
                                          FIELD_ROW_OF(loads_row, middle, JOIN_FIRST, LOADS_LOCATIONS),
                                          COUNTS(loads_row, accesses),
                                          COUNTS(loads_row, misses),
                                          COUNTS(loads_row, stall),
                                          COUNTS(loads_row, prefetches),
                                          COUNTS(loads_row, executions),
                                          FIELD_OBJECT_OF(loads_row, strides, &histogram_class),
                                          COUNTS(loads_row, repeats),
                                          FIELD(loads_row, address, FIELD_COUNT, JOIN_OWN),
                                          FIELD(loads_row, serial, FIELD_COUNT, JOIN_OWN),
                                          FIELD(loads_row, entry, FIELD_COUNT, JOIN_OWN)};
static const struct field partner_fields[] = {
    FIELD_ROW_OF(loads_partner, row, JOIN_KEY, LOADS_ROWS),
    FIELD_ROW_OF(loads_partner, location, JOIN_KEY, LOADS_LOCATIONS),
    {.type = FIELD_NUMBER, .join = JOIN_KEY, .offset = offsetof(struct loads_partner, how), .limit = LOADS_INDEX + 1},
    COUNTS(loads_partner, executions),
    FIELD_OBJECT_OF(loads_partner, offsets, &histogram_class),
    FIELD_OBJECT_OF(loads_partner, strides, &histogram_class)};
static const struct field totals_fields[] = {
    {.type = FIELD_NUMBER, .join = JOIN_KEY, .offset = offsetof(struct loads_totals, key), .limit = 1},
    COUNTS(loads_totals, traces),
    COUNTS(loads_totals, accesses),
    COUNTS(loads_totals, loads),
    COUNTS(loads_totals, loads_in_loops),
    COUNTS(loads_totals, instructions),
    COUNTS(loads_totals, gaps),
    COUNTS(loads_totals, valueless),
    COUNTS(loads_totals, before),
    COUNTS(loads_totals, after),
    COUNTS(loads_totals, prefetches),
    COUNTS(loads_totals, added),
    COUNTS(loads_totals, unknown)};

static int loads_join_row(struct relations *relations, void *into, const void *from)
{
    (void)relations;
    struct loads_row *row = into;
    const struct loads_row *other = from;
    if (row->entry == 0) {
        row->address = other->address;
        row->serial = other->serial;
        row->entry = other->entry;
    }
    return 0;
}

static bool loads_admit_row(struct relations *relations, void *added)
{
    struct loads_row *row = added;
    const struct loads_location *location = relations_at(relations, LOADS_LOCATIONS, row->location);
    row->partner_count = 0;
    return location->bytes > 0;
}

/* The partner among those of its row, or NULL. */
static struct loads_partner *loads_find_partner(struct relations *relations, const struct loads_partner *wanted)
{
    const struct loads_row *row = relations_at(relations, LOADS_ROWS, wanted->row);
    struct loads_partner *all = relations_at(relations, LOADS_PARTNERS, 0);
    for (uint32_t i = 0; i < row->partner_count; i++)
        if (all[row->partners[i]].location == wanted->location && all[row->partners[i]].how == wanted->how)
            return &all[row->partners[i]];
    return NULL;
}

static bool loads_admit_partner(struct relations *relations, void *added)
{
    const struct loads_partner *partner = added;
    struct loads_row *row = relations_at(relations, LOADS_ROWS, partner->row);
    if (loads_find_partner(relations, partner))
        return true;
    if (row->partner_count == LOADS_PARTNERS_MAX)
        return false;
    row->partners[row->partner_count++] = (uint32_t)relations_count(relations, LOADS_PARTNERS);
    return true;
}

static const struct relation described[LOADS_RELATIONS] = {
    [LOADS_LOCATIONS] = {"locations", sizeof(struct loads_location), offsetof(struct loads_location, file),
                         RELATION_FIELDS(location_fields)},
    [LOADS_LOOPS] = {"loops", sizeof(struct loads_loop), sizeof(uint32_t), RELATION_FIELDS(loop_fields)},
    [LOADS_ROWS] = {"rows", sizeof(struct loads_row), 2 * sizeof(uint32_t), RELATION_FIELDS(row_fields),
                    .join = loads_join_row, .admit = loads_admit_row},
    [LOADS_PARTNERS] = {"partners", sizeof(struct loads_partner), 3 * sizeof(uint32_t), RELATION_FIELDS(partner_fields),
                        .admit = loads_admit_partner},
    [LOADS_TOTALS] = {"totals", sizeof(struct loads_totals), sizeof(uint32_t), RELATION_FIELDS(totals_fields)}};

void loads_init(struct loads *loads)
{
    relations_init(&loads->relations, described, LOADS_RELATIONS);
}

const struct loads_loop *loads_loop_find(const struct loads *loads, uint32_t location)
{
    uint32_t index = relations_find(&loads->relations, LOADS_LOOPS, &location);
    return index == LOADS_NONE ? NULL : loads_loop_at(loads, index);
}

const struct loads_row *loads_row_find(const struct loads *loads, uint32_t location, uint32_t loop)
{
    const uint32_t key[] = {location, loop};
    uint32_t index = relations_find(&loads->relations, LOADS_ROWS, key);
    return index == LOADS_NONE ? NULL : loads_row_at(loads, index);
}

int64_t loads_position(const struct loads_location *location)
{
    return (int64_t)((uint64_t)location->position_words[1] << 32 | location->position_words[0]);
}

const char *loads_text(const struct loads *loads, uint32_t location)
{
    return relations_text_at(&loads->relations, loads_location_at(loads, location)->text);
}

double loads_trips(const struct loads_loop *loop)
{
    return loop->entries > 0 ? (double)loop->iterations / (double)loop->entries : 0;
}

/* -------------------------------------------------------------------------------------------------- new items -- */

uint32_t loads_location(struct loads *loads, const struct trace_names *names, uint32_t context, uint32_t bytes,
                        uint32_t number)
{
    char text[METHOD_NAME_MAX + 32];
    const struct trace_frame *frame = &names->frames[trace_names_context(names, context)->frame];
    const char *path = names->modules[frame->module].path, *base = strrchr(path, '/');
    method_name(&names->methods[frame->method], text);
    size_t length = strlen(text);
    if (frame->line > 0)
        snprintf(text + length, sizeof text - length, ":%" PRIu32, frame->line);
    else if (frame->module > 0 && frame->position >= 0)
        snprintf(text + length, sizeof text - length, "@0x%" PRIx64, (uint64_t)frame->position);
    struct loads_location location = {
        .text = relations_text(&loads->relations, text),
        .module = relations_text(&loads->relations, base ? base + 1 : path),
        .position_words = {(uint32_t)frame->position, (uint32_t)((uint64_t)frame->position >> 32)},
        .bytes = bytes,
        .number = number,
        .file = relations_text(&loads->relations, names->methods[frame->method].file),
        .line = frame->line};
    if (location.text == LOADS_NONE || location.module == LOADS_NONE || location.file == LOADS_NONE)
        return LOADS_NONE;
    return relations_add(&loads->relations, LOADS_LOCATIONS, &location);
}

uint32_t loads_row(struct loads *loads, uint32_t location, uint32_t loop, uint32_t inner, uint32_t middle)
{
    const struct loads_row row = {.location = location, .loop = loop, .inner = inner, .middle = middle};
    return relations_add(&loads->relations, LOADS_ROWS, &row);
}

uint32_t loads_loop(struct loads *loads, uint32_t location, uint32_t outer)
{
    const struct loads_loop loop = {.location = location, .outer = outer};
    return relations_add(&loads->relations, LOADS_LOOPS, &loop);
}

int loads_partner(struct loads *loads, uint32_t row, uint32_t location, enum loads_how how,
                  struct loads_partner **partner)
{
    struct loads_partner wanted = {.row = row, .location = location, .how = how};
    *partner = loads_find_partner(&loads->relations, &wanted);
    if (*partner || !loads_admit_partner(&loads->relations, &wanted))
        return 0;
    uint32_t number = relations_add(&loads->relations, LOADS_PARTNERS, &wanted);
    if (number == LOADS_NONE)
        return ENOMEM;
    *partner = relations_at(&loads->relations, LOADS_PARTNERS, number);
    return 0;
}

/* ------------------------------------------------------------------------------------------------------ totals -- */

int loads_add_totals(struct loads *loads, const struct loads_totals *more)
{
    return relations_add(&loads->relations, LOADS_TOTALS, more) == LOADS_NONE ? ENOMEM : 0;
}

const struct loads_totals *loads_totals_of(const struct loads *loads)
{
    static const struct loads_totals none;
    return relations_count(&loads->relations, LOADS_TOTALS) > 0 ? relations_at(&loads->relations, LOADS_TOTALS, 0)
                                                                : &none;
}
