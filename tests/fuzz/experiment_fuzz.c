/* The reader of experiment files: what is wrong has a place in the file. */
#include <string.h>

#include "collect/experiment/description/spec.h"
#include "tests/fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct obstack memory;
    struct spec spec = {0};
    const char *path = target_file(data, size);
    obstack_init(&memory);
    const int status = spec_read(&memory, path, &spec);
    TARGET_PROMISES((status == STATUS_GOOD) == (spec.error_count == 0));
    for (size_t i = 0; i < spec.error_count && i < SPEC_ERRORS_MAX; i++)
        TARGET_PROMISES(strncmp(spec.errors[i], path, strlen(path)) == 0);
    obstack_free(&memory, NULL);
    return 0;
}
