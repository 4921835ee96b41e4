/*
 * converted.h - raw files, which are written here byte by byte, and the traces that they become.
 */
#ifndef ASSAY_TESTS_CONVERTED_H
#define ASSAY_TESTS_CONVERTED_H

#include <inttypes.h>
#include <unistd.h>

#include "collect/exact/convert/convert.h"
#include "tests/exact/convert/raw_bytes.h"

enum { BATCHES = 3 };

static char raw_path[64], trace_path_[64];

/* Where the batches of the small file end. */
static size_t batch_end[BATCHES];

static const struct raw_pair PAIRS[] = {
    {1, 2, 0, 0, 1, WASTE_DEAD_STORE, VALUES_PRECISE, 10, 4, 80, 32},
    {3, 4, 0x401010, 1, 1, WASTE_SPATIAL_LOAD, VALUES_APPROXIMATE, 5, 5, 20, 20},
    {4, 5, 0, 2, 2, WASTE_SILENT_LOAD, VALUES_PRECISE, 1, 0, 8, 0},
    {6, 0, 0, 0, 2, WASTE_SILENT_STORE, VALUES_PRECISE, 1, 1, 1, 1},
    {1, 2, 0, 0, 1, WASTE_DEAD_STORE, VALUES_PRECISE, 6, 6, 48, 48},
    {3, 4, 0, 1, 1, WASTE_SPATIAL_LOAD, VALUES_APPROXIMATE, UINT64_C(1) << 40, 1, UINT64_C(1) << 43, 8},
};

static inline bool name_files(char directory[])
{
    if (!mkdtemp(directory))
        return false;
    snprintf(raw_path, sizeof raw_path, "%s/r.exact", directory);
    snprintf(trace_path_, sizeof trace_path_, "%s/r.trace", directory);
    return true;
}

static inline void define_calls(struct raw_bytes *raw)
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

static inline struct raw_bytes small_file(void)
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

/* Up to a call of the function at 0x401200, in the handler of a signal. */
static inline struct raw_bytes file_of_calls(void)
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

static inline size_t take_rows(const struct trace_batch *batch, uint64_t rows[16][TRACE_COLUMNS_MAX], size_t count)
{
    for (size_t i = 0; i < batch->count && count < 16; i++, count++)
        for (size_t c = 0; c < TRACE_COLUMNS_MAX; c++)
            rows[count][c] = batch->integers[c] ? batch->integers[c][i] : 0;
    return count;
}

static inline bool read_chunks(struct read *read)
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

static inline bool read_trace(struct read *read)
{
    struct error_text problem;
    *read = (struct read){0};
    if (trace_open(trace_path_, &read->trace, &problem) != 0)
        return false;
    read->loss = *trace_loss(read->trace);
    return trace_names_load(read->trace, &read->names, &read->loss) == 0 && read_chunks(read);
}

static inline void close_read(struct read *read)
{
    trace_names_free(&read->names);
    trace_close(read->trace);
}

/* "outermost@1010 innermost@1100": methods with their positions, if they have any, in hexadecimal. */
static inline const char *stack_text(const struct read *read, uint64_t context)
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

static inline enum convert_status convert(struct convert_report *report, struct error_text *problem)
{
    json_t *base = json_pack("{s:s, s:s}", "series", "abc", "mode", "overridden");
    enum convert_status status = convert_raw(raw_path, trace_path_, base, report, problem);
    json_decref(base);
    return status;
}

#endif
