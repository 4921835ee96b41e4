/* amend_test.c - metadata are added to a complete trace: the records stay, the index remains valid, and a failure
 * changes nothing. */
#include "collect/record/finish/amend.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/trace.h"
#include "tests/tap.h"

enum { RECORDS = 1000 };

static void write_trace(const char *path)
{
    struct trace_writer_options options = {.manual = true, .chunk_records = 64};
    struct trace_writer *writer;
    struct trace_stream *stream;
    json_t *metadata = json_pack("{s:s, s:i}", "clock", "fixed", "run", 3);
    if (trace_create(path, metadata, &options, &writer) != 0 || trace_stream_open(writer, 1, "t", ROLE_NATIVE, &stream))
        exit(1);
    for (uint64_t i = 0; i < RECORDS; i++) {
        uint64_t values[] = {i * 10, i};
        trace_append(stream, TRACE_GC, values, 2);
        if (i % 100 == 99)
            trace_drain(writer, true);
    }
    trace_finish(writer);
    json_decref(metadata);
}

/* The sum of the first column of the 1000 records, and whether the trace is complete. */
static uint64_t read_trace(const char *path, bool *whole, json_t **metadata)
{
    struct trace *trace;
    struct error_text problem;
    struct trace_batch batch = {0};
    uint64_t sum = 0;
    if (trace_open(path, &trace, &problem) != 0)
        return 0;
    for (size_t i = 0; i < trace_chunk_count(trace); i++)
        if (trace_chunk_at(trace, i)->kind == TRACE_GC &&
            trace_read(trace, i, TRACE_ALL_COLUMNS, &batch, &problem) == 0)
            for (size_t j = 0; j < batch.count; j++)
                sum += batch.integers[GC_TIME][j];
    *whole = trace_has_index(trace) && trace_loss(trace)->bytes == 0 && trace_loss(trace)->chunks == 0;
    *metadata = json_deep_copy(trace_metadata(trace));
    trace_batch_free(&batch);
    trace_close(trace);
    return sum;
}

static void amended(const char *path)
{
    bool whole = false;
    json_t *metadata = NULL, *more = json_pack("{s:{s:i}, s:i}", "exit", "status", 7, "run", 4);
    chmod(path, 0640);
    struct trace *trace;
    struct error_text problem;
    ok(trace_open(path, &trace, &problem) == 0, "the trace opens");
    is_u64((uint64_t)amend_metadata(trace, more), 0, "metadata are added");
    trace_close(trace);
    is_u64(read_trace(path, &whole, &metadata), UINT64_C(10) * RECORDS * (RECORDS - 1) / 2,
           "  the records are unchanged");
    ok(whole, "  the index is valid");
    is_u64((uint64_t)json_integer_value(json_object_get(json_object_get(metadata, "exit"), "status")), 7,
           "  the new key is there");
    is_u64((uint64_t)json_integer_value(json_object_get(metadata, "run")), 4, "  an old key is replaced");
    is_text(json_string_value(json_object_get(metadata, "clock")), "fixed", "  the other keys stay");
    struct stat status;
    ok(stat(path, &status) == 0 && (status.st_mode & 0777) == 0640, "  the file's mode stays");
    json_decref(metadata);
    json_decref(more);
}

static void refused(const char *path)
{
    struct trace *trace;
    struct error_text problem;
    json_t *more = json_object();
    ok(trace_open(path, &trace, &problem) == 0, "the trace opens");
    unlink(path);
    is_u64((uint64_t)amend_metadata(trace, more), ENOENT, "a trace that has been deleted is refused");
    ok(access(path, F_OK) != 0, "  and no file is made");
    trace_close(trace);
    json_decref(more);
}

int main(void)
{
    char directory[] = "/tmp/amend-XXXXXX", path[256];
    if (!mkdtemp(directory))
        return 1;
    snprintf(path, sizeof path, "%s/a.trace", directory);
    write_trace(path);
    amended(path);
    refused(path);
    ok(rmdir(directory) == 0, "no other file is left beside the trace");
    return done_testing();
}
