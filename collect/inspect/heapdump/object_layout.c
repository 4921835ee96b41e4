#include "collect/inspect/heapdump/object_layout.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "collect/inspect/interpret/value.h"

static uint32_t object_layout_align_up(uint32_t at, uint32_t to)
{
    assert(to > 0);
    return (at + to - 1) / to * to;
}

/* The bytes of a field or an element in memory. */
static uint32_t object_layout_type_bytes(const struct object_layout *layout, char type)
{
    return type == 'L' ? layout->arrays.reference_bytes : value_bytes_of(type);
}

/* ------------------------------------------------------------------------------------------ headers -- */

/* A header that HotSpot may use. Elements begin behind the length, aligned to `array_alignment` or to themselves. */
struct header {
    uint32_t bytes;           /* of an instance: mark and class */
    uint32_t length;          /* where an array has its length */
    uint32_t array_alignment; /* of the first element; 8 before Java 23 */
};

static const struct header HEADERS[] = {
    {12, 12, 8}, /* a compressed class pointer, the default */
    {16, 16, 8}, /* a class pointer of 8 bytes */
    {16, 16, 4}, /* … since Java 23 */
    {8, 8, 4},   /* a compact header (Java 24, -XX:+UseCompactObjectHeaders); in a JVM of 32 bits, mark and class */
};
enum { HEADER_COUNT = sizeof HEADERS / sizeof *HEADERS, REFERENCE_SIZES = 2 };

static void object_layout_assume_header(struct object_layout *layout, const struct header *header,
                                        uint32_t reference_bytes)
{
    static const char TYPES[] = "ZBCSIJFDL";
    layout->header = header->bytes;
    layout->arrays = (struct heap_layout){.length = header->length, .reference_bytes = reference_bytes};
    for (const char *type = TYPES; *type; type++) {
        uint32_t bytes = object_layout_type_bytes(layout, *type);
        layout->arrays.elements[(unsigned char)*type] = object_layout_align_up(
            header->length + 4, bytes > header->array_alignment ? bytes : header->array_alignment);
    }
}

/* Counts the arrays of a sample that end exactly where the next object begins, less those that would go on into it. */
static void object_layout_find_header(struct object_layout *layout, const struct heap_dump_position *arrays,
                                      const uint32_t *distances, size_t count)
{
    int64_t most = 0;
    size_t best = 0;
    for (size_t i = 0; i < HEADER_COUNT * REFERENCE_SIZES; i++) {
        uint32_t reference_bytes = i % REFERENCE_SIZES ? 8 : 4;
        if (reference_bytes > layout->dump->file.id_bytes)
            continue;
        object_layout_assume_header(layout, &HEADERS[i / REFERENCE_SIZES], reference_bytes);
        int64_t matches = 0;
        for (size_t a = 0; a < count; a++) {
            struct hprof_item item;
            hprof_item_at(&layout->dump->file, arrays[a].at, layout->dump->file.size, &item);
            uint64_t bytes = layout->arrays.elements[(unsigned char)item.type] +
                             (uint64_t)item.count * object_layout_type_bytes(layout, item.type);
            bytes = (bytes + layout->alignment - 1) / layout->alignment * layout->alignment;
            matches += bytes == distances[a] ? 1 : bytes > distances[a] ? -1 : 0;
        }
        if (matches > most) {
            most = matches;
            best = i;
        }
    }
    layout->known = most > 0;
    object_layout_assume_header(layout, &HEADERS[best / REFERENCE_SIZES], best % REFERENCE_SIZES ? 8 : 4);
}

/* ------------------------------------------------------------------------------------------ distances -- */

/* Static fields follow each other: the id of a name, a type, a value. */
static const uint8_t *object_layout_next_static(const struct heap_dump *dump, const uint8_t *at)
{
    uint32_t ids = dump->file.id_bytes;
    return at + ids + 1 + hprof_type_bytes(&dump->file, hprof_type(at[ids]));
}

/* HotSpot adds "<resolved_references>", which is none. */
static bool object_layout_is_declared(const struct heap_dump *dump, const uint8_t *at)
{
    struct constants_text name = heap_dump_text(dump, hprof_id(&dump->file, at));
    return name.length == 0 || *name.text != '<';
}

/* A class without static fields is an object as long as java.lang.Class makes it. */
static void object_layout_note_distance(struct object_layout *layout, const struct hprof_item *item, uint32_t distance)
{
    uint32_t *nearest =
        item->tag == HPROF_CLASS ? &layout->statics : &layout->nearest[heap_dump_class(layout->dump, item->class_id)];
    if (item->tag == HPROF_CLASS) {
        const uint8_t *at = item->statics;
        uint32_t count = 0;
        for (uint32_t i = 0; i < item->static_count; i++, at = object_layout_next_static(layout->dump, at))
            count += object_layout_is_declared(layout->dump, at);
        if (count > 0)
            return;
    }
    if (*nearest == 0 || distance < *nearest)
        *nearest = distance;
}

/* Objects that are evenly spread over the index, and what follows each. */
enum { SAMPLE = 200000, DISTANCE_MAX = 1 << 30, ALIGNMENT_MAX = 256 };

static int object_layout_sample_distances(struct object_layout *layout)
{
    const struct heap_dump_index *objects = &layout->dump->objects;
    size_t step = objects->count / SAMPLE + 1, most = objects->count / step + 1, count = 0;
    struct heap_dump_position *arrays = calloc(most, sizeof *arrays);
    uint32_t *distances = calloc(most, sizeof *distances);
    uint64_t bits = ALIGNMENT_MAX;
    for (size_t i = 0; arrays && distances && i + 1 < objects->count; i += step) {
        uint64_t distance = objects->positions[i + 1].id - objects->positions[i].id;
        struct hprof_item item;
        bits |= objects->positions[i].id;
        if (distance > DISTANCE_MAX)
            continue;
        heap_dump_object_at(layout->dump, i, &item);
        if (item.type) {
            arrays[count] = objects->positions[i];
            distances[count++] = (uint32_t)distance;
        } else {
            object_layout_note_distance(layout, &item, (uint32_t)distance);
        }
    }
    layout->alignment = (uint32_t)(bits & -bits);
    layout->alignment = layout->alignment < 8 ? 8 : layout->alignment;
    assert((layout->alignment & (layout->alignment - 1)) == 0);
    if (arrays && distances)
        object_layout_find_header(layout, arrays, distances, count);
    bool good = arrays && distances;
    free(arrays);
    free(distances);
    return good ? 0 : ENOMEM;
}

/* ------------------------------------------------------------------------------------------ the JVM -- */

/* The value of a static string of a class; false: there is none. */
static bool object_layout_static_text(const struct heap_dump *dump, const char *class, const char *field, char *text,
                                      size_t size)
{
    uint32_t number = heap_dump_class_named(dump, class, strlen(class));
    const struct constants_text name = {field, strlen(field)};
    const uint8_t *value = number ? heap_dump_static(dump, &dump->classes[number].item, &name, 'L') : NULL;
    return value && heap_dump_string(dump, hprof_id(&dump->file, value), text, size);
}

int object_layout_init(struct object_layout *layout, const struct heap_dump *dump)
{
    static const char STRING[] = "java/lang/String";
    char text[64];
    *layout = (struct object_layout){.dump = dump};
    /* "1.8.0_402" is 8, "17.0.9" 17. */
    if (object_layout_static_text(dump, "java/lang/VersionProps", "java_version", text, sizeof text) ||
        object_layout_static_text(dump, "sun/misc/Version", "java_version", text, sizeof text))
        layout->java = (uint32_t)strtoul(strncmp(text, "1.", 2) == 0 ? text + 2 : text, NULL, 10);
    /* The first field of java.lang.String is `value`, in all versions. */
    uint32_t string = heap_dump_class_named(dump, STRING, sizeof STRING - 1);
    if (string && dump->classes[string].item.count > 0) {
        char type;
        struct constants_text first = heap_dump_field(dump, &dump->classes[string].item, 0, &type);
        layout->reversed = !constants_text_is(&first, "value");
    }
    layout->nearest = calloc((size_t)dump->class_count + 1, sizeof *layout->nearest);
    layout->classes = calloc((size_t)dump->class_count + 1, sizeof *layout->classes);
    int error = layout->nearest && layout->classes ? object_layout_sample_distances(layout) : ENOMEM;
    layout->statics_known = layout->statics > 0;
    if (!layout->statics_known)
        layout->statics = layout->header;
    if (error)
        object_layout_free(layout);
    return error;
}

void object_layout_free(struct object_layout *layout)
{
    for (uint32_t i = 0; layout->classes && i <= layout->dump->class_count; i++)
        free(layout->classes[i].offsets);
    free(layout->classes);
    free(layout->nearest);
    *layout = (struct object_layout){.dump = NULL};
}

/* ------------------------------------------------------------------------------------------ fields -- */

/* Bytes of an object that a field takes. */
struct block {
    uint32_t at, bytes;
    bool reference;
};

/* The fields of an object so far, ascending, and where they end. */
struct blocks {
    struct block *all; /* [count] */
    size_t count, capacity;
    uint32_t begin, end; /* begin: of the first field */
};

static bool object_layout_add_block(struct blocks *blocks, uint32_t at, uint32_t bytes, bool reference)
{
    struct block *grown = grow_unset(blocks->all, &blocks->capacity, blocks->count, sizeof *grown);
    if (!grown)
        return false;
    blocks->all = grown;
    size_t i = blocks->count++;
    for (; i > 0 && grown[i - 1].at > at; i--)
        grown[i] = grown[i - 1];
    grown[i] = (struct block){at, bytes, reference};
    blocks->end = at + bytes > blocks->end ? at + bytes : blocks->end;
    return true;
}

/* The fields of one class that are placed, in the order of the dump: those of its instances, or the static ones. */
struct placing {
    const struct object_layout *layout;
    uint32_t count;
    char *types;       /* [count] */
    uint32_t *offsets; /* [count]; 0: not placed yet */
    struct blocks blocks;
};

/* The number in the dump of the field that the class declares at this position. */
static uint32_t object_layout_declared_index(const struct placing *placing, uint32_t i)
{
    return placing->layout->reversed ? placing->count - 1 - i : i;
}

/* Places all fields of a size, references or others, each in the smallest gap that has capacity, of equal ones the
 * last; else behind all fields. */
static bool object_layout_fill_gaps(struct placing *placing, uint32_t bytes, bool references)
{
    struct blocks *blocks = &placing->blocks;
    bool good = true;
    for (uint32_t i = 0; good && i < placing->count; i++) {
        uint32_t field = object_layout_declared_index(placing, i);
        char type = placing->types[field];
        if ((type == 'L') != references || object_layout_type_bytes(placing->layout, type) != bytes)
            continue;
        uint32_t best = object_layout_align_up(blocks->end, bytes), smallest = UINT32_MAX, at = blocks->begin;
        for (size_t b = 0; b < blocks->count; b++) {
            uint32_t gap = blocks->all[b].at - at, wasted = object_layout_align_up(at, bytes) - at;
            if (gap >= wasted + bytes && gap <= smallest) {
                smallest = gap;
                best = at + wasted;
            }
            at = blocks->all[b].at + blocks->all[b].bytes;
        }
        placing->offsets[field] = best;
        good = object_layout_add_block(blocks, best, bytes, references);
    }
    return good;
}

/* Since Java 15: large fields first, references last; since Java 25 first if the superclass ends with one. */
static bool object_layout_assign_since_15(struct placing *placing)
{
    const struct blocks *blocks = &placing->blocks;
    bool first = placing->layout->java >= 25 && blocks->count > 0 && blocks->all[blocks->count - 1].reference;
    uint32_t reference_bytes = placing->layout->arrays.reference_bytes;
    bool good = !first || object_layout_fill_gaps(placing, reference_bytes, true);
    for (uint32_t bytes = 8; good && bytes > 0; bytes /= 2)
        good = object_layout_fill_gaps(placing, bytes, false);
    return good && (first || object_layout_fill_gaps(placing, reference_bytes, true));
}

/* Classes whose references came first, and whose gaps stayed empty, since the JVM had their offsets written into it. */
static bool object_layout_has_references_first(const struct constants_text *name)
{
    static const char *const NAMES[] = {"Class",
                                        "ClassLoader",
                                        "ref/Reference",
                                        "ref/SoftReference",
                                        "String",
                                        "Throwable",
                                        "StackTraceElement",
                                        "Boolean",
                                        "Character",
                                        "Float",
                                        "Double",
                                        "Byte",
                                        "Short",
                                        "Integer",
                                        "Long",
                                        "AssertionStatusDirectives"};
    static const char PACKAGE[] = "java/lang/";
    size_t package = sizeof PACKAGE - 1;
    if (!name->text || name->length <= package || strncmp(name->text, PACKAGE, package) != 0)
        return false;
    const struct constants_text rest = {name->text + package, name->length - package};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (constants_text_is(&rest, NAMES[i]))
            return true;
    return false;
}

/* Places fields of a size from `at` on, at most `most`, and none that has its offset; returns where they end. */
static uint32_t object_layout_assign_from(struct placing *placing, uint32_t at, uint32_t bytes, bool references,
                                          uint32_t most)
{
    for (uint32_t i = 0; most > 0 && i < placing->count; i++) {
        uint32_t field = object_layout_declared_index(placing, i);
        char type = placing->types[field];
        if ((type == 'L') != references || object_layout_type_bytes(placing->layout, type) != bytes ||
            placing->offsets[field])
            continue;
        placing->offsets[field] = at;
        at += bytes;
        most--;
    }
    return at;
}

/* Before Java 15: behind the superclass, large ones first, then references. A gap before the first long is filled,
 * unless references come `first`. */
static void object_layout_assign_in_rows(struct placing *placing, bool first)
{
    uint32_t reference_bytes = placing->layout->arrays.reference_bytes;
    uint32_t at = object_layout_align_up(placing->blocks.end, reference_bytes), field = 0;
    while (field < placing->count && value_bytes_of(placing->types[field]) != 8)
        field++;
    if (first)
        at = object_layout_assign_from(placing, at, reference_bytes, true, UINT32_MAX);
    if (field < placing->count) {
        uint32_t wide = object_layout_align_up(at, 8);
        for (uint32_t bytes = 4; !first && bytes > 0; bytes /= 2)
            at = object_layout_assign_from(placing, at, bytes, false, (wide - at) / bytes);
        if (!first && wide - at >= reference_bytes)
            object_layout_assign_from(placing, at, reference_bytes, true, 1);
        at = wide;
    }
    for (uint32_t bytes = 8; bytes > 0; bytes /= 2)
        at = object_layout_assign_from(placing, at, bytes, false, UINT32_MAX);
    object_layout_assign_from(placing, object_layout_align_up(at, reference_bytes), reference_bytes, true, UINT32_MAX);
}

/* Places the fields of a class, which follow those in `blocks`. */
static bool object_layout_compute_class(struct object_layout *layout, uint32_t class, struct blocks *blocks)
{
    const struct hprof_item *item = &layout->dump->classes[class].item;
    struct object_layout_class *known = &layout->classes[class];
    bool placed = known->offsets;
    if (!placed)
        known->offsets = calloc((size_t)item->count + 1, sizeof *known->offsets);
    struct placing placing = {.layout = layout,
                              .count = item->count,
                              .types = malloc((size_t)item->count + 1),
                              .offsets = known->offsets,
                              .blocks = *blocks};
    if (!placing.types || !placing.offsets) {
        free(placing.types);
        return false;
    }
    for (uint32_t i = 0; i < item->count; i++)
        heap_dump_field(layout->dump, item, i, &placing.types[i]);
    if (!placed && layout->java && layout->java < 15) {
        struct constants_text name = heap_dump_class_name(layout->dump, class);
        object_layout_assign_in_rows(&placing, object_layout_has_references_first(&name));
        placed = true;
    }
    bool good = placed || object_layout_assign_since_15(&placing);
    /* The fields that have had their offsets are not among the blocks yet. */
    for (uint32_t i = 0; placed && good && i < placing.count; i++)
        good = object_layout_add_block(&placing.blocks, placing.offsets[i],
                                       object_layout_type_bytes(layout, placing.types[i]), placing.types[i] == 'L');
    *blocks = placing.blocks;
    known->end = blocks->end;
    free(placing.types);
    return good;
}

/* More classes than these extend each other only in a damaged dump. */
enum { SUPERS_MAX = 1000 };

static bool object_layout_compute_with_supers(struct object_layout *layout, uint32_t class, struct blocks *blocks,
                                              uint32_t depth)
{
    uint32_t super = heap_dump_super(layout->dump, class);
    return (!super || (depth < SUPERS_MAX && object_layout_compute_with_supers(layout, super, blocks, depth + 1))) &&
           object_layout_compute_class(layout, class, blocks);
}

static bool object_layout_compute_once(struct object_layout *layout, uint32_t class)
{
    struct blocks blocks = {.begin = layout->header, .end = layout->header};
    bool good = layout->classes[class].offsets || object_layout_compute_with_supers(layout, class, &blocks, 0);
    free(blocks.all);
    return good;
}

bool object_layout_field(struct object_layout *layout, uint32_t class, uint32_t field, uint32_t *offset)
{
    bool good = object_layout_compute_once(layout, class);
    if (good)
        *offset = layout->classes[class].offsets[field];
    return good;
}

enum object_layout_check object_layout_check(struct object_layout *layout, uint32_t class)
{
    if (!object_layout_compute_once(layout, class))
        return LAYOUT_LOOSE;
    uint32_t bytes = object_layout_align_up(layout->classes[class].end, layout->alignment),
             nearest = layout->nearest[class];
    return nearest == bytes ? LAYOUT_CONFIRMED : nearest && nearest < bytes ? LAYOUT_CONTRADICTED : LAYOUT_LOOSE;
}

/* ------------------------------------------------------------------------------------------ static fields -- */

/* In all versions as instance fields were before Java 15, with references first. */
bool object_layout_static(const struct object_layout *layout, uint32_t class, const uint8_t *value, uint32_t *offset)
{
    const struct hprof_item *item = &layout->dump->classes[class].item;
    struct placing placing = {.layout = layout,
                              .types = malloc((size_t)item->static_count + 1),
                              .offsets = calloc((size_t)item->static_count + 1, sizeof *placing.offsets),
                              .blocks = {.begin = layout->statics, .end = layout->statics}};
    bool good = placing.types && placing.offsets;
    uint32_t wanted = UINT32_MAX;
    const uint8_t *at = item->statics;
    for (uint32_t i = 0; good && i < item->static_count; i++) {
        if (object_layout_is_declared(layout->dump, at)) {
            wanted = at + layout->dump->file.id_bytes + 1 == value ? placing.count : wanted;
            placing.types[placing.count++] = hprof_type(at[layout->dump->file.id_bytes]);
        }
        at = object_layout_next_static(layout->dump, at);
    }
    if (good)
        object_layout_assign_in_rows(&placing, true);
    good = good && wanted < placing.count;
    if (good)
        *offset = placing.offsets[wanted];
    free(placing.types);
    free(placing.offsets);
    free(placing.blocks.all);
    return good;
}
