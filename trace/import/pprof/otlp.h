/*
 * otlp.h - shared by both encodings of OTLP profiles: the dictionary's stacks and attributes, and the conversion of
 * samples, which refer to the dictionary, to records. Source: opentelemetry-proto,
 * profiles/v1development/profiles.proto, 1.8 to 1.11.
 */
#ifndef ASSAY_TRACE_IMPORT_PPROF_OTLP_H
#define ASSAY_TRACE_IMPORT_PPROF_OTLP_H

#include "trace/import/net.h"
#include "trace/import/pprof/locations.h"
#include "base/text_set.h"

enum { OTLP_PROFILES_MAX = 1 << 16, OTLP_ATTRIBUTES_MAX = 64 };

/* A list that grows; starts as {0}. */
struct otlp_numbers {
    uint64_t *items;
    size_t capacity, count;
};
/* False without memory. */
bool otlp_append_number(struct otlp_numbers *numbers, uint64_t value);

/* Starts as {0}, except for `locations.reading` and `locations.indexed`. Memory: what is defined. */
struct otlp_tables {
    struct locations locations;
    struct otlp_numbers stack_ends; /* [stack]: the end of its locations in stack_locations */
    struct otlp_numbers stack_locations;
    struct otlp_attribute *attributes;
    size_t attribute_capacity, attribute_count;
    struct texts names; /* values of attributes that are texts of their own */
    struct stack stack;
    bool negative; /* some value is, so that nets are taken */
    struct net net;
    struct otlp_weights *weights; /* of the file, made by the first otlp_open_target() */
    struct text_set left_out;     /* keys of attributes of samples other than threads; for all messages of a file */
    uint64_t left_out_count;      /* how many attributes these were */
};

/* Makes the locations appended to stack_locations since the last call the next stack of the dictionary. False without
 * memory.
 */
bool otlp_end_stack(struct otlp_tables *tables);

/* Adds the next attribute of the dictionary: ids of texts, and the value, which is an integer, or a text of its own
 * (`name`; NULL: none) or one of the dictionary (0: none). False without memory. */
bool otlp_add_attribute(struct otlp_tables *tables, uint64_t key, uint64_t integer, const char *name, size_t length,
                        uint64_t text);

/* The type of a profile: ids of texts; the period is in its unit; `timed`: some sample has times; `nonzero`: some value
 * is not 0. */
struct otlp_type {
    uint64_t type, unit, period_unit, period;
    bool timed, nonzero;
    bool nonzero_by_field[2]; /* as long as it is not known which field has the values: 2 or 4 */
};
/* What samples of types[at] weigh: a weight of the file's profile, which has those of all types of the first message
 * that there is capacity for, or a profile of their own. Values of one type in two units are two weights. */
struct otlp_target {
    unsigned profile;
    size_t weight; /* 0: the first one; i: more[i - 1] */
};
/* False without memory. */
bool otlp_open_target(struct otlp_tables *tables, const struct otlp_type *types, size_t count, size_t at,
                      struct otlp_target *target);

struct otlp_sample {
    uint64_t stack; /* 0: it has none */
    uint64_t attributes[OTLP_ATTRIBUTES_MAX];
    size_t attribute_count;
    struct otlp_numbers values, times;
    bool damaged;
};
/* Adds the sample at this byte: one record for each time, of its value or 1; or one value without a time. Any other
 * sample is left out and reported. False without memory. */
bool otlp_add_sample(struct otlp_tables *tables, const struct otlp_target *target, const struct otlp_sample *sample,
                     uint64_t at);

/* Passes the nets to the sink, if some value was negative: after the last sample. */
void otlp_pass_net(struct otlp_tables *tables);

/* Frees the tables; locations.reading and .indexed, the weights and what was left out are kept, so that the tables can
 * be filled again. */
void otlp_clear_tables(struct otlp_tables *tables);

/* Notes the weights that there are and what was left out, and frees all. */
void otlp_finish(struct otlp_tables *tables);

#endif
