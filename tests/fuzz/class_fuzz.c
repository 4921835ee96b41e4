/* The reader of class files, and the control flow of their methods. */
#include <string.h>

#include "collect/inspect/classfile/class_file.h"
#include "collect/inspect/interpret/flow.h"
#include "tests/fuzz/target.h"

static void follow(const struct class_method *method)
{
    struct flow flow;
    if (flow_find(&flow, method->code, method->bytes) != FLOW_FOUND)
        return;
    for (uint32_t loop = 0; loop < flow.loop_count; loop++) {
        TARGET_PROMISES(flow_is_in(&flow, loop, flow.loops[loop].header));
        TARGET_PROMISES(flow_loop_of_header(&flow, flow.loops[loop].header) == loop);
    }
    for (uint32_t block = 0; block < flow.block_count; block++)
        TARGET_PROMISES(flow.blocks[block].end <= method->bytes);
    flow_free(&flow);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct class_file file;
    uint8_t *bytes = malloc(size + 1);
    TARGET_PROMISES(bytes);
    if (size)
        memcpy(bytes, data, size);
    if (!class_file_parse(&file, bytes, size))
        return 0;
    for (uint32_t m = 0; m < file.method_count; m++)
        if (file.methods[m].code)
            follow(&file.methods[m]);
    class_file_free(&file);
    return 0;
}
