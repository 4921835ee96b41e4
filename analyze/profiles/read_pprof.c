/*
 * pprof: a message Profile of Protocol Buffers, mostly packed by gzip. Source: google/pprof, proto/profile.proto.
 *
 * The file is read twice, field by field: first what is defined (it may stand behind what uses it, and the texts stand
 * last), then the samples. A file may have several values a sample: the default one is taken, or the last as pprof
 * does, or what --profile names.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyze/profiles/grow.h"
#include "analyze/profiles/idmap.h"
#include "analyze/profiles/proto.h"
#include "analyze/profiles/reading.h"
#include "analyze/profiles/stack.h"

enum { SAMPLE_TYPE = 1, SAMPLE = 2, MAPPING = 3, LOCATION = 4, FUNCTION = 5, STRING = 6, PERIOD_TYPE = 11 };
enum { PERIOD = 12, DEFAULT_TYPE = 14, TYPES_MAX = 32 };

struct function {
    uint64_t name, file; /* texts */
};
struct mapping {
    uint64_t file; /* text */
};
struct line {
    uint64_t function, line;
};
struct location {
    uint64_t mapping, address;
    uint32_t first, count; /* of lines */
    uint32_t *frames;      /* [count], or [1] where there is no line; NULL: not made yet */
};
struct value_type {
    uint64_t type, unit; /* texts */
};

struct pprof {
    struct reading *reading;
    struct idmap functions, locations, mappings;
    struct function *function; /* [place] */
    struct location *location;
    struct mapping *mapping;
    struct line *lines;
    size_t function_room, location_room, mapping_room, line_room, line_count;
    char *text;      /* all texts, terminated */
    size_t *text_at; /* [number] */
    size_t text_size, text_room, text_at_room, text_count;
    struct value_type types[TYPES_MAX], period_type;
    size_t type_count, taken;           /* the type that is taken */
    uint64_t period, default_type, end; /* end: of what could be read, in the source */
    struct stack stack;
    uint32_t thread;
    unsigned profile;
};

static const char *text_of(const struct pprof *pprof, uint64_t number)
{
    return number < pprof->text_count ? pprof->text + pprof->text_at[number] : "";
}

/* ------------------------------------------------------------------------------------------ definitions -- */

/* Numbers of a message by field: numbers[field] for fields below `count`; others are passed over. False if damaged. */
static bool take_numbers(struct proto message, uint64_t *numbers, size_t count)
{
    struct proto_field field;
    int more;
    while ((more = proto_next(&message, &field)) > 0)
        if (field.number < count && field.wire == PROTO_VARINT)
            numbers[field.number] = field.value;
    return more == 0;
}

static bool add_text(struct pprof *pprof, struct proto text)
{
    size_t length = (size_t)(text.end - text.at);
    char *room = grow(pprof->text, &pprof->text_room, pprof->text_size + length, 1);
    if (!room)
        return false;
    pprof->text = room;
    size_t *at = grow(pprof->text_at, &pprof->text_at_room, pprof->text_count, sizeof *at);
    if (!at)
        return false;
    pprof->text_at = at;
    at[pprof->text_count++] = pprof->text_size;
    memcpy(pprof->text + pprof->text_size, text.at, length);
    pprof->text[pprof->text_size + length] = '\0';
    pprof->text_size += length + 1;
    return true;
}

static bool add_function(struct pprof *pprof, struct proto message)
{
    uint64_t numbers[6] = {0};
    if (!take_numbers(message, numbers, 6))
        return false;
    uint32_t place = idmap_add(&pprof->functions, numbers[1]);
    struct function *room = grow(pprof->function, &pprof->function_room, place, sizeof *room);
    if (!place || !room)
        return false;
    pprof->function = room;
    room[place] = (struct function){numbers[2] ? numbers[2] : numbers[3], numbers[4]};
    return true;
}

static bool add_mapping(struct pprof *pprof, struct proto message)
{
    uint64_t numbers[7] = {0};
    if (!take_numbers(message, numbers, 7))
        return false;
    uint32_t place = idmap_add(&pprof->mappings, numbers[1]);
    struct mapping *room = grow(pprof->mapping, &pprof->mapping_room, place, sizeof *room);
    if (!place || !room)
        return false;
    pprof->mapping = room;
    room[place] = (struct mapping){numbers[5]};
    return true;
}

static bool add_line(struct pprof *pprof, struct proto message)
{
    uint64_t numbers[3] = {0};
    struct line *room = grow(pprof->lines, &pprof->line_room, pprof->line_count, sizeof *room);
    if (!room || !take_numbers(message, numbers, 3))
        return false;
    pprof->lines = room;
    room[pprof->line_count++] = (struct line){numbers[1], (int64_t)numbers[2] > 0 ? numbers[2] : 0};
    return true;
}

static bool add_location(struct pprof *pprof, struct proto message)
{
    uint64_t numbers[4] = {0};
    struct proto_field field;
    struct location location = {.first = (uint32_t)pprof->line_count};
    if (!take_numbers(message, numbers, 4))
        return false;
    while (proto_next(&message, &field) > 0)
        if (field.number == 4 && field.wire == PROTO_BYTES && !add_line(pprof, field.body))
            return false;
    location.count = (uint32_t)pprof->line_count - location.first;
    location.mapping = numbers[2];
    location.address = numbers[3];
    uint32_t place = idmap_add(&pprof->locations, numbers[1]);
    struct location *room = grow(pprof->location, &pprof->location_room, place, sizeof *room);
    if (!place || !room)
        return false;
    pprof->location = room;
    room[place] = location;
    return true;
}

static bool add_type(struct pprof *pprof, struct proto message)
{
    uint64_t numbers[3] = {0};
    if (!take_numbers(message, numbers, 3) || pprof->type_count == TYPES_MAX)
        return false;
    pprof->types[pprof->type_count++] = (struct value_type){numbers[1], numbers[2]};
    return true;
}

static bool add_period_type(struct pprof *pprof, struct proto message)
{
    uint64_t numbers[3] = {0};
    bool good = take_numbers(message, numbers, 3);
    pprof->period_type = (struct value_type){numbers[1], numbers[2]};
    return good;
}

static bool add_definition(struct pprof *pprof, const struct proto_field *field)
{
    if (field->wire == PROTO_VARINT) {
        pprof->period = field->number == PERIOD ? field->value : pprof->period;
        pprof->default_type = field->number == DEFAULT_TYPE ? field->value : pprof->default_type;
        return true;
    }
    if (field->wire != PROTO_BYTES)
        return true;
    switch (field->number) {
    case SAMPLE_TYPE:
        return add_type(pprof, field->body);
    case MAPPING:
        return add_mapping(pprof, field->body);
    case LOCATION:
        return add_location(pprof, field->body);
    case FUNCTION:
        return add_function(pprof, field->body);
    case STRING:
        return add_text(pprof, field->body);
    case PERIOD_TYPE:
        return add_period_type(pprof, field->body);
    default:
        return true;
    }
}

#define BIT(number) (UINT64_C(1) << (number))

static int read_definitions(struct pprof *pprof, struct complaint *complaint)
{
    const uint64_t wanted =
        BIT(SAMPLE_TYPE) | BIT(MAPPING) | BIT(LOCATION) | BIT(FUNCTION) | BIT(STRING) | BIT(PERIOD_TYPE);
    struct source *source = pprof->reading->source;
    struct proto_field field;
    int more;
    for (pprof->end = 0; (more = proto_stream(source, wanted, &field)) > 0; pprof->end = source_at(source))
        if (!add_definition(pprof, &field))
            break;
    if (more == 0)
        return STATUS_GOOD;
    return complain(complaint, STATUS_BAD,
                    "byte %" PRIu64 ": a field that is cut or damaged; what stands before it was read", pprof->end);
}

/* ------------------------------------------------------------------------------------------ frames -- */

static uint32_t frame_of_line(struct pprof *pprof, const struct location *location, const struct line *line)
{
    uint32_t place = idmap_find(&pprof->functions, line->function);
    const char *name = place ? text_of(pprof, pprof->function[place].name) : "";
    if (!*name)
        reading_bad(pprof->reading, "function %" PRIu64 " is used and has no name", line->function);
    return sink_frame(pprof->reading->sink,
                      &(struct sink_frame){.method = *name ? name : "[unknown]",
                                           .file = place ? text_of(pprof, pprof->function[place].file) : "",
                                           .line = line->line,
                                           .position = location->address ? (int64_t)location->address : -1});
}

/* Code that nothing names is called by its module, as pprof does. */
static uint32_t frame_of_address(struct pprof *pprof, const struct location *location)
{
    uint32_t place = idmap_find(&pprof->mappings, location->mapping);
    const char *path = place ? text_of(pprof, pprof->mapping[place].file) : "", *slash = strrchr(path, '/');
    const char *file = slash ? slash + 1 : path;
    char name[256];
    if (*file)
        snprintf(name, sizeof name, *file == '[' ? "%.200s" : "[%.200s]", file);
    else
        snprintf(name, sizeof name, "0x%" PRIx64, location->address);
    return sink_frame(pprof->reading->sink,
                      &(struct sink_frame){.method = name, .file = file, .position = (int64_t)location->address});
}

/* Lines of a location stand from the innermost inlined call on. False without memory. */
static bool push_location(struct pprof *pprof, uint64_t id)
{
    uint32_t place = idmap_find(&pprof->locations, id);
    if (!place) {
        reading_bad(pprof->reading, "location %" PRIu64 " is used and not defined", id);
        return stack_push(&pprof->stack, sink_frame(pprof->reading->sink,
                                                    &(struct sink_frame){.method = "[unknown]", .position = -1}));
    }
    struct location *location = &pprof->location[place];
    size_t count = location->count ? location->count : 1;
    if (!location->frames) {
        location->frames = calloc(count, sizeof *location->frames);
        if (!location->frames)
            return false;
        for (size_t i = 0; i < location->count; i++)
            location->frames[i] = frame_of_line(pprof, location, &pprof->lines[location->first + i]);
        if (location->count == 0)
            location->frames[0] = frame_of_address(pprof, location);
    }
    for (size_t i = 0; i < count; i++)
        if (!stack_push(&pprof->stack, location->frames[i]))
            return false;
    return true;
}

/* ------------------------------------------------------------------------------------------ samples -- */

static const char *const thread_names[] = {"thread", "thread_name", "thread name"};
static const char *const thread_ids[] = {"tid", "thread_id", "thread id"};

static bool is_one_of(const char *text, const char *const names[3])
{
    return strcmp(text, names[0]) == 0 || strcmp(text, names[1]) == 0 || strcmp(text, names[2]) == 0;
}

struct sample {
    int64_t value;
    size_t values;
    uint64_t tid;
    const char *thread;
    bool damaged;
};

static void take_label(const struct pprof *pprof, struct sample *sample, struct proto message)
{
    uint64_t numbers[4] = {0};
    sample->damaged |= !take_numbers(message, numbers, 4);
    const char *key = text_of(pprof, numbers[1]);
    if (is_one_of(key, thread_names) && numbers[2])
        sample->thread = text_of(pprof, numbers[2]);
    else if (is_one_of(key, thread_ids))
        sample->tid = numbers[3];
}

/* False without memory. */
static bool take_sample_field(struct pprof *pprof, struct sample *sample, struct proto_field *field)
{
    uint64_t value;
    int more = 0;
    if (field->number == 1) {
        while ((more = proto_repeated(field, &value)) > 0)
            if (!push_location(pprof, value))
                return false;
    } else if (field->number == 2) {
        while ((more = proto_repeated(field, &value)) > 0)
            if (sample->values++ == pprof->taken)
                sample->value = (int64_t)value;
    } else if (field->number == 3 && field->wire == PROTO_BYTES) {
        take_label(pprof, sample, field->body);
    }
    sample->damaged |= more < 0;
    return true;
}

static bool add_sample(struct pprof *pprof, struct proto message, uint64_t at)
{
    struct reading *reading = pprof->reading;
    struct sample sample = {.thread = ""};
    struct proto_field field;
    int more;
    pprof->stack.depth = 0;
    while ((more = proto_next(&message, &field)) > 0)
        if (!take_sample_field(pprof, &sample, &field))
            return false;
    if (more < 0 || sample.damaged) {
        reading_bad(reading, "byte %" PRIu64 ": a damaged sample", at);
    } else if (sample.values != pprof->type_count) {
        reading_bad(reading, "byte %" PRIu64 ": a sample of %zu values where %zu are declared", at, sample.values,
                    pprof->type_count);
    } else if (sample.value < 0) {
        reading_bad(reading,
                    "byte %" PRIu64 ": a sample of weight %" PRId64 ", which is no profile but a difference of two", at,
                    sample.value);
    } else {
        sink_sample(reading->sink,
                    &(struct sink_sample){.profile = pprof->profile,
                                          .thread = sink_thread(reading->sink, sample.tid, sample.thread),
                                          .weight = (uint64_t)sample.value,
                                          .frames = pprof->stack.frames,
                                          .depth = pprof->stack.depth});
    }
    return true;
}

static int read_samples(struct pprof *pprof, struct complaint *complaint)
{
    struct source *source = pprof->reading->source;
    struct proto_field field;
    uint64_t at = 0;
    if (!source_rewind(source))
        return STATUS_BAD;
    for (; at < pprof->end && !sink_failed(pprof->reading->sink); at = source_at(source)) {
        if (proto_stream(source, BIT(SAMPLE), &field) <= 0)
            break;
        if (field.number == SAMPLE && field.wire == PROTO_BYTES && !add_sample(pprof, field.body, at))
            return complain(complaint, STATUS_BAD, "byte %" PRIu64 ": out of memory", at);
    }
    return STATUS_GOOD;
}

/* ------------------------------------------------------------------------------------------ the whole -- */

/* Which type is taken; the others are told. */
static void choose_type(struct pprof *pprof)
{
    char others[256] = "";
    const char *wanted = pprof->reading->profile;
    pprof->taken = pprof->type_count - 1;
    for (size_t i = 0; i < pprof->type_count; i++)
        if (wanted ? strcmp(text_of(pprof, pprof->types[i].type), wanted) == 0
                   : pprof->default_type && pprof->types[i].type == pprof->default_type)
            pprof->taken = i;
    for (size_t i = 0; i < pprof->type_count; i++)
        if (i != pprof->taken)
            complaint_list(others, sizeof others, text_of(pprof, pprof->types[i].type));
    if (*others && !wanted)
        complain(&pprof->reading->note, STATUS_GOOD, "the values '%.100s' were taken; --profile chooses others: %.256s",
                 text_of(pprof, pprof->types[pprof->taken].type), others);
}

static bool has_threads(const struct pprof *pprof)
{
    for (size_t i = 0; i < pprof->text_count; i++)
        if (is_one_of(text_of(pprof, i), thread_names) || is_one_of(text_of(pprof, i), thread_ids))
            return true;
    return false;
}

static void open_profile(struct pprof *pprof)
{
    const char *name = text_of(pprof, pprof->types[pprof->taken].type);
    const char *unit = text_of(pprof, pprof->types[pprof->taken].unit);
    bool period = pprof->period > 0 && strcmp(text_of(pprof, pprof->period_type.unit), "nanoseconds") == 0;
    pprof->profile =
        sink_profile(pprof->reading->sink,
                     &(struct sink_profile){.name = *name ? name : "samples",
                                            .unit = *unit ? unit : "count",
                                            .period_ns = period ? pprof->period : 0,
                                            .unknown = UNKNOWN_TIMES | (has_threads(pprof) ? 0 : UNKNOWN_THREADS) |
                                                       (period ? 0 : UNKNOWN_PERIOD)});
}

static void pprof_free(struct pprof *pprof)
{
    for (uint32_t i = 1; i <= pprof->locations.count && pprof->location; i++)
        free(pprof->location[i].frames);
    idmap_free(&pprof->functions);
    idmap_free(&pprof->locations);
    idmap_free(&pprof->mappings);
    stack_free(&pprof->stack);
    free(pprof->function);
    free(pprof->location);
    free(pprof->mapping);
    free(pprof->lines);
    free(pprof->text);
    free(pprof->text_at);
}

static int read_pprof(struct reading *reading, struct complaint *complaint)
{
    struct pprof pprof = {.reading = reading};
    sink_origin(reading->sink, "pprof", NULL, NULL);
    int status = read_definitions(&pprof, complaint);
    if (pprof.type_count == 0) {
        status = status ? status : complain(complaint, STATUS_BAD, "declares no type of values");
    } else {
        choose_type(&pprof);
        open_profile(&pprof);
        int second = read_samples(&pprof, complaint);
        status = status ? status : second;
    }
    pprof_free(&pprof);
    return status;
}

/* Whole fields of Profile and no others, the first of them a short message of two small numbers: a type of values. */
static bool looks(const unsigned char *head, size_t length)
{
    struct proto proto = {head, head + length};
    struct proto_field field;
    uint64_t type[3] = {0};
    for (int fields = 0; fields < 8; fields++) {
        int more = proto_next(&proto, &field);
        if (more <= 0)
            return fields > 1 && (more == 0 || length == READING_HEAD);
        if (field.number > 15)
            return false;
        if (field.number == SAMPLE_TYPE &&
            (field.wire != PROTO_BYTES || field.value > 24 || !take_numbers(field.body, type, 3)))
            return false;
        bool bytes = (field.number >= SAMPLE_TYPE && field.number <= STRING) || field.number == PERIOD_TYPE;
        if (field.wire != (bytes ? PROTO_BYTES : PROTO_VARINT) && field.number != 13)
            return false;
    }
    return true;
}

const struct profile_format format_pprof = {"pprof", looks, read_pprof};
