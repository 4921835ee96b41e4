/*
 * OTLP profiles in their JSON encoding, one message ProfilesData, or one per line as in files of OpenTelemetry's
 * collector. Source: opentelemetry.io, "OTLP Specification", "JSON Protobuf Encoding"; opentelemetry-proto,
 * profiles/v1development/profiles.proto at 1.5 to 1.11.
 *
 * Fields have names, so 1.8 to 1.11 differ only in `sample` or `samples`, and `line` or `lines`; a file before 1.8 is
 * recognized by removed names, and refused. The dictionary of a message comes after its samples, which are kept in an
 * unnamed temporary file as words: number of the profile, position in the file, stack, the numbers of attributes,
 * values and times, whether it is damaged, and these items.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace/import/json.h"
#include "trace/import/pprof/otlp.h"

enum state {
    ROOT = JSON_ROOT,
    RESOURCES,
    RESOURCE,
    SCOPES,
    SCOPE,
    PROFILES,
    PROFILE,
    SAMPLE_TYPE,
    PERIOD_TYPE,
    SAMPLES,
    SAMPLE,
    SAMPLE_ATTRIBUTES,
    SAMPLE_VALUES,
    SAMPLE_TIMES,
    DICTIONARY,
    MAPPINGS,
    MAPPING,
    LOCATIONS,
    LOCATION,
    LINES,
    LINE,
    FUNCTIONS,
    FUNCTION,
    TEXTS,
    ATTRIBUTES,
    ATTRIBUTE,
    ATTRIBUTE_VALUE,
    STACKS,
    STACK,
    STACK_LOCATIONS
};

/* The integers of the current message, and their names. */
enum field {
    KEY,
    TYPE,
    UNIT,
    PERIOD,
    STACK_INDEX,
    NAME,
    SYSTEM_NAME,
    FILE_NAME,
    MAPPING_INDEX,
    ADDRESS,
    FUNCTION_INDEX
};
enum { LINE_NUMBER = FUNCTION_INDEX + 1, INTEGER, TEXT_INDEX, FIELDS };
static const struct {
    int around;
    const char *key;
    int field;
} integers[] = {{SAMPLE_TYPE, "typeStrindex", TYPE},       {SAMPLE_TYPE, "unitStrindex", UNIT},
                {PERIOD_TYPE, "unitStrindex", UNIT},       {PROFILE, "period", PERIOD},
                {SAMPLE, "stackIndex", STACK_INDEX},       {MAPPING, "filenameStrindex", FILE_NAME},
                {LOCATION, "mappingIndex", MAPPING_INDEX}, {LOCATION, "address", ADDRESS},
                {LINE, "functionIndex", FUNCTION_INDEX},   {LINE, "line", LINE_NUMBER},
                {FUNCTION, "nameStrindex", NAME},          {FUNCTION, "systemNameStrindex", SYSTEM_NAME},
                {FUNCTION, "filenameStrindex", FILE_NAME}, {ATTRIBUTE, "keyStrindex", KEY},
                {ATTRIBUTE_VALUE, "intValue", INTEGER},    {ATTRIBUTE_VALUE, "stringValueStrindex", TEXT_INDEX}};

/* Which element contains which; without a key: an item of a list. */
static const struct {
    int around;
    const char *key;
    bool array;
    int inside;
} rules[] = {{ROOT, "resourceProfiles", true, RESOURCES},
             {ROOT, "dictionary", false, DICTIONARY},
             {RESOURCES, NULL, false, RESOURCE},
             {RESOURCE, "scopeProfiles", true, SCOPES},
             {SCOPES, NULL, false, SCOPE},
             {SCOPE, "profiles", true, PROFILES},
             {PROFILES, NULL, false, PROFILE},
             {PROFILE, "sampleType", false, SAMPLE_TYPE},
             {PROFILE, "periodType", false, PERIOD_TYPE},
             {PROFILE, "samples", true, SAMPLES},
             {PROFILE, "sample", true, SAMPLES},
             {SAMPLES, NULL, false, SAMPLE},
             {SAMPLE, "attributeIndices", true, SAMPLE_ATTRIBUTES},
             {SAMPLE, "values", true, SAMPLE_VALUES},
             {SAMPLE, "timestampsUnixNano", true, SAMPLE_TIMES},
             {DICTIONARY, "mappingTable", true, MAPPINGS},
             {MAPPINGS, NULL, false, MAPPING},
             {DICTIONARY, "locationTable", true, LOCATIONS},
             {LOCATIONS, NULL, false, LOCATION},
             {LOCATION, "lines", true, LINES},
             {LOCATION, "line", true, LINES},
             {LINES, NULL, false, LINE},
             {DICTIONARY, "functionTable", true, FUNCTIONS},
             {FUNCTIONS, NULL, false, FUNCTION},
             {DICTIONARY, "stringTable", true, TEXTS},
             {DICTIONARY, "attributeTable", true, ATTRIBUTES},
             {ATTRIBUTES, NULL, false, ATTRIBUTE},
             {ATTRIBUTE, "value", false, ATTRIBUTE_VALUE},
             {DICTIONARY, "stackTable", true, STACKS},
             {STACKS, NULL, false, STACK},
             {STACK, "locationIndices", true, STACK_LOCATIONS}};

/* Names that 1.8 removed. */
static const struct {
    int around;
    const char *key;
} gone[] = {{SAMPLE, "locationsStartIndex"}, {SAMPLE, "locationsLength"}, {SAMPLE, "value"},
            {PROFILE, "locationIndices"},    {PROFILE, "locationTable"},  {PROFILE, "stringTable"},
            {PROFILE, "timeNanos"},          {PROFILE, "durationNanos"}};

struct otlp {
    struct reading *reading;
    struct otlp_tables tables;
    struct otlp_type *types; /* of the profiles of this message */
    size_t type_capacity, type_count;
    uint64_t numbers[FIELDS];
    struct otlp_sample sample; /* at hand */
    char *text;                /* of the current attribute, or NULL */
    size_t text_length;
    FILE *waiting; /* samples of this message */
    bool refused;  /* before 1.8 */
    uint64_t refused_at;
    bool failed; /* no memory, or no capacity for temporary files */
};

static uint64_t otlp_json_offset(const struct otlp *otlp)
{
    return source_offset(otlp->reading->source);
}

/* ------------------------------------------------------------------------------------------ messages -- */

static bool otlp_json_begin(struct otlp *otlp, int state)
{
    if (state == MAPPING || state == LOCATION || state == LINE || state == FUNCTION || state == ATTRIBUTE)
        for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
            if (integers[i].around == state)
                otlp->numbers[integers[i].field] = 0;
    if (state == SAMPLE) {
        otlp->numbers[STACK_INDEX] = otlp->sample.attribute_count = 0;
        otlp->sample.values.count = otlp->sample.times.count = 0;
        otlp->sample.damaged = false;
    } else if (state == ATTRIBUTE) {
        otlp->numbers[INTEGER] = otlp->numbers[TEXT_INDEX] = 0;
        free(otlp->text);
        otlp->text = NULL;
    } else if (state == SAMPLE_TYPE || state == PERIOD_TYPE) {
        otlp->numbers[TYPE] = otlp->numbers[UNIT] = 0;
    } else if (state == PROFILE) {
        otlp->numbers[PERIOD] = 0;
        struct otlp_type *types = grow(otlp->types, &otlp->type_capacity, otlp->type_count, sizeof *types);
        if (!types || otlp->type_count == OTLP_PROFILES_MAX)
            return false;
        otlp->types = types;
        types[otlp->type_count++] = (struct otlp_type){0};
    }
    return true;
}

/* Whether to refuse the file as before 1.8, now or already. */
static bool otlp_json_refuse(struct otlp *otlp, int state, const char *key, bool array)
{
    if (otlp->refused)
        return true;
    otlp->refused = state == PROFILE && array && strcmp(key, "sampleType") == 0;
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        otlp->refused |= gone[i].around == state && strcmp(gone[i].key, key) == 0;
    if (otlp->refused)
        otlp->refused_at = otlp_json_offset(otlp);
    return otlp->refused;
}

/* A list of scalars. */
static bool otlp_json_is_list(int state)
{
    return state == SAMPLE_ATTRIBUTES || state == SAMPLE_VALUES || state == SAMPLE_TIMES || state == TEXTS ||
           state == STACK_LOCATIONS;
}

static int otlp_json_enter(void *user, int state, const char *key, bool array)
{
    struct otlp *otlp = user;
    if (otlp_json_refuse(otlp, state, key ? key : "", array))
        return JSON_OTHER;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (rules[i].around != state || !rules[i].key != !key || (key && strcmp(rules[i].key, key) != 0))
            continue;
        if (rules[i].array != array)
            break;
        otlp->failed |= !otlp_json_begin(otlp, rules[i].inside);
        return rules[i].inside;
    }
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].around == state && (!key || (rules[i].key && strcmp(rules[i].key, key) == 0)))
            reading_report_bad(otlp->reading, "byte %" PRIu64 ": %s where %s was expected%s%s", otlp_json_offset(otlp),
                               array ? "a list" : "an object", array ? "an object" : "a list", key ? ": " : "",
                               key ? key : "");
    if (otlp_json_is_list(state))
        reading_report_bad(otlp->reading, "byte %" PRIu64 ": a list or an object in a list of numbers or texts",
                           otlp_json_offset(otlp));
    return JSON_OTHER;
}

/* A number, or one written as a text, as for 64-bit integers; negative ones as two's complement. */
static bool otlp_json_parse_integer(const struct json_value *value, uint64_t *out)
{
    char *end;
    if (value->type != VALUE_NUMBER && value->type != VALUE_TEXT)
        return false;
    errno = 0;
    *out = *value->text == '-' ? (uint64_t)strtoll(value->text, &end, 10) : strtoull(value->text, &end, 10);
    if (*value->text && *end == '\0' && errno == 0)
        return true;
    *out = (uint64_t)value->integer;
    return value->type == VALUE_NUMBER && value->whole;
}

static bool otlp_json_add_item(struct otlp *otlp, int state, uint64_t number)
{
    struct otlp_sample *sample = &otlp->sample;
    switch (state) {
    case SAMPLE_VALUES:
        otlp->tables.negative |= (int64_t)number < 0;
        return otlp_append_number(&sample->values, number);
    case SAMPLE_TIMES:
        return otlp_append_number(&sample->times, number);
    case STACK_LOCATIONS:
        return otlp_append_number(&otlp->tables.stack_locations, number);
    default:
        if (sample->attribute_count < OTLP_ATTRIBUTES_MAX)
            sample->attributes[sample->attribute_count++] = number;
        return true;
    }
}

static bool otlp_json_value(void *user, int state, const char *key, uint64_t index, const struct json_value *value)
{
    struct otlp *otlp = user;
    (void)index;
    if (otlp_json_refuse(otlp, state, key, false))
        return true;
    if (otlp_json_is_list(state)) {
        uint64_t number = 0;
        if (state == TEXTS) {
            bool text = value->type == VALUE_TEXT;
            if (!text)
                reading_report_bad(otlp->reading, "byte %" PRIu64 ": an entry of stringTable that is not text",
                                   otlp_json_offset(otlp));
            return texts_add(&otlp->tables.locations.texts, text ? value->text : "", text ? value->length : 0);
        }
        bool good = otlp_json_parse_integer(value, &number);
        if (!good && state != STACK_LOCATIONS)
            otlp->sample.damaged = true;
        else if (!good)
            reading_report_bad(otlp->reading, "byte %" PRIu64 ": a location that is not an integer",
                               otlp_json_offset(otlp));
        return otlp_json_add_item(otlp, state, good ? number : UINT64_MAX);
    }
    if (state == ATTRIBUTE_VALUE && strcmp(key, "stringValue") == 0 && value->type == VALUE_TEXT) {
        free(otlp->text);
        otlp->text = strdup(value->text);
        otlp->text_length = value->length;
        return otlp->text;
    }
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        if (integers[i].around != state || strcmp(integers[i].key, key) != 0)
            continue;
        if (!otlp_json_parse_integer(value, &otlp->numbers[integers[i].field]) && value->type != VALUE_NULL)
            reading_report_bad(otlp->reading, "byte %" PRIu64 ": %s is not an integer", otlp_json_offset(otlp), key);
        return true;
    }
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].around == state && (rules[i].key ? strcmp(rules[i].key, key) == 0 : !*key) &&
            (value->type != VALUE_NULL || !*key)) {
            reading_report_bad(otlp->reading, "byte %" PRIu64 ": a number or a text where %s was expected",
                               otlp_json_offset(otlp), rules[i].array ? "a list" : "an object");
            break;
        }
    return true;
}

/* ------------------------------------------------------------------------------------------ samples -- */

enum { HEAD_PROFILE, HEAD_AT, HEAD_STACK, HEAD_ATTRIBUTES, HEAD_VALUES, HEAD_TIMES, HEAD_DAMAGED, HEAD_WORDS };

static bool otlp_json_write_words(FILE *file, const uint64_t *words, size_t count)
{
    return count == 0 || fwrite(words, sizeof *words, count, file) == count;
}

static bool otlp_json_spool_sample(struct otlp *otlp)
{
    assert(otlp->type_count > 0); /* a sample is within a profile */
    const struct otlp_sample *sample = &otlp->sample;
    const uint64_t head[HEAD_WORDS] = {
        [HEAD_PROFILE] = otlp->type_count - 1,     [HEAD_AT] = otlp_json_offset(otlp),
        [HEAD_STACK] = otlp->numbers[STACK_INDEX], [HEAD_ATTRIBUTES] = sample->attribute_count,
        [HEAD_VALUES] = sample->values.count,      [HEAD_TIMES] = sample->times.count,
        [HEAD_DAMAGED] = sample->damaged};
    struct otlp_type *type = &otlp->types[otlp->type_count - 1];
    type->timed |= sample->times.count > 0;
    type->nonzero |= sample->times.count > 0 && sample->values.count == 0;
    for (size_t i = 0; i < sample->values.count; i++)
        type->nonzero |= sample->values.items[i] != 0;
    if (!otlp->waiting)
        otlp->waiting = tmpfile();
    return otlp->waiting && otlp_json_write_words(otlp->waiting, head, HEAD_WORDS) &&
           otlp_json_write_words(otlp->waiting, sample->attributes, sample->attribute_count) &&
           otlp_json_write_words(otlp->waiting, sample->values.items, sample->values.count) &&
           otlp_json_write_words(otlp->waiting, sample->times.items, sample->times.count);
}

static bool otlp_json_read_words(FILE *file, uint64_t *words, uint64_t count)
{
    return count == 0 || fread(words, sizeof *words, count, file) == count;
}

static bool otlp_json_read_list(FILE *file, struct otlp_numbers *numbers, uint64_t count)
{
    uint64_t *grown = count ? grow(numbers->items, &numbers->capacity, count - 1, sizeof *grown) : numbers->items;
    if (count && !grown)
        return false;
    numbers->items = grown;
    numbers->count = count;
    return otlp_json_read_words(file, grown, count);
}

/* Handles the waiting samples with the dictionary; then the message is finished. */
static bool otlp_json_end_message(struct otlp *otlp)
{
    uint64_t head[HEAD_WORDS];
    struct otlp_sample *sample = &otlp->sample;
    struct otlp_target target = {0};
    size_t opened = SIZE_MAX;
    bool good = !otlp->waiting || fseek(otlp->waiting, 0, SEEK_SET) == 0;
    while (good && otlp->waiting && !otlp->refused && !sink_has_failed(otlp->reading->sink) &&
           otlp_json_read_words(otlp->waiting, head, HEAD_WORDS)) {
        sample->stack = head[HEAD_STACK];
        sample->attribute_count = head[HEAD_ATTRIBUTES];
        sample->damaged = head[HEAD_DAMAGED];
        good = otlp_json_read_words(otlp->waiting, sample->attributes, sample->attribute_count) &&
               otlp_json_read_list(otlp->waiting, &sample->values, head[HEAD_VALUES]) &&
               otlp_json_read_list(otlp->waiting, &sample->times, head[HEAD_TIMES]);
        if (good && head[HEAD_PROFILE] != opened) {
            opened = head[HEAD_PROFILE];
            good = otlp_open_target(&otlp->tables, otlp->types, otlp->type_count, opened, &target);
        }
        good = good && otlp_add_sample(&otlp->tables, &target, sample, head[HEAD_AT]);
    }
    good = good && !(otlp->waiting && ferror(otlp->waiting));
    if (otlp->waiting)
        fclose(otlp->waiting);
    otlp->waiting = NULL;
    otlp->type_count = 0;
    otlp_pass_net(&otlp->tables);
    otlp_clear_tables(&otlp->tables);
    return good;
}

static bool otlp_json_end_definition(struct otlp *otlp, int state)
{
    const uint64_t *numbers = otlp->numbers;
    struct locations *locations = &otlp->tables.locations;
    switch (state) {
    case MAPPING:
        return locations_add_mapping(locations, locations->mappings.count, numbers[FILE_NAME]);
    case LINE:
        return locations_add_line(locations, numbers[FUNCTION_INDEX], (int64_t)numbers[LINE_NUMBER]);
    case LOCATION:
        return locations_add_location(locations, locations->locations.count, numbers[MAPPING_INDEX], numbers[ADDRESS]);
    case FUNCTION:
        return locations_add_function(locations, locations->functions.count,
                                      numbers[NAME] ? numbers[NAME] : numbers[SYSTEM_NAME], numbers[FILE_NAME]);
    case ATTRIBUTE:
        return otlp_add_attribute(&otlp->tables, numbers[KEY], numbers[INTEGER], otlp->text, otlp->text_length,
                                  numbers[TEXT_INDEX]);
    case STACK:
        return otlp_end_stack(&otlp->tables);
    default:
        return true;
    }
}

static bool otlp_json_leave(void *user, int state)
{
    struct otlp *otlp = user;
    struct otlp_type *type = otlp->type_count ? &otlp->types[otlp->type_count - 1] : NULL;
    if (otlp->refused || otlp->failed)
        return otlp->refused;
    if (state == SAMPLE_TYPE && type) {
        type->type = otlp->numbers[TYPE];
        type->unit = otlp->numbers[UNIT];
    } else if (state == PERIOD_TYPE && type) {
        type->period_unit = otlp->numbers[UNIT];
    } else if (state == PROFILE && type) {
        type->period = otlp->numbers[PERIOD];
    } else if (state == SAMPLE) {
        otlp->failed |= !otlp_json_spool_sample(otlp);
    } else if (state == ROOT) {
        otlp->failed |= !otlp_json_end_message(otlp);
    } else {
        otlp->failed |= !otlp_json_end_definition(otlp, state);
    }
    return !otlp->failed;
}

static int read_otlp_json(struct reading *reading, struct error_text *message)
{
    static const struct json_format format = {
        .on_enter = otlp_json_enter, .on_value = otlp_json_value, .on_leave = otlp_json_leave, .lines = true};
    struct otlp otlp = {.reading = reading, .tables = {.locations = {.reading = reading, .indexed = true}}};
    sink_set_origin(reading->sink, "otlp-json", NULL, NULL);
    int status = json_parse_stream(reading->source, &format, &otlp, message);
    otlp_json_end_message(&otlp); /* of one that was cut */
    otlp_finish(&otlp.tables);
    if (otlp.refused)
        status = error_set(
            message, STATUS_BAD,
            "byte %" PRIu64
            ": its samples are those of OTLP before 1.8, which is not supported; export it again with 1.8 or later",
            otlp.refused_at);
    else if (otlp.failed)
        status = error_set(message, STATUS_BAD, "byte %" PRIu64 ": out of memory, or no room for temporary files",
                           otlp_json_offset(&otlp));
    free(otlp.types);
    free(otlp.sample.values.items);
    free(otlp.sample.times.items);
    free(otlp.text);
    return status;
}

static bool otlp_json_recognize(const unsigned char *head, size_t length)
{
    return json_recognize(head, length) &&
           (memmem(head, length, "\"resourceProfiles\"", 18) ||
            (memmem(head, length, "\"dictionary\"", 12) && memmem(head, length, "\"stringTable\"", 13)));
}

const struct profile_format format_otlp_json = {"otlp-json", otlp_json_recognize, read_otlp_json};
