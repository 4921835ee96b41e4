/*
 * dump_heap.h - the objects of a dump as the heap of an interpretation (heap.h).
 */
#ifndef ASSAY_INSPECT_HEAPDUMP_DUMP_HEAP_H
#define ASSAY_INSPECT_HEAPDUMP_DUMP_HEAP_H

#include "base/keyed.h"
#include "collect/inspect/heapdump/dump_types.h"
#include "collect/inspect/heapdump/object_layout.h"

/* The heap for the methods of one class. What it refers to is the caller's. */
struct dump_heap {
    struct heap heap; /* its user is this structure, which must not move */
    struct dump_types types;
    struct object_layout *layout;
    const struct constants *constants;
    uint64_t loader;
    struct keyed objects;           /* one for each number */
    struct dump_heap_field *fields; /* [constants->count]: what constants name */
};

/* False without memory. */
bool dump_heap_init(struct dump_heap *heap, const struct dump_types *types, struct object_layout *layout,
                    const struct class_file *file, uint32_t class);
void dump_heap_free(struct dump_heap *heap);

/* The number of an object; 0: null, there is no such object, or there are too many. */
uint32_t dump_heap_number(struct dump_heap *heap, uint64_t id);
/* Forgets the numbers, of which an interpretation can have 20,000. */
void dump_heap_reset(struct dump_heap *heap);

/* Counts the classes of the numbered objects by what is known of their layout; seen[classes + 1] has those that were
 * counted before. */
void dump_heap_count_layouts(const struct dump_heap *heap, uint8_t *seen, uint64_t counts[LAYOUT_CHECKS]);

#endif
