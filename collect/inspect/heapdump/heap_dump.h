/*
 * heap_dump.h - a heap dump with an index: its objects and classes by id, texts, and the stacks of threads.
 *
 * Memory: 16 bytes for each object and each text, about 150 for each class, 16 for each root in a stack. The file is
 * mapped, so its pages come and go as they are used. Cost of opening: the file is read once.
 */
#ifndef ASSAY_INSPECT_HEAPDUMP_HEAP_DUMP_H
#define ASSAY_INSPECT_HEAPDUMP_HEAP_DUMP_H

#include "base/hash.h"
#include "collect/inspect/heapdump/hprof.h"
#include "collect/inspect/interpret/constants.h"

/* Positions by id, ascending once the dump is open; each id once. */
struct heap_dump_index {
    struct heap_dump_position {
        uint64_t id, at;
    } * positions; /* [count] */
    size_t count, capacity;
    bool unsorted;
};

struct heap_dump_class {
    uint64_t id, name; /* name: the id of a text */
    uint32_t serial;
    uint32_t same;  /* the number of the next one with the same name; 0: none */
    bool described; /* the heap has it; else there is only its name */
    bool is_super;  /* another class extends it */
    struct hprof_item item;
    uint32_t value_bytes; /* its own instance fields, in the dump */
};

struct heap_dump_frame {
    uint64_t id, method, descriptor; /* texts */
    uint32_t class_serial;
};

struct heap_dump_trace {
    uint32_t serial, thread; /* serial numbers */
    uint32_t frame_count;
    const uint8_t *frames; /* their ids, the top first */
};

struct heap_dump_root {
    uint64_t id;
    uint32_t thread, frame;
};

struct heap_dump {
    struct hprof file;
    struct heap_dump_index objects; /* classes among them */
    struct heap_dump_index texts;
    struct heap_dump_class *classes; /* [class_count + 1], by number from 1 */
    uint32_t class_count;
    size_t class_capacity;
    struct hash classes_by_id, classes_by_name; /* the latter: the first with a name */
    struct heap_dump_frame *frames;             /* [frame_count] */
    size_t frame_count, frame_capacity;
    struct heap_dump_trace *traces; /* [trace_count] */
    size_t trace_count, trace_capacity;
    struct heap_dump_root *locals; /* [local_count]: objects that frames refer to, in the dump's order */
    size_t local_count, local_capacity;
    struct heap_dump_root *threads; /* [thread_count]: objects of threads; frame: the serial number of a trace */
    size_t thread_count, thread_capacity;
};

/*
 * Opens a dump. STATUS_BAD and dump->file.bytes NULL: it can't be used. STATUS_BAD otherwise: it is cut or damaged, and
 * what is before that is used; the message says where. Not whole is also a dump without its end mark.
 */
int heap_dump_open(struct heap_dump *dump, const char *path, const struct hprof_progress *progress,
                   struct error_text *message);
void heap_dump_close(struct heap_dump *dump);

/* The text with an id; text NULL: there is none. */
struct constants_text heap_dump_text(const struct heap_dump *dump, uint64_t id);

/* The object with an id, or the class; false: there is none. O(log objects). */
bool heap_dump_object(const struct heap_dump *dump, uint64_t id, struct hprof_item *item);
/* The object with this number in the index, from 0. */
void heap_dump_object_at(const struct heap_dump *dump, size_t index, struct hprof_item *item);

/* The number of a class; 0: there is none. */
uint32_t heap_dump_class(const struct heap_dump *dump, uint64_t id);
uint32_t heap_dump_class_of_serial(const struct heap_dump *dump, uint32_t serial);
uint32_t heap_dump_super(const struct heap_dump *dump, uint32_t class);
/* The first class with a name ("java/lang/String", "[I"); the others follow it in `same`. */
uint32_t heap_dump_class_named(const struct heap_dump *dump, const char *name, size_t length);
/* The one that a class with this loader means by a name: the loader's own, or the only one; 0: not clear. */
uint32_t heap_dump_class_meant(const struct heap_dump *dump, const char *name, size_t length, uint64_t loader);
struct constants_text heap_dump_class_name(const struct heap_dump *dump, uint32_t class);
/* Whether a class is another one, or extends it. */
bool heap_dump_extends(const struct heap_dump *dump, uint32_t class, uint32_t other);

/* A field of an item of a class, by its number in the description: its name, and its type as in descriptors. */
struct constants_text heap_dump_field(const struct heap_dump *dump, const struct hprof_item *class, uint32_t field,
                                      char *type);
/* A static field by its name and its type ('L' for all references); NULL: there is none. Where its value is. */
const uint8_t *heap_dump_static(const struct heap_dump *dump, const struct hprof_item *class,
                                const struct constants_text *name, char type);

/* Where an instance has the values of a class's own fields, behind those of classes that extend it; NULL: it is
 * not an instance of the class. */
const uint8_t *heap_dump_fields(const struct heap_dump *dump, const struct hprof_item *object, uint32_t class);
/* The object that a field of an instance refers to, which a class with this name declares; 0: null, or there is none.
 */
uint64_t heap_dump_reference(const struct heap_dump *dump, const struct hprof_item *object, const char *class,
                             const char *field);

/* Copies the text that an object java.lang.String holds, as far as it is ASCII; false: it is not such an object. */
bool heap_dump_string(const struct heap_dump *dump, uint64_t id, char *text, size_t size);

#endif
