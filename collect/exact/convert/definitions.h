/*
 * definitions.h - the definitions of a raw file so far, and whether a record is consistent with them.
 */
#ifndef ASSAY_EXACT_CONVERT_DEFINITIONS_H
#define ASSAY_EXACT_CONVERT_DEFINITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/hash.h"
#include "collect/exact/convert/raw_file.h"

struct definition_module {
    char *path;
    uint64_t bias, low, high;             /* of code */
    uint64_t segments_low, segments_high; /* of code and data; equal: not yet known, or no segments */
    uint32_t method;                      /* in the tree: "[libc.so.6]"; 0: not yet needed */
    bool segments_read;
};

/* A location is an address and the module that it was in when it was defined; 0: none. */
struct definition_location {
    uint64_t address;
    uint32_t module;
};

struct definition_node {
    struct definition_location call;
    uint64_t loop;            /* the header of the innermost loop around the call; 0: none */
    uint32_t parent, context; /* context of the trace; 0: not yet needed */
    uint32_t kind, thread;
};

/* A loop of a function. */
struct definition_loop {
    struct definition_location header;
    uint64_t around;  /* the header of the loop around it; 0: none */
    uint32_t version; /* grows when other code has come to that address */
};

struct definition_site {
    struct definition_location location;
    uint32_t node, context; /* node 0: not defined */
};

struct definition_thread {
    uint32_t tid, stream; /* stream 0: not defined */
    char *name;           /* of a managed runtime's; NULL: of none */
};

struct definition_method {
    char *class_name, *name, *descriptor, *file; /* in one block, which class_name begins; NULL: not defined */
    uint32_t method;                             /* in the tree; 0: not yet needed */
};

struct definition_object {
    uint64_t address, bytes;
    uint32_t kind, node, module;
    uint32_t id; /* in the trace; 0: not yet needed */
    bool defined;
};

struct definition_slot {
    struct definition_location location;
    struct raw_slot raw;
};

struct definition_block {
    struct definition_slot *slots; /* [count]; NULL: not defined */
    uint32_t count, instructions;
    bool late;                    /* it has late headers */
    struct raw_instruction *code; /* [code_count]: what it fetches; NULL: that is not recorded */
    uint32_t code_count, code_id; /* id in the trace; 0: not yet needed */
};

/* An array [id], whose entry 0 is unused; entries up to `count` are zeros unless defined. */
struct definition_table {
    void *entries;
    uint32_t count;
    size_t capacity;
};

struct definitions {
    struct definition_table modules, nodes, sites, threads, objects, blocks, methods, loops;
    struct hash loop_set; /* by header */
    uint32_t streams;     /* of the trace, so far */
    json_t *functions;    /* mode calls: how many have each of the names that were given; NULL: that is not known */
};

void definitions_free(struct definitions *definitions);

/* Whether a slot is the header of a loop, and no access. */
static inline bool definitions_is_header(const struct raw_slot *slot)
{
    return slot->access >= RAW_LATE_HEADER;
}

/*
 * Takes a definition, or checks whether a record of counts is plausible: its ids are defined, its enumerations known,
 * and no more was wasted than accessed. Returns 0; EILSEQ: the tool can't have written it, and nothing after it can be
 * relied on; or ENOMEM. Records of other types are accepted.
 */
int definitions_add_record(struct definitions *definitions, const struct raw_record *record);

/* The entry, or NULL for 0 and for undefined ids. */
struct definition_module *definitions_module(const struct definitions *definitions, uint32_t id);
struct definition_node *definitions_node(const struct definitions *definitions, uint32_t id);
struct definition_site *definitions_site(const struct definitions *definitions, uint32_t handle);
struct definition_thread *definitions_thread(const struct definitions *definitions, uint32_t id);
struct definition_block *definitions_block(const struct definitions *definitions, uint32_t id);
struct definition_object *definitions_object(const struct definitions *definitions, uint32_t id);
struct definition_loop *definitions_loop(const struct definitions *definitions, uint64_t header);
struct definition_method *definitions_method(const struct definitions *definitions, uint32_t id);

/* Where an address lies: the code of the module that was mapped last. */
struct definition_location definitions_code(const struct definitions *definitions, uint64_t address);

/* The same for an address of data, by the segments that the modules' files have. */
struct definition_location definitions_data(const struct definitions *definitions, uint64_t address);

#endif
