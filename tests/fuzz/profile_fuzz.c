/* The readers of other tools' profiles: a profile gives traces, or an error with a text. */
#include <string.h>

#include "trace/import/profile_import.h"
#include "tests/fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char base[64];
    snprintf(base, sizeof base, "%s/result", target_directory());
    const struct sink_options options = {.base = base, .source = "input"};
    struct import_result result;
    struct error_text message = {""};
    const int status = profile_import(target_file(data, size), &options, &result, &message);
    TARGET_PROMISES(status == STATUS_GOOD || message.text[0]);
    for (size_t i = 0; i < result.trace_count; i++)
        if (result.traces[i].path)
            unlink(result.traces[i].path);
    sink_free(result.sink);
    return 0;
}
