/*
 * damage_test.c - cut at any byte, or with any byte changed, a trace gives an error, or a part of its records and a
 * report of the loss; never a wrong record, a crash or a hang.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/rng.h"
#include "trace/trace.h"
#include "tests/tap.h"

enum { THREADS = 3, SAMPLES = 1000, CUTS = 2000, FLIPS = 20000 };

static char path[64];
static uint8_t *original;
static size_t original_size;

static uint64_t draw(void)
{
    static struct rng state = {20100605};
    return rng_next(&state);
}

/* Every value of sample n of a thread follows from its tick, so a reader can detect a wrong one. */
static void values_of(uint64_t tick, uint64_t values[5])
{
    values[SAMPLE_TIME] = tick * 1000003;
    values[SAMPLE_CPU] = tick * tick;
    values[SAMPLE_CONTEXT] = 0;
    values[SAMPLE_STATE] = tick % STATE_COUNT;
    values[SAMPLE_TICK] = tick;
}

static bool describe(void *user, const struct trace_raw_frame *frame, struct trace_frame_text *text)
{
    static char name[32];
    (void)user;
    snprintf(name, sizeof name, "method%u", (unsigned)frame->code);
    *text = (struct trace_frame_text){"Class", name, "()V", "Class.java", frame->code, 0, 0, 0};
    return true;
}

static void make_trace(void)
{
    const struct trace_writer_options options = {.manual = true, .describe = describe, .chunk_records = 100};
    struct trace_writer *writer;
    json_t *metadata = json_pack("{s:s}", "clock", "random");
    trace_create(path, metadata, &options, &writer);
    json_decref(metadata);
    for (uint64_t t = 0; t < THREADS; t++) {
        struct trace_stream *stream;
        trace_stream_open(writer, t, "thread", ROLE_NATIVE, &stream);
        for (uint64_t tick = 0; tick < SAMPLES; tick++) {
            uint64_t values[5];
            values_of(tick, values);
            const struct trace_raw_frame stack[2] = {{tick % 40 + 1, 0}, {1000 + tick % 3, 0}};
            while (!trace_append_stacks(stream, TRACE_SAMPLE, values, 5,
                                        &(struct trace_stack){SAMPLE_CONTEXT, stack, 2}, 1))
                trace_drain(writer, false);
        }
    }
    trace_finish(writer);
}

static void load_original(void)
{
    FILE *file = fopen(path, "rb");
    fseek(file, 0, SEEK_END);
    original_size = (size_t)ftell(file);
    rewind(file);
    original = malloc(original_size);
    original_size = fread(original, 1, original_size, file);
    fclose(file);
}

struct verdict {
    bool opened, wrong, silent;
};

static bool is_right(const struct trace_names *names, const struct trace_batch *batch, size_t i)
{
    uint64_t want[5], tick = batch->integers[SAMPLE_TICK][i];
    values_of(tick, want);
    for (size_t c = 0; c < 5; c++)
        if (c != SAMPLE_CONTEXT && batch->integers[c][i] != want[c])
            return false;
    char name[32];
    snprintf(name, sizeof name, "method%u", (unsigned)(tick % 40 + 1));
    const char *got = trace_names_method(names, batch->integers[SAMPLE_CONTEXT][i])->name;
    return strcmp(got, name) == 0 || strcmp(got, "[lost definition]") == 0;
}

static uint64_t read_samples(const struct trace *trace, const struct trace_names *names, struct trace_loss *loss,
                             bool *wrong)
{
    struct trace_batch batch = {0};
    struct error_text problem;
    uint64_t count = 0;
    for (size_t c = 0; c < trace_chunk_count(trace); c++) {
        if (trace_chunk_at(trace, c)->kind != TRACE_SAMPLE)
            continue;
        if (trace_read(trace, c, TRACE_ALL_COLUMNS, &batch, &problem) != 0) {
            trace_loss_chunk(loss, trace_chunk_at(trace, c), &problem);
            continue;
        }
        for (size_t i = 0; i < batch.count; i++)
            *wrong |= !is_right(names, &batch, i);
        count += batch.count;
    }
    trace_batch_free(&batch);
    return count;
}

static struct verdict judge(const uint8_t *data, size_t size)
{
    struct verdict verdict = {0};
    FILE *file = fopen(path, "wb");
    fwrite(data, 1, size, file);
    fclose(file);
    struct trace *trace = NULL;
    struct error_text problem = {""};
    if (trace_open(path, &trace, &problem) != 0) {
        verdict.silent = problem.text[0] == '\0';
        return verdict;
    }
    verdict.opened = true;
    struct trace_loss loss = *trace_loss(trace);
    struct trace_names names;
    if (trace_names_load(trace, &names, &loss) == 0) {
        uint64_t count = read_samples(trace, &names, &loss, &verdict.wrong);
        bool told = loss.bytes > 0 || loss.chunks > 0 || loss.unfinished || loss.unknown_chunks > 0;
        verdict.silent = count != (uint64_t)THREADS * SAMPLES && !told;
        verdict.wrong |= count > (uint64_t)THREADS * SAMPLES;
        trace_names_free(&names);
    }
    trace_close(trace);
    return verdict;
}

static void report(const char *what, int total, int opened, int wrong, int silent)
{
    ok(wrong == 0, "%d %s give no wrong record (%d)", total, what, wrong);
    ok(silent == 0, "%d %s give no silent loss (%d)", total, what, silent);
    ok(opened > 0 && opened < total, "of %d %s some give a part (%d), some an error (%d)", total, what, opened,
       total - opened);
}

int main(void)
{
    snprintf(path, sizeof path, "/dev/shm/assay-damage-%d.trace", (int)getpid());
    make_trace();
    load_original();
    struct verdict whole = judge(original, original_size);
    ok(whole.opened && !whole.wrong && !whole.silent, "the undamaged trace is read without loss (%zu bytes)",
       original_size);
    int opened = 0, wrong = 0, silent = 0;
    for (int i = 0; i < CUTS; i++) {
        struct verdict verdict = judge(original, i < 100 ? (size_t)i : draw() % original_size);
        opened += verdict.opened;
        wrong += verdict.wrong;
        silent += verdict.silent;
    }
    report("truncations", CUTS, opened, wrong, silent);
    opened = wrong = silent = 0;
    for (int i = 0; i < FLIPS; i++) {
        size_t at = draw() % original_size;
        uint8_t before = original[at];
        original[at] ^= (uint8_t)(1 + draw() % 255);
        struct verdict verdict = judge(original, original_size);
        original[at] = before;
        opened += verdict.opened;
        wrong += verdict.wrong;
        silent += verdict.silent;
    }
    report("byte changes", FLIPS, opened, wrong, silent);
    unlink(path);
    free(original);
    return done_testing();
}
