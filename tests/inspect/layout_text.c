/*
 * layout_text DUMP CLASS...: where the fields of classes are, as object_layout.h computes it: "CLASS FIELD OFFSET", for
 * heap_dump_layout.t, which compares it with what the JVM says. Then "CLASS size CHECK".
 */
#include <stdio.h>
#include <string.h>

#include "collect/inspect/heapdump/object_layout.h"

static void print_statics(const struct object_layout *layout, uint32_t class, const char *name)
{
    const struct heap_dump *dump = layout->dump;
    const struct hprof_item *item = &dump->classes[class].item;
    const uint8_t *at = item->statics;
    for (uint32_t i = 0; i < item->static_count; i++) {
        uint32_t offset;
        struct constants_text field = heap_dump_text(dump, hprof_id(&dump->file, at));
        char type = hprof_type(at[dump->file.id_bytes]);
        const uint8_t *value = at + dump->file.id_bytes + 1;
        if (object_layout_static(layout, class, value, &offset))
            printf("%s %.*s %u\n", name, (int)field.length, field.text, offset);
        at = value + hprof_type_bytes(&dump->file, type);
    }
}

static void print_class(struct object_layout *layout, const char *name)
{
    static const char *const CHECKS[LAYOUT_CHECKS] = {"confirmed", "unconfirmed", "contradicted"};
    uint32_t class = heap_dump_class_named(layout->dump, name, strlen(name));
    const struct hprof_item *item = &layout->dump->classes[class].item;
    for (uint32_t i = 0; i < item->count; i++) {
        char type;
        uint32_t offset;
        struct constants_text field = heap_dump_field(layout->dump, item, i, &type);
        if (object_layout_field(layout, class, i, &offset))
            printf("%s %.*s %u\n", name, (int)field.length, field.text, offset);
    }
    print_statics(layout, class, name);
    printf("%s size %s\n", name, CHECKS[object_layout_check(layout, class)]);
}

int main(int argc, char **argv)
{
    const struct hprof_progress progress = {.report = NULL};
    struct heap_dump dump;
    struct object_layout layout;
    struct error_text message;
    if (argc < 2 || heap_dump_open(&dump, argv[1], &progress, &message) != STATUS_GOOD ||
        object_layout_init(&layout, &dump) != 0)
        return 1;
    for (int i = 2; i < argc; i++)
        print_class(&layout, argv[i]);
    object_layout_free(&layout);
    heap_dump_close(&dump);
    return 0;
}
