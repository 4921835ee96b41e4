#include "collect/inspect/heapdump/heap_dump.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* ------------------------------------------------------------------------------------------ the index -- */

static bool heap_dump_index_add(struct heap_dump_index *index, uint64_t id, uint64_t at)
{
    struct heap_dump_position *grown = grow_unset(index->positions, &index->capacity, index->count, sizeof *grown);
    if (!grown)
        return false;
    index->positions = grown;
    index->unsorted |= index->count > 0 && grown[index->count - 1].id >= id;
    grown[index->count++] = (struct heap_dump_position){id, at};
    return true;
}

static int heap_dump_compare_positions(const void *a, const void *b)
{
    const struct heap_dump_position *left = a, *right = b;
    if (left->id != right->id)
        return left->id < right->id ? -1 : 1;
    return left->at < right->at ? -1 : left->at > right->at;
}

/* Only a damaged dump has equal ids: the first one stays. */
static void heap_dump_index_sort(struct heap_dump_index *index)
{
    if (!index->unsorted)
        return;
    qsort(index->positions, index->count, sizeof *index->positions, heap_dump_compare_positions);
    size_t unique = 1;
    for (size_t i = 1; i < index->count; i++)
        if (index->positions[i].id != index->positions[unique - 1].id)
            index->positions[unique++] = index->positions[i];
    index->count = unique;
}

static const struct heap_dump_position *heap_dump_index_find(const struct heap_dump_index *index, uint64_t id)
{
    size_t low = 0, high = index->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (index->positions[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < index->count && index->positions[low].id == id ? &index->positions[low] : NULL;
}

struct constants_text heap_dump_text(const struct heap_dump *dump, uint64_t id)
{
    struct hprof_record record;
    const struct heap_dump_position *position = heap_dump_index_find(&dump->texts, id);
    if (!position || !hprof_record_at(&dump->file, position->at, &record))
        return (struct constants_text){NULL, 0};
    uint64_t begin = record.body + dump->file.id_bytes;
    return (struct constants_text){(const char *)dump->file.bytes + begin, (size_t)(record.next - begin)};
}

void heap_dump_object_at(const struct heap_dump *dump, size_t index, struct hprof_item *item)
{
    assert(index < dump->objects.count);
    enum hprof_status status = hprof_item_at(&dump->file, dump->objects.positions[index].at, dump->file.size, item);
    assert(status == HPROF_GOOD); /* the index has only whole items */
    (void)status;
}

bool heap_dump_object(const struct heap_dump *dump, uint64_t id, struct hprof_item *item)
{
    const struct heap_dump_position *position = heap_dump_index_find(&dump->objects, id);
    if (position)
        heap_dump_object_at(dump, (size_t)(position - dump->objects.positions), item);
    return position;
}

/* ------------------------------------------------------------------------------------------ classes -- */

struct wanted_class {
    const struct heap_dump *dump;
    uint64_t id;
    struct constants_text name;
};

static bool heap_dump_class_id_matches(const void *user, uint32_t class)
{
    const struct wanted_class *wanted = user;
    return wanted->dump->classes[class].id == wanted->id;
}

static bool heap_dump_class_name_matches(const void *user, uint32_t class)
{
    const struct wanted_class *wanted = user;
    struct constants_text name = heap_dump_class_name(wanted->dump, class);
    return name.length == wanted->name.length && memcmp(name.text, wanted->name.text, name.length) == 0;
}

static uint64_t heap_dump_hash_name(const struct constants_text *name)
{
    uint64_t key = 0;
    for (size_t i = 0; i < name->length; i++)
        key = hash_mix(key, (uint8_t)name->text[i]);
    return key;
}

uint32_t heap_dump_class(const struct heap_dump *dump, uint64_t id)
{
    return hash_find(&dump->classes_by_id, hash_mix(id, 0), heap_dump_class_id_matches,
                     &(struct wanted_class){.dump = dump, .id = id});
}

uint32_t heap_dump_class_named(const struct heap_dump *dump, const char *name, size_t length)
{
    const struct wanted_class wanted = {.dump = dump, .name = {name, length}};
    return hash_find(&dump->classes_by_name, heap_dump_hash_name(&wanted.name), heap_dump_class_name_matches, &wanted);
}

uint32_t heap_dump_class_of_serial(const struct heap_dump *dump, uint32_t serial)
{
    /* HotSpot counts them in the order of their records. */
    if (serial && serial <= dump->class_count && dump->classes[serial].serial == serial)
        return serial;
    for (uint32_t class = 1; class <= dump->class_count; class ++)
        if (dump->classes[class].serial == serial)
            return class;
    return 0;
}

uint32_t heap_dump_class_meant(const struct heap_dump *dump, const char *name, size_t length, uint64_t loader)
{
    uint32_t count = 0, only = 0;
    for (uint32_t class = heap_dump_class_named(dump, name, length); class; class = dump->classes[class].same) {
        if (!dump->classes[class].described)
            continue;
        if (dump->classes[class].item.loader == loader)
            return class;
        count++;
        only = class;
    }
    return count == 1 ? only : 0;
}

uint32_t heap_dump_super(const struct heap_dump *dump, uint32_t class)
{
    uint64_t id = dump->classes[class].item.class_id;
    return id ? heap_dump_class(dump, id) : 0;
}

struct constants_text heap_dump_class_name(const struct heap_dump *dump, uint32_t class)
{
    return heap_dump_text(dump, dump->classes[class].name);
}

/* A damaged dump may have a class that extends itself. */
bool heap_dump_extends(const struct heap_dump *dump, uint32_t class, uint32_t other)
{
    for (uint32_t i = 0; class && class != other && i < dump->class_count; i++)
        class = heap_dump_super(dump, class);
    return class && class == other;
}

struct constants_text heap_dump_field(const struct heap_dump *dump, const struct hprof_item *class, uint32_t field,
                                      char *type)
{
    assert(field < class->count);
    const uint8_t *at = class->values + (size_t)field * (dump->file.id_bytes + 1);
    *type = hprof_type(at[dump->file.id_bytes]);
    return heap_dump_text(dump, hprof_id(&dump->file, at));
}

const uint8_t *heap_dump_static(const struct heap_dump *dump, const struct hprof_item *class,
                                const struct constants_text *name, char type)
{
    const uint8_t *at = class->statics;
    for (uint32_t i = 0; i < class->static_count; i++) {
        char of_field = hprof_type(at[dump->file.id_bytes]);
        const uint8_t *value = at + dump->file.id_bytes + 1;
        struct constants_text of = heap_dump_text(dump, hprof_id(&dump->file, at));
        if (of_field == type && of.length == name->length && of.text && memcmp(of.text, name->text, of.length) == 0)
            return value;
        at = value + hprof_type_bytes(&dump->file, of_field);
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------------ indexing -- */

static bool heap_dump_add_class(struct heap_dump *dump, const struct hprof_record *record)
{
    uint32_t ids = dump->file.id_bytes;
    const uint8_t *body = dump->file.bytes + record->body;
    struct heap_dump_class *grown =
        grow(dump->classes, &dump->class_capacity, dump->class_count + UINT32_C(1), sizeof *grown);
    if (!grown)
        return false;
    dump->classes = grown;
    struct heap_dump_class *class = &grown[dump->class_count + 1];
    *class = (struct heap_dump_class){.id = hprof_id(&dump->file, body + 4),
                                      .name = hprof_id(&dump->file, body + 8 + ids),
                                      .serial = (uint32_t)cursor_number(body, 4)};
    if (heap_dump_class(dump, class->id))
        return true;
    dump->class_count++;
    return hash_add(&dump->classes_by_id, hash_mix(class->id, 0), dump->class_count) == 0;
}

/* The fewest bytes of a record's body that is used; 0: the record is not. */
static uint64_t heap_dump_record_bytes_min(const struct heap_dump *dump, uint8_t tag)
{
    uint32_t ids = dump->file.id_bytes;
    switch (tag) {
    case HPROF_TEXT:
        return ids;
    case HPROF_LOAD_CLASS:
        return 8 + 2 * ids;
    case HPROF_FRAME:
        return 8 + 4 * ids;
    case HPROF_TRACE:
        return 12;
    default:
        return 0;
    }
}

static bool heap_dump_add_record(struct heap_dump *dump, uint64_t at, const struct hprof_record *record)
{
    const struct hprof *file = &dump->file;
    const uint8_t *body = file->bytes + record->body;
    uint32_t ids = file->id_bytes;
    if (record->tag == HPROF_TEXT)
        return heap_dump_index_add(&dump->texts, hprof_id(file, body), at);
    if (record->tag == HPROF_LOAD_CLASS)
        return heap_dump_add_class(dump, record);
    if (record->tag == HPROF_FRAME) {
        struct heap_dump_frame *grown =
            grow_unset(dump->frames, &dump->frame_capacity, dump->frame_count, sizeof *grown);
        if (!grown)
            return false;
        dump->frames = grown;
        grown[dump->frame_count++] =
            (struct heap_dump_frame){.id = hprof_id(file, body),
                                     .method = hprof_id(file, body + ids),
                                     .descriptor = hprof_id(file, body + 2 * ids),
                                     .class_serial = (uint32_t)cursor_number(body + 4 * ids, 4)};
    } else if (record->tag == HPROF_TRACE) {
        uint64_t space = (record->next - record->body - 12) / ids, count = cursor_number(body + 8, 4);
        struct heap_dump_trace *grown =
            grow_unset(dump->traces, &dump->trace_capacity, dump->trace_count, sizeof *grown);
        if (!grown)
            return false;
        dump->traces = grown;
        grown[dump->trace_count++] = (struct heap_dump_trace){.serial = (uint32_t)cursor_number(body, 4),
                                                              .thread = (uint32_t)cursor_number(body + 4, 4),
                                                              .frame_count = (uint32_t)(count < space ? count : space),
                                                              .frames = body + 12};
    }
    return true;
}

static bool heap_dump_add_root(struct heap_dump_root **roots, size_t *count, size_t *capacity,
                               const struct hprof_item *item)
{
    struct heap_dump_root *grown = grow_unset(*roots, capacity, *count, sizeof *grown);
    if (!grown)
        return false;
    *roots = grown;
    grown[(*count)++] = (struct heap_dump_root){item->id, item->thread, item->frame};
    return true;
}

enum { REPORT_BYTES = 16 << 20, OUT_OF_MEMORY = -1 };

static int heap_dump_report_no_memory(struct error_text *message)
{
    error_set(message, STATUS_BAD, "there is not enough memory for an index, of 16 bytes an object");
    return OUT_OF_MEMORY;
}

static int heap_dump_add_items(struct heap_dump *dump, const struct hprof_record *record,
                               const struct hprof_progress *progress, struct error_text *message)
{
    uint64_t end = record->next < dump->file.size ? record->next : dump->file.size, reported = record->body;
    struct hprof_item item;
    for (uint64_t at = record->body; at < end; at = item.next) {
        enum hprof_status status = hprof_item_at(&dump->file, at, end, &item);
        if (status == HPROF_UNKNOWN)
            return error_set(message, STATUS_BAD, "damaged at byte %" PRIu64 ": there is no item with tag 0x%02x", at,
                             item.tag);
        if (status == HPROF_CUT)
            return error_set(message, STATUS_BAD, "%s at byte %" PRIu64 ": an item with tag 0x%02x is not whole",
                             record->next > dump->file.size ? "cut" : "damaged", at, item.tag);
        bool good = true;
        struct heap_dump_class *class = item.tag == HPROF_CLASS ? &dump->classes[heap_dump_class(dump, item.id)] : NULL;
        if (item.tag == HPROF_ROOT_JAVA_FRAME) {
            good = heap_dump_add_root(&dump->locals, &dump->local_count, &dump->local_capacity, &item);
        } else if (item.tag == HPROF_ROOT_THREAD) {
            good = heap_dump_add_root(&dump->threads, &dump->thread_count, &dump->thread_capacity, &item);
        } else if (item.tag >= HPROF_CLASS && item.tag <= HPROF_PRIMITIVE_ARRAY && class != dump->classes) {
            if (class) { /* it has a name; others are left out */
                class->item = item;
                class->described = true;
            }
            good = heap_dump_index_add(&dump->objects, item.id, at);
        }
        if (!good)
            return heap_dump_report_no_memory(message);
        if (progress->report && at - reported > REPORT_BYTES)
            progress->report(progress->user, "indexing", reported = at, dump->file.size);
    }
    return record->next > dump->file.size ? error_set(message, STATUS_BAD, "cut at byte %" PRIu64, end) : STATUS_GOOD;
}

static int heap_dump_add_records(struct heap_dump *dump, const struct hprof_progress *progress,
                                 struct error_text *message)
{
    struct hprof_record record = {.tag = 0, .next = dump->file.begin};
    bool ended = false;
    for (uint64_t at = dump->file.begin; at < dump->file.size; at = record.next) {
        int status = STATUS_GOOD;
        if (!hprof_record_at(&dump->file, at, &record))
            return error_set(message, STATUS_BAD, "cut at byte %" PRIu64 ": a record's header is not whole", at);
        if (record.tag == HPROF_HEAP_DUMP || record.tag == HPROF_HEAP_SEGMENT)
            status = heap_dump_add_items(dump, &record, progress, message);
        else if (record.next > dump->file.size)
            return error_set(message, STATUS_BAD, "cut at byte %" PRIu64 ": a record with tag 0x%02x is not whole", at,
                             record.tag);
        else if (record.next - record.body < heap_dump_record_bytes_min(dump, record.tag))
            return error_set(message, STATUS_BAD, "damaged at byte %" PRIu64 ": a record with tag 0x%02x is too short",
                             at, record.tag);
        else if (!heap_dump_add_record(dump, at, &record))
            status = heap_dump_report_no_memory(message);
        if (status != STATUS_GOOD)
            return status;
        ended |= record.tag == HPROF_HEAP_DUMP || record.tag == HPROF_HEAP_END;
    }
    return ended ? STATUS_GOOD
                 : error_set(message, STATUS_BAD, "cut at byte %" PRIu64 ": the end mark is missing", dump->file.size);
}

/* What can be known of classes only when all of them are. */
static bool heap_dump_finish_classes(struct heap_dump *dump)
{
    for (uint32_t number = 1; number <= dump->class_count; number++) {
        struct heap_dump_class *class = &dump->classes[number];
        struct constants_text name = heap_dump_class_name(dump, number);
        uint32_t first = name.text ? heap_dump_class_named(dump, name.text, name.length) : 0;
        if (first) {
            class->same = dump->classes[first].same;
            dump->classes[first].same = number;
        } else if (name.text && hash_add(&dump->classes_by_name, heap_dump_hash_name(&name), number) != 0) {
            return false;
        }
        for (uint32_t i = 0; i < class->item.count; i++)
            class->value_bytes += hprof_type_bytes(
                &dump->file, hprof_type(class->item.values[(i + UINT64_C(1)) * (dump->file.id_bytes + 1) - 1]));
        dump->classes[heap_dump_super(dump, number)].is_super = true;
    }
    return true;
}

int heap_dump_open(struct heap_dump *dump, const char *path, const struct hprof_progress *progress,
                   struct error_text *message)
{
    *dump = (struct heap_dump){.class_count = 0};
    int status = hprof_open(&dump->file, path, progress, message);
    if (status != STATUS_GOOD)
        return status;
    dump->classes = grow(NULL, &dump->class_capacity, 0, sizeof *dump->classes);
    status = dump->classes ? heap_dump_add_records(dump, progress, message) : heap_dump_report_no_memory(message);
    heap_dump_index_sort(&dump->objects);
    heap_dump_index_sort(&dump->texts);
    if (status != OUT_OF_MEMORY && !heap_dump_finish_classes(dump))
        status = heap_dump_report_no_memory(message);
    if (status == OUT_OF_MEMORY) {
        heap_dump_close(dump);
        return STATUS_BAD;
    }
    if (dump->file.cut.text[0])
        error_append(message, "%s", dump->file.cut.text);
    return status;
}

void heap_dump_close(struct heap_dump *dump)
{
    hprof_close(&dump->file);
    free(dump->objects.positions);
    free(dump->texts.positions);
    free(dump->classes);
    hash_free(&dump->classes_by_id);
    hash_free(&dump->classes_by_name);
    free(dump->frames);
    free(dump->traces);
    free(dump->locals);
    free(dump->threads);
    *dump = (struct heap_dump){.class_count = 0};
}

/* ------------------------------------------------------------------------------------------ values -- */

const uint8_t *heap_dump_fields(const struct heap_dump *dump, const struct hprof_item *object, uint32_t class)
{
    uint64_t at = 0;
    uint32_t own = object->tag == HPROF_INSTANCE ? heap_dump_class(dump, object->class_id) : 0;
    for (uint32_t depth = 0; own && own != class && depth < dump->class_count; depth++) {
        at += dump->classes[own].value_bytes;
        own = heap_dump_super(dump, own);
    }
    return own && own == class && at + dump->classes[class].value_bytes <= object->count ? object->values + at : NULL;
}

uint64_t heap_dump_reference(const struct heap_dump *dump, const struct hprof_item *object, const char *class,
                             const char *field)
{
    uint32_t number = heap_dump_class_named(dump, class, strlen(class));
    const uint8_t *value = number ? heap_dump_fields(dump, object, number) : NULL;
    for (uint32_t i = 0; value && i < dump->classes[number].item.count; i++) {
        char type;
        struct constants_text name = heap_dump_field(dump, &dump->classes[number].item, i, &type);
        if (type == 'L' && constants_text_is(&name, field))
            return hprof_id(&dump->file, value);
        value += hprof_type_bytes(&dump->file, type);
    }
    return 0;
}

/* The value of a string is an array of bytes (Latin-1; of UTF-16 the first of each character is 0 there), or, before
 * Java 9, of characters. */
bool heap_dump_string(const struct heap_dump *dump, uint64_t id, char *text, size_t size)
{
    struct hprof_item string, value;
    if (!heap_dump_object(dump, id, &string))
        return false;
    uint64_t array = heap_dump_reference(dump, &string, "java/lang/String", "value");
    if (!heap_dump_object(dump, array, &value) || (value.type != 'B' && value.type != 'C'))
        return false;
    size_t length = 0, bytes = (size_t)value.count * (value.type == 'C' ? 2 : 1);
    for (size_t i = 0; i < bytes && length + 1 < size; i++)
        if (value.values[i] >= ' ' && value.values[i] < 0x7f)
            text[length++] = (char)value.values[i];
    text[length] = '\0';
    return true;
}
