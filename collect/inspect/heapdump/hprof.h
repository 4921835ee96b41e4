/*
 * hprof.h - a heap dump as a file: records, and what is in those of the heap, one by one. Nothing is kept of them.
 *
 * Format: JAVA PROFILE 1.0.2, or 1.0.1, as HotSpot writes it (jcmd PID GC.heap_dump, jmap -dump,
 * -XX:+HeapDumpOnOutOfMemoryError), described in HotSpot's services/heapDumper.cpp. Numbers are big-endian. A packed
 * dump (GC.heap_dump -gz=N) is a gzip file, or several in a row.
 *
 * Ids of objects: HotSpot writes their addresses. (Z before JDK 21 adds a bit of the collector's to all of them alike.)
 */
#ifndef ASSAY_INSPECT_HEAPDUMP_HPROF_H
#define ASSAY_INSPECT_HEAPDUMP_HPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error_text.h"
#include "collect/inspect/interpret/cursor.h"

/* Called now and then, with bytes done of all; `what` is "unpacking" or "indexing". */
struct hprof_progress {
    void (*report)(void *user, const char *what, uint64_t done, uint64_t all); /* NULL: no reports */
    void *user;
};

struct hprof {
    const uint8_t *bytes; /* [size]; of a packed dump what was unpacked, in a temporary file */
    uint64_t size;
    uint64_t begin;        /* where the first record is */
    uint32_t id_bytes;     /* 4 or 8 */
    uint64_t time_ms;      /* when it was written, since 1970 */
    struct error_text cut; /* why a packed dump could be unpacked in part only; "": all of it was */
};

/* Maps the file. Cost: none, or for a packed dump that of unpacking it, in time and on disk (base/temporary.h). Not
 * STATUS_GOOD: it can't be read at all. */
int hprof_open(struct hprof *dump, const char *path, const struct hprof_progress *progress, struct error_text *message);
void hprof_close(struct hprof *dump);

enum hprof_tag {
    HPROF_TEXT = 0x01,
    HPROF_LOAD_CLASS = 0x02,
    HPROF_FRAME = 0x04,
    HPROF_TRACE = 0x05,
    HPROF_HEAP_DUMP = 0x0c,
    HPROF_HEAP_SEGMENT = 0x1c,
    HPROF_HEAP_END = 0x2c
};

struct hprof_record {
    uint8_t tag;
    uint64_t body, next; /* positions; next: of the following record, perhaps beyond the file */
};

/* False: no whole header of a record is there. */
bool hprof_record_at(const struct hprof *dump, uint64_t at, struct hprof_record *record);

enum hprof_item_tag {
    HPROF_ROOT_JAVA_FRAME = 0x03,
    HPROF_ROOT_THREAD = 0x08,
    HPROF_CLASS = 0x20,
    HPROF_INSTANCE = 0x21,
    HPROF_OBJECT_ARRAY = 0x22,
    HPROF_PRIMITIVE_ARRAY = 0x23
};

/* One item of a heap dump or a segment of it. */
struct hprof_item {
    uint8_t tag;
    char type; /* of an array's elements, as in descriptors: 'L' for references; else 0 */
    uint64_t id;
    uint64_t class_id;     /* of an instance or an array of references; of a class its superclass, 0: none */
    uint64_t loader;       /* of a class; 0: the boot loader */
    uint32_t thread;       /* serial number: of a root that has one */
    uint32_t frame;        /* of a Java frame: its depth in its thread's trace, 0: the top */
    uint32_t count;        /* elements of an array, bytes of an instance, instance fields of a class */
    const uint8_t *values; /* elements; fields' values, those of superclasses behind; or descriptions of fields, each
                              the id of its name, and a type */
    uint32_t static_count;
    const uint8_t *statics; /* of a class: each the id of its name, a type, and a value */
    uint64_t next;          /* position of the following item */
};

enum hprof_status { HPROF_GOOD, HPROF_CUT /* it is not whole */, HPROF_UNKNOWN /* there is no such item */ };

/* Reads the item at a position, which ends before `end`. O(1), for a class O(its fields). */
enum hprof_status hprof_item_at(const struct hprof *dump, uint64_t at, uint64_t end, struct hprof_item *item);

/* The type that a number stands for, as in descriptors; '\0': none. And its bytes in the file; 0: of no type. */
char hprof_type(uint8_t number);
uint32_t hprof_type_bytes(const struct hprof *dump, char type);

static inline uint64_t hprof_id(const struct hprof *dump, const uint8_t *at)
{
    return cursor_number(at, dump->id_bytes);
}

#endif
