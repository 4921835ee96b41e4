/* The converter of the exact tool's raw files: a trace that can be read, or an error. */
#include <string.h>

#include "collect/exact/convert/convert.h"
#include "tests/fuzz/target.h"

static void read_trace(const char *path)
{
    struct trace *trace;
    struct trace_batch batch = {0};
    struct error_text message = {""};
    TARGET_PROMISES(trace_open(path, &trace, &message) == 0);
    for (size_t i = 0; i < trace_chunk_count(trace); i++)
        TARGET_PROMISES(trace_read(trace, i, TRACE_ALL_COLUMNS, &batch, &message) == 0);
    trace_batch_free(&batch);
    trace_close(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char raw[64], path[64];
    struct convert_report report = {0};
    struct error_text message = {""};
    snprintf(raw, sizeof raw, "%s/input.exact", target_directory());
    snprintf(path, sizeof path, "%s/input.trace", target_directory());
    FILE *file = fopen(raw, "wb");
    TARGET_PROMISES(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
    const enum convert_status status = convert_raw(raw, path, NULL, &report, &message);
    TARGET_PROMISES(status != CONVERT_FAILED || message.text[0]);
    if (status == CONVERT_DONE)
        read_trace(path);
    json_decref(report.functions);
    json_decref(report.similar);
    unlink(raw);
    unlink(path);
    return 0;
}
