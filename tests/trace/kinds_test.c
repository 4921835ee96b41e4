/*
 * Every kind of events reaches the file through a stream, so that a new one does, too. Only the writer itself writes
 * lost records and the index.
 */
#include <unistd.h>

#include "tests/tap.h"
#include "trace/trace.h"

static char path[64];

static bool kinds_is_appended(unsigned kind)
{
    return kind >= TRACE_SAMPLE && kind != TRACE_LOST && kind != TRACE_INDEX && trace_schema_of(kind);
}

/* A stream holds few kinds, so each has its own. */
static bool kinds_write(void)
{
    static const struct trace_writer_options options = {.manual = true};
    static const uint64_t values[TRACE_COLUMNS_MAX];
    struct trace_writer *writer;
    struct trace_stream *stream;
    json_t *metadata = json_object();
    int error = trace_create(path, metadata, &options, &writer);
    json_decref(metadata);
    if (error)
        return false;
    for (unsigned kind = 0; kind < TRACE_KIND_COUNT; kind++)
        if (kinds_is_appended(kind) && trace_stream_open(writer, kind, "", ROLE_NATIVE, &stream) == 0)
            trace_append(stream, kind, values, trace_schema_of(kind)->column_count);
    return trace_finish(writer) == 0;
}

int main(void)
{
    uint64_t records[TRACE_KIND_COUNT] = {0};
    struct trace *trace;
    struct error_text problem;
    snprintf(path, sizeof path, "/tmp/kinds_test-%d.trace", (int)getpid());
    bool good = kinds_write() && trace_open(path, &trace, &problem) == 0;
    unlink(path);
    if (!ok(good, "a trace with every kind is written and opened"))
        return done_testing();
    for (size_t i = 0; i < trace_chunk_count(trace); i++)
        records[trace_chunk_at(trace, i)->kind] += trace_chunk_at(trace, i)->count;
    for (unsigned kind = 0; kind < TRACE_KIND_COUNT; kind++)
        if (kinds_is_appended(kind))
            is_u64(records[kind], 1, trace_schema_of(kind)->name);
    is_u64(records[TRACE_LOST], 0, "nothing is lost");
    trace_close(trace);
    return done_testing();
}
