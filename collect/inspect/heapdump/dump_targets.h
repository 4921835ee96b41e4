/*
 * dump_targets.h - the methods with loops of the given classes that a dump has loaded, and the stacks that they are on.
 */
#ifndef ASSAY_INSPECT_HEAPDUMP_DUMP_TARGETS_H
#define ASSAY_INSPECT_HEAPDUMP_DUMP_TARGETS_H

#include "collect/inspect/classfile/class_path.h"
#include "collect/inspect/heapdump/heap_dump.h"
#include "collect/inspect/inspection/inspection.h"

/* A frame of a thread's stack in which a method is. */
struct dump_frame {
    uint32_t class; /* by number */
    struct constants_text name, descriptor;
    uint32_t thread, depth; /* the thread's serial number; 0 is the top of its stack */
};

struct dump_target {
    const struct class_file *file;
    const struct class_method *method;
    uint32_t class; /* in the dump */
    struct flow flow;
    char *texts[4]; /* of `about` */
    struct inspection_line *lines;
    struct inspection_method about;
    const struct dump_frame *frames; /* [frame_count]: of the dump */
    size_t frame_count;
};

struct dump_targets {
    struct dump_frame *frames; /* [frame_count], by class and method */
    size_t frame_count;
    struct dump_target *all; /* [count]: those on a stack first */
    size_t count, capacity;
    uint64_t found;      /* methods with loops, those beyond the limit as well */
    uint64_t unreadable; /* methods whose code can't be followed */
    uint64_t invalid;    /* classes whose files are not valid */
    uint64_t not_loaded; /* classes of which the dump has none */
};

/*
 * Finds at most `most` methods, those whose "java.util.HashMap.get" matches one of the patterns (of a shell; a package
 * may be left out); no patterns: all. 0 or ENOMEM. Cost: reads the classes that are loaded.
 */
int dump_targets_find(struct dump_targets *targets, const struct heap_dump *dump, struct class_path *path,
                      char *const *patterns, size_t pattern_count, uint64_t most);
void dump_targets_free(struct dump_targets *targets);

#endif
