#include "collect/inspect/heapdump/dump_heap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "collect/inspect/interpret/value.h"

enum { OBJECTS_MAX = 20000 };

struct dump_object {
    uint32_t low, high; /* its id: the key */
    struct hprof_item item;
};

/* What a constant names. */
struct dump_heap_field {
    enum { NOT_LOOKED_FOR, NOT_FOUND, FOUND } state;
    bool is_static;
    uint32_t class;       /* that declares it */
    uint32_t in_class;    /* of an instance field: where its value is, in those of the class */
    const uint8_t *value; /* of a static one */
    uint32_t offset;
};

/* ------------------------------------------------------------------------------------------ objects -- */

static const struct hprof_item *dump_heap_item(const struct dump_heap *heap, uint32_t number)
{
    assert(number > 0 && number <= heap->objects.count);
    return &((const struct dump_object *)keyed_at(&heap->objects, number - 1))->item;
}

uint32_t dump_heap_number(struct dump_heap *heap, uint64_t id)
{
    struct dump_object object = {.low = (uint32_t)id, .high = (uint32_t)(id >> 32)};
    uint32_t index = keyed_find(&heap->objects, &object);
    if (index == KEYED_FULL && id && heap->objects.count < OBJECTS_MAX &&
        heap_dump_object(heap->types.dump, id, &object.item))
        index = keyed_add(&heap->objects, &object);
    return index == KEYED_FULL ? 0 : index + 1;
}

static uint64_t dump_heap_address(void *user, uint32_t number)
{
    const struct dump_heap *heap = user;
    return number && number <= heap->objects.count ? dump_heap_item(heap, number)->id : 0;
}

/* The bits of struct value that a value in the dump means; false: an object that is not there. */
static bool dump_heap_read_value(struct dump_heap *heap, const uint8_t *at, char type, uint64_t *bits)
{
    const struct heap_dump *dump = heap->types.dump;
    uint64_t number = cursor_number(at, hprof_type_bytes(&dump->file, type));
    if (type == 'L') {
        *bits = dump_heap_number(heap, number);
        return number == 0 || *bits;
    }
    *bits = value_kind_of(type) == VALUE_INT ? value_narrow(type, number) : number;
    return true;
}

/* ------------------------------------------------------------------------------------------ fields -- */

/* Looks for an instance field that the class declares itself. */
static bool dump_heap_find_own_field(struct dump_heap *heap, uint32_t class, const struct constants_text *name,
                                     char type, struct dump_heap_field *field)
{
    const struct heap_dump *dump = heap->types.dump;
    const struct hprof_item *item = &dump->classes[class].item;
    uint32_t at = 0;
    for (uint32_t i = 0; i < item->count; i++) {
        char own;
        struct constants_text of = heap_dump_field(dump, item, i, &own);
        if (own == type && of.text && of.length == name->length && memcmp(of.text, name->text, of.length) == 0) {
            field->in_class = at;
            return object_layout_field(heap->layout, class, i, &field->offset);
        }
        at += hprof_type_bytes(&dump->file, own);
    }
    return false;
}

/* Fields of interfaces, which are static, are not looked for. */
static void dump_heap_resolve_field(struct dump_heap *heap, uint32_t constant, bool is_static)
{
    const struct heap_dump *dump = heap->types.dump;
    struct dump_heap_field *field = &heap->fields[constant];
    struct constants_member member;
    field->state = NOT_FOUND;
    field->is_static = is_static;
    if (!constants_member(heap->constants, constant, &member))
        return;
    char type = *member.descriptor.text == '[' ? 'L' : *member.descriptor.text;
    uint32_t class = heap_dump_class_meant(dump, member.owner.text, member.owner.length, heap->loader);
    for (uint32_t depth = 0; class && depth < dump->class_count && field->state != FOUND; depth++) {
        const struct hprof_item *item = &dump->classes[class].item;
        field->class = class;
        if (is_static && (field->value = heap_dump_static(dump, item, &member.name, type)) != NULL &&
            object_layout_static(heap->layout, class, field->value, &field->offset))
            field->state = FOUND;
        else if (!is_static && dump_heap_find_own_field(heap, class, &member.name, type, field))
            field->state = FOUND;
        class = heap_dump_super(dump, class);
    }
}

static bool dump_heap_find_field(void *user, uint32_t constant, bool is_static, struct heap_field *found)
{
    struct dump_heap *heap = user;
    if (constant >= heap->constants->count)
        return false;
    struct dump_heap_field *field = &heap->fields[constant];
    if (field->state == NOT_LOOKED_FOR)
        dump_heap_resolve_field(heap, constant, is_static);
    if (field->state != FOUND || field->is_static != is_static)
        return false;
    *found = (struct heap_field){.number = constant, .offset = field->offset};
    if (is_static)
        found->holder = dump_heap_number(heap, heap->types.dump->classes[field->class].id);
    return !is_static || found->holder;
}

static bool dump_heap_load_field(void *user, uint32_t number, const struct heap_field *found, char type, uint64_t *bits)
{
    struct dump_heap *heap = user;
    const struct dump_heap_field *field = &heap->fields[found->number];
    char simple = type == '[' ? 'L' : type;
    const uint8_t *fields =
        field->is_static ? NULL : heap_dump_fields(heap->types.dump, dump_heap_item(heap, number), field->class);
    const uint8_t *value = field->is_static ? field->value : fields ? fields + field->in_class : NULL;
    return value && dump_heap_read_value(heap, value, simple, bits);
}

/* ------------------------------------------------------------------------------------------ arrays -- */

static bool dump_heap_any_length(void *user, uint32_t number, uint32_t *length)
{
    const struct hprof_item *item = dump_heap_item(user, number);
    *length = item->count;
    return item->type;
}

static bool dump_heap_array_length(void *user, uint32_t number, char type, uint32_t *length)
{
    const struct hprof_item *item = dump_heap_item(user, number);
    *length = item->count;
    return item->type == type || (type == 'B' && item->type == 'Z');
}

static bool dump_heap_load_element(void *user, uint32_t number, char type, uint32_t index, uint64_t *bits)
{
    struct dump_heap *heap = user;
    const struct hprof_item item = *dump_heap_item(heap, number);
    (void)type;
    return dump_heap_read_value(
        heap, item.values + (size_t)index * hprof_type_bytes(&heap->types.dump->file, item.type), item.type, bits);
}

/* ------------------------------------------------------------------------------------------ all of it -- */

static enum heap_truth dump_heap_is_instance(void *user, uint32_t number, uint32_t constant)
{
    const struct dump_heap *heap = user;
    struct constants_text name = constants_class(heap->constants, constant);
    return dump_types_is(&heap->types, dump_heap_item(heap, number), &name, heap->loader);
}

bool dump_heap_init(struct dump_heap *heap, const struct dump_types *types, struct object_layout *layout,
                    const struct class_file *file, uint32_t class)
{
    *heap = (struct dump_heap){.heap = {heap, &layout->arrays, dump_heap_find_field, dump_heap_load_field,
                                        dump_heap_array_length, dump_heap_any_length, dump_heap_load_element,
                                        dump_heap_is_instance, dump_heap_address},
                               .types = *types,
                               .layout = layout,
                               .constants = &file->constants,
                               .loader = types->dump->classes[class].item.loader,
                               .objects = {.item_bytes = sizeof(struct dump_object), .key_bytes = 2 * sizeof(uint32_t)},
                               .fields = calloc((size_t)file->constants.count + 1, sizeof *heap->fields)};
    return heap->fields;
}

void dump_heap_free(struct dump_heap *heap)
{
    keyed_free(&heap->objects);
    free(heap->fields);
}

void dump_heap_reset(struct dump_heap *heap)
{
    keyed_free(&heap->objects);
}

void dump_heap_count_layouts(const struct dump_heap *heap, uint8_t *seen, uint64_t counts[LAYOUT_CHECKS])
{
    for (uint32_t number = 1; number <= heap->objects.count; number++) {
        const struct hprof_item *item = dump_heap_item(heap, number);
        uint32_t class = item->tag == HPROF_INSTANCE ? heap_dump_class(heap->types.dump, item->class_id) : 0;
        if (class && !seen[class])
            counts[object_layout_check(heap->layout, class)]++;
        seen[class] = 1;
    }
}
