/*
 * OTLP profiles: a message ProfilesData of Protocol Buffers, as OpenTelemetry's collectors and agents exchange it.
 * Source: opentelemetry-proto, opentelemetry/proto/profiles/v1development/profiles.proto at 1.5 to 1.11.
 *
 * The file is read twice, message by message: first the definitions, which come after their uses, then the
 * samples. 1.10 gave the fields of Sample other numbers than 1.8 and 1.9, and nothing in the file says its version, so
 * the first pass checks which fields are numbers and which are lists. Ambiguous files are refused, and so are files
 * before 1.8, whose samples refer to ranges of locations.
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "trace/import/pprof/otlp.h"

/* The messages that are walked through. */
enum message { DATA, RESOURCE, SCOPE, PROFILE, DICTIONARY, LEAF };

enum { PROFILE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_TIME = 3, PROFILE_PERIOD_TYPE = 5, PROFILE_PERIOD = 6 };
enum { DICTIONARY_MAPPING = 1, DICTIONARY_LOCATION = 2, DICTIONARY_FUNCTION = 3, DICTIONARY_TEXT = 5 };
enum { DICTIONARY_ATTRIBUTE = 6, DICTIONARY_STACK = 7 };

struct otlp {
    struct reading *reading;
    struct otlp_tables tables;
    struct otlp_type *profiles;
    size_t profile_capacity, profile_count;
    struct otlp_sample sample; /* at hand */
    /* the number of samples that can only be of these versions, and of either */
    uint64_t before_1_8, up_to_1_9, from_1_10, either;
    bool second; /* the second pass */
    unsigned values_field, attributes_field;
    struct otlp_target target;
    size_t profile_at; /* in the second pass */
    uint64_t end;      /* of the readable part */
    bool full;         /* out of memory */
};

/* ------------------------------------------------------------------------------------------ the version -- */

/* What the fields of a sample say about its version. */
struct shape {
    bool list[8], number[8];
    uint64_t second_count, time_count;
    bool negative;   /* a number of the two fields with values */
    bool nonzero[8]; /* by field: a number of it, if these are values, or a time that stands for one */
};

/* Fields of Sample: 1.8 and 1.9 have values in 2, attributes in 3 and a link in 4; 1.10 has attributes in 2, a link in
 * 3 and values in 4. Both have times in 5, as many as values or instead of them. */
static void otlp_survey_sample(struct otlp *otlp, struct proto message)
{
    struct shape shape = {0};
    struct proto_field field;
    int more;
    while ((more = proto_next_field(&message, &field)) > 0) {
        uint64_t value;
        if (field.number >= 8)
            continue;
        shape.number[field.number] |= field.wire == PROTO_VARINT;
        shape.list[field.number] |= field.wire == PROTO_BYTES;
        if (field.number == 5)
            shape.time_count += field.wire == PROTO_BYTES ? field.value / 8 : 1;
        bool is_list = field.wire == PROTO_BYTES;
        while ((field.number == 2 || field.number == 4) && proto_next_number(&field, &value) > 0) {
            shape.second_count += field.number == 2 && is_list;
            shape.negative |= (int64_t)value < 0;
            shape.nonzero[field.number] |= value != 0;
        }
    }
    for (size_t values = 2; values <= 4; values += 2)
        shape.nonzero[values] |= shape.time_count > 0 && !shape.list[values] && !shape.number[values];
    if (more != 0)
        return; /* the second pass reports it */
    otlp->tables.negative |= shape.negative;
    if (shape.number[2] || shape.list[6])
        otlp->before_1_8++;
    else if (shape.list[4] || shape.number[3])
        otlp->from_1_10++;
    else if (shape.list[3] || shape.number[4])
        otlp->up_to_1_9++;
    else if (shape.list[2] && shape.time_count == 0)
        otlp->up_to_1_9++; /* with neither values nor times it would not be a sample of 1.10 */
    else if (shape.list[2] && shape.second_count != shape.time_count)
        otlp->from_1_10++;
    else if (shape.list[2])
        otlp->either++;
    if (otlp->profile_count == 0)
        return;
    struct otlp_type *profile = &otlp->profiles[otlp->profile_count - 1];
    profile->timed |= shape.time_count > 0;
    profile->nonzero_by_field[0] |= shape.nonzero[2];
    profile->nonzero_by_field[1] |= shape.nonzero[4];
}

static int otlp_choose_version(struct otlp *otlp, struct error_text *error)
{
    if (otlp->before_1_8 > 0)
        return error_set(
            error, STATUS_BAD,
            "its samples are those of OTLP before 1.8, which is not supported; export it again with 1.8 or later");
    if (otlp->up_to_1_9 > 0 && otlp->from_1_10 > 0)
        return error_set(error, STATUS_BAD,
                         "%" PRIu64 " samples have the fields of OTLP 1.8 or 1.9 and %" PRIu64
                         " those of 1.10: mixed or damaged, so none of it is read",
                         otlp->up_to_1_9, otlp->from_1_10);
    if (otlp->either > 0 && otlp->up_to_1_9 == 0 && otlp->from_1_10 == 0)
        return error_set(error, STATUS_BAD,
                         "its samples may be those of OTLP 1.9 or of 1.10, which use the same fields differently, so "
                         "none of it is read");
    bool old = otlp->up_to_1_9 > 0;
    otlp->values_field = old ? 2 : 4;
    otlp->attributes_field = old ? 3 : 2;
    for (size_t i = 0; i < otlp->profile_count; i++)
        otlp->profiles[i].nonzero = otlp->profiles[i].nonzero_by_field[old ? 0 : 1];
    return STATUS_GOOD;
}

/* ------------------------------------------------------------------------------------------ definitions -- */

/* KeyValueAndUnit: the key in 1; an AnyValue in 2 with a text in its 1, an integer in its 3, or from 1.10 on the id of
 * a text in its 8. */
static bool otlp_read_attribute(struct otlp *otlp, struct proto message)
{
    struct proto_field field, part, name = {0};
    uint64_t key = 0, integer = 0, text = 0;
    int more;
    while ((more = proto_next_field(&message, &field)) > 0) {
        if (field.number == 1 && field.wire == PROTO_VARINT)
            key = field.value;
        while (field.number == 2 && field.wire == PROTO_BYTES && proto_next_field(&field.body, &part) > 0) {
            if (part.number == 1 && part.wire == PROTO_BYTES)
                name = part;
            else if (part.number == 3 && part.wire == PROTO_VARINT)
                integer = part.value;
            else if (part.number == 8 && part.wire == PROTO_VARINT)
                text = part.value;
        }
    }
    return more == 0 && otlp_add_attribute(&otlp->tables, key, integer, (const char *)name.body.at,
                                           (size_t)(name.body.end - name.body.at), text);
}

static bool otlp_read_definition(struct otlp *otlp, const struct proto_field *field)
{
    switch (field->number) {
    case DICTIONARY_MAPPING:
        return locations_read_mapping(&otlp->tables.locations, field->body);
    case DICTIONARY_LOCATION:
        return locations_read_location(&otlp->tables.locations, field->body);
    case DICTIONARY_FUNCTION:
        return locations_read_function(&otlp->tables.locations, field->body);
    case DICTIONARY_TEXT:
        return texts_add(&otlp->tables.locations.texts, field->body.at, (size_t)(field->body.end - field->body.at));
    case DICTIONARY_ATTRIBUTE:
        return otlp_read_attribute(otlp, field->body);
    case DICTIONARY_STACK: {
        struct proto message = field->body;
        struct proto_field part;
        uint64_t location;
        int more, next = 0;
        while ((more = proto_next_field(&message, &part)) > 0)
            while (part.number == 1 && (next = proto_next_number(&part, &location)) > 0)
                if (!otlp_append_number(&otlp->tables.stack_locations, location))
                    return false;
        return more == 0 && next == 0 && otlp_end_stack(&otlp->tables);
    }
    default:
        return true;
    }
}

/* ------------------------------------------------------------------------------------------ samples -- */

static bool otlp_read_sample(struct otlp *otlp, struct proto message, uint64_t at)
{
    struct otlp_sample *sample = &otlp->sample;
    struct proto_field field;
    uint64_t value;
    int more;
    sample->stack = sample->attribute_count = sample->values.count = sample->times.count = 0;
    sample->damaged = false;
    while ((more = proto_next_field(&message, &field)) > 0) {
        int next = 0;
        if (field.number == 1 && field.wire == PROTO_VARINT)
            sample->stack = field.value;
        else if (field.number == 5) {
            if (field.wire == PROTO_64)
                otlp->full |= !otlp_append_number(&sample->times, field.value);
            sample->damaged |= field.wire == PROTO_BYTES && field.value % 8 != 0;
            for (const unsigned char *byte = field.body.at; field.wire == PROTO_BYTES && field.body.end - byte >= 8;
                 byte += 8) {
                uint64_t time = 0;
                for (size_t i = 8; i-- > 0;)
                    time = time << 8 | byte[i];
                otlp->full |= !otlp_append_number(&sample->times, time);
            }
        } else if (field.number == otlp->values_field)
            while ((next = proto_next_number(&field, &value)) > 0)
                otlp->full |= !otlp_append_number(&sample->values, value);
        else if (field.number == otlp->attributes_field)
            while ((next = proto_next_number(&field, &value)) > 0)
                if (sample->attribute_count < OTLP_ATTRIBUTES_MAX)
                    sample->attributes[sample->attribute_count++] = value;
        sample->damaged |= next < 0;
    }
    sample->damaged |= more < 0;
    return !otlp->full && otlp_add_sample(&otlp->tables, &otlp->target, sample, at);
}

/* ------------------------------------------------------------------------------------------ walking -- */

static enum message otlp_child_message(enum message message, unsigned field)
{
    return message == DATA && field == 1       ? RESOURCE
           : message == DATA && field == 2     ? DICTIONARY
           : message == RESOURCE && field == 2 ? SCOPE
           : message == SCOPE && field == 2    ? PROFILE
                                               : LEAF;
}

/* A profile begins. False without memory, or beyond what the first pass saw. */
static bool otlp_begin_profile(struct otlp *otlp)
{
    if (otlp->second) {
        if (otlp->profile_at == otlp->profile_count)
            return false;
        return otlp_open_target(&otlp->tables, otlp->profiles, otlp->profile_count, otlp->profile_at++, &otlp->target);
    }
    struct otlp_type *profiles = grow(otlp->profiles, &otlp->profile_capacity, otlp->profile_count, sizeof *profiles);
    if (!profiles || otlp->profile_count == OTLP_PROFILES_MAX)
        return false;
    otlp->profiles = profiles;
    profiles[otlp->profile_count++] = (struct otlp_type){0};
    return true;
}

/* The fields that a pass reads; those of bytes with their body. */
static bool otlp_wants_field(const struct otlp *otlp, enum message message, const struct proto_field *field)
{
    bool sample = message == PROFILE && field->number == PROFILE_SAMPLE;
    if (otlp->second)
        return sample;
    return message == DICTIONARY || sample ||
           (message == PROFILE && (field->number == PROFILE_TYPE || field->number == PROFILE_TIME ||
                                   field->number == PROFILE_PERIOD_TYPE || field->number == PROFILE_PERIOD));
}

static bool otlp_read_field(struct otlp *otlp, enum message message, const struct proto_field *field, uint64_t at)
{
    if (otlp->second)
        return field->wire != PROTO_BYTES || otlp_read_sample(otlp, field->body, at);
    if (message == DICTIONARY)
        return field->wire != PROTO_BYTES || otlp_read_definition(otlp, field);
    assert(otlp->profile_count > 0); /* fields of a profile come after otlp_begin_profile() */
    struct otlp_type *profile = &otlp->profiles[otlp->profile_count - 1];
    uint64_t type[3] = {0};
    if (field->number == PROFILE_SAMPLE && field->wire == PROTO_BYTES) {
        otlp_survey_sample(otlp, field->body);
    } else if (field->number == PROFILE_TIME && field->wire == PROTO_BYTES) {
        otlp->before_1_8++;
    } else if (field->number == PROFILE_TYPE && field->wire == PROTO_BYTES) {
        if (!locations_read_numbers(field->body, type, 3))
            return false;
        profile->type = type[1];
        profile->unit = type[2];
    } else if (field->number == PROFILE_PERIOD_TYPE && field->wire == PROTO_BYTES) {
        if (!locations_read_numbers(field->body, type, 3))
            return false;
        profile->period_unit = type[2];
    } else if (field->number == PROFILE_PERIOD && field->wire == PROTO_VARINT) {
        profile->period = field->value;
    }
    return true;
}

/* One message, up to `end`: false if it is damaged or the file ends within it. otlp->end follows. */
static bool otlp_walk_message(struct otlp *otlp, enum message message, uint64_t end)
{
    struct source *source = otlp->reading->source;
    for (uint64_t at; (at = source_offset(source)) < end && !sink_has_failed(otlp->reading->sink);) {
        struct proto_field field;
        if (otlp->second && at >= otlp->end)
            return true;
        int more = proto_read_stream_head(source, &field);
        if (more <= 0)
            return more == 0 && end == UINT64_MAX;
        if (message == DATA && field.number > 2)
            otlp->before_1_8++;
        enum message child = field.wire == PROTO_BYTES ? otlp_child_message(message, field.number) : LEAF;
        if (field.wire == PROTO_BYTES && field.value > end - source_offset(source))
            return false;
        if (child != LEAF) {
            if ((child == PROFILE && !otlp_begin_profile(otlp)) ||
                !otlp_walk_message(otlp, child, source_offset(source) + field.value))
                return false;
        } else if (otlp_wants_field(otlp, message, &field)) {
            if ((field.wire == PROTO_BYTES && !proto_read_stream_body(source, &field)) ||
                !otlp_read_field(otlp, message, &field, at))
                return false;
        } else if (field.wire == PROTO_BYTES && !source_skip(source, field.value)) {
            return false;
        }
        if (!otlp->second)
            otlp->end = source_offset(source);
    }
    return source_offset(source) == end;
}

static int read_otlp(struct reading *reading, struct error_text *error)
{
    struct otlp otlp = {.reading = reading, .tables = {.locations = {.reading = reading, .indexed = true}}};
    sink_set_origin(reading->sink, "otlp", NULL, NULL);
    int status = STATUS_GOOD;
    struct error_text version = {""};
    if (!otlp_walk_message(&otlp, DATA, UINT64_MAX))
        status = error_set(error, STATUS_BAD,
                           "byte %" PRIu64 ": a field that is cut or damaged; what comes before it was read", otlp.end);
    if (otlp_choose_version(&otlp, &version) != STATUS_GOOD) {
        if (status == STATUS_GOOD || otlp.before_1_8 > 0)
            *error = version;
        status = STATUS_BAD;
    } else {
        otlp.second = true;
        if (source_rewind(reading->source))
            otlp_walk_message(&otlp, DATA, UINT64_MAX);
        otlp_pass_net(&otlp.tables);
        if (otlp.full)
            status = error_set(error, STATUS_BAD, "out of memory");
    }
    otlp_finish(&otlp.tables);
    free(otlp.profiles);
    free(otlp.sample.values.items);
    free(otlp.sample.times.items);
    return status;
}

/* Whether all complete fields belong to the message, and so does the last partial one. *seen: a profile or a dictionary
 * occurred. */
static bool otlp_recognize_message(enum message message, struct proto proto, bool *seen)
{
    static const unsigned fields_max[] = {[DATA] = 8, [RESOURCE] = 3, [SCOPE] = 3, [PROFILE] = 22, [DICTIONARY] = 7};
    *seen |= message == PROFILE || message == DICTIONARY;
    while (proto.at < proto.end) {
        struct proto rest = proto;
        uint64_t tag, length;
        if (!proto_read_varint(&rest, &tag) || tag >> 3 == 0 || tag >> 3 > fields_max[message])
            return rest.at == rest.end && *seen;
        if ((tag & 7) != PROTO_BYTES) {
            struct proto_field field;
            if (message != PROFILE || proto_next_field(&proto, &field) <= 0)
                return false;
            continue;
        }
        if (!proto_read_varint(&rest, &length))
            return rest.at == rest.end;
        bool cut = length > (size_t)(rest.end - rest.at);
        struct proto body = {rest.at, cut ? rest.end : rest.at + length};
        enum message child = otlp_child_message(message, (unsigned)(tag >> 3));
        if (child != LEAF && !otlp_recognize_message(child, body, seen))
            return false;
        if (cut)
            return true;
        proto.at = body.end;
    }
    return true;
}

static bool otlp_recognize(const unsigned char *head, size_t length)
{
    bool seen = false;
    return otlp_recognize_message(DATA, (struct proto){head, head + length}, &seen) && seen;
}

const struct profile_format format_otlp = {"otlp", otlp_recognize, read_otlp};
