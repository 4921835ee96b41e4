/*
 * convert_damage_test.c - what becomes of raw files that are refused, cut, damaged, untrue or long. All expected values
 * follow from what is written.
 */
#include "tests/exact/convert/converted.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/rng.h"
#include "tests/tap.h"

enum { FLIPS = 20000 };

/* How many pairs come before the end of each batch of the small file. */
static const uint64_t batch_pairs[BATCHES] = {2, 3, 6};

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

static uint64_t next_random(void)
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
        size_t at = next_random() % raw.size;
        uint8_t before = raw.data[at];
        raw.data[at] ^= (uint8_t)(next_random() % 255 + 1);
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
            raw_pair(&raw, &(struct raw_pair){1, 2, 0, 0, 1, 0, 0, next_random() >> 32, 0, next_random() >> 16, 0});
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
    if (!name_files(directory))
        return 1;
    refused();
    cuts();
    untrue_records();
    untrue_calls();
    flips();
    long_file();
    rmdir(directory);
    return done_testing();
}
