/* The reader of heap dumps: every object, its class and fields. */
#include <string.h>

#include "collect/inspect/heapdump/heap_dump.h"
#include "tests/fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct hprof_progress progress = {.report = NULL};
    struct heap_dump dump;
    struct error_text message = {""};
    char text[64];
    const int status = heap_dump_open(&dump, target_file(data, size), &progress, &message);
    TARGET_PROMISES(status == STATUS_GOOD || message.text[0]);
    if (!dump.file.bytes)
        return 0;
    for (size_t i = 0; i < dump.objects.count; i++) {
        struct hprof_item item;
        heap_dump_object_at(&dump, i, &item);
        heap_dump_string(&dump, dump.objects.positions[i].id, text, sizeof text);
    }
    for (uint32_t class = 1; class <= dump.class_count; class ++) {
        TARGET_PROMISES(heap_dump_super(&dump, class) <= dump.class_count);
        heap_dump_class_name(&dump, class);
    }
    heap_dump_close(&dump);
    return 0;
}
