/* The traces and streams that are read, one after the other. */
#include "analyze/variance/reading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/names/method_name.h"
#include "base/grow.h"

enum { TEXT_BYTES = 4096 };

uint32_t *reading_element(struct reading_array *array, uint32_t index)
{
    void *grown = grow(array->items, &array->capacity, index, sizeof(uint32_t));
    if (!grown)
        return NULL;
    array->items = grown;
    return (uint32_t *)grown + index;
}

uint32_t reading_cell(struct variance *variance, uint32_t node)
{
    struct variance_reading *reading = variance->reading;
    uint32_t *known = reading_element(&reading->cells, node);
    if (!known)
        return FIELD_NONE;
    if (*known > 0)
        return *known - 1;
    const struct variance_cell key = {.run = reading->run, .node = node, .thread = reading->thread};
    uint32_t cell = relations_row(&variance->relations, VARIANCE_CELLS, &key);
    *known = cell == FIELD_NONE ? 0 : cell + 1;
    return cell;
}

void variance_free_reading(struct variance *variance)
{
    struct variance_reading *reading = variance->reading;
    if (!reading)
        return;
    free(reading->function_of);
    free(reading->cells.items);
    free(reading->open.items);
    free(reading->frames.items);
    free(reading->touched);
    free(reading->node_of);
    free(reading->seen.items);
    free(reading->chosen);
    free(reading);
    variance->reading = NULL;
}

static int reading_start_trace(struct variance *variance, const struct analysis_trace *trace)
{
    const struct variance_wish *wish = variance->wish;
    struct relations *relations = &variance->relations;
    const json_t *metadata = trace_metadata(trace->trace), *calls = json_object_get(metadata, "calls"),
                 *counters = json_object_get(metadata, "counters");
    /* The texts of the names that are asked for. */
    variance->explained = wish->explain ? relations_text(relations, wish->explain) : FIELD_NONE;
    variance->kept = wish->instances ? relations_text(relations, wish->instances) : FIELD_NONE;
    variance->correlated = wish->correlate ? relations_text(relations, wish->correlate) : FIELD_NONE;
    struct variance_reading *reading = variance->reading = calloc(1, sizeof *reading);
    if (!reading)
        return ENOMEM;
    reading->trace = trace->trace;
    reading->method_count = trace->names->method_count;
    reading->function_of = calloc(reading->method_count + 1, sizeof *reading->function_of);
    reading->context_count = trace->names->context_count;
    reading->node_of = calloc(reading->context_count + 1, sizeof *reading->node_of);
    const char *mode = json_string_value(json_object_get(metadata, "mode"));
    reading->is_chosen = mode && strcmp(mode, "calls") == 0;
    reading->is_every = variance_has_every_call(trace);
    reading->start_ns = (uint64_t)json_integer_value(json_object_get(metadata, "start_monotonic_ns"));

    struct variance_run key = {.id = relations_text(relations, trace->run)};
    size_t first = reading->is_every ? 0 : 1; /* of the counters */
    bool full = (wish->explain && variance->explained == FIELD_NONE) ||
                (wish->instances && variance->kept == FIELD_NONE) ||
                (wish->correlate && variance->correlated == FIELD_NONE);
    for (size_t m = 0; m < VARIANCE_METRICS; m++) {
        const char *name = m < first ? "time_ns" : json_string_value(json_array_get(counters, m - first));
        key.metrics[m] = name ? relations_text(relations, name) : FIELD_NONE;
        full |= name && key.metrics[m] == FIELD_NONE;
    }
    reading->run = key.id == FIELD_NONE ? FIELD_NONE : relations_row(relations, VARIANCE_RUNS, &key);
    if (full || !reading->function_of || !reading->node_of || reading->run == FIELD_NONE)
        return ENOMEM;
    struct variance_run *run = variance_run_at(variance, reading->run);
    const char *engine = json_string_value(json_object_get(calls, "engine"));
    run->stepped += engine && strcmp(engine, "trampoline") == 0;
    run->every |= reading->is_every;
    reading->count = variance_metric_count(run);
    for (size_t m = 0; m < reading->count; m++)
        reading->is_time[m] =
            (m == 0 && !reading->is_every) || event_metric_is_time(variance_text(variance, run->metrics[m]));
    event_metrics_costs(metadata, reading->count, reading->is_time, reading->probes);
    return 0;
}

static int reading_finish_stream(struct variance *variance)
{
    reading_end_chosen(variance);
    return reading_end_events(variance);
}

uint32_t reading_function(struct variance *variance, const struct trace_names *names, uint64_t method)
{
    struct variance_reading *reading = variance->reading;
    char name[METHOD_NAME_MAX];
    if (method >= reading->method_count)
        method = 0;
    if (reading->function_of[method] == 0) {
        method_name(&names->methods[method], name);
        reading->function_of[method] = relations_text(&variance->relations, name) + 1;
    }
    return reading->function_of[method] - 1;
}

bool variance_has_every_call(const struct analysis_trace *trace)
{
    const json_t *calls = json_object_get(trace_metadata(trace->trace), "calls");
    const char *engine = json_string_value(json_object_get(calls, "engine"));
    return engine && strcmp(engine, "exact") == 0;
}

const struct analyzer_input variance_inputs[] = {{TRACE_EVENT, TRACE_ALL_COLUMNS},
                                                 {TRACE_INSTANCE, TRACE_ALL_COLUMNS},
                                                 {TRACE_SAMPLE, UINT64_C(1) << SAMPLE_CONTEXT},
                                                 {0, 0}};

int variance_feed(void *state, const struct analysis_trace *trace, const struct trace_batch *batch)
{
    struct variance *variance = state;
    struct variance_reading *reading = variance->reading;
    if (batch->count == 0)
        return 0;
    if (!reading || reading->trace != trace->trace || reading->stream != batch->thread) { /* a stream begins */
        char thread[TEXT_BYTES];
        int error = reading ? reading_finish_stream(variance) : 0;
        if (reading && reading->trace != trace->trace)
            variance_free_reading(variance);
        if (!error && !variance->reading)
            error = reading_start_trace(variance, trace);
        if (error)
            return error;
        reading = variance->reading;
        snprintf(thread, sizeof thread, "%.4000s#%u", trace->path, batch->thread);
        reading->thread = relations_text(&variance->relations, thread);
        reading->stream = batch->thread;
        reading->calls = 0;
        free(reading->cells.items);
        reading->cells = (struct reading_array){0};
        reading->has_events = reading->has_previous = false;
        memset(reading->first, 0, sizeof reading->first);
        memset(reading->last, 0, sizeof reading->last);
        if (reading->thread == FIELD_NONE)
            return ENOMEM;
    }
    if (batch->kind == TRACE_SAMPLE)
        return reading_feed_samples(variance, trace, batch);
    return batch->kind == TRACE_INSTANCE ? reading_feed_chosen(variance, trace, batch)
                                         : reading_feed_events(variance, trace, batch);
}

int variance_finalize(void *state, const struct analysis_trace *unused)
{
    (void)unused;
    struct variance *variance = state;
    int error = variance->reading ? reading_finish_stream(variance) : 0;
    variance_free_reading(variance);
    return error;
}
