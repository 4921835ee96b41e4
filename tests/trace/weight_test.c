/* weight_test.c - weights of samples: a chunk has the columns that its records use, a reader has zeros for the others,
 * and a selection leaves the samples that count, with the weight that was chosen. */
#include <stdlib.h>
#include <unistd.h>

#include "trace/write/chunk_rows.h"
#include "trace/trace.h"
#include "tests/tap.h"

enum { COLUMNS = SAMPLE_THREAD_STATE + 1, ROWS = 1000 };

/* The chunk of ROWS samples, of which only those from `first` to `last` have a value in `column`. */
static void check_width(size_t column, size_t first, size_t last, unsigned expected)
{
    struct chunk_rows rows = {.kind = TRACE_SAMPLE, .thread = 1};
    struct chunk_encoder encoder;
    struct chunk_columns columns;
    struct chunk_header header = {0};
    struct buffer chunk = {0};
    struct trace_batch batch = {0};
    struct error_text message = {""};
    bool good = chunk_encoder_init(&encoder, 1) == 0, right = true;
    for (size_t round = 0; round < 2; round++) { /* the second one in memory that the first has used */
        chunk_rows_clear(&rows);
        chunk.size = 0;
        for (size_t i = 0; good && i < ROWS; i++) {
            uint64_t values[COLUMNS] = {[SAMPLE_TIME] = i, [SAMPLE_WEIGHT] = 3};
            values[column] = i >= first && i <= last ? 7 + i : column == SAMPLE_WEIGHT ? 3 : 0;
            good = chunk_rows_add(&rows, values, NULL) == 0;
        }
        good = good && chunk_rows_encode(&rows, &encoder, &columns, &chunk) == 0 &&
               chunk_header_decode(chunk.data, chunk.size, &header);
    }
    ok(good && header.column_count == expected, "values in column %zu of rows %zu to %zu: the chunk has %u columns",
       column, first, last, header.column_count);
    ok(chunk_decode(chunk.data, &header, TRACE_ALL_COLUMNS, &batch, &message) == 0, "  it is decoded %s", message.text);
    for (size_t c = SAMPLE_WEIGHT_1; c < COLUMNS; c++)
        for (size_t i = 0; i < ROWS; i++)
            right &= batch.integers[c][i] == (c == column && i >= first && i <= last ? 7 + i : 0);
    ok(right, "  its values are those that were written, and zeros");
    trace_batch_free(&batch);
    buffer_free(&chunk);
    chunk_rows_free(&rows);
    chunk_encoder_free(&encoder);
}

static void check_names(struct trace *trace)
{
    static const struct {
        const char *wanted, *found; /* "": the message that follows */
        const char *message;
    } cases[] = {
        {"b", "b", ""},
        {"b/bytes", "b", ""},
        {"b/ns", "", "its samples have no weight 'b/ns', but: a (count), b (bytes), c (B), d (ms)"},
        {"", "", "its samples have no weight '', but: a (count), b (bytes), c (B), d (ms)"},
        {"duration", "d", ""},
        {"bytes", "",
         "several weights of its samples are 'bytes'; choose one by its name: a (count), b (bytes), c (B), d (ms)"},
        {"samples", "", "its samples have no weight 'samples', but: a (count), b (bytes), c (B), d (ms)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace_weight weight = {.name = ""};
        struct error_text message = {""};
        int status = trace_weight_find(trace, cases[i].wanted, &weight, &message);
        ok(status == (*cases[i].found ? STATUS_GOOD : STATUS_BAD), "the weight '%s'", cases[i].wanted);
        is_text(weight.name, cases[i].found, "  is this one");
        is_text(message.text, cases[i].message, "  or this says why not");
    }
}

/* How many samples a selection leaves, and what they weigh. */
static void check_selection(struct trace *trace, struct trace_selection selection, uint64_t samples, uint64_t sum)
{
    struct trace_batch batch = {0};
    struct error_text message;
    uint64_t count = 0, weight = 0;
    const uint64_t columns =
        trace_selection_columns(&selection, TRACE_COLUMN(SAMPLE_TIME) | TRACE_COLUMN(SAMPLE_WEIGHT));
    for (size_t i = 0; i < trace_chunk_count(trace); i++) {
        if (!trace_selection_takes(&selection, trace_chunk_at(trace, i)->kind))
            continue;
        ok(trace_read(trace, i, columns, &batch, &message) == 0, "a chunk is read");
        trace_selection_apply(&selection, &batch);
        count += batch.count;
        for (size_t row = 0; row < batch.count; row++)
            weight += trace_sample_weight(batch.integers[SAMPLE_WEIGHT][row]);
    }
    is_u64(count, samples, "  samples that are left");
    is_u64(weight, sum, "  their weight");
    trace_batch_free(&batch);
}

/* Samples 1 to 10: weight 1 or, of the even ones, 0, which are of the other kind; weight_1 is 100 of every fifth,
 * weight_2 is 0, weight_3 is the number; those from 8 on are asleep. */
static void make_trace(const char *path)
{
    json_t *metadata =
        json_pack("{s:[{s:s, s:s}, {s:s, s:s}, {s:s, s:s}, {s:s, s:s}]}", "weights", "name", "a", "unit", "count",
                  "name", "b", "unit", "bytes", "name", "c", "unit", "B", "name", "d", "unit", "ms");
    struct trace_writer *writer = NULL;
    struct trace_stream *stream = NULL;
    bool good = trace_create(path, metadata, &(struct trace_writer_options){.manual = true}, &writer) == 0 &&
                trace_stream_open(writer, 1, "t", ROLE_NATIVE, &stream) == 0;
    for (uint64_t i = 1; good && i <= 10; i++) {
        const uint64_t values[COLUMNS] = {[SAMPLE_TIME] = i,
                                          [SAMPLE_WEIGHT] = i % 2,
                                          [SAMPLE_WEIGHT_1] = i % 5 ? 0 : 100,
                                          [SAMPLE_WEIGHT_3] = i,
                                          [SAMPLE_THREAD_STATE] = i < 8 ? THREAD_STATE_RUNNING : THREAD_STATE_SLEEPING};
        good = trace_append(stream, i % 2 ? TRACE_SAMPLE : TRACE_ZERO_SAMPLE, values, COLUMNS);
    }
    ok(good && trace_finish(writer) == 0, "a trace is written");
    json_decref(metadata);
}

int main(void)
{
    char path[] = "/tmp/weight_testXXXXXX";
    struct trace *trace = NULL;
    struct error_text message = {""};
    check_width(SAMPLE_WEIGHT, 0, ROWS, 6);
    check_width(SAMPLE_WEIGHT_1, 0, ROWS, 7);
    check_width(SAMPLE_WEIGHT_3, 500, 600, 9);
    check_width(SAMPLE_WEIGHT_7, ROWS - 1, ROWS - 1, 13);
    check_width(SAMPLE_THREAD_STATE, 0, 0, 14);
    close(mkstemp(path));
    unlink(path);
    make_trace(path);
    if (ok(trace_open(path, &trace, &message) == 0, "it is read %s", message.text)) {
        struct trace_weight weights[SAMPLE_WEIGHTS_MAX];
        is_u64(trace_weights(trace, weights), 4, "it has four weights");
        check_names(trace);
        const uint64_t asleep = UINT64_C(1) << THREAD_STATE_SLEEPING;
        check_selection(trace, (struct trace_selection){0}, 5, 5);
        check_selection(trace, (struct trace_selection){SAMPLE_WEIGHT_1, 0}, 2, 200);
        check_selection(trace, (struct trace_selection){SAMPLE_WEIGHT_2, 0}, 0, 0);
        check_selection(trace, (struct trace_selection){SAMPLE_WEIGHT_3, 0}, 10, 55);
        check_selection(trace, (struct trace_selection){0, asleep}, 1, 1);
        check_selection(trace, (struct trace_selection){SAMPLE_WEIGHT_3, asleep}, 3, 27);
    }
    trace_close(trace);
    unlink(path);
    return done_testing();
}
