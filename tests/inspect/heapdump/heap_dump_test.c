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
#include "tests/inspect/heapdump/small_dump.h"
#include "tests/tap.h"

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

static void test_whole(const struct small_dump *made)
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

static void test_cut(const struct small_dump *made)
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

static void test_changed(const struct small_dump *made)
{
    enum { TRIES = 5000 };
    struct rng rng;
    uint64_t read = 0;
    rng_init(&rng, 1, 0);
    for (int i = 0; i < TRIES; i++) {
        struct small_dump changed = *made;
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
    struct small_dump made;
    int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    small_dump_make(&made);
    test_whole(&made);
    test_cut(&made);
    test_changed(&made);
    unlink(path);
    return done_testing();
}
