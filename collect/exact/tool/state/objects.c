#include "collect/exact/tool/state/objects.h"

#include <valgrind/pub_tool_debuginfo.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_mallocfree.h>

#include "collect/exact/tool/state/array.h"
#include "collect/exact/tool/state/context.h"
#include "collect/exact/tool/state/raw_writer.h"
#include "collect/exact/tool/state/hash_table.h"
#include "collect/exact/tool/state/mappings.h"
#include "collect/exact/tool/state/modules.h"

enum { GRANULE_BITS = 4, PAGE_BITS = 16, PAGE_GRANULES = 1 << (PAGE_BITS - GRANULE_BITS) };

/* The object at a granule of 16 bytes. Blocks of the heap begin at one; static objects are looked up byte by byte. */
enum { UNKNOWN = 0, NOTHING = 1, MIXED = 2, FIRST_OBJECT = 3 };

struct object {
    UInt id;      /* as reported; 0: it is gone */
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
static struct hash_table statics, dynamics; /* symbol's address → object; node and kind → reported id */
static UInt free_objects;                   /* list through `context` */

enum { STATIC, HEAP, MAPPED }; /* as enum trace_object_kind */

void objects_init(Bool is_wanted)
{
    wanted = is_wanted;
    hash_table_init(&pages, "assay.object.pages");
    hash_table_init(&statics, "assay.statics");
    hash_table_init(&dynamics, "assay.dynamics");
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

static UInt *objects_granule_at(Addr a)
{
    UInt *page = hash_table_at(&pages, a >> PAGE_BITS, 1);
    if (!*page) {
        granules = array_reserve("assay.granules", granules, page_count, &page_capacity, 64, sizeof *granules);
        VG_(memset)(granules[page_count], 0, sizeof *granules);
        *page = page_count++;
    }
    return &granules[*page][a >> GRANULE_BITS & (PAGE_GRANULES - 1)];
}

static UInt objects_new(UInt id)
{
    UInt i = free_objects;
    if (i)
        free_objects = objects[i].context;
    else
        i = count++;
    objects = array_reserve("assay.objects", objects, i, &capacity, 1024, sizeof *objects);
    objects[i] = (struct object){.id = id, .time = context_time};
    return i;
}

static void objects_free(UInt i)
{
    objects[i].id = 0;
    objects[i].context = free_objects;
    free_objects = i;
}

/* ---------------------------------------------------------------------------- blocks and mappings -- */

/* A block or mapping; all that the same call of a function makes have one id. */
static UInt objects_new_dynamic(UInt kind, Addr start, SizeT size, UInt node)
{
    UInt *id = hash_table_at(&dynamics, node, kind);
    if (!*id) {
        *id = ++reported;
        struct raw_object record = {.id = *id, .kind = kind, .address = start, .bytes = size, .node = node};
        raw_writer_object(&record);
    }
    return objects_new(*id);
}

UInt objects_heap(Addr start, SizeT size, UInt node)
{
    if (!wanted || !size)
        return 0;
    UInt object = objects_new_dynamic(HEAP, start, size, node);
    for (Addr a = start; a < start + size; a += 1 << GRANULE_BITS)
        *objects_granule_at(a) = object;
    return object;
}

/* Granules that belong to another object by now stay as they are. */
void objects_gone(Addr start, SizeT size, UInt object)
{
    if (!object)
        return;
    for (Addr a = start; a < start + size; a += 1 << GRANULE_BITS)
        if (*objects_granule_at(a) == object)
            *objects_granule_at(a) = UNKNOWN;
    objects_free(object);
}

void objects_map(Addr start, SizeT size, UInt node)
{
    if (wanted && size)
        mappings_add(start, start + size, objects_new_dynamic(MAPPED, start, size, node));
}

/* The granules of a page from `start` to `end`. */
static void objects_forget_page(const struct hash_table_entry *page, Addr start, Addr end)
{
    Addr low = page->a << PAGE_BITS, high = low + (1 << PAGE_BITS);
    low = low > start ? low : start;
    high = high < end ? high : end;
    if (page->value && low < high)
        VG_(memset)
    (&granules[page->value][low >> GRANULE_BITS & (PAGE_GRANULES - 1)], 0,
     ((high - low) >> GRANULE_BITS) * sizeof **granules);
}

/* A range may be far larger than all of it that was ever accessed. */
static void objects_forget_granules(Addr start, Addr end)
{
    if ((end - start) >> PAGE_BITS > pages.count) {
        for (ULong i = 0; i <= pages.mask; i++)
            objects_forget_page(&pages.entries[i], start, end);
        return;
    }
    for (Addr page = start >> PAGE_BITS; page <= (end - 1) >> PAGE_BITS; page++) {
        const struct hash_table_entry entry = {page, 1, hash_table_find(&pages, page, 1)};
        objects_forget_page(&entry, start, end);
    }
}

void objects_unmap(Addr start, SizeT size)
{
    if (!wanted || !size)
        return;
    mappings_cut(start, start + size, objects_free);
    objects_forget_granules(start, start + size);
    for (ULong i = 0; i <= statics.mask; i++)
        if (statics.entries[i].value && statics.entries[i].a >= start && statics.entries[i].a < start + size)
            objects[statics.entries[i].value].id = 0;
}

void objects_copy(Addr from, Addr to, SizeT size)
{
    if (!wanted)
        return;
    objects_unmap(to, size);
    mappings_copy(from, to, size);
}

void objects_grow(Addr end, SizeT size)
{
    const struct mapping *mapping = wanted ? mappings_at(end - 1) : NULL;
    if (!mapping || !size)
        return;
    UInt object = mapping->object;
    objects_unmap(end, size);
    mappings_add(end, end + size, object);
}

void objects_stack(Addr a, Addr start, Addr end)
{
    const struct mapping *mapping = wanted ? mappings_at(a) : NULL;
    if (!mapping)
        return;
    start = start > mapping->start ? start : mapping->start;
    end = end < mapping->end ? end : mapping->end;
    mappings_cut(start, end, objects_free);
    objects_forget_granules(start, end);
}

/* ---------------------------------------------------------------------------- by address -- */

/* A static object, or a mapping. */
static UInt objects_outside_heap(Addr a)
{
    const HChar *name;
    PtrdiffT offset;
    if (!VG_(get_datasym_and_offset)(VG_(current_DiEpoch)(), a, &name, &offset)) {
        const struct mapping *mapping = mappings_at(a);
        return mapping ? mapping->object : NOTHING;
    }
    Addr start = a - (Addr)offset;
    UInt *known = hash_table_at(&statics, start, 0);
    if (!*known || !objects[*known].id) {
        struct raw_object record = {
            .id = ++reported, .kind = STATIC, .address = start, .module = modules_of_data(start)};
        raw_writer_object(&record);
        if (*known) {
            objects[*known] = (struct object){.id = record.id};
        } else {
            *known = objects_new(record.id);
            objects[*known].forgotten = True; /* it has been there from the beginning */
        }
    }
    return *known;
}

struct objects_previous objects_load(Addr a, const UChar *value, UInt size, UInt context, UChar *old)
{
    if (size > OBJECTS_VALUE_MAX)
        return (struct objects_previous){0};
    UInt i = *objects_granule_at(a);
    if (i == UNKNOWN) {
        Addr first = a >> GRANULE_BITS << GRANULE_BITS, last = first + (1 << GRANULE_BITS) - 1;
        UInt low = objects_outside_heap(first), high = objects_outside_heap(last);
        i = objects_outside_heap(a);
        *objects_granule_at(a) = low == high && low == i ? i : MIXED;
    } else if (i == MIXED) {
        i = objects_outside_heap(a);
    }
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
