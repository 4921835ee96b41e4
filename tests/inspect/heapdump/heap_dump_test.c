/*
 * A small heap dump, made here: what is in it is found; cut at every position, and with bytes changed at random, it is
 * read without a fault (make check-san), and what is found is what was there.
 */
#include "collect/inspect/heapdump/heap_dump.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "collect/inspect/heapdump/object_layout.h"
#include "tests/tap.h"

/* ------------------------------------------------------------------------------------------ a dump -- */

enum { SIZE_MAX_BYTES = 4096, STRING = 100, NODE = 200, ARRAY = 300, NODE_CLASS = 0x1000, OBJECT_CLASS = 0x2000 };

struct made {
    uint8_t bytes[SIZE_MAX_BYTES];
    size_t size;
};

static void put(struct made *made, uint64_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        made->bytes[made->size++] = (uint8_t)(number >> 8 * (bytes - 1 - i));
}

static void put_text(struct made *made, uint64_t id, const char *text)
{
    put(made, HPROF_TEXT, 1);
    put(made, 0, 4);
    put(made, 8 + strlen(text), 4);
    put(made, id, 8);
    memcpy(made->bytes + made->size, text, strlen(text));
    made->size += strlen(text);
}

static void put_name(struct made *made, uint32_t serial, uint64_t class, uint64_t name)
{
    put(made, HPROF_LOAD_CLASS, 1);
    put(made, 0, 4);
    put(made, 24, 4);
    put(made, serial, 4);
    put(made, class, 8);
    put(made, 0, 4);
    put(made, name, 8);
}

/* A class with a reference `next` (text 3) and an int `value` (text 4). */
static void put_class(struct made *made, uint64_t class, uint64_t super, bool has_fields)
{
    put(made, HPROF_CLASS, 1);
    put(made, class, 8);
    put(made, 0, 4);
    put(made, super, 8);
    for (int i = 0; i < 5; i++)
        put(made, 0, 8);
    put(made, has_fields ? 12 : 0, 4);
    put(made, 0, 2);
    put(made, 1, 2); /* a static int `value` of 7 */
    put(made, 4, 8);
    put(made, 10, 1);
    put(made, 7, 4);
    put(made, has_fields ? 2 : 0, 2);
    for (int i = 0; has_fields && i < 2; i++) {
        put(made, i ? 4 : 3, 8);
        put(made, i ? 10 : 2, 1);
    }
}

static void put_node(struct made *made, uint64_t id, uint64_t next, uint32_t value)
{
    put(made, HPROF_INSTANCE, 1);
    put(made, id, 8);
    put(made, 0, 4);
    put(made, NODE_CLASS, 8);
    put(made, 12, 4);
    put(made, next, 8);
    put(made, value, 4);
}

static void make(struct made *made)
{
    static const char HEADER[] = "JAVA PROFILE 1.0.2";
    made->size = 0;
    memcpy(made->bytes, HEADER, sizeof HEADER);
    made->size = sizeof HEADER;
    put(made, 8, 4);
    put(made, 1234, 8);
    put_text(made, 1, "java/lang/Object");
    put_text(made, 2, "Node");
    put_text(made, 3, "next");
    put_text(made, 4, "value");
    put_name(made, 1, OBJECT_CLASS, 1);
    put_name(made, 2, NODE_CLASS, 2);
    size_t length = made->size + 5, begin = made->size + 9;
    put(made, HPROF_HEAP_SEGMENT, 1);
    put(made, 0, 8);
    put_class(made, OBJECT_CLASS, 0, false);
    put_class(made, NODE_CLASS, OBJECT_CLASS, true);
    put_node(made, NODE, NODE + 24, 1); /* 24 bytes from each other, with headers of 12 bytes */
    put_node(made, NODE + 24, 0, 2);
    put(made, HPROF_PRIMITIVE_ARRAY, 1);
    put(made, ARRAY, 8);
    put(made, 0, 4);
    put(made, 3, 4);
    put(made, 9, 1); /* short[3] */
    for (uint64_t i = 0; i < 3; i++)
        put(made, i, 2);
    struct made bytes = {.size = 0};
    put(&bytes, made->size - begin, 4);
    memcpy(made->bytes + length, bytes.bytes, 4);
    put(made, HPROF_HEAP_END, 1);
    put(made, 0, 8);
}

/* ------------------------------------------------------------------------------------------ reading it -- */

static char path[] = "/tmp/heap_dump_test.XXXXXX";

static int open_bytes(struct heap_dump *dump, const uint8_t *bytes, size_t size, struct error_text *message)
{
    const struct hprof_progress progress = {.report = NULL};
    FILE *file = fopen(path, "w");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        exit(1);
    return heap_dump_open(dump, path, &progress, message);
}

/* Asks for everything, and returns how many objects there are. */
static size_t use_all(struct heap_dump *dump)
{
    struct object_layout layout;
    if (object_layout_init(&layout, dump) != 0)
        return 0;
    for (size_t i = 0; i < dump->objects.count; i++) {
        struct hprof_item item;
        char text[16];
        heap_dump_object_at(dump, i, &item);
        heap_dump_reference(dump, &item, "Node", "next");
        heap_dump_string(dump, item.id, text, sizeof text);
    }
    for (uint32_t class = 1; class <= dump->class_count; class ++) {
        const struct hprof_item *item = &dump->classes[class].item;
        const struct constants_text value = {"value", 5};
        uint32_t offset;
        for (uint32_t i = 0; i < item->count; i++)
            object_layout_field(&layout, class, i, &offset);
        const uint8_t *at = heap_dump_static(dump, item, &value, 'I');
        if (at)
            object_layout_static(&layout, class, at, &offset);
        object_layout_check(&layout, class);
    }
    size_t count = dump->objects.count;
    object_layout_free(&layout);
    return count;
}

static void test_whole(const struct made *made)
{
    struct heap_dump dump;
    struct error_text message = {.text = ""};
    struct hprof_item item;
    char type;
    is_u64((uint64_t)open_bytes(&dump, made->bytes, made->size, &message), STATUS_GOOD, "a whole dump");
    is_u64((uint64_t)dump.objects.count, 5, "  two classes, two instances, an array");
    uint32_t class = heap_dump_class_named(&dump, "Node", 4);
    ok(class && dump.classes[class].id == NODE_CLASS, "  a class by its name");
    ok(heap_dump_extends(&dump, class, heap_dump_class(&dump, OBJECT_CLASS)), "  its superclass");
    struct constants_text name = heap_dump_field(&dump, &dump.classes[class].item, 1, &type);
    ok(constants_text_is(&name, "value") && type == 'I', "  a field");
    const uint8_t *value = heap_dump_static(&dump, &dump.classes[class].item, &name, 'I');
    ok(value && cursor_number(value, 4) == 7, "  the value of a static one");
    ok(heap_dump_object(&dump, NODE, &item) && item.tag == HPROF_INSTANCE, "  an object by its id");
    is_u64((uint64_t)heap_dump_reference(&dump, &item, "Node", "next"), NODE + 24, "  what it refers to");
    ok(heap_dump_object(&dump, ARRAY, &item) && item.type == 'S' && item.count == 3, "  an array");
    ok(!heap_dump_object(&dump, ARRAY + 1, &item), "  no object");
    heap_dump_close(&dump);
}

static void test_cut(const struct made *made)
{
    size_t good = 0, objects = 0;
    bool rising = true;
    for (size_t size = 0; size < made->size; size++) {
        struct heap_dump dump;
        struct error_text message = {.text = ""};
        good += open_bytes(&dump, made->bytes, size, &message) == STATUS_GOOD || !*message.text;
        if (!dump.file.bytes)
            continue;
        size_t count = use_all(&dump);
        rising = rising && count >= objects;
        objects = count;
        heap_dump_close(&dump);
    }
    is_u64((uint64_t)good, 0, "cut at each of its bytes: never whole, and a reason each time");
    ok(rising, "  more objects the more of it is there");
    is_u64((uint64_t)objects, 5, "  all if only the end mark is missing");
}

static void test_changed(const struct made *made)
{
    enum { TRIES = 5000 };
    struct rng rng;
    uint64_t read = 0;
    rng_init(&rng, 1, 0);
    for (int i = 0; i < TRIES; i++) {
        struct made changed = *made;
        struct heap_dump dump;
        struct error_text message = {.text = ""};
        for (uint64_t left = 1 + rng_below(&rng, 4); left > 0; left--)
            changed.bytes[rng_below(&rng, changed.size)] = (uint8_t)rng_below(&rng, 256);
        open_bytes(&dump, changed.bytes, changed.size, &message);
        if (dump.file.bytes) {
            use_all(&dump);
            heap_dump_close(&dump);
            read++;
        }
    }
    ok(read > TRIES / 2, "5,000 dumps with one to four bytes changed are read without a fault");
}

int main(void)
{
    struct made made;
    int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    make(&made);
    test_whole(&made);
    test_cut(&made);
    test_changed(&made);
    unlink(path);
    return done_testing();
}
