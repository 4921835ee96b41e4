/* roundtrip_test.c - records are read value for value as they were appended, with their names, in any state of the
 * file. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "trace/trace.h"
#include "tests/tap.h"

static char path[64];

static bool describe(void *user, const struct trace_raw_frame *frame, struct trace_frame_text *text)
{
    static char name[32];
    (void)user;
    if (frame->code == 99)
        return false;
    snprintf(name, sizeof name, "m%u", (unsigned)frame->code);
    *text = (struct trace_frame_text){"Class",         name, "()V", "Class.java", (uint64_t)frame->position + 10,
                                      frame->position, 0,    0};
    return true;
}

static struct trace_writer *create(bool manual)
{
    const struct trace_writer_options options = {.manual = manual, .describe = describe, .chunk_records = 1000};
    json_t *metadata = json_pack("{s:s, s:s}", "clock", "random", "name", "ä\"\\ \n");
    struct trace_writer *writer = NULL;
    unlink(path);
    int error = trace_create(path, metadata, &options, &writer);
    ok(error == 0, "a trace is created");
    is_u64((uint64_t)trace_create(path, metadata, &options, &writer), EEXIST, "an existing file is refused");
    json_decref(metadata);
    return writer;
}

/* Sample i of thread t: values wrap, fall and jump, so that varints of every width occur. */
static void values_of(uint64_t t, uint64_t i, uint64_t values[5])
{
    values[SAMPLE_TIME] = i * 10000000 + t;
    values[SAMPLE_CPU] = i % 7 == 0 ? UINT64_MAX - i : i << (i % 60);
    values[SAMPLE_CONTEXT] = 0;
    values[SAMPLE_STATE] = i % STATE_COUNT;
    values[SAMPLE_TICK] = i;
}

static void append_all(struct trace_writer *writer, bool manual, uint64_t threads, uint64_t count)
{
    for (uint64_t t = 0; t < threads; t++) {
        struct trace_stream *stream;
        trace_stream_open(writer, 100 + t, t ? "worker" : "main", ROLE_NATIVE, &stream);
        for (uint64_t i = 0; i < count; i++) {
            uint64_t values[5];
            values_of(t, i, values);
            struct trace_raw_frame stack[3] = {{i % 5 + 1, (int64_t)(i % 3)}, {7, 1}, {i % 11 ? 8 : 99, -3}};
            while (!trace_append_stacks(stream, TRACE_SAMPLE, values, 5,
                                        &(struct trace_stack){SAMPLE_CONTEXT, stack, 3}, 1))
                manual ? (void)trace_drain(writer, false) : (void)usleep(1000);
        }
        trace_stream_close(stream);
    }
}

/* Returns the number of samples; *good tells whether each is the one that was appended. */
static uint64_t check_samples(const struct trace *trace, const struct trace_names *names, bool *good)
{
    struct trace_batch batch = {0};
    struct error_text problem;
    uint64_t seen[8] = {0}, total = 0;
    *good = true;
    for (size_t c = 0; c < trace_chunk_count(trace); c++) {
        const struct trace_chunk *chunk = trace_chunk_at(trace, c);
        if (chunk->kind != TRACE_SAMPLE)
            continue;
        *good &= trace_read(trace, c, TRACE_ALL_COLUMNS, &batch, &problem) == 0;
        for (size_t i = 0; *good && i < batch.count; i++, total++) {
            uint64_t want[5], t = names->threads[batch.thread].tid - 100, n = seen[t]++;
            values_of(t, n, want);
            for (size_t column = 0; column < 5; column++)
                *good &= column == SAMPLE_CONTEXT || batch.integers[column][i] == want[column];
            char name[32];
            snprintf(name, sizeof name, "m%u", (unsigned)(n % 5 + 1));
            *good &= strcmp(trace_names_method(names, batch.integers[SAMPLE_CONTEXT][i])->name, name) == 0;
            const struct trace_context *at = trace_names_context(names, batch.integers[SAMPLE_CONTEXT][i]);
            *good &= names->frames[at->frame].line == n % 3 + 10;
            at = trace_names_context(names, trace_names_context(names, at->parent)->parent);
            *good &= strcmp(names->methods[names->frames[at->frame].method].name, n % 11 ? "m8" : "[unknown]") == 0;
            *good &= at->parent == 0;
        }
        *good &= chunk->first_ns == batch.integers[SAMPLE_TIME][0];
        *good &= chunk->last_ns == batch.integers[SAMPLE_TIME][batch.count - 1];
    }
    trace_batch_free(&batch);
    return total;
}

static void read_back(uint64_t expected, bool whole, uint64_t lost)
{
    struct trace *trace = NULL;
    struct trace_names names;
    struct error_text problem = {""};
    struct trace_loss loss = {0};
    bool good;
    if (!ok(trace_open(path, &trace, &problem) == 0, "the trace opens %s", problem.text))
        return;
    is_text(json_string_value(json_object_get(trace_metadata(trace), "name")), "ä\"\\ \n",
            "the metadata are unchanged");
    ok(trace_has_index(trace) == whole, "the file is %swhole", whole ? "" : "not ");
    ok(trace_loss(trace)->bytes == 0, "no byte is lost");
    ok(trace_names_load(trace, &names, &loss) == 0, "the names are read");
    is_u64(check_samples(trace, &names, &good), expected, "all samples are there");
    ok(good, "  with the values and names that were appended");
    is_u64(loss.dropped[LOST_NOT_DELIVERED], lost, "the file has the counted losses");
    trace_names_free(&names);
    trace_close(trace);
}

int main(void)
{
    snprintf(path, sizeof path, "/tmp/assay-roundtrip-%d.trace", (int)getpid());
    struct trace_writer *writer = create(true);
    append_all(writer, true, 3, 5000);
    ok(trace_seal(writer) == 0, "the trace is sealed");
    read_back(15000, true, 0);
    struct trace_stream *late;
    trace_stream_open(writer, 103, "late", ROLE_NATIVE, &late);
    trace_count_lost(late, LOST_NOT_DELIVERED, 17);
    trace_drain(writer, true);
    read_back(15000, false, 17);
    ok(trace_finish(writer) == 0, "the trace is finished");
    read_back(15000, true, 17);

    writer = create(false);
    append_all(writer, false, 4, 20000);
    ok(trace_finish(writer) == 0, "a trace with a background thread is finished");
    read_back(80000, true, 0);

    writer = create(true);
    ok(trace_finish(writer) == 0, "an empty trace is finished");
    read_back(0, true, 0);
    unlink(path);
    return done_testing();
}
