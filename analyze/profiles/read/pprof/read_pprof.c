/*
 * pprof: a message Profile of Protocol Buffers, mostly compressed by gzip. Source: google/pprof, proto/profile.proto.
 *
 * The file is read twice, field by field: first the definitions (they may come after their uses, and the texts come
 * last), then the samples. A file may have several values per sample: the default one is used, or the last, as in
 * pprof, or what --profile names.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyze/profiles/read/pprof/locations.h"

enum { SAMPLE_TYPE = 1, SAMPLE = 2, MAPPING = 3, LOCATION = 4, FUNCTION = 5, STRING = 6, PERIOD_TYPE = 11 };
enum { PERIOD = 12, DEFAULT_TYPE = 14, TYPES_MAX = 32 };

struct value_type {
    uint64_t type, unit; /* texts */
};

struct pprof {
    struct reading *reading;
    struct locations locations;
    struct value_type types[TYPES_MAX], period_type;
    size_t type_count, taken;           /* the type to use */
    uint64_t period, default_type, end; /* end: of the readable part, in the source */
    struct stack stack;
    unsigned profile;
};

static const char *text_of(const struct pprof *pprof, uint64_t number)
{
    return texts_get(&pprof->locations.texts, number);
}

/* ------------------------------------------------------------------------------------------ definitions -- */

static bool add_type(struct pprof *pprof, struct proto message)
{
    uint64_t numbers[3] = {0};
    if (!locations_numbers(message, numbers, 3) || pprof->type_count == TYPES_MAX)
        return false;
    pprof->types[pprof->type_count++] = (struct value_type){numbers[1], numbers[2]};
    return true;
}

static bool add_period_type(struct pprof *pprof, struct proto message)
{
    uint64_t numbers[3] = {0};
    bool good = locations_numbers(message, numbers, 3);
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
        return locations_mapping(&pprof->locations, field->body);
    case LOCATION:
        return locations_location(&pprof->locations, field->body);
    case FUNCTION:
        return locations_function(&pprof->locations, field->body);
    case STRING:
        return texts_add(&pprof->locations.texts, field->body.at, (size_t)(field->body.end - field->body.at));
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
                    "byte %" PRIu64 ": a field that is cut or damaged; what comes before it was read", pprof->end);
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
    sample->damaged |= !locations_numbers(message, numbers, 4);
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
            if (!locations_push(&pprof->locations, value, &pprof->stack))
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
        reading_bad(reading, "byte %" PRIu64 ": a sample of %zu values, but %zu are declared", at, sample.values,
                    pprof->type_count);
    } else if (sample.value < 0) {
        reading_bad(reading,
                    "byte %" PRIu64 ": a sample of weight %" PRId64 ", which is not a profile but a difference of two",
                    at, sample.value);
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

/* Chooses the type; the others are reported. */
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
        complain(&pprof->reading->note, STATUS_GOOD, "the values '%.100s' were used; --profile chooses others: %.256s",
                 text_of(pprof, pprof->types[pprof->taken].type), others);
}

static bool has_threads(const struct pprof *pprof)
{
    for (size_t i = 0; i < pprof->locations.texts.count; i++)
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

static int read_pprof(struct reading *reading, struct complaint *complaint)
{
    struct pprof pprof = {.reading = reading, .locations = {.reading = reading}};
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
    locations_free(&pprof.locations);
    stack_free(&pprof.stack);
    return status;
}

/* Two small numbers and nothing else. */
static bool is_value_type(struct proto message)
{
    struct proto_field field;
    int more;
    while ((more = proto_next(&message, &field)) > 0)
        if (field.wire != PROTO_VARINT || field.number > 2)
            return false;
    return more == 0;
}

/* Whole fields of Profile and no others, the first of them a short message of two small numbers: a type of values. */
static bool looks(const unsigned char *head, size_t length)
{
    struct proto proto = {head, head + length};
    struct proto_field field;
    for (int fields = 0; fields < 8; fields++) {
        int more = proto_next(&proto, &field);
        if (more <= 0)
            return fields > 1 && (more == 0 || length == READING_HEAD);
        if (field.number > 15)
            return false;
        if (field.number == SAMPLE_TYPE &&
            (field.wire != PROTO_BYTES || field.value > 24 || !is_value_type(field.body)))
            return false;
        bool bytes = (field.number >= SAMPLE_TYPE && field.number <= STRING) || field.number == PERIOD_TYPE;
        if (field.wire != (bytes ? PROTO_BYTES : PROTO_VARINT) && field.number != 13)
            return false;
    }
    return true;
}

const struct profile_format format_pprof = {"pprof", looks, read_pprof};
