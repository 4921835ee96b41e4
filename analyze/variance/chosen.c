/* Calls that were chosen at random, or all of some functions: from their records to instances, and from samples, or
 * from what outermost calls took of the whole, to shares of the program. */
#include <errno.h>
#include <string.h>

#include "analyze/variance/reading.h"
#include "base/grow.h"

/* The node of a context of the trace. With --contexts it is below those of its callers, and a function that calls
 * itself stays in its own; else each is at the root. FIELD_NONE without memory. */
static uint32_t chosen_find_node(struct variance *variance, const struct trace_names *names, uint64_t context)
{
    struct variance_reading *reading = variance->reading;
    uint64_t path[TRACE_STACK_MAX];
    size_t depth = 0;
    uint32_t node = FIELD_NONE;
    for (; context > 0 && context < reading->context_count && depth < TRACE_STACK_MAX && reading->node_of[context] == 0;
         context = names->contexts[context].parent)
        path[depth++] = context;
    if (context > 0 && context < reading->context_count && reading->node_of[context] > 0)
        node = reading->node_of[context] - 1;
    while (depth-- > 0) {
        const struct trace_frame *frame = &names->frames[trace_names_context(names, path[depth])->frame];
        uint32_t function = reading_function(variance, names, frame->method);
        bool again =
            variance->wish->contexts && node != FIELD_NONE && variance_node_at(variance, node)->function == function;
        uint32_t parent = variance->wish->contexts ? node : FIELD_NONE;
        if (function == FIELD_NONE)
            return FIELD_NONE;
        node = again ? node : variance_add_node(variance, parent, function);
        if (node == FIELD_NONE)
            return FIELD_NONE;
        reading->node_of[path[depth]] = node + 1;
    }
    return node;
}

/* ------------------------------------------------------------------------------------------ instances -- */

/* How many calls of the function in its context are open; NULL without memory, and for a call whose context is lost. */
static uint32_t *chosen_open_count(struct variance *variance, const struct chosen_call *call)
{
    if (call->cell == FIELD_NONE)
        return NULL;
    return reading_element(&variance->reading->open, variance_cell_at(variance, call->cell)->node);
}

/* The last calls end, down to this many. */
static void chosen_close_calls(struct variance *variance, size_t left)
{
    struct variance_reading *reading = variance->reading;
    while (reading->chosen_count > left) {
        uint32_t *open = chosen_open_count(variance, &reading->chosen[--reading->chosen_count]);
        if (open)
            --*open;
    }
}

static int chosen_open_call(struct variance *variance, const struct analysis_trace *trace,
                            const struct trace_batch *batch, size_t row)
{
    struct variance_reading *reading = variance->reading;
    uint64_t time = batch->integers[INSTANCE_TIME][row], weight = batch->integers[INSTANCE_WEIGHT][row];
    uint64_t context = batch->integers[INSTANCE_CONTEXT][row];
    uint32_t cell = FIELD_NONE;
    if (reading->chosen_count == CHOSEN_OPEN) { /* their ends are lost */
        variance_run_at(variance, reading->run)->unfinished += CHOSEN_OPEN;
        chosen_close_calls(variance, 0);
    }
    if (context > 0 && context < reading->context_count) { /* otherwise its definition is lost */
        uint32_t node = chosen_find_node(variance, trace->names, context);
        cell = node == FIELD_NONE ? FIELD_NONE : reading_cell(variance, node);
        if (cell == FIELD_NONE)
            return ENOMEM;
    }
    struct chosen_call *grown =
        grow_unset(reading->chosen, &reading->chosen_capacity, reading->chosen_count, sizeof *grown);
    if (!grown)
        return ENOMEM;
    reading->chosen = grown;
    grown[reading->chosen_count++] =
        (struct chosen_call){.number = batch->integers[INSTANCE_NUMBER][row],
                             .cell = cell,
                             .time = time > reading->start_ns ? (double)(time - reading->start_ns) / 1e9 : 0,
                             .weight = variance->wish->unweighted || weight == 0 ? 1 : (double)weight / 1e3};
    struct chosen_call *call = &reading->chosen[reading->chosen_count - 1];
    for (size_t i = 0; i < INSTANCE_ARGUMENTS; i++)
        call->arguments[i] = (int64_t)batch->integers[INSTANCE_ARGUMENT_1 + i][row];
    uint32_t *open = chosen_open_count(variance, call);
    if (open)
        ++*open;
    return open || cell == FIELD_NONE ? 0 : ENOMEM;
}

static void chosen_read_values(const struct variance_reading *reading, const struct trace_batch *batch, size_t row,
                               double values[VARIANCE_METRICS])
{
    memset(values, 0, VARIANCE_METRICS * sizeof *values);
    for (size_t m = 0; m < reading->count; m++)
        values[m] = (double)(int64_t)batch->integers[reading_instance_column(reading, m)][row];
}

static int chosen_finish_call(struct variance *variance, const struct chosen_call *call,
                              const struct trace_batch *batch, size_t row)
{
    struct variance_reading *reading = variance->reading;
    double values[VARIANCE_METRICS];
    if (call->cell == FIELD_NONE)
        return 0;
    chosen_read_values(reading, batch, row, values);
    variance_run_at(variance, reading->run)->below_probe += !reading->is_every && values[0] <= 0;
    /* Only outermost calls count: what they have done of the program's work includes that of the calls within them. */
    const uint32_t *open = reading->is_every ? chosen_open_count(variance, call) : NULL;
    for (size_t m = 0; open && *open == 0 && m < reading->count; m++)
        variance_cell_at(variance, call->cell)->inclusive[m] += values[m];
    const json_t *calls = json_object_get(trace_metadata(reading->trace), "calls");
    const int64_t *arguments = json_is_true(json_object_get(calls, "arguments")) ? call->arguments : NULL;
    return variance_observe(variance, call->cell, call->time, call->weight, values, arguments) ? 0 : ENOMEM;
}

int reading_feed_chosen(struct variance *variance, const struct analysis_trace *trace, const struct trace_batch *batch)
{
    struct variance_reading *reading = variance->reading;
    struct variance_run *run = variance_run_at(variance, reading->run);
    int error = 0;
    for (size_t i = 0; !error && i < batch->count; i++) {
        uint64_t what = batch->integers[INSTANCE_WHAT][i], number = batch->integers[INSTANCE_NUMBER][i];
        double values[VARIANCE_METRICS];
        if (what < INSTANCE_COUNT)
            run->outcomes[what]++;
        switch (what) {
        case INSTANCE_CALL:
            error = chosen_open_call(variance, trace, batch, i);
            continue;
        case INSTANCE_COST: /* of a trap */
            chosen_read_values(reading, batch, i, values);
            for (size_t m = 0; !error && m < reading->count && reading->has_subtracted; m++)
                error = variance_noise_add(&run->noise[m], values[m] - reading->subtracted[m]);
            continue;
        case INSTANCE_SUBTRACTED: /* for each trap from now on */
            chosen_read_values(reading, batch, i, reading->subtracted);
            reading->has_subtracted = true;
            continue;
        case INSTANCE_TOTAL:
            chosen_read_values(reading, batch, i, reading->total);
            continue;
        default:
            break;
        }
        /* The call is no longer open, and neither are those that began after it, whose ends are lost. */
        size_t at = number > 0 ? reading->chosen_count : 0;
        while (at > 0 && reading->chosen[at - 1].number != number)
            at--;
        if (at > 0) {
            run->unfinished += reading->chosen_count - at;
            chosen_close_calls(variance, at - 1);
        }
        if (what == INSTANCE_RETURN && at == 0)
            run->orphans++;
        else if (what == INSTANCE_RETURN)
            error = chosen_finish_call(variance, &reading->chosen[at - 1], batch, i);
    }
    return error;
}

void reading_end_chosen(struct variance *variance)
{
    struct variance_reading *reading = variance->reading;
    variance_run_at(variance, reading->run)->unfinished += reading->chosen_count;
    chosen_close_calls(variance, 0);
    for (size_t m = 0; m < reading->count; m++)
        variance_run_at(variance, reading->run)->total[m] += reading->total[m];
    memset(reading->total, 0, sizeof reading->total);
    reading->has_subtracted = false;
}

/* ------------------------------------------------------------------------------------------ samples -- */

int reading_feed_samples(struct variance *variance, const struct analysis_trace *trace, const struct trace_batch *batch)
{
    struct variance_reading *reading = variance->reading;
    if (!reading->is_chosen)
        return 0;
    for (size_t m = 0; m < reading->count; m++)
        variance_run_at(variance, reading->run)->total[m] += (double)batch->count;
    for (size_t i = 0; i < batch->count; i++) {
        uint64_t context = batch->integers[SAMPLE_CONTEXT][i];
        reading->samples++;
        /* A sample counts for each function on its stack, once. */
        for (size_t depth = 0; context > 0 && context < reading->context_count && depth < TRACE_STACK_MAX; depth++) {
            uint32_t node = chosen_find_node(variance, trace->names, context);
            uint32_t *seen = node == FIELD_NONE ? NULL : reading_element(&reading->seen, node);
            uint32_t cell = seen ? reading_cell(variance, node) : FIELD_NONE;
            if (cell == FIELD_NONE)
                return ENOMEM;
            for (size_t m = 0; m < reading->count && *seen != reading->samples; m++)
                variance_cell_at(variance, cell)->inclusive[m]++;
            *seen = reading->samples;
            context = trace->names->contexts[context].parent;
        }
    }
    return 0;
}
