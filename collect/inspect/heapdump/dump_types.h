/*
 * dump_types.h - whether an object of a dump is of a type. A dump has superclasses; interfaces are in class files, as
 * far as these were given, so some results are unknown.
 */
#ifndef ASSAY_INSPECT_HEAPDUMP_DUMP_TYPES_H
#define ASSAY_INSPECT_HEAPDUMP_DUMP_TYPES_H

#include "collect/inspect/classfile/class_path.h"
#include "collect/inspect/heapdump/heap_dump.h"
#include "collect/inspect/interpret/heap.h"

struct dump_types {
    const struct heap_dump *dump;
    struct class_path *path;
};

/* Whether the object is an instance of the class or array type ("java/util/List", "[I") that a class with this loader
 * means by the name. Unknown for a class that the dump does not have. */
enum heap_truth dump_types_is(const struct dump_types *types, const struct hprof_item *object,
                              const struct constants_text *name, uint64_t loader);

#endif
