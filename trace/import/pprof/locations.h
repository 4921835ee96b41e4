/*
 * locations.h - functions, mappings and locations of pprof, and of OTLP, which adopted them: from messages to frames.
 * Source: google/pprof, proto/profile.proto; opentelemetry-proto, profiles/v1development/profiles.proto.
 */
#ifndef ASSAY_TRACE_IMPORT_PPROF_LOCATIONS_H
#define ASSAY_TRACE_IMPORT_PPROF_LOCATIONS_H

#include "trace/import/idmap.h"
#include "trace/import/pprof/proto.h"
#include "trace/import/pprof/pruning.h"
#include "trace/import/reading.h"
#include "trace/import/stack.h"
#include "trace/import/texts.h"

/* Starts as {0}, except for `reading`. Memory: what is defined. */
struct locations {
    struct reading *reading;
    bool indexed; /* OTLP: messages carry no id; theirs is their position in the file, from 0, and other fields have
                     lower numbers */
    const struct pruning *pruning; /* NULL: none */
    bool *dropped;                 /* [frame]: its function is one that is dropped */
    size_t dropped_capacity;
    struct texts texts;
    struct idmap functions, mappings, locations;
    struct location_function *function; /* [index of its id] */
    struct location_mapping *mapping;
    struct location *location;
    struct location_line *lines;
    size_t function_capacity, mapping_capacity, location_capacity, line_capacity, line_count;
    uint32_t line_used; /* by locations that are complete */
};

/* Numbers of a message by field: numbers[field] for fields below `count`; others are skipped. False if damaged. */
bool locations_read_numbers(struct proto message, uint64_t *numbers, size_t count);

/* Add a message of each kind. False if it is damaged, or without memory. */
bool locations_read_function(struct locations *locations, struct proto message);
bool locations_read_mapping(struct locations *locations, struct proto message);
bool locations_read_location(struct locations *locations, struct proto message);

/* The same by numbers; `name` and `file` are texts. A location has the lines that were added since the previous one,
 * from the innermost inlined call on. False without memory. */
bool locations_add_function(struct locations *locations, uint64_t id, uint64_t name, uint64_t file);
bool locations_add_mapping(struct locations *locations, uint64_t id, uint64_t file);
bool locations_add_line(struct locations *locations, uint64_t function, int64_t line);
bool locations_add_location(struct locations *locations, uint64_t id, uint64_t mapping, uint64_t address);

/* Pushes the frames of a location onto a stack, from the innermost inlined call on. Code without a name is named after
 * its mapping, as in pprof; an undefined location gets the frame [unknown] and is reported. False without memory. */
bool locations_push_frames(struct locations *locations, uint64_t id, struct stack *stack);

/* Drops from a whole stack, seen from its outermost frame, the first frame whose function is to be dropped, and all
 * that it calls, unless nothing would remain: true if it did. */
bool locations_prune_stack(const struct locations *locations, struct stack *stack);

void locations_free(struct locations *locations);

#endif
