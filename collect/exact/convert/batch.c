#include "collect/exact/convert/batch.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

/* ---------------------------------------------------------------------------- looking -- */

bool batch_is_whole(const struct raw_file *file, uint64_t begin, bool *last)
{
    struct raw_record record;
    while (raw_file_next(file, &begin, &record) == STEP_RECORD) {
        *last = record.type == RAW_END;
        if (record.type == RAW_TIME || record.type == RAW_END)
            return true;
    }
    return false;
}

int batch_scan(struct definitions *definitions, const struct raw_file *file, uint64_t begin,
               const struct raw_time *before, struct batch *batch)
{
    assert(begin <= file->size);
    struct batch got = {.begin = begin, .end = begin, .time = *before};
    struct raw_record record;
    do {
        enum raw_step step = raw_file_next(file, &got.end, &record);
        if (step != STEP_RECORD)
            return step == STEP_DAMAGED ? EILSEQ : ENODATA;
        const struct raw_time *time = record.payload;
        const struct raw_end *end = record.payload;
        const struct raw_lost *lost = record.payload;
        int error = 0;
        switch (record.type) {
        case RAW_HELLO:
            return EILSEQ;
        case RAW_TIME:
            if (record.bytes < sizeof *time || time->monotonic_ns < got.time.monotonic_ns)
                return EILSEQ;
            got.time = *time;
            break;
        case RAW_END:
            if (record.bytes < sizeof *end || end->kind > RAW_EXEC)
                return EILSEQ;
            got.last = true;
            got.ending = *end;
            break;
        case RAW_LOST:
            if (record.bytes < sizeof *lost || lost->cause == 0 || lost->cause >= CONVERT_CAUSES)
                return EILSEQ;
            break;
        default:
            error = definitions_add_record(definitions, &record);
        }
        if (error)
            return error;
    } while (record.type != RAW_TIME && record.type != RAW_END);
    *batch = got;
    return 0;
}

/* ---------------------------------------------------------------------------- writing -- */

struct put {
    const struct batch *batch;
    struct contexts *contexts;
    struct trace_sink *sink;
    struct convert_report *report;
};

/* The object's id in the trace, assigned when it is first used. */
static int batch_object_id(const struct put *put, uint32_t raw, uint64_t *id)
{
    struct definitions *definitions = put->contexts->definitions;
    struct definition_object *object = definitions_object(definitions, raw);
    int error = 0;
    if (object && !object->id) {
        uint32_t context = 0;
        if (object->kind == OBJECT_STATIC) {
            struct definition_location location = {object->address, object->module};
            if (!definitions_module(definitions, object->module))
                location = definitions_data(definitions, object->address);
            error = contexts_at_location(put->contexts, location, &context);
        } else if (object->address & RAW_MANAGED) {
            error = contexts_of_instruction(put->contexts, object->node,
                                            (struct definition_location){object->address, 0}, &context);
        } else {
            error = contexts_of_node(put->contexts, object->node, &context);
        }
        if (!error)
            error = trace_sink_object(put->sink, object, context);
    }
    *id = object ? object->id : 0;
    return error;
}

static int batch_put_pair(const struct put *put, const struct raw_pair *pair)
{
    uint32_t first, second, scope = 0;
    uint64_t object;
    int error = contexts_of_site(put->contexts, pair->first, &first);
    if (!error)
        error = contexts_of_site(put->contexts, pair->second, &second);
    if (!error && pair->scope)
        error = contexts_at_location(put->contexts, definitions_code(put->contexts->definitions, pair->scope), &scope);
    if (!error)
        error = batch_object_id(put, pair->object, &object);
    if (error)
        return error;
    uint64_t row[TRACE_COLUMNS_MAX] = {[PAIR_TIME] = put->batch->time.monotonic_ns,
                                       [PAIR_WASTE] = pair->waste,
                                       [PAIR_VALUES] = pair->values,
                                       [PAIR_FIRST] = first,
                                       [PAIR_SECOND] = second,
                                       [PAIR_SCOPE] = scope,
                                       [PAIR_OBJECT] = object,
                                       [PAIR_EVENTS] = pair->events,
                                       [PAIR_WASTED_EVENTS] = pair->wasted_events,
                                       [PAIR_BYTES] = pair->bytes,
                                       [PAIR_WASTED_BYTES] = pair->wasted_bytes};
    put->report->pairs++;
    return trace_sink_row(put->sink, TRACE_PAIR, definitions_thread(put->contexts->definitions, pair->thread)->stream,
                          row);
}

static int batch_put_total(const struct put *put, const struct raw_total *total)
{
    uint64_t row[TRACE_COLUMNS_MAX] = {[TOTAL_TIME] = put->batch->time.monotonic_ns,
                                       [TOTAL_ACCESS] = total->access,
                                       [TOTAL_VALUES] = total->values,
                                       [TOTAL_EVENTS] = total->events,
                                       [TOTAL_BYTES] = total->bytes};
    put->report->totals++;
    return trace_sink_row(put->sink, TRACE_TOTAL, definitions_thread(put->contexts->definitions, total->thread)->stream,
                          row);
}

static int batch_put_burst(const struct put *put, const struct raw_burst *burst)
{
    uint64_t row[TRACE_COLUMNS_MAX] = {[BURST_TIME] = put->batch->time.monotonic_ns,
                                       [BURST_WASTE] = burst->waste,
                                       [BURST_BYTES] = burst->bytes,
                                       [BURST_WASTED_BYTES] = burst->wasted_bytes,
                                       [BURST_UNSEEN_BYTES] = burst->unseen_bytes,
                                       [BURST_CROSSING_BYTES] = burst->crossing_bytes,
                                       [BURST_CROSSING_WASTED_BYTES] = burst->crossing_wasted_bytes};
    return trace_sink_burst(put->sink, row);
}

static int batch_put_call(const struct put *put, const struct raw_record *record)
{
    const struct raw_call *call = record->payload;
    const uint64_t *arguments = (const void *)(call + 1);
    uint64_t row[TRACE_COLUMNS_MAX] = {[INSTANCE_TIME] = call->time_ns,
                                       [INSTANCE_WHAT] = INSTANCE_CALL,
                                       [INSTANCE_NUMBER] = call->number,
                                       [INSTANCE_WEIGHT] = 1000};
    uint32_t context;
    int error = contexts_of_site(put->contexts, call->site, &context);
    if (error)
        return error;
    row[INSTANCE_CONTEXT] = context;
    for (size_t i = 0; i < (record->bytes - sizeof *call) / sizeof *arguments; i++)
        row[INSTANCE_ARGUMENT_1 + i] = arguments[i];
    put->report->calls++;
    return trace_sink_row(put->sink, TRACE_INSTANCE,
                          definitions_thread(put->contexts->definitions, call->thread)->stream, row);
}

static int batch_put_call_end(const struct put *put, const struct raw_record *record)
{
    const struct raw_call_end *end = record->payload;
    const uint64_t *counters = (const void *)(end + 1);
    uint64_t row[TRACE_COLUMNS_MAX] = {
        [INSTANCE_TIME] = end->time_ns,
        [INSTANCE_WHAT] = end->how,
        [INSTANCE_NUMBER] = end->number,
        [INSTANCE_TOOK] = end->how == RAW_RETURNED || end->how == RAW_THREAD_TOTAL ? end->took_ns : 0,
    };
    for (size_t i = 0; i < (record->bytes - sizeof *end) / sizeof *counters; i++)
        row[INSTANCE_COUNTER_0 + i] = counters[i];
    return trace_sink_row(put->sink, TRACE_INSTANCE,
                          definitions_thread(put->contexts->definitions, end->thread)->stream, row);
}
_Static_assert((int)RAW_RETURNED == (int)INSTANCE_RETURN && (int)RAW_LEFT == (int)INSTANCE_LEFT &&
                   (int)RAW_UNFINISHED == (int)INSTANCE_UNFINISHED && (int)RAW_THREAD_TOTAL == (int)INSTANCE_TOTAL,
               "the tool's numbers are those of the trace");

/* What the other causes count is not missing in the trace, but recorded less finely. */
static int batch_put_lost(const struct put *put, const struct raw_record *record)
{
    const struct raw_lost *lost = record->payload;
    put->report->lost[lost->cause] += lost->count;
    if (lost->cause != RAW_LOST_WRITES && lost->cause != RAW_LOST_MEMORY)
        return 0;
    uint64_t row[TRACE_COLUMNS_MAX] = {[LOST_TIME] = put->batch->time.monotonic_ns,
                                       [LOST_CAUSE] =
                                           lost->cause == RAW_LOST_WRITES ? LOST_WRITE_FAILED : LOST_NO_MEMORY,
                                       [LOST_COUNT] = lost->count};
    return trace_sink_lost(put->sink, row);
}

int batch_put(const struct batch *batch, const struct raw_file *file, struct contexts *contexts,
              struct trace_sink *sink, struct convert_report *report)
{
    assert(batch->begin <= batch->end && batch->end <= file->size);
    struct put put = {batch, contexts, sink, report};
    struct raw_record record;
    int error = trace_sink_threads(sink);
    for (uint64_t at = batch->begin; at < batch->end && !error;) {
        if (raw_file_next(file, &at, &record) != STEP_RECORD) {
            error = EILSEQ; /* its writer has changed it since */
            break;
        }
        const struct raw_pair *pairs = record.payload;
        const struct raw_total *totals = record.payload;
        if (record.type == RAW_PAIR)
            for (size_t i = 0; i < record.bytes / sizeof *pairs && !error; i++)
                error = batch_put_pair(&put, &pairs[i]);
        else if (record.type == RAW_TOTAL)
            for (size_t i = 0; i < record.bytes / sizeof *totals && !error; i++)
                error = batch_put_total(&put, &totals[i]);
        else if (record.type == RAW_BURST)
            error = batch_put_burst(&put, record.payload);
        else if (record.type == RAW_CALL)
            error = batch_put_call(&put, &record);
        else if (record.type == RAW_CALL_END)
            error = batch_put_call_end(&put, &record);
        else if (record.type == RAW_LOST)
            error = batch_put_lost(&put, &record);
        if (!error && sink->full)
            error = trace_sink_flush(sink, batch->time.monotonic_ns);
    }
    report->instructions = batch->time.instructions;
    report->ended = batch->last;
    report->end = batch->ending;
    return error;
}
