/*
 * pprof: a message Profile of Protocol Buffers, mostly compressed by gzip. Source: google/pprof, proto/profile.proto.
 *
 * The file is read twice, field by field: first the definitions (they may come after their uses, and the texts come
 * last), with a survey of the samples, then the samples. A file may have several values per sample: they are the
 * weights of the trace. The first weight is the default type, or the last, as in pprof, unless all of it are zero, or
 * what
 * --profile names.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace/import/net.h"
#include "trace/import/pprof/labels.h"
#include "trace/import/pprof/locations.h"

enum { SAMPLE_TYPE = 1, SAMPLE = 2, MAPPING = 3, LOCATION = 4, FUNCTION = 5, STRING = 6, PERIOD_TYPE = 11 };
enum { DROP_FRAMES = 7, KEEP_FRAMES = 8, PERIOD = 12, DEFAULT_TYPE = 14 };
enum { TYPES_MAX = 32, LABELS_MAX = 64 };

struct value_type {
    uint64_t type, unit; /* texts */
};

struct pprof {
    struct reading *reading;
    struct locations locations;
    struct value_type types[TYPES_MAX], period_type;
    size_t type_count, taken;   /* the type that is the first weight */
    size_t more[SINK_MORE_MAX]; /* those that are further weights */
    size_t more_count;
    uint64_t period, default_type, drop_frames, keep_frames;
    uint64_t end;                                 /* of the readable part, in the source */
    bool nonzero[TYPES_MAX], negative[TYPES_MAX]; /* whether any value of a type is */
    struct idmap labels;                          /* texts: the keys of all labels, or the first LABELS_MAX of them */
    struct pruning *pruning;
    struct stack stack;
    struct net net; /* of values of either sign */
    uint64_t pruned;
    unsigned profile;
};

static const char *pprof_text(const struct pprof *pprof, uint64_t number)
{
    return texts_get(&pprof->locations.texts, number);
}

/* ------------------------------------------------------------------------------------------ definitions -- */

/* What the values and labels of a sample are about, which decides what is read. The second pass reports damage. */
static bool pprof_survey_sample(struct pprof *pprof, struct proto message)
{
    struct proto_field field;
    uint64_t value, numbers[2];
    size_t values = 0;
    while (proto_next_field(&message, &field) > 0) {
        if (field.number == 2)
            for (; proto_next_number(&field, &value) > 0 && values < TYPES_MAX; values++) {
                pprof->nonzero[values] |= value != 0;
                pprof->negative[values] |= (int64_t)value < 0;
            }
        if (field.number != 3 || field.wire != PROTO_BYTES || pprof->labels.count >= LABELS_MAX)
            continue;
        numbers[1] = 0;
        if (locations_read_numbers(field.body, numbers, 2) && !idmap_add(&pprof->labels, numbers[1]))
            return false;
    }
    return true;
}

static void pprof_set_number(struct pprof *pprof, const struct proto_field *field)
{
    switch (field->number) {
    case DROP_FRAMES:
        pprof->drop_frames = field->value;
        break;
    case KEEP_FRAMES:
        pprof->keep_frames = field->value;
        break;
    case PERIOD:
        pprof->period = field->value;
        break;
    case DEFAULT_TYPE:
        pprof->default_type = field->value;
        break;
    default:
        break;
    }
}

static bool pprof_read_definition(struct pprof *pprof, const struct proto_field *field)
{
    if (field->wire == PROTO_VARINT) {
        pprof_set_number(pprof, field);
        return true;
    }
    if (field->wire != PROTO_BYTES)
        return true;
    switch (field->number) {
    case SAMPLE_TYPE: {
        struct proto message = field->body;
        uint64_t numbers[3] = {0};
        if (!locations_read_numbers(message, numbers, 3) || pprof->type_count == TYPES_MAX)
            return false;
        pprof->types[pprof->type_count++] = (struct value_type){numbers[1], numbers[2]};
        return true;
    }
    case SAMPLE:
        return pprof_survey_sample(pprof, field->body);
    case MAPPING:
        return locations_read_mapping(&pprof->locations, field->body);
    case LOCATION:
        return locations_read_location(&pprof->locations, field->body);
    case FUNCTION:
        return locations_read_function(&pprof->locations, field->body);
    case STRING:
        return texts_add(&pprof->locations.texts, field->body.at, (size_t)(field->body.end - field->body.at));
    case PERIOD_TYPE: {
        struct proto message = field->body;
        uint64_t numbers[3] = {0};
        bool good = locations_read_numbers(message, numbers, 3);
        pprof->period_type = (struct value_type){numbers[1], numbers[2]};
        return good;
    }
    default:
        return true;
    }
}

#define BIT(number) (UINT64_C(1) << (number))

static int pprof_read_definitions(struct pprof *pprof, struct error_text *error)
{
    const uint64_t wanted =
        BIT(SAMPLE_TYPE) | BIT(SAMPLE) | BIT(MAPPING) | BIT(LOCATION) | BIT(FUNCTION) | BIT(STRING) | BIT(PERIOD_TYPE);
    struct source *source = pprof->reading->source;
    struct proto_field field;
    int more;
    for (pprof->end = 0; (more = proto_read_stream_field(source, wanted, &field)) > 0;
         pprof->end = source_offset(source))
        if (!pprof_read_definition(pprof, &field))
            break;
    if (more == 0)
        return STATUS_GOOD;
    return error_set(error, STATUS_BAD,
                     "byte %" PRIu64 ": a field that is cut or damaged; what comes before it was read", pprof->end);
}

/* ------------------------------------------------------------------------------------------ samples -- */

struct sample {
    int64_t values[TYPES_MAX];
    size_t value_count;
    struct labels labels;
    bool damaged;
};

/* False without memory. */
static bool pprof_read_sample_field(struct pprof *pprof, struct sample *sample, struct proto_field *field)
{
    uint64_t value;
    int more = 0;
    if (field->number == 1) {
        while ((more = proto_next_number(field, &value)) > 0)
            if (!locations_push_frames(&pprof->locations, value, &pprof->stack))
                return false;
    } else if (field->number == 2) {
        while ((more = proto_next_number(field, &value)) > 0)
            if (sample->value_count++ < TYPES_MAX)
                sample->values[sample->value_count - 1] = (int64_t)value;
    } else if (field->number == 3 && field->wire == PROTO_BYTES) {
        uint64_t label[4] = {0};
        sample->damaged |= !locations_read_numbers(field->body, label, 4);
        labels_add(&sample->labels, pprof_text(pprof, label[1]), pprof_text(pprof, label[2]), (int64_t)label[3]);
    }
    sample->damaged |= more < 0;
    return true;
}

/* False without memory. */
static bool pprof_read_sample(struct pprof *pprof, struct proto message, uint64_t at)
{
    struct reading *reading = pprof->reading;
    struct sample sample = {.labels.name = ""};
    struct proto_field field;
    int more;
    pprof->stack.depth = 0;
    while ((more = proto_next_field(&message, &field)) > 0)
        if (!pprof_read_sample_field(pprof, &sample, &field))
            return false;
    if (more < 0 || sample.damaged) {
        reading_report_bad(reading, "byte %" PRIu64 ": a damaged sample", at);
    } else if (sample.value_count != pprof->type_count) {
        reading_report_bad(reading, "byte %" PRIu64 ": a sample of %zu values, but %zu are declared", at,
                           sample.value_count, pprof->type_count);
    } else {
        struct sink *sink = pprof->reading->sink;
        if (pprof->locations.pruning)
            pprof->pruned += locations_prune_stack(&pprof->locations, &pprof->stack);
        struct sink_sample out = {.profile = pprof->profile,
                                  .thread = sink_add_thread(sink, sample.labels.tid, sample.labels.name),
                                  .weight = (uint64_t)sample.values[pprof->taken],
                                  .frames = pprof->stack.frames,
                                  .depth = pprof->stack.depth};
        for (size_t i = 0; i < pprof->more_count; i++)
            out.more[i] = (uint64_t)sample.values[pprof->more[i]];
        if (pprof->negative[pprof->taken])
            return net_add_sample(&pprof->net, &out, sample.values[pprof->taken]);
        sink_add_sample(sink, &out);
        return true;
    }
    return true;
}

static int pprof_read_samples(struct pprof *pprof, struct error_text *error)
{
    struct source *source = pprof->reading->source;
    struct proto_field field;
    uint64_t at = 0;
    if (!source_rewind(source))
        return STATUS_BAD;
    for (; at < pprof->end && !sink_has_failed(pprof->reading->sink); at = source_offset(source)) {
        if (proto_read_stream_field(source, BIT(SAMPLE), &field) <= 0)
            break;
        if (field.number == SAMPLE && field.wire == PROTO_BYTES && !pprof_read_sample(pprof, field.body, at))
            return error_set(error, STATUS_BAD, "byte %" PRIu64 ": out of memory", at);
    }
    return STATUS_GOOD;
}

/* ------------------------------------------------------------------------------------------ the whole -- */

static const char *pprof_type_name(const struct pprof *pprof, size_t type)
{
    return pprof_text(pprof, pprof->types[type].type);
}

/* Chooses the types that become weights; a difference has negative values in all types, or the net of one alone says
 * nothing about the others. */
static void pprof_choose_types(struct pprof *pprof)
{
    char others[256] = "", zeros[256] = "", left[256] = "";
    /* The type that is asked for, or the default one, or the last; without being asked for it one that has values. */
    const char *wanted = pprof->reading->profile;
    size_t taken = pprof->type_count - 1;
    for (size_t i = 0; i < pprof->type_count; i++)
        if (wanted ? strcmp(pprof_type_name(pprof, i), wanted) == 0
                   : pprof->default_type && pprof->types[i].type == pprof->default_type)
            taken = i;
    for (size_t i = pprof->type_count; !wanted && !pprof->nonzero[taken] && i-- > 0;)
        taken = pprof->nonzero[i] ? i : taken;
    pprof->taken = taken;
    for (size_t i = 0; i < pprof->type_count; i++) {
        if (i == pprof->taken)
            continue;
        bool fits = pprof->more_count < SINK_MORE_MAX && (pprof->negative[pprof->taken] || !pprof->negative[i]);
        error_list(!pprof->nonzero[i] ? zeros : fits ? others : left, sizeof others, pprof_type_name(pprof, i));
        if (pprof->nonzero[i] && fits)
            pprof->more[pprof->more_count++] = i;
    }
    if (*left)
        error_append(&pprof->reading->note, "values that were left out, since they are negative or too many: %s", left);
    if (pprof->reading->profile)
        return;
    if (*others)
        error_append(&pprof->reading->note, "its samples weigh '%.100s'; --weight chooses others: %s",
                     pprof_type_name(pprof, pprof->taken), others);
    if (*zeros)
        error_append(&pprof->reading->note, "values that are all zero are passed over: %s", zeros);
}

static void pprof_open_profile(struct pprof *pprof)
{
    /* Labels that say something else than threads are reported, since a trace has no place for them. */
    char others[256] = "";
    bool threads = false;
    for (uint32_t i = 1; i <= pprof->labels.count; i++) {
        const char *key = pprof_text(pprof, pprof->labels.keys[i]);
        threads |= labels_is_thread(key);
        if (*key && !labels_is_thread(key) && strcmp(key, "pprof::base") != 0)
            error_list(others, sizeof others, key);
    }
    if (*others)
        error_append(&pprof->reading->note, "labels that are no threads were left out: %s", others);

    const char *name = pprof_type_name(pprof, pprof->taken);
    const char *unit = pprof_text(pprof, pprof->types[pprof->taken].unit);
    bool period = pprof->period > 0 && strcmp(pprof_text(pprof, pprof->period_type.unit), "nanoseconds") == 0;
    struct sink_profile profile = {.name = *name ? name : "samples",
                                   .unit = *unit ? unit : "count",
                                   .weight = *name ? name : "samples",
                                   .period_ns = period ? pprof->period : 0,
                                   .unknown =
                                       UNKNOWN_TIMES | (threads ? 0 : UNKNOWN_THREADS) | (period ? 0 : UNKNOWN_PERIOD)};
    for (size_t i = 0; i < pprof->more_count; i++)
        profile.more[i] = (struct sink_weight){pprof_type_name(pprof, pprof->more[i]),
                                               pprof_text(pprof, pprof->types[pprof->more[i]].unit)};
    pprof->profile = sink_open_profile(pprof->reading->sink, &profile);
    if (!pprof->reading->profile || strcmp(pprof->reading->profile, profile.name) == 0)
        return;
    for (size_t i = 0; i < pprof->type_count; i++) /* for the message that the one that is asked for is none of them */
        sink_open_profile(pprof->reading->sink, &(struct sink_profile){.name = pprof_type_name(pprof, i), .unit = ""});
}

static int read_pprof(struct reading *reading, struct error_text *error)
{
    struct pprof pprof = {.reading = reading, .locations = {.reading = reading}};
    sink_set_origin(reading->sink, "pprof", NULL, NULL);
    int status = pprof_read_definitions(&pprof, error);
    if (pprof.type_count == 0) {
        status = status ? status : error_set(error, STATUS_BAD, "declares no type of values");
    } else {
        pprof_choose_types(&pprof);
        /* What the file says should be dropped. An expression that is not understood drops nothing. */
        struct error_text why = {""};
        const char *drop = pprof_text(&pprof, pprof.drop_frames);
        if (*drop) {
            pprof.pruning = pruning_new(drop, pprof_text(&pprof, pprof.keep_frames), &why);
            pprof.locations.pruning = pprof.pruning;
            if (!pprof.pruning)
                error_append(&pprof.reading->note, "the file's drop_frames and keep_frames were not applied: %.300s",
                             why.text);
        }
        pprof_open_profile(&pprof);
        int second = pprof_read_samples(&pprof, error);
        status = status ? status : second;
        if (pprof.negative[pprof.taken])
            net_pass_sums(&pprof.net, reading, pprof_type_name(&pprof, pprof.taken));
        if (pprof.pruned > 0)
            error_append(&reading->note,
                         "frames that the file's drop_frames '%.100s' names, and what they call, were dropped from "
                         "%" PRIu64 " sample%s",
                         pprof_text(&pprof, pprof.drop_frames), pprof.pruned, pprof.pruned == 1 ? "" : "s");
    }
    net_free(&pprof.net);
    idmap_free(&pprof.labels);
    pruning_free(pprof.pruning);
    locations_free(&pprof.locations);
    stack_free(&pprof.stack);
    return status;
}

/* Two small numbers and nothing else. */
static bool pprof_is_value_type(struct proto message)
{
    struct proto_field field;
    int more;
    while ((more = proto_next_field(&message, &field)) > 0)
        if (field.wire != PROTO_VARINT || field.number > 2)
            return false;
    return more == 0;
}

/* Whole fields of Profile and no others, the first of them a short message of two small numbers: a type of values. */
static bool pprof_recognize(const unsigned char *head, size_t length)
{
    struct proto proto = {head, head + length};
    struct proto_field field;
    for (int fields = 0; fields < 8; fields++) {
        int more = proto_next_field(&proto, &field);
        if (more <= 0)
            return fields > 1 && (more == 0 || length == READING_HEAD);
        if (field.number > 15)
            return false;
        if (field.number == SAMPLE_TYPE &&
            (field.wire != PROTO_BYTES || field.value > 24 || !pprof_is_value_type(field.body)))
            return false;
        bool bytes = (field.number >= SAMPLE_TYPE && field.number <= STRING) || field.number == PERIOD_TYPE;
        if (field.wire != (bytes ? PROTO_BYTES : PROTO_VARINT) && field.number != 13)
            return false;
    }
    return true;
}

const struct profile_format format_pprof = {"pprof", pprof_recognize, read_pprof};
