/* lazy_test.c - a lazy writer creates its file with the first record, or after some wall or CPU time, and not before.
 */
#include "tests/tap.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "trace/trace.h"

static char path[64];

static bool describe(void *user, const struct trace_raw_frame *frame, struct trace_frame_text *text)
{
    (void)user, (void)frame;
    *text = (struct trace_frame_text){.class_name = "", .method = "f", .signature = "", .file = ""};
    return true;
}

static struct trace_writer *create(uint64_t lazy_ns, uint64_t lazy_cpu_ns, struct trace_stream **stream)
{
    struct trace_writer_options options = {
        .describe = describe, .manual = true, .lazy_ns = lazy_ns, .lazy_cpu_ns = lazy_cpu_ns};
    struct trace_writer *writer = NULL;
    json_t *metadata = json_object();
    unlink(path);
    ok(trace_create(path, metadata, &options, &writer) == 0, "a writer with a delay of %lu ns is made", lazy_ns);
    ok(trace_stream_open(writer, 1, "t", ROLE_NATIVE, stream) == 0, "  and has a stream");
    json_decref(metadata);
    return writer;
}

static void append(struct trace_stream *stream)
{
    const uint64_t values[] = {1, 2, 0, STATE_NATIVE, 1};
    const struct trace_raw_frame frame = {.code = 5};
    trace_append_stacks(stream, TRACE_SAMPLE, values, 5, &(struct trace_stack){SAMPLE_CONTEXT, &frame, 1}, 1);
}

static void test_whole(void)
{
    struct trace *trace;
    struct error_text problem;
    if (!ok(trace_open(path, &trace, &problem) == 0, "the trace can be read"))
        return;
    ok(trace_has_index(trace), "  and is whole");
    trace_close(trace);
}

static uint64_t cpu_ns(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

static void test_busy(void)
{
    struct trace_stream *stream;
    uint64_t enough = cpu_ns() + 5000000;
    struct trace_writer *writer = create(UINT64_MAX, cpu_ns() + UINT64_C(3600000000000), &stream);
    ok(trace_finish(writer) == 0 && access(path, F_OK) != 0, "a process that used too little CPU time leaves no file");
    writer = create(UINT64_MAX, enough, &stream);
    while (cpu_ns() < enough)
        ;
    ok(trace_finish(writer) == 0 && access(path, F_OK) == 0,
       "a process that used enough leaves one, even without a record");
    test_whole();
    unlink(path);
}

static const char *other_path(void *other)
{
    return other;
}

static void test_taken(void)
{
    char other[sizeof path], own[sizeof path];
    snprintf(other, sizeof other, "/tmp/lazy_test.%d.other.trace", (int)getpid());
    struct trace_writer_options options = {
        .describe = describe, .manual = true, .lazy_ns = UINT64_MAX, .next_path = other_path, .user = other};
    struct trace_writer *writer = NULL;
    struct trace_stream *stream;
    json_t *metadata = json_object();
    if (!ok(trace_create(path, metadata, &options, &writer) == 0, "a lazy writer is made"))
        return;
    trace_stream_open(writer, 1, "t", ROLE_NATIVE, &stream);
    append(stream);
    fclose(fopen(path, "w"));
    ok(trace_finish(writer) == 0 && access(other, F_OK) == 0, "  its name is taken by then: it takes the next one");
    strcpy(own, path);
    strcpy(path, other);
    test_whole();
    strcpy(path, own);
    unlink(other);

    strcpy(other, path);
    trace_create(path, metadata, &options, &writer);
    trace_stream_open(writer, 1, "t", ROLE_NATIVE, &stream);
    append(stream);
    ok(trace_finish(writer) == EEXIST, "  and that there is no next name is an error");
    unlink(path);
    json_decref(metadata);
}

int main(void)
{
    struct trace_stream *stream;
    snprintf(path, sizeof path, "/tmp/lazy_test.%d.trace", (int)getpid());
    struct trace_writer *writer = create(UINT64_MAX, 0, &stream);
    trace_drain(writer, false);
    ok(trace_seal(writer) == 0 && access(path, F_OK) != 0, "a trace without a record is sealed: there is no file");
    ok(trace_finish(writer) == 0 && access(path, F_OK) != 0, "  and finished: there is no file");

    writer = create(UINT64_MAX, 0, &stream);
    append(stream);
    ok(access(path, F_OK) != 0, "a record is appended: there is no file yet");
    trace_drain(writer, false);
    ok(access(path, F_OK) == 0, "  the record is drained: the file is there");
    ok(trace_finish(writer) == 0, "  the trace is finished");
    test_whole();

    writer = create(1, 0, &stream);
    usleep(10);
    trace_drain(writer, false);
    ok(access(path, F_OK) == 0, "the delay is over: the file is there");
    ok(trace_finish(writer) == 0, "  the trace is finished");
    test_whole();
    unlink(path);
    test_busy();
    test_taken();

    writer = create(UINT64_MAX, 0, &stream);
    append(stream);
    char nowhere[] = "/nowhere/at/all";
    trace_finish(writer);
    unlink(path);
    struct trace_writer_options options = {.describe = describe, .manual = true, .lazy_ns = UINT64_MAX};
    json_t *metadata = json_object();
    ok(trace_create(nowhere, metadata, &options, &writer) == 0,
       "a lazy writer does not try yet to make an impossible file");
    trace_stream_open(writer, 1, "t", ROLE_NATIVE, &stream);
    append(stream);
    ok(trace_finish(writer) != 0, "  but finishing it is an error");
    json_decref(metadata);
    return done_testing();
}
