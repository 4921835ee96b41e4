#include "collect/exact/tool/state/objects.h"

#include <valgrind/pub_tool_debuginfo.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_mallocfree.h>

#include "collect/exact/tool/state/context.h"
#include "collect/exact/tool/state/raw_writer.h"
#include "collect/exact/tool/state/hash_table.h"

enum { GRANULE_BITS = 4, PAGE_BITS = 16, PAGE_GRANULES = 1 << (PAGE_BITS - GRANULE_BITS) };

/* The object at a granule of 16 bytes. Blocks of the heap begin at one; static objects are looked up byte by byte. */
enum { UNKNOWN = 0, NOTHING = 1, MIXED = 2, FIRST_OBJECT = 3 };

struct object {
    UInt id;      /* as reported */
    UInt context; /* of the previous load; 0: none */
    UInt size;    /* of it */
    UInt time;
    Bool forgotten;
    UChar value[OBJECTS_VALUE_MAX];
};

static Bool wanted;
static struct object *objects; /* from FIRST_OBJECT */
static UInt count = FIRST_OBJECT, capacity, reported;
static struct hash_table pages; /* number → index of a page of granules */
static UInt (*granules)[PAGE_GRANULES];
static UInt page_count = 1, page_capacity;
static struct hash_table statics, heaps; /* symbol's address → object; node → reported id */
static UInt free_objects;                /* list through `context` */

void objects_init(Bool is_wanted)
{
    wanted = is_wanted;
    hash_table_init(&pages, "assay.object.pages");
    hash_table_init(&statics, "assay.statics");
    hash_table_init(&heaps, "assay.heaps");
}

void objects_forget(void)
{
    for (UInt i = FIRST_OBJECT; i < count; i++)
        if (objects[i].id) {
            objects[i].context = 0;
            objects[i].forgotten = True;
        }
}

void objects_renumber(UInt (*renumbered)(UInt time))
{
    for (UInt i = FIRST_OBJECT; i < count; i++)
        objects[i].time = renumbered(objects[i].time);
}

static UInt *granule_at(Addr a)
{
    UInt *page = hash_table_at(&pages, a >> PAGE_BITS, 1);
    if (!*page) {
        if (page_count >= page_capacity) {
            page_capacity = page_capacity ? page_capacity * 2 : 64;
            granules = VG_(realloc)("assay.granules", granules, page_capacity * sizeof *granules);
        }
        VG_(memset)(granules[page_count], 0, sizeof *granules);
        *page = page_count++;
    }
    return &granules[*page][a >> GRANULE_BITS & (PAGE_GRANULES - 1)];
}

static UInt object_new(UInt id)
{
    UInt i = free_objects;
    if (i)
        free_objects = objects[i].context;
    else
        i = count++;
    if (i >= capacity) {
        capacity = capacity ? capacity * 2 : 1024;
        objects = VG_(realloc)("assay.objects", objects, capacity * sizeof *objects);
    }
    objects[i] = (struct object){.id = id, .time = context_time};
    return i;
}

static void fill(Addr start, SizeT size, UInt value)
{
    for (Addr a = start; a < start + size; a += 1 << GRANULE_BITS)
        *granule_at(a) = value;
}

void objects_heap(Addr start, SizeT size, UInt node)
{
    if (!wanted || !size)
        return;
    UInt *id = hash_table_at(&heaps, node, 0);
    if (!*id) {
        *id = ++reported;
        struct raw_object record = {.id = *id, .kind = 1, .address = start, .bytes = size, .node = node};
        raw_writer_object(&record);
    }
    fill(start, size, object_new(*id));
}

void objects_gone(Addr start, SizeT size)
{
    if (!wanted || !size)
        return;
    UInt object = *granule_at(start);
    fill(start, size, UNKNOWN);
    if (object >= FIRST_OBJECT) {
        objects[object].id = 0;
        objects[object].context = free_objects;
        free_objects = object;
    }
}

static UInt static_object(Addr a)
{
    const HChar *name;
    PtrdiffT offset;
    if (!VG_(get_datasym_and_offset)(VG_(current_DiEpoch)(), a, &name, &offset))
        return NOTHING;
    Addr start = a - (Addr)offset;
    UInt *known = hash_table_at(&statics, start, 0);
    if (!*known) {
        struct raw_object record = {.id = ++reported, .kind = 0, .address = start};
        raw_writer_object(&record);
        *known = object_new(record.id);
        objects[*known].forgotten = True; /* it has been there from the beginning */
    }
    return *known;
}

static UInt object_at(Addr a)
{
    UInt *granule = granule_at(a);
    if (*granule == UNKNOWN) {
        Addr first = a >> GRANULE_BITS << GRANULE_BITS, last = first + (1 << GRANULE_BITS) - 1;
        UInt low = static_object(first), high = static_object(last), here = static_object(a);
        granule = granule_at(a);
        *granule = low == high && low == here ? here : MIXED;
        return here;
    }
    return *granule == MIXED ? static_object(a) : *granule;
}

struct objects_previous objects_load(Addr a, const UChar *value, UInt size, UInt context, UChar *old)
{
    UInt i = size <= OBJECTS_VALUE_MAX ? object_at(a) : NOTHING;
    if (i < FIRST_OBJECT)
        return (struct objects_previous){0};
    struct object *object = &objects[i];
    struct objects_previous previous = {object->id, object->context, object->size, object->time, object->forgotten};
    VG_(memcpy)(old, object->value, object->size);
    object->context = context;
    object->forgotten = False;
    object->size = size;
    object->time = context_time;
    VG_(memcpy)(object->value, value, size);
    return previous;
}
