#include "trace/import/pprof/otlp.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace/import/pprof/labels.h"

/* The value of an attribute that identifies the thread of a sample. */
struct otlp_attribute {
    uint64_t key, tid, text; /* text; the integer; text of the dictionary */
    size_t name;             /* index in names + 1; 0: it has no text of its own */
};

/* The weights of the file's profile, by the names of their types. */
struct otlp_weights {
    unsigned profile;
    size_t count;
    char names[SAMPLE_WEIGHTS_MAX][204];
};

bool otlp_append_number(struct otlp_numbers *numbers, uint64_t value)
{
    uint64_t *grown = grow(numbers->items, &numbers->capacity, numbers->count, sizeof *grown);
    if (!grown)
        return false;
    numbers->items = grown;
    grown[numbers->count++] = value;
    return true;
}

bool otlp_end_stack(struct otlp_tables *tables)
{
    return otlp_append_number(&tables->stack_ends, tables->stack_locations.count);
}

bool otlp_add_attribute(struct otlp_tables *tables, uint64_t key, uint64_t integer, const char *name, size_t length,
                        uint64_t text)
{
    struct otlp_attribute *grown =
        grow(tables->attributes, &tables->attribute_capacity, tables->attribute_count, sizeof *grown);
    if (!grown)
        return false;
    tables->attributes = grown;
    if (name && !texts_add(&tables->names, name, length))
        return false;
    grown[tables->attribute_count++] = (struct otlp_attribute){key, integer, text, name ? tables->names.count : 0};
    return true;
}

/* The attributes that identify a thread in OpenTelemetry's conventions, and by labels of pprof that were converted. */
static uint32_t otlp_open_thread(struct otlp_tables *tables, const struct otlp_sample *sample)
{
    struct labels labels = {.name = ""};
    for (size_t i = 0; i < sample->attribute_count; i++) {
        const uint64_t number = sample->attributes[i];
        const struct otlp_attribute *attribute = number < tables->attribute_count ? &tables->attributes[number] : NULL;
        const char *key = attribute ? texts_get(&tables->locations.texts, attribute->key) : "";
        if (attribute && !labels_is_thread(key)) {
            text_set_add(&tables->left_out, key);
            tables->left_out_count++;
        } else if (attribute) {
            const char *text = attribute->name ? texts_get(&tables->names, attribute->name - 1)
                                               : texts_get(&tables->locations.texts, attribute->text);
            labels_add(&labels, key, text, (int64_t)attribute->tid);
        } else {
            reading_report_bad(tables->locations.reading, "attribute %" PRIu64 " is used but not defined", number);
        }
    }
    return sink_add_thread(tables->locations.reading->sink, labels.tid, labels.name);
}

bool otlp_add_sample(struct otlp_tables *tables, const struct otlp_target *target, const struct otlp_sample *sample,
                     uint64_t at)
{
    const size_t values = sample->values.count, times = sample->times.count, count = times ? times : values;
    /* The frames of its stack; number 0 is for samples without one. */
    uint64_t number = sample->stack;
    const struct otlp_numbers *ends = &tables->stack_ends;
    tables->stack.depth = 0;
    if (number >= ends->count && number > 0)
        reading_report_bad(tables->locations.reading, "stack %" PRIu64 " is used but not defined", number);
    if (number < ends->count)
        for (size_t i = number ? ends->items[number - 1] : 0; i < ends->items[number]; i++)
            if (!locations_push_frames(&tables->locations, tables->stack_locations.items[i], &tables->stack))
                return false;
    if (sample->damaged || count == 0 || (values && times && values != times) || (!times && values != 1)) {
        reading_report_bad(tables->locations.reading,
                           "byte %" PRIu64
                           ": a sample of %zu values and %zu times; it needs equal numbers, or one value",
                           at, values, times);
        return true;
    }
    struct sink_sample out = {.profile = target->profile,
                              .thread = otlp_open_thread(tables, sample),
                              .frames = tables->stack.frames,
                              .depth = tables->stack.depth};
    for (size_t i = 0; i < count; i++) {
        *(target->weight ? &out.more[target->weight - 1] : &out.weight) = values ? sample->values.items[i] : 1;
        out.time_ns = times ? sample->times.items[i] : 0;
        if (tables->negative && !net_add_sample(&tables->net, &out, (int64_t)out.weight))
            return false;
        if (!tables->negative)
            sink_add_sample(tables->locations.reading->sink, &out);
    }
    return true;
}

/* The name of a type, with its unit where another type has the same name and another unit. */
static void otlp_name_type(const struct texts *texts, const struct otlp_type *types, size_t count, size_t at,
                           char name[204])
{
    const char *type = texts_get(texts, types[at].type);
    bool clash = false;
    for (size_t i = 0; i < count; i++)
        clash |= types[i].type == types[at].type && types[i].unit != types[at].unit;
    snprintf(name, 204, clash ? "%.100s-%.100s" : "%.100s", *type ? type : "samples", texts_get(texts, types[at].unit));
}

static const char *otlp_type_unit(const struct texts *texts, const struct otlp_type *type)
{
    const char *unit = texts_get(texts, type->unit);
    return *unit ? unit : "count";
}

/* The weight with this name; their number if there is none. */
static size_t otlp_find_weight(const struct otlp_weights *weights, const char *name)
{
    size_t i = 0;
    while (i < weights->count && strcmp(weights->names[i], name) != 0)
        i++;
    return i;
}

/* The profile of types[at], with the further weights that are given. */
static unsigned otlp_open_profile(struct otlp_tables *tables, const struct otlp_type *types, size_t count, size_t at,
                                  const struct sink_weight more[SINK_MORE_MAX])
{
    const struct texts *texts = &tables->locations.texts;
    const bool period = types[at].period > 0 && strcmp(texts_get(texts, types[at].period_unit), "nanoseconds") == 0;
    bool timed = false, threads = false;
    char name[204];
    otlp_name_type(texts, types, count, at, name);
    for (size_t i = 0; i < tables->attribute_count; i++)
        threads |= labels_is_thread(texts_get(texts, tables->attributes[i].key));
    for (size_t i = 0; i < count; i++)
        timed |= types[i].type == types[at].type && types[i].timed;
    struct sink_profile profile = {.name = name,
                                   .unit = otlp_type_unit(texts, &types[at]),
                                   .weight = name,
                                   .period_ns = period ? types[at].period : 0,
                                   .unknown = (timed ? 0 : UNKNOWN_TIMES) | (threads ? 0 : UNKNOWN_THREADS) |
                                              (period ? 0 : UNKNOWN_PERIOD)};
    if (more)
        memcpy(profile.more, more, sizeof profile.more);
    return sink_open_profile(tables->locations.reading->sink, &profile);
}

bool otlp_open_target(struct otlp_tables *tables, const struct otlp_type *types, size_t count, size_t at,
                      struct otlp_target *target)
{
    char name[204];
    if (!tables->weights) {
        /* The first type that is not all zero, or the one that --profile names, and as many others as there is capacity
         * for. */
        const struct texts *texts = &tables->locations.texts;
        const char *wanted = tables->locations.reading->profile;
        struct otlp_weights *weights = calloc(1, sizeof *weights);
        struct sink_weight more[SINK_MORE_MAX] = {{0}};
        size_t first = 0;
        bool is_missing = wanted != NULL; /* then each is a profile, so that the message lists them */
        char weight_name[204];
        tables->weights = weights;
        if (!weights)
            return false;
        while (first < count && !types[first].nonzero)
            first++;
        first = first < count ? first : 0;
        for (size_t i = 0; wanted && i < count; i++) {
            otlp_name_type(texts, types, count, i, weight_name);
            if (strcmp(weight_name, wanted) == 0) {
                first = i;
                is_missing = false;
            }
        }
        otlp_name_type(texts, types, count, first, weights->names[weights->count++]);
        for (size_t i = 0; !is_missing && i < count && weights->count < SAMPLE_WEIGHTS_MAX; i++) {
            char *own = weights->names[weights->count];
            otlp_name_type(texts, types, count, i, own);
            if (!types[i].nonzero || otlp_find_weight(weights, own) < weights->count)
                continue;
            more[weights->count++ - 1] = (struct sink_weight){own, otlp_type_unit(texts, &types[i])};
        }
        weights->profile = otlp_open_profile(tables, types, count, first, more);
    }
    otlp_name_type(&tables->locations.texts, types, count, at, name);
    const size_t weight = otlp_find_weight(tables->weights, name);
    const bool has_weight = weight < tables->weights->count;
    target->weight = has_weight ? weight : 0;
    target->profile = has_weight ? tables->weights->profile : otlp_open_profile(tables, types, count, at, NULL);
    return true;
}

void otlp_pass_net(struct otlp_tables *tables)
{
    if (tables->negative)
        net_pass_sums(&tables->net, tables->locations.reading, "values");
}

void otlp_clear_tables(struct otlp_tables *tables)
{
    net_free(&tables->net);
    locations_free(&tables->locations);
    texts_free(&tables->names);
    stack_free(&tables->stack);
    free(tables->stack_ends.items);
    free(tables->stack_locations.items);
    free(tables->attributes);
    *tables =
        (struct otlp_tables){.locations = {.reading = tables->locations.reading, .indexed = tables->locations.indexed},
                             .weights = tables->weights,
                             .left_out = tables->left_out,
                             .left_out_count = tables->left_out_count};
}

void otlp_finish(struct otlp_tables *tables)
{
    struct reading *reading = tables->locations.reading;
    char others[256] = "", keys[256] = "";
    for (size_t i = 1; tables->weights && i < tables->weights->count; i++)
        error_list(others, sizeof others, tables->weights->names[i]);
    if (*others && !reading->profile)
        error_append(&reading->note, "its samples weigh '%.100s'; --weight chooses others: %s",
                     tables->weights->names[0], others);
    for (uint32_t i = 0; i < tables->left_out.count; i++)
        error_list(keys, sizeof keys, tables->left_out.texts[i]);
    if (tables->left_out_count > 0)
        error_append(&reading->note, "%" PRIu64 " attributes of samples that are no threads were left out: %s",
                     tables->left_out_count, keys);
    otlp_clear_tables(tables);
    free(tables->weights);
    tables->weights = NULL;
    text_set_free(&tables->left_out);
}
