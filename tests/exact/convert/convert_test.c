/*
 * convert_test.c - raw files, written here byte by byte, are converted into traces. All expected values follow from
 * what is written.
 */
#include "tests/exact/convert/converted.h"

#include <sys/stat.h>

#include "tests/tap.h"

/* ---------------------------------------------------------------------------- pairs -- */

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

/* ---------------------------------------------------------------------------- calls -- */

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

int main(void)
{
    char directory[] = "/tmp/assay-convert-XXXXXX";
    if (!name_files(directory))
        return 1;
    whole();
    unlink(trace_path_);
    calls();
    rmdir(directory);
    return done_testing();
}
