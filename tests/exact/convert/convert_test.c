/*
 * convert_test.c - raw files, written here byte by byte, are converted into traces. All expected values follow from
 * what is written.
 */
#include "collect/exact/convert/convert.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/rng.h"
#include "tests/exact/convert/raw_bytes.h"
#include "tests/tap.h"

static char raw_path[64], trace_path_[64];

enum { BATCHES = 3, FLIPS = 20000 };

/* Where the batches of the small file end, and how many pairs come before. */
static size_t batch_end[BATCHES];
static const uint64_t batch_pairs[BATCHES] = {2, 3, 6};

static const struct raw_pair PAIRS[] = {
    {1, 2, 0, 0, 1, WASTE_DEAD_STORE, VALUES_PRECISE, 10, 4, 80, 32},
    {3, 4, 0x401010, 1, 1, WASTE_SPATIAL_LOAD, VALUES_APPROXIMATE, 5, 5, 20, 20},
    {4, 5, 0, 2, 2, WASTE_SILENT_LOAD, VALUES_PRECISE, 1, 0, 8, 0},
    {6, 0, 0, 0, 2, WASTE_SILENT_STORE, VALUES_PRECISE, 1, 1, 1, 1},
    {1, 2, 0, 0, 1, WASTE_DEAD_STORE, VALUES_PRECISE, 6, 6, 48, 48},
    {3, 4, 0, 1, 1, WASTE_SPATIAL_LOAD, VALUES_APPROXIMATE, UINT64_C(1) << 40, 1, UINT64_C(1) << 43, 8},
};

static void define_calls(struct raw_bytes *raw)
{
    raw_node(raw, 1, 0, 0, RAW_ROOT);
    raw_node(raw, 2, 1, 0x401010, RAW_CALLED);
    raw_node(raw, 3, 2, 0x401020, RAW_SIGNAL);
    raw_node(raw, 4, 2, 0x401030, RAW_CUT);
    raw_sites(raw, 1, 1, (uint64_t[]){0x401100, 0x401104}, 2);
    raw_sites(raw, 3, 2, (uint64_t[]){0x7f0000001000}, 1);
    raw_sites(raw, 4, 3, (uint64_t[]){0x401200}, 1);
    raw_sites(raw, 5, 4, (uint64_t[]){0x401300}, 1);
    raw_node(raw, 5, 2, 0x7f0000001040, RAW_CALLED);
    raw_node(raw, 6, 5, 0x401050, RAW_CALLED);
}

static struct raw_bytes small_file(void)
{
    struct raw_bytes raw = {0};
    raw_hello(&raw, 4711, 1000, "{\"mode\":\"waste\",\"exe\":\"/bin/p\",\"pid\":1}");
    raw_module(&raw, 1, "/nowhere/prog", 0x400000, 0x401000, 0x402000);
    raw_module(&raw, 2, "/nowhere/libx.so.1", 0x7f0000000000, 0x7f0000001000, 0x7f0000002000);
    raw_thread(&raw, 1, 4711);
    raw_object(&raw, &(struct raw_object){1, OBJECT_STATIC, 0x401800, 64, 0, 0});
    raw_object(&raw, &(struct raw_object){2, OBJECT_HEAP, 0, 4096, 6, 0}); /* its node is defined after it */
    define_calls(&raw);
    raw_total(&raw, &(struct raw_total){1, ACCESS_STORE, VALUES_PRECISE, 0, 100, 800});
    raw_record(&raw, RAW_PAIR, PAIRS, 2 * sizeof *PAIRS, NULL, 0);
    raw_time(&raw, 2000, 50);
    batch_end[0] = raw.size;
    raw_thread(&raw, 2, 4712);
    raw_pair(&raw, &PAIRS[2]);
    raw_lost(&raw, RAW_LOST_MEMORY, 7);
    raw_lost(&raw, RAW_OTHER_THREAD, 9);
    raw_lost(&raw, RAW_ELSEWHERE, 11);
    raw_lost(&raw, RAW_HIDDEN, 12);
    raw_record(&raw, 77, "from the future", 16, NULL, 0);
    raw_time(&raw, 3000, 60);
    batch_end[1] = raw.size;
    raw_node(&raw, 7, 0, 0, RAW_ROOT);
    raw_sites(&raw, 6, 7, (uint64_t[]){0x999}, 1);
    for (size_t i = 3; i < 6; i++)
        raw_pair(&raw, &PAIRS[i]);
    raw_lost(&raw, RAW_LOST_MEMORY, 1);
    raw_total(&raw, &(struct raw_total){2, ACCESS_LOAD, VALUES_APPROXIMATE, 0, 1, 8});
    raw_end(&raw, RAW_SIGNALLED, 11);
    batch_end[2] = raw.size;
    return raw;
}

/* ---------------------------------------------------------------------------- reading -- */

struct read {
    struct trace *trace;
    struct trace_names names;
    struct trace_loss loss;
    uint64_t pairs[16][TRACE_COLUMNS_MAX], totals[16][TRACE_COLUMNS_MAX], objects[16][TRACE_COLUMNS_MAX];
    uint32_t pair_threads[16];
    size_t pair_count, total_count, object_count;
    uint64_t instances[16][TRACE_COLUMNS_MAX];
    size_t instance_count;
};

static size_t take_rows(const struct trace_batch *batch, uint64_t rows[16][TRACE_COLUMNS_MAX], size_t count)
{
    for (size_t i = 0; i < batch->count && count < 16; i++, count++)
        for (size_t c = 0; c < TRACE_COLUMNS_MAX; c++)
            rows[count][c] = batch->integers[c] ? batch->integers[c][i] : 0;
    return count;
}

static bool read_chunks(struct read *read)
{
    struct trace_batch batch = {0};
    struct error_text problem;
    bool good = true;
    for (size_t i = 0; i < trace_chunk_count(read->trace) && good; i++) {
        good = trace_read(read->trace, i, TRACE_ALL_COLUMNS, &batch, &problem) == 0;
        size_t before = read->pair_count;
        if (good && batch.kind == TRACE_PAIR)
            read->pair_count = take_rows(&batch, read->pairs, read->pair_count);
        if (good && batch.kind == TRACE_TOTAL)
            read->total_count = take_rows(&batch, read->totals, read->total_count);
        if (good && batch.kind == TRACE_OBJECT)
            read->object_count = take_rows(&batch, read->objects, read->object_count);
        if (good && batch.kind == TRACE_INSTANCE)
            read->instance_count = take_rows(&batch, read->instances, read->instance_count);
        for (; before < read->pair_count; before++)
            read->pair_threads[before] = batch.thread;
    }
    trace_batch_free(&batch);
    return good;
}

static bool read_trace(struct read *read)
{
    struct error_text problem;
    *read = (struct read){0};
    if (trace_open(trace_path_, &read->trace, &problem) != 0)
        return false;
    read->loss = *trace_loss(read->trace);
    return trace_names_load(read->trace, &read->names, &read->loss) == 0 && read_chunks(read);
}

static void close_read(struct read *read)
{
    trace_names_free(&read->names);
    trace_close(read->trace);
}

/* "outermost@1010 innermost@1100": methods with their positions, if they have any, in hexadecimal. */
static const char *stack_text(const struct read *read, uint64_t context)
{
    static char text[2][1024];
    static unsigned turn;
    char *to = text[turn++ % 2];
    *to = '\0';
    for (; context; context = trace_names_context(&read->names, context)->parent) {
        char rest[1024];
        const struct trace_frame *frame = &read->names.frames[trace_names_context(&read->names, context)->frame];
        snprintf(rest, sizeof rest, "%s", to);
        int length = snprintf(to, 1024, "%s", read->names.methods[frame->method].name);
        if (frame->position >= 0)
            length += snprintf(to + length, 1024 - (size_t)length, "@%" PRIx64, (uint64_t)frame->position);
        snprintf(to + length, 1024 - (size_t)length, "%s%s", *rest ? " " : "", rest);
    }
    return to;
}

static enum convert_status convert(struct convert_report *report, struct error_text *problem)
{
    json_t *base = json_pack("{s:s, s:s}", "series", "abc", "mode", "overridden");
    enum convert_status status = convert_raw(raw_path, trace_path_, base, report, problem);
    json_decref(base);
    return status;
}

/* ---------------------------------------------------------------------------- the tests -- */

static void metadata_is_right(const struct read *read)
{
    const json_t *metadata = trace_metadata(read->trace);
    is_text(json_string_value(json_object_get(metadata, "series")), "abc", "the metadata have what the caller gave");
    is_text(json_string_value(json_object_get(metadata, "mode")), "waste", "  the tool's values take precedence");
    is_u64((uint64_t)json_integer_value(json_object_get(metadata, "pid")), 4711, "  the process id is the header's");
    is_u64((uint64_t)json_integer_value(json_object_get(metadata, "start_monotonic_ns")), 1000,
           "  the start is the header's");
    const json_t *exact = json_object_get(metadata, "exact");
    is_text(json_string_value(json_object_get(exact, "ended")), "signalled", "  they tell how the process ended");
    is_u64((uint64_t)json_integer_value(json_object_get(exact, "status")), 11, "  by which signal");
    is_u64((uint64_t)json_integer_value(json_object_get(exact, "instructions")), 60,
           "  the instructions of the last time record");
    is_u64((uint64_t)json_integer_value(json_object_get(exact, "lost_memory")), 8, "  the sum of lost accesses");
    is_u64((uint64_t)json_integer_value(json_object_get(exact, "other_thread_bytes")), 9,
           "  and the bytes of other threads");
    is_u64((uint64_t)json_integer_value(json_object_get(exact, "elsewhere_bytes")), 11,
           "  the bytes that are no place of Java");
    is_u64((uint64_t)json_integer_value(json_object_get(exact, "hidden_classes")), 12, "  and the hidden classes");
}

static void stacks_are_right(const struct read *read)
{
    is_text(stack_text(read, read->pairs[0][PAIR_FIRST]), "[prog]@1100", "a site in the root has one frame");
    is_text(stack_text(read, read->pairs[0][PAIR_SECOND]), "[prog]@1104", "  and so has another site there");
    is_text(stack_text(read, read->pairs[1][PAIR_FIRST]), "[prog]@1010 [libx.so.1]@1000",
            "a call into a library has the library's frame");
    is_text(stack_text(read, read->pairs[1][PAIR_SECOND]), "[prog]@1010 [prog]@1020 [signal] [prog]@1200",
            "a signal handler is called from [signal]");
    is_text(stack_text(read, read->pairs[1][PAIR_SCOPE]), "[prog]@1010", "a scope has one frame");
}

static void pair_is(const struct read *read, size_t i, size_t raw, uint64_t time, uint32_t thread)
{
    static const size_t COLUMNS[] = {PAIR_WASTE,         PAIR_VALUES, PAIR_EVENTS,
                                     PAIR_WASTED_EVENTS, PAIR_BYTES,  PAIR_WASTED_BYTES};
    const struct raw_pair *pair = &PAIRS[raw];
    const uint64_t expected[] = {pair->waste,         pair->values, pair->events,
                                 pair->wasted_events, pair->bytes,  pair->wasted_bytes};
    bool good = read->pairs[i][PAIR_TIME] == time && read->pair_threads[i] == thread;
    for (size_t c = 0; c < sizeof COLUMNS / sizeof *COLUMNS; c++)
        good = good && read->pairs[i][COLUMNS[c]] == expected[c];
    ok(good, "pair %zu has its counts, time and thread", i);
}

/* The streams follow each other: thread 1 has pairs 0, 1, 4, 5; thread 2 has 2, 3. */
static void rows_are_right(const struct read *read)
{
    is_u64(read->pair_count, 6, "the trace has six pairs");
    pair_is(read, 0, 0, 2000, 1);
    pair_is(read, 1, 1, 2000, 1);
    pair_is(read, 2, 4, 3000, 1);
    pair_is(read, 3, 5, 3000, 1);
    pair_is(read, 4, 2, 3000, 2);
    pair_is(read, 5, 3, 3000, 2);
    is_text(stack_text(read, read->pairs[4][PAIR_SECOND]), "[prog]@1010 [prog]@1030 [deeper calls] [prog]@1300",
            "calls that were cut become [deeper calls]");
    is_text(stack_text(read, read->pairs[5][PAIR_FIRST]), "[unknown]@999", "code in no module becomes [unknown]");
    is_u64(read->pairs[5][PAIR_SECOND], 0, "handle 0 is not a context");
    is_u64(read->pairs[0][PAIR_FIRST], read->pairs[2][PAIR_FIRST], "the same handle gives the same context");
    is_u64(read->total_count, 2, "the trace has two totals");
    is_u64(read->totals[0][TOTAL_BYTES], 800, "  with their bytes");
    is_u64(read->totals[0][TOTAL_TIME], 2000, "  the time of their batch");
    is_u64(read->totals[1][TOTAL_VALUES], VALUES_APPROXIMATE, "  and their class of values");
}

static void objects_are_right(const struct read *read)
{
    is_u64(read->object_count, 2, "the trace has two objects");
    is_u64(read->pairs[1][PAIR_OBJECT], read->objects[0][OBJECT_ID], "  the first is the pair's");
    is_u64(read->objects[0][OBJECT_BYTES], 64, "  and has its size");
    is_u64(read->objects[1][OBJECT_KIND], OBJECT_HEAP, "  the second is on the heap");
    is_text(stack_text(read, read->objects[0][OBJECT_CONTEXT]), "[prog]@1800", "a static object has its position");
    is_text(stack_text(read, read->objects[1][OBJECT_CONTEXT]), "[prog]@1010 [libx.so.1]@1040 [prog]@1050",
            "a heap object has the context of its allocation");
    is_u64(read->pairs[0][PAIR_OBJECT], 0, "a pair without an object refers to none");
}

static void whole(void)
{
    struct raw_bytes raw = small_file();
    struct convert_report report;
    struct error_text problem;
    struct read read;
    struct stat status;
    raw_save(&raw, raw.size, raw_path);
    is_u64(convert(&report, &problem), CONVERT_DONE, "a whole file is converted");
    ok(stat(raw_path, &status) != 0, "  and deleted");
    is_u64(report.pairs, 6, "  the pairs are counted");
    is_u64(report.unread_bytes, 0, "  no byte is unread");
    is_text(report.missing.text, "8 accesses were not seen for lack of memory", "  the tool's losses are reported");
    if (!ok(read_trace(&read), "  the trace can be read"))
        return;
    ok(trace_has_index(read.trace) && !read.loss.unfinished && read.loss.bytes == 0, "  and is whole");
    is_u64(read.loss.dropped[LOST_NO_MEMORY], 8, "  it has the losses");
    is_u64(read.names.thread_count, 3, "  it has two threads");
    is_u64(read.names.threads[2].tid, 4712, "  with their kernel ids");
    is_text(read.names.modules[2].path, "/nowhere/libx.so.1", "  and the modules");
    metadata_is_right(&read);
    rows_are_right(&read);
    stacks_are_right(&read);
    objects_are_right(&read);
    close_read(&read);
    free(raw.data);
}

/* ---------------------------------------------------------------------------- damage -- */

/* The pairs of the batches that are complete in the first `size` bytes. */
static uint64_t pairs_within(size_t size)
{
    uint64_t pairs = 0;
    for (size_t i = 0; i < BATCHES; i++)
        if (size >= batch_end[i])
            pairs = batch_pairs[i];
    return pairs;
}

static bool cut_is_right(const struct raw_bytes *raw, size_t size, size_t hello)
{
    struct convert_report report;
    struct error_text problem;
    struct read read;
    raw_save(raw, size, raw_path);
    enum convert_status status = convert(&report, &problem);
    if (size < hello)
        return status == CONVERT_NOTHING && access(raw_path, F_OK) != 0 && access(trace_path_, F_OK) != 0;
    bool good = status == CONVERT_DONE && read_trace(&read);
    if (!good)
        return false;
    good = read.pair_count == pairs_within(size) && report.pairs == read.pair_count && !report.damaged &&
           read.loss.bytes == 0 && trace_has_index(read.trace) == (size == raw->size) &&
           report.unread_bytes == size - (read.pair_count == 0   ? hello
                                          : read.pair_count == 2 ? batch_end[0]
                                          : read.pair_count == 3 ? batch_end[1]
                                                                 : batch_end[2]);
    close_read(&read);
    unlink(trace_path_);
    return good;
}

static void cuts(void)
{
    struct raw_bytes raw = small_file();
    struct raw_head head;
    size_t bad = SIZE_MAX;
    memcpy(&head, raw.data, sizeof head);
    unlink(trace_path_);
    for (size_t size = 0; size <= raw.size && bad == SIZE_MAX; size++)
        if (!cut_is_right(&raw, size, sizeof head + head.bytes))
            bad = size;
    ok(bad == SIZE_MAX, "a file cut at any byte gives the batches before it, and no more");
    if (bad != SIZE_MAX)
        printf("# at byte %zu of %zu\n", bad, raw.size);
    free(raw.data);
}

static uint64_t draw(void)
{
    static struct rng state = {20190216};
    return rng_next(&state);
}

/* All references are defined, and no more bytes are wasted than accessed. */
static bool is_sane(const struct read *read)
{
    bool good = read->loss.bytes == 0 && read->loss.chunks == 0;
    for (size_t i = 0; i < read->pair_count; i++) {
        const uint64_t *pair = read->pairs[i];
        good = good && pair[PAIR_FIRST] < read->names.context_count && pair[PAIR_SECOND] < read->names.context_count &&
               pair[PAIR_SCOPE] < read->names.context_count && pair[PAIR_OBJECT] <= read->object_count &&
               pair[PAIR_WASTED_BYTES] <= pair[PAIR_BYTES] && pair[PAIR_WASTE] < WASTE_COUNT &&
               read->pair_threads[i] > 0 && read->pair_threads[i] < read->names.thread_count;
    }
    return good;
}

static void flips(void)
{
    struct raw_bytes raw = small_file();
    struct convert_report report;
    struct error_text problem;
    struct read read;
    size_t converted = 0, refused = 0, insane = 0, damaged = 0;
    for (size_t i = 0; i < FLIPS; i++) {
        size_t at = draw() % raw.size;
        uint8_t before = raw.data[at];
        raw.data[at] ^= (uint8_t)(draw() % 255 + 1);
        raw_save(&raw, raw.size, raw_path);
        raw.data[at] = before;
        enum convert_status status = convert(&report, &problem);
        refused += status == CONVERT_FAILED;
        if (status != CONVERT_DONE)
            continue;
        converted++;
        damaged += report.damaged;
        insane += !read_trace(&read) || !is_sane(&read);
        close_read(&read);
        unlink(trace_path_);
    }
    printf("# %zu converted, of which %zu with damage that was seen; %zu refused\n", converted, damaged, refused);
    is_u64(insane, 0, "after one byte is changed at random, the trace can be read and all references are defined");
    ok(damaged > 0 && refused > 0, "  and some damage is detected and reported");
    unlink(raw_path);
    free(raw.data);
}

/* ---------------------------------------------------------------------------- refused -- */

static void refused(void)
{
    struct raw_bytes raw = {0};
    struct convert_report report;
    struct error_text problem = {0};
    is_u64(convert(&report, &problem), CONVERT_FAILED, "a file that does not exist is refused");
    is_text(problem.text, "No such file or directory", "  the message tells why");
    raw_record(&raw, RAW_HELLO, "something else entirely, 32 bytes", 32, NULL, 0);
    raw_save(&raw, raw.size, raw_path);
    is_u64(convert(&report, &problem), CONVERT_FAILED, "a file that is not a raw file is refused");
    is_text(problem.text, "is not a file of the exact tool", "  the message tells why");
    ok(access(raw_path, F_OK) == 0 && access(trace_path_, F_OK) != 0, "  it stays, and no trace is made");
    raw.size = 0;
    raw_hello(&raw, 1, 1000, "{\"no JSON");
    raw_end(&raw, RAW_EXITED, 0);
    raw_save(&raw, raw.size, raw_path);

    is_u64(convert(&report, &problem), CONVERT_DONE, "a description that is not JSON is left out");
    ok(report.ended && report.end.kind == RAW_EXITED, "  and the rest is converted");
    unlink(trace_path_);
    free(raw.data);
}

/* An impossible record: what precedes its batch is kept, and the damage is reported. */
static void untrue(const char *what, const struct raw_pair *pair)
{
    struct raw_bytes raw = small_file();
    struct convert_report report;
    struct error_text problem;
    struct read read;
    raw.size = batch_end[1];
    raw_pair(&raw, pair);
    raw_time(&raw, 4000, 0);
    raw_end(&raw, RAW_EXITED, 0);
    raw_save(&raw, raw.size, raw_path);
    bool good = convert(&report, &problem) == CONVERT_DONE && report.damaged && report.pairs == 3 &&
                report.unread_bytes == raw.size - batch_end[1] && strstr(report.missing.text, "damaged") &&
                read_trace(&read);
    if (ok(good, "%s is reported as damage", what)) {
        ok(read.pair_count == 3 && !trace_has_index(read.trace), "  the trace ends before it");
        close_read(&read);
    }
    unlink(trace_path_);
    free(raw.data);
}

static void untrue_records(void)
{
    untrue("an undefined handle", &(struct raw_pair){1, 99, 0, 0, 1, 0, 0, 1, 1, 1, 1});
    untrue("an undefined thread", &(struct raw_pair){1, 2, 0, 0, 3, 0, 0, 1, 1, 1, 1});
    untrue("an undefined object", &(struct raw_pair){1, 2, 0, 9, 1, 0, 0, 1, 1, 1, 1});
    untrue("an unknown kind of waste", &(struct raw_pair){1, 2, 0, 0, 1, WASTE_COUNT, 0, 1, 1, 1, 1});
    untrue("a pair with more wasted bytes than bytes", &(struct raw_pair){1, 2, 0, 0, 1, 0, 0, 1, 1, 8, 9});
}

/* ---------------------------------------------------------------------------- calls -- */

/* Up to a call of the function at 0x401200, in the handler of a signal. */
static struct raw_bytes file_of_calls(void)
{
    struct raw_bytes raw = {0};
    raw_hello(&raw, 4711, 1000, "{\"mode\":\"calls\",\"exe\":\"/bin/p\"}");
    raw_module(&raw, 1, "/nowhere/prog", 0x400000, 0x401000, 0x402000);
    raw_module(&raw, 2, "/nowhere/libx.so.1", 0x7f0000000000, 0x7f0000001000, 0x7f0000002000);
    raw_thread(&raw, 1, 4711);
    define_calls(&raw);
    raw_record(&raw, RAW_CALL, &(struct raw_call){1500, 1, 1, 4}, sizeof(struct raw_call),
               (uint64_t[RAW_ARGUMENTS]){7, 8, 9}, RAW_ARGUMENTS * sizeof(uint64_t));
    return raw;
}

static void calls(void)
{
    struct raw_bytes raw = file_of_calls();
    struct convert_report report;
    struct error_text problem;
    struct read read;
    raw_record(&raw, RAW_CALL_END, &(struct raw_call_end){1700, 1, 200, 1, RAW_RETURNED}, sizeof(struct raw_call_end),
               (uint64_t[]){40, 3}, 2 * sizeof(uint64_t));
    raw_record(&raw, RAW_CALL, &(struct raw_call){1800, 2, 1, 1}, sizeof(struct raw_call), NULL, 0);
    raw_record(&raw, RAW_CALL_END, &(struct raw_call_end){1900, 2, 100, 1, RAW_LEFT}, sizeof(struct raw_call_end), NULL,
               0);
    raw_record(&raw, RAW_NAME, &(struct raw_name){2, 4}, sizeof(struct raw_name), "f(*)", 5);
    raw_time(&raw, 2000, 0);
    raw_end(&raw, RAW_EXITED, 0);
    raw_save(&raw, raw.size, raw_path);
    is_u64(convert(&report, &problem), CONVERT_DONE, "a file of calls is converted");
    is_u64(report.calls, 2, "  the calls are counted");
    is_u64((uint64_t)json_integer_value(json_object_get(report.functions, "f(*)")), 2,
           "  and the functions by their names");
    json_decref(report.functions);
    json_decref(report.similar);
    if (!ok(read_trace(&read) && read.instance_count == 4, "  the trace has each call and its end"))
        return;
    uint64_t(*rows)[TRACE_COLUMNS_MAX] = read.instances;
    is_text(stack_text(&read, rows[0][INSTANCE_CONTEXT]), "[prog]@1010 [prog]@1020 [signal] [prog]@1200",
            "  a call has the context of its function");
    is_u64(rows[0][INSTANCE_WEIGHT], 1000, "  and stands for itself");
    is_u64(rows[0][INSTANCE_ARGUMENT_3], 9, "  with its arguments");
    ok(rows[1][INSTANCE_WHAT] == INSTANCE_RETURN && rows[1][INSTANCE_TOOK] == 200 && rows[1][INSTANCE_COUNTER_1] == 3,
       "  its return has what it took");
    ok(rows[3][INSTANCE_WHAT] == INSTANCE_LEFT && rows[3][INSTANCE_TOOK] == 0, "  a call that was left has nothing");
    close_read(&read);
    unlink(trace_path_);
    free(raw.data);
}

static void untrue_call(const char *what, uint32_t type, const void *record, size_t bytes, size_t more)
{
    static const uint64_t zeros[8];
    struct raw_bytes raw = file_of_calls();
    struct convert_report report;
    struct error_text problem;
    raw_record(&raw, type, record, bytes, zeros, more * sizeof *zeros);
    raw_time(&raw, 2000, 0);
    raw_end(&raw, RAW_EXITED, 0);
    raw_save(&raw, raw.size, raw_path);
    ok(convert(&report, &problem) == CONVERT_DONE && report.damaged && report.calls == 0, "%s is reported as damage",
       what);
    unlink(trace_path_);
    free(raw.data);
}

static void untrue_calls(void)
{
    enum { CALL = sizeof(struct raw_call), END = sizeof(struct raw_call_end) };
    untrue_call("a call in an undefined thread", RAW_CALL, &(struct raw_call){1600, 2, 2, 4}, CALL, 0);
    untrue_call("a call of an undefined function", RAW_CALL, &(struct raw_call){1600, 2, 1, 99}, CALL, 0);
    untrue_call("a call with some arguments", RAW_CALL, &(struct raw_call){1600, 2, 1, 4}, CALL, 5);
    untrue_call("an end in an undefined thread", RAW_CALL_END, &(struct raw_call_end){1600, 1, 1, 2, RAW_LEFT}, END, 0);
    untrue_call("an unknown end", RAW_CALL_END, &(struct raw_call_end){1600, 1, 1, 1, 3}, END, 0);
    untrue_call("an end with too many counters", RAW_CALL_END, &(struct raw_call_end){1600, 1, 1, 1, RAW_RETURNED}, END,
                5);
    untrue_call("a name without an end", RAW_NAME, &(struct raw_name){1, 64}, sizeof(struct raw_name), 1);
}

/* ---------------------------------------------------------------------------- size -- */

enum { LONG_BATCHES = 2000, LONG_PAIRS = 600, LONG_DATA_BYTES = 40 << 20 };

static void write_long_file(void)
{
    struct raw_bytes raw = {0};
    FILE *file = fopen(raw_path, "wb");
    raw_hello(&raw, 1, 1000, "{}");
    raw_module(&raw, 1, "/nowhere/prog", 0x400000, 0x401000, 0x402000);
    raw_thread(&raw, 1, 1);
    define_calls(&raw);
    for (uint64_t batch = 0; batch < LONG_BATCHES; batch++) {
        for (uint64_t i = 0; i < LONG_PAIRS; i++)
            raw_pair(&raw, &(struct raw_pair){1, 2, 0, 0, 1, 0, 0, draw() >> 32, 0, draw() >> 16, 0});
        raw_time(&raw, 2000 + batch, 0);
        if (fwrite(raw.data, 1, raw.size, file) != raw.size)
            abort();
        raw.size = 0;
    }
    raw_end(&raw, RAW_EXITED, 0);
    if (fwrite(raw.data, 1, raw.size, file) != raw.size || fclose(file) != 0)
        abort();
    free(raw.data);
}

/* The file is twice as long as the memory for data that a process may have. */
static void long_file(void)
{
    struct stat status;
#ifdef __SANITIZE_ADDRESS__
    skip("the address sanitizer wants more memory than that");
    return;
#endif
    write_long_file();
    ok(stat(raw_path, &status) == 0 && status.st_size > 2 * LONG_DATA_BYTES,
       "a file is more than twice as long as the memory for data");
    pid_t child = fork();
    if (child == 0) {
        struct convert_report report;
        struct error_text problem;
        struct rlimit limit = {LONG_DATA_BYTES, LONG_DATA_BYTES};
        setrlimit(RLIMIT_DATA, &limit);
        bool good = convert(&report, &problem) == CONVERT_DONE && report.pairs == LONG_BATCHES * LONG_PAIRS;
        _exit(!good);
    }
    int ended;
    waitpid(child, &ended, 0);
    is_u64((uint64_t)ended, 0, "  and is converted");
    unlink(trace_path_);
    unlink(raw_path);
}

int main(void)
{
    char directory[] = "/tmp/assay-convert-XXXXXX";
    if (!mkdtemp(directory))
        return 1;
    snprintf(raw_path, sizeof raw_path, "%s/r.exact", directory);
    snprintf(trace_path_, sizeof trace_path_, "%s/r.trace", directory);
    whole();
    unlink(trace_path_);
    refused();
    cuts();
    untrue_records();
    calls();
    untrue_calls();
    flips();
    long_file();
    rmdir(directory);
    return done_testing();
}
