/*
 * OTLP profiles: a message ProfilesData of Protocol Buffers, as OpenTelemetry's collectors and agents exchange it.
 * Source: opentelemetry-proto, opentelemetry/proto/profiles/v1development/profiles.proto at 1.5 to 1.11.
 *
 * The file is read twice, message by message: first what is defined, which stands behind what uses it, then the
 * samples. 1.10 gave the fields of Sample other numbers than 1.8 and 1.9, and nothing in the file says its version, so
 * the first pass looks at which fields are numbers and which are lists. What could be either is refused, and so are
 * files before 1.8, whose samples refer to ranges of locations.
 */
#include <inttypes.h>
#include <string.h>

#include "analyze/profiles/locations.h"

/* The messages that are walked through. */
enum message { DATA, RESOURCE, SCOPE, PROFILE, DICTIONARY, LEAF };

enum { PROFILE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_TIME = 3, PROFILE_PERIOD_TYPE = 5, PROFILE_PERIOD = 6 };
enum { DICTIONARY_MAPPING = 1, DICTIONARY_LOCATION = 2, DICTIONARY_FUNCTION = 3, DICTIONARY_TEXT = 5 };
enum { DICTIONARY_ATTRIBUTE = 6, DICTIONARY_STACK = 7, PROFILES_MAX = 1 << 16 };

struct profile {
    uint64_t type, unit, period_unit, period; /* texts; the period in that unit */
    bool timed;                               /* some sample has times */
};
struct stack_range {
    size_t first, count; /* of stack_locations */
};
/* The value of an attribute that says whose a sample is. */
struct attribute {
    uint64_t key, tid; /* text; */
    size_t name;       /* number in thread_names + 1; 0: it is no text */
};

struct otlp {
    struct reading *reading;
    struct locations locations;
    struct profile *profiles;
    struct stack_range *stacks;
    struct attribute *attributes;
    uint64_t *stack_locations, *values, *times;
    size_t profile_room, profile_count, stack_room, stack_count, attribute_room, attribute_count;
    size_t location_room, location_count, value_room, value_count, time_room, time_count;
    struct texts thread_names;
    /* how many samples can only be of these versions, and how many of either */
    uint64_t before_1_8, up_to_1_9, from_1_10, either;
    bool second; /* the second pass */
    unsigned values_field, attributes_field, sink_profile;
    size_t profile_at; /* in the second pass */
    uint64_t end;      /* of what could be read */
    bool full;         /* out of memory */
    struct stack stack;
};

static bool append(uint64_t **array, size_t *room, size_t *count, uint64_t value)
{
    uint64_t *grown = grow(*array, room, *count, sizeof *grown);
    if (!grown)
        return false;
    *array = grown;
    grown[(*count)++] = value;
    return true;
}

/* ------------------------------------------------------------------------------------------ the version -- */

/* What the fields of a sample say of its version. */
struct shape {
    bool list[8], number[8];
    uint64_t second_count, time_count;
};

static bool shape_of(struct proto message, struct shape *shape)
{
    struct proto_field field;
    int more;
    *shape = (struct shape){0};
    while ((more = proto_next(&message, &field)) > 0) {
        uint64_t value;
        if (field.number >= 8)
            continue;
        shape->number[field.number] |= field.wire == PROTO_VARINT;
        shape->list[field.number] |= field.wire == PROTO_BYTES;
        if (field.number == 5)
            shape->time_count += field.wire == PROTO_BYTES ? field.value / 8 : 1;
        if (field.number == 2 && field.wire == PROTO_BYTES)
            while (proto_repeated(&field, &value) > 0)
                shape->second_count++;
    }
    return more == 0;
}

/* Fields of Sample: 1.8 and 1.9 have values in 2, attributes in 3 and a link in 4; 1.10 has attributes in 2, a link in
 * 3 and values in 4. Both have times in 5, as many as values or instead of them. */
static void weigh_sample(struct otlp *otlp, struct proto message)
{
    struct shape shape;
    if (!shape_of(message, &shape))
        return; /* the second pass tells */
    if (shape.number[2] || shape.list[6])
        otlp->before_1_8++;
    else if (shape.list[4] || shape.number[3])
        otlp->from_1_10++;
    else if (shape.list[3] || shape.number[4])
        otlp->up_to_1_9++;
    else if (shape.list[2] && shape.time_count == 0)
        otlp->up_to_1_9++; /* with neither values nor times it would be no sample of 1.10 */
    else if (shape.list[2] && shape.second_count != shape.time_count)
        otlp->from_1_10++;
    else if (shape.list[2])
        otlp->either++;
    if (shape.time_count > 0 && otlp->profile_count > 0)
        otlp->profiles[otlp->profile_count - 1].timed = true;
}

static int choose_version(struct otlp *otlp, struct complaint *complaint)
{
    if (otlp->before_1_8 > 0)
        return complain(
            complaint, STATUS_BAD,
            "its samples are those of OTLP before 1.8, which is not read; export it anew with 1.8 or later");
    if (otlp->up_to_1_9 > 0 && otlp->from_1_10 > 0)
        return complain(complaint, STATUS_BAD,
                        "%" PRIu64 " samples have the fields of OTLP 1.8 or 1.9 and %" PRIu64
                        " those of 1.10: mixed or damaged, so nothing of it is read",
                        otlp->up_to_1_9, otlp->from_1_10);
    if (otlp->either > 0 && otlp->up_to_1_9 == 0 && otlp->from_1_10 == 0)
        return complain(complaint, STATUS_BAD,
                        "nothing tells whether its samples are those of OTLP 1.9 or of 1.10, in which the same fields "
                        "mean other things, so nothing of it is read");
    bool old = otlp->up_to_1_9 > 0;
    otlp->values_field = old ? 2 : 4;
    otlp->attributes_field = old ? 3 : 2;
    return STATUS_GOOD;
}

/* ------------------------------------------------------------------------------------------ definitions -- */

static bool add_stack(struct otlp *otlp, struct proto message)
{
    struct proto_field field;
    struct stack_range range = {.first = otlp->location_count};
    uint64_t location;
    int more, next = 0;
    while ((more = proto_next(&message, &field)) > 0)
        while (field.number == 1 && (next = proto_repeated(&field, &location)) > 0)
            if (!append(&otlp->stack_locations, &otlp->location_room, &otlp->location_count, location))
                return false;
    struct stack_range *stacks = grow(otlp->stacks, &otlp->stack_room, otlp->stack_count, sizeof *stacks);
    if (more < 0 || next < 0 || !stacks)
        return false;
    otlp->stacks = stacks;
    range.count = otlp->location_count - range.first;
    stacks[otlp->stack_count++] = range;
    return true;
}

/* KeyValueAndUnit: the key in 1, an AnyValue in 2 with a text in its 1 or an integer in its 3. */
static bool add_attribute(struct otlp *otlp, struct proto message)
{
    struct proto_field field, part;
    struct attribute attribute = {0};
    int more;
    while ((more = proto_next(&message, &field)) > 0) {
        if (field.number == 1 && field.wire == PROTO_VARINT)
            attribute.key = field.value;
        while (field.number == 2 && field.wire == PROTO_BYTES && proto_next(&field.body, &part) > 0) {
            attribute.tid = part.number == 3 && part.wire == PROTO_VARINT ? part.value : 0;
            if (part.number == 1 && part.wire == PROTO_BYTES) {
                if (!texts_add(&otlp->thread_names, part.body.at, (size_t)(part.body.end - part.body.at)))
                    return false;
                attribute.name = otlp->thread_names.count;
            }
        }
    }
    struct attribute *room = grow(otlp->attributes, &otlp->attribute_room, otlp->attribute_count, sizeof *room);
    if (more < 0 || !room)
        return false;
    otlp->attributes = room;
    room[otlp->attribute_count++] = attribute;
    return true;
}

static bool take_definition(struct otlp *otlp, const struct proto_field *field)
{
    switch (field->number) {
    case DICTIONARY_MAPPING:
        return locations_mapping(&otlp->locations, field->body);
    case DICTIONARY_LOCATION:
        return locations_location(&otlp->locations, field->body);
    case DICTIONARY_FUNCTION:
        return locations_function(&otlp->locations, field->body);
    case DICTIONARY_TEXT:
        return texts_add(&otlp->locations.texts, field->body.at, (size_t)(field->body.end - field->body.at));
    case DICTIONARY_ATTRIBUTE:
        return add_attribute(otlp, field->body);
    case DICTIONARY_STACK:
        return add_stack(otlp, field->body);
    default:
        return true;
    }
}

static bool take_profile_field(struct otlp *otlp, const struct proto_field *field)
{
    struct profile *profile = &otlp->profiles[otlp->profile_count - 1];
    uint64_t type[3] = {0};
    if (field->number == PROFILE_SAMPLE && field->wire == PROTO_BYTES) {
        weigh_sample(otlp, field->body);
    } else if (field->number == PROFILE_TIME && field->wire == PROTO_BYTES) {
        otlp->before_1_8++;
    } else if (field->number == PROFILE_TYPE && field->wire == PROTO_BYTES) {
        if (!locations_numbers(field->body, type, 3))
            return false;
        profile->type = type[1];
        profile->unit = type[2];
    } else if (field->number == PROFILE_PERIOD_TYPE && field->wire == PROTO_BYTES) {
        if (!locations_numbers(field->body, type, 3))
            return false;
        profile->period_unit = type[2];
    } else if (field->number == PROFILE_PERIOD && field->wire == PROTO_VARINT) {
        profile->period = field->value;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------ samples -- */

/* The texts by which OpenTelemetry's conventions call a thread. */
static uint32_t thread_of(struct otlp *otlp, const uint64_t *attributes, size_t count)
{
    uint64_t tid = 0;
    const char *name = "";
    for (size_t i = 0; i < count; i++) {
        const struct attribute *attribute =
            attributes[i] < otlp->attribute_count ? &otlp->attributes[attributes[i]] : NULL;
        const char *key = attribute ? texts_get(&otlp->locations.texts, attribute->key) : "";
        if (!attribute)
            reading_bad(otlp->reading, "attribute %" PRIu64 " is used and not defined", attributes[i]);
        else if (strcmp(key, "thread.id") == 0)
            tid = attribute->tid;
        else if (strcmp(key, "thread.name") == 0 && attribute->name)
            name = texts_get(&otlp->thread_names, attribute->name - 1);
    }
    return sink_thread(otlp->reading->sink, tid, name);
}

struct sample {
    uint64_t stack;
    uint64_t attributes[64];
    size_t attribute_count;
    bool damaged;
};

static void take_times(struct otlp *otlp, struct sample *sample, const struct proto_field *field)
{
    if (field->wire == PROTO_64)
        otlp->full |= !append(&otlp->times, &otlp->time_room, &otlp->time_count, field->value);
    sample->damaged |= field->wire == PROTO_BYTES && field->value % 8 != 0;
    for (const unsigned char *at = field->body.at; field->wire == PROTO_BYTES && field->body.end - at >= 8; at += 8) {
        uint64_t time = 0;
        for (size_t i = 8; i-- > 0;)
            time = time << 8 | at[i];
        otlp->full |= !append(&otlp->times, &otlp->time_room, &otlp->time_count, time);
    }
}

static void take_sample_field(struct otlp *otlp, struct sample *sample, struct proto_field *field)
{
    uint64_t value;
    int more = 0;
    if (field->number == 1 && field->wire == PROTO_VARINT)
        sample->stack = field->value;
    else if (field->number == 5)
        take_times(otlp, sample, field);
    else if (field->number == otlp->values_field)
        while ((more = proto_repeated(field, &value)) > 0)
            otlp->full |= !append(&otlp->values, &otlp->value_room, &otlp->value_count, value);
    else if (field->number == otlp->attributes_field)
        while ((more = proto_repeated(field, &value)) > 0)
            if (sample->attribute_count < sizeof sample->attributes / sizeof *sample->attributes)
                sample->attributes[sample->attribute_count++] = value;
    sample->damaged |= more < 0;
}

/* The frames of a stack; number 0 is that of a sample without one. */
static bool push_stack(struct otlp *otlp, uint64_t number)
{
    otlp->stack.depth = 0;
    if (number >= otlp->stack_count && number > 0)
        reading_bad(otlp->reading, "stack %" PRIu64 " is used and not defined", number);
    if (number >= otlp->stack_count)
        return true;
    const struct stack_range *range = &otlp->stacks[number];
    for (size_t i = 0; i < range->count; i++)
        if (!locations_push(&otlp->locations, otlp->stack_locations[range->first + i], &otlp->stack))
            return false;
    return true;
}

static void put_sample(struct otlp *otlp, const struct sample *sample, uint64_t at)
{
    const size_t values = otlp->value_count, times = otlp->time_count, count = times ? times : values;
    if (sample->damaged || count == 0 || (values && times && values != times) || (!times && values != 1)) {
        reading_bad(otlp->reading,
                    "byte %" PRIu64 ": a sample of %zu values and %zu times, which need be as many, or one value", at,
                    values, times);
        return;
    }
    struct sink_sample out = {.profile = otlp->sink_profile,
                              .thread = thread_of(otlp, sample->attributes, sample->attribute_count),
                              .frames = otlp->stack.frames,
                              .depth = otlp->stack.depth};
    for (size_t i = 0; i < count; i++) {
        out.weight = values ? otlp->values[i] : 1;
        out.time_ns = times ? otlp->times[i] : 0;
        if ((int64_t)out.weight < 0)
            reading_bad(otlp->reading, "byte %" PRIu64 ": a sample of weight %" PRId64, at, (int64_t)out.weight);
        else
            sink_sample(otlp->reading->sink, &out);
    }
}

static bool take_sample(struct otlp *otlp, struct proto message, uint64_t at)
{
    struct sample sample = {0};
    struct proto_field field;
    int more;
    otlp->value_count = otlp->time_count = 0;
    while ((more = proto_next(&message, &field)) > 0)
        take_sample_field(otlp, &sample, &field);
    sample.damaged |= more < 0;
    if (otlp->full || !push_stack(otlp, sample.stack))
        return false;
    put_sample(otlp, &sample, at);
    return true;
}

static bool has_threads(const struct otlp *otlp)
{
    for (size_t i = 0; i < otlp->attribute_count; i++)
        if (strncmp(texts_get(&otlp->locations.texts, otlp->attributes[i].key), "thread.", 7) == 0)
            return true;
    return false;
}

/* The next profile of the second pass: that of its type. Values of one type in two units are two profiles. */
static void open_profile(struct otlp *otlp)
{
    const struct profile *own = &otlp->profiles[otlp->profile_at++];
    const char *type = texts_get(&otlp->locations.texts, own->type),
               *unit = texts_get(&otlp->locations.texts, own->unit);
    bool period = own->period > 0 && strcmp(texts_get(&otlp->locations.texts, own->period_unit), "nanoseconds") == 0;
    bool clash = false, timed = false;
    char name[256];
    for (size_t i = 0; i < otlp->profile_count; i++) {
        clash |= otlp->profiles[i].type == own->type && otlp->profiles[i].unit != own->unit;
        timed |= otlp->profiles[i].type == own->type && otlp->profiles[i].timed;
    }
    snprintf(name, sizeof name, clash ? "%.100s-%.100s" : "%.100s", *type ? type : "samples", unit);
    otlp->sink_profile =
        sink_profile(otlp->reading->sink, &(struct sink_profile){.name = name,
                                                                 .unit = *unit ? unit : "count",
                                                                 .period_ns = period ? own->period : 0,
                                                                 .unknown = (timed ? 0 : UNKNOWN_TIMES) |
                                                                            (has_threads(otlp) ? 0 : UNKNOWN_THREADS) |
                                                                            (period ? 0 : UNKNOWN_PERIOD)});
}

/* ------------------------------------------------------------------------------------------ walking -- */

static enum message inside(enum message message, unsigned field)
{
    return message == DATA && field == 1       ? RESOURCE
           : message == DATA && field == 2     ? DICTIONARY
           : message == RESOURCE && field == 2 ? SCOPE
           : message == SCOPE && field == 2    ? PROFILE
                                               : LEAF;
}

/* A profile begins. False without memory, or behind what the first pass saw. */
static bool begin_profile(struct otlp *otlp)
{
    if (otlp->second) {
        if (otlp->profile_at == otlp->profile_count)
            return false;
        open_profile(otlp);
        return true;
    }
    struct profile *profiles = grow(otlp->profiles, &otlp->profile_room, otlp->profile_count, sizeof *profiles);
    if (!profiles || otlp->profile_count == PROFILES_MAX)
        return false;
    otlp->profiles = profiles;
    profiles[otlp->profile_count++] = (struct profile){0};
    return true;
}

/* Which fields a pass looks into; those of bytes with their body. */
static bool wants(const struct otlp *otlp, enum message message, const struct proto_field *field)
{
    bool sample = message == PROFILE && field->number == PROFILE_SAMPLE;
    if (otlp->second)
        return sample;
    return message == DICTIONARY || sample ||
           (message == PROFILE && (field->number == PROFILE_TYPE || field->number == PROFILE_TIME ||
                                   field->number == PROFILE_PERIOD_TYPE || field->number == PROFILE_PERIOD));
}

static bool take(struct otlp *otlp, enum message message, const struct proto_field *field, uint64_t at)
{
    if (otlp->second)
        return field->wire != PROTO_BYTES || take_sample(otlp, field->body, at);
    if (message == DICTIONARY)
        return field->wire != PROTO_BYTES || take_definition(otlp, field);
    return take_profile_field(otlp, field);
}

/* One message, up to `end`: false if it is damaged or the file ends within it. otlp->end follows. */
static bool walk(struct otlp *otlp, enum message message, uint64_t end)
{
    struct source *source = otlp->reading->source;
    for (uint64_t at; (at = source_at(source)) < end && !sink_failed(otlp->reading->sink);) {
        struct proto_field field;
        if (otlp->second && at >= otlp->end)
            return true;
        int more = proto_stream_head(source, &field);
        if (more <= 0)
            return more == 0 && end == UINT64_MAX;
        if (message == DATA && field.number > 2)
            otlp->before_1_8++;
        enum message child = field.wire == PROTO_BYTES ? inside(message, field.number) : LEAF;
        if (field.wire == PROTO_BYTES && field.value > end - source_at(source))
            return false;
        if (child != LEAF) {
            if ((child == PROFILE && !begin_profile(otlp)) || !walk(otlp, child, source_at(source) + field.value))
                return false;
        } else if (wants(otlp, message, &field)) {
            if ((field.wire == PROTO_BYTES && !proto_stream_body(source, &field)) || !take(otlp, message, &field, at))
                return false;
        } else if (field.wire == PROTO_BYTES && !source_skip(source, field.value)) {
            return false;
        }
        if (!otlp->second)
            otlp->end = source_at(source);
    }
    return source_at(source) == end;
}

static int read_passes(struct otlp *otlp, struct complaint *complaint)
{
    int status = STATUS_GOOD;
    struct complaint version = {""};
    if (!walk(otlp, DATA, UINT64_MAX))
        status =
            complain(complaint, STATUS_BAD,
                     "byte %" PRIu64 ": a field that is cut or damaged; what stands before it was read", otlp->end);
    if (choose_version(otlp, &version) != STATUS_GOOD) {
        if (status == STATUS_GOOD || otlp->before_1_8 > 0)
            *complaint = version;
        return STATUS_BAD;
    }
    otlp->second = true;
    if (source_rewind(otlp->reading->source))
        walk(otlp, DATA, UINT64_MAX);
    return otlp->full ? complain(complaint, STATUS_BAD, "out of memory") : status;
}

static int read_otlp(struct reading *reading, struct complaint *complaint)
{
    struct otlp otlp = {.reading = reading, .locations = {.reading = reading, .indexed = true}};
    sink_origin(reading->sink, "otlp", NULL, NULL);
    int status = read_passes(&otlp, complaint);
    locations_free(&otlp.locations);
    texts_free(&otlp.thread_names);
    stack_free(&otlp.stack);
    free(otlp.profiles);
    free(otlp.stacks);
    free(otlp.attributes);
    free(otlp.stack_locations);
    free(otlp.values);
    free(otlp.times);
    return status;
}

/* Whether whole fields are those of the message, and what the bytes end in, too. Says in *seen whether a profile or a
 * dictionary came. */
static bool looks_like(enum message message, struct proto proto, bool *seen)
{
    static const unsigned fields_max[] = {[DATA] = 8, [RESOURCE] = 3, [SCOPE] = 3, [PROFILE] = 22, [DICTIONARY] = 7};
    *seen |= message == PROFILE || message == DICTIONARY;
    while (proto.at < proto.end) {
        struct proto rest = proto;
        uint64_t tag, length;
        if (!proto_varint(&rest, &tag) || tag >> 3 == 0 || tag >> 3 > fields_max[message])
            return rest.at == rest.end && *seen;
        if ((tag & 7) != PROTO_BYTES) {
            struct proto_field field;
            if (message != PROFILE || proto_next(&proto, &field) <= 0)
                return false;
            continue;
        }
        if (!proto_varint(&rest, &length))
            return rest.at == rest.end;
        bool cut = length > (size_t)(rest.end - rest.at);
        struct proto body = {rest.at, cut ? rest.end : rest.at + length};
        enum message child = inside(message, (unsigned)(tag >> 3));
        if (child != LEAF && !looks_like(child, body, seen))
            return false;
        if (cut)
            return true;
        proto.at = body.end;
    }
    return true;
}

static bool looks(const unsigned char *head, size_t length)
{
    bool seen = false;
    return looks_like(DATA, (struct proto){head, head + length}, &seen) && seen;
}

const struct profile_format format_otlp = {"otlp", looks, read_otlp};
