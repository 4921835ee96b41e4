/*
 * object_layout.h - where HotSpot has the fields and elements of the objects of a dump, which says only where objects
 * begin. So the layout is computed as HotSpot does it, and compared with the distances between objects.
 *
 * What a header is and how long references are follows from the lengths of arrays and the distances to what follows
 * them. Fields: classfile/fieldLayoutBuilder.cpp (since Java 15, with a change in 25) or layout_fields() in
 * classfile/classFileParser.cpp (before) of HotSpot, with its default options. Unknown remain fields that the JVM adds
 * to classes of its own, and @Contended; a class whose objects are then longer than computed is not `confirmed`.
 */
#ifndef ASSAY_INSPECT_HEAPDUMP_OBJECT_LAYOUT_H
#define ASSAY_INSPECT_HEAPDUMP_OBJECT_LAYOUT_H

#include "collect/inspect/heapdump/heap_dump.h"
#include "collect/inspect/interpret/heap.h"

/* What the distances say of the computed size of a class's instances. */
enum object_layout_check {
    LAYOUT_CONFIRMED,    /* the next object begins exactly behind one of them, and never earlier */
    LAYOUT_LOOSE,        /* … never earlier, but never exactly there: it may be longer */
    LAYOUT_CONTRADICTED, /* … earlier: the layout is wrong */
    LAYOUT_CHECKS
};

struct object_layout {
    const struct heap_dump *dump;
    struct heap_layout arrays;
    bool known;         /* whether arrays follow each other as `arrays` says; else it is the usual layout, unchecked */
    uint32_t header;    /* bytes before the first field of an instance */
    uint32_t alignment; /* of objects */
    uint32_t statics;   /* bytes before the first static field in an object java.lang.Class */
    bool statics_known; /* else these are those of the header, for want of better */
    uint32_t java;      /* version: 8, 17, …; 0: unknown */
    bool reversed;      /* the dump describes the fields of a class from the last one to the first */
    uint32_t *nearest;  /* [classes + 1]: the smallest distance from an instance to the next object; 0: unknown */
    struct object_layout_class {
        uint32_t *offsets; /* [fields], in the order of the dump; NULL: not yet computed */
        uint32_t end;      /* of the last field */
    } * classes;           /* [classes + 1] */
};

/* 0, or ENOMEM. Cost: reads at most 200,000 objects. */
int object_layout_init(struct object_layout *layout, const struct heap_dump *dump);
void object_layout_free(struct object_layout *layout);

/* The offset of an instance field of a class, by its number in the dump; false without memory. */
bool object_layout_field(struct object_layout *layout, uint32_t class, uint32_t field, uint32_t *offset);
/* The offset of a static field in the object of its class. */
bool object_layout_static(const struct object_layout *layout, uint32_t class, const uint8_t *value, uint32_t *offset);
enum object_layout_check object_layout_check(struct object_layout *layout, uint32_t class);

#endif
