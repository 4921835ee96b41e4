#include "trace/import/pprof/locations.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct location_function {
    uint64_t name, file; /* texts */
};
struct location_mapping {
    uint64_t file; /* text */
};
struct location_line {
    uint64_t function, line;
};
struct location {
    uint64_t mapping, address;
    uint32_t first, count; /* of lines */
    uint32_t *frames;      /* [count], or [1] if there is no line; NULL: not created yet */
};

bool locations_read_numbers(struct proto message, uint64_t *numbers, size_t count)
{
    struct proto_field field;
    int more;
    while ((more = proto_next_field(&message, &field)) > 0)
        if (field.number < count && field.wire == PROTO_VARINT)
            numbers[field.number] = field.value;
    return more == 0;
}

/* Numbers of a definition by their fields in pprof, the id first. False if damaged. */
static bool locations_read_definition(const struct locations *locations, struct proto message,
                                      const struct idmap *known, uint64_t *numbers, size_t count)
{
    if (!locations->indexed)
        return locations_read_numbers(message, numbers, count);
    bool good = locations_read_numbers(message, numbers + 1, count - 1);
    numbers[1] = known->count;
    return good;
}

/* ------------------------------------------------------------------------------------------ definitions -- */

bool locations_read_function(struct locations *locations, struct proto message)
{
    uint64_t numbers[6] = {0};
    return locations_read_definition(locations, message, &locations->functions, numbers, 6) &&
           locations_add_function(locations, numbers[1], numbers[2] ? numbers[2] : numbers[3], numbers[4]);
}

bool locations_add_function(struct locations *locations, uint64_t id, uint64_t name, uint64_t file)
{
    uint32_t index = idmap_add(&locations->functions, id);
    struct location_function *grown = grow(locations->function, &locations->function_capacity, index, sizeof *grown);
    if (!index || !grown)
        return false;
    locations->function = grown;
    grown[index] = (struct location_function){name, file};
    return true;
}

bool locations_read_mapping(struct locations *locations, struct proto message)
{
    uint64_t numbers[7] = {0};
    return locations_read_definition(locations, message, &locations->mappings, numbers, 7) &&
           locations_add_mapping(locations, numbers[1], numbers[5]);
}

bool locations_add_mapping(struct locations *locations, uint64_t id, uint64_t file)
{
    uint32_t index = idmap_add(&locations->mappings, id);
    struct location_mapping *grown = grow(locations->mapping, &locations->mapping_capacity, index, sizeof *grown);
    if (!index || !grown)
        return false;
    locations->mapping = grown;
    grown[index] = (struct location_mapping){file};
    return true;
}

bool locations_add_line(struct locations *locations, uint64_t function, int64_t line)
{
    struct location_line *grown =
        grow(locations->lines, &locations->line_capacity, locations->line_count, sizeof *grown);
    if (!grown)
        return false;
    locations->lines = grown;
    grown[locations->line_count++] = (struct location_line){function, line > 0 ? (uint64_t)line : 0};
    return true;
}

bool locations_read_location(struct locations *locations, struct proto message)
{
    uint64_t numbers[4] = {0};
    const unsigned lines = locations->indexed ? 3 : 4;
    struct proto_field field;
    if (!locations_read_definition(locations, message, &locations->locations, numbers, 4))
        return false;
    while (proto_next_field(&message, &field) > 0) {
        uint64_t line[3] = {0};
        if (field.number == lines && field.wire == PROTO_BYTES &&
            (!locations_read_numbers(field.body, line, 3) || !locations_add_line(locations, line[1], (int64_t)line[2])))
            return false;
    }
    return locations_add_location(locations, numbers[1], numbers[2], numbers[3]);
}

bool locations_add_location(struct locations *locations, uint64_t id, uint64_t mapping, uint64_t address)
{
    struct location location = {.mapping = mapping, .address = address, .first = locations->line_used};
    assert(location.first <= locations->line_count);
    location.count = (uint32_t)locations->line_count - location.first;
    locations->line_used = (uint32_t)locations->line_count;
    uint32_t index = idmap_add(&locations->locations, id);
    struct location *grown = grow(locations->location, &locations->location_capacity, index, sizeof *grown);
    if (!index || !grown)
        return false;
    locations->location = grown;
    grown[index] = location;
    return true;
}

/* ------------------------------------------------------------------------------------------ frames -- */

/* The frame of a line, and whether its function is dropped; 0 without memory. */
static uint32_t locations_make_line_frame(struct locations *locations, const struct location *location,
                                          const struct location_line *line)
{
    uint32_t index = idmap_find(&locations->functions, line->function);
    const char *name = index ? texts_get(&locations->texts, locations->function[index].name) : "";
    if (!*name)
        reading_report_bad(locations->reading, "function %" PRIu64 " is used but has no name", line->function);
    uint32_t frame = sink_add_frame(
        locations->reading->sink,
        &(struct sink_frame){.method = *name ? name : "[unknown]",
                             .file = index ? texts_get(&locations->texts, locations->function[index].file) : "",
                             .line = line->line,
                             .position = location->address ? (int64_t)location->address : -1});
    if (!locations->pruning || !*name)
        return frame;
    bool *dropped = grow(locations->dropped, &locations->dropped_capacity, frame, sizeof *dropped);
    if (!dropped)
        return 0;
    locations->dropped = dropped;
    dropped[frame] = pruning_drops(locations->pruning, name);
    return frame;
}

bool locations_push_frames(struct locations *locations, uint64_t id, struct stack *stack)
{
    uint32_t index = idmap_find(&locations->locations, id);
    if (!index) {
        reading_report_bad(locations->reading, "location %" PRIu64 " is used but not defined", id);
        return stack_push(stack, sink_add_frame(locations->reading->sink,
                                                &(struct sink_frame){.method = "[unknown]", .position = -1}));
    }
    struct location *location = &locations->location[index];
    size_t count = location->count ? location->count : 1;
    if (!location->frames) {
        location->frames = calloc(count, sizeof *location->frames);
        if (!location->frames)
            return false;
        for (size_t i = 0; i < location->count; i++)
            location->frames[i] =
                locations_make_line_frame(locations, location, &locations->lines[location->first + i]);
        if (location->count == 0) {
            uint32_t mapping_index = idmap_find(&locations->mappings, location->mapping);
            const char *path =
                mapping_index ? texts_get(&locations->texts, locations->mapping[mapping_index].file) : "";
            const char *file = basename(path);
            char name[256];
            if (*file)
                snprintf(name, sizeof name, *file == '[' ? "%.200s" : "[%.200s]", file);
            else
                snprintf(name, sizeof name, "0x%" PRIx64, location->address);
            location->frames[0] = sink_add_frame(
                locations->reading->sink,
                &(struct sink_frame){.method = name, .file = file, .position = (int64_t)location->address});
        }
    }
    for (size_t i = 0; i < count; i++)
        if (!stack_push(stack, location->frames[i]))
            return false;
    return true;
}

static bool locations_is_dropped(const struct locations *locations, uint32_t frame)
{
    return frame < locations->dropped_capacity && locations->dropped[frame];
}

bool locations_prune_stack(const struct locations *locations, struct stack *stack)
{
    size_t at = stack->depth;
    while (at > 0 && locations_is_dropped(locations, stack->frames[at - 1]))
        at--;
    while (at > 0 && !locations_is_dropped(locations, stack->frames[at - 1]))
        at--;
    if (at == 0)
        return false;
    stack->depth -= at;
    memmove(stack->frames, stack->frames + at, stack->depth * sizeof *stack->frames);
    return true;
}

void locations_free(struct locations *locations)
{
    for (uint32_t i = 1; i <= locations->locations.count && locations->location; i++)
        free(locations->location[i].frames);
    texts_free(&locations->texts);
    idmap_free(&locations->functions);
    idmap_free(&locations->mappings);
    idmap_free(&locations->locations);
    free(locations->function);
    free(locations->mapping);
    free(locations->location);
    free(locations->lines);
    free(locations->dropped);
}
