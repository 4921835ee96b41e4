/* From the events of methods to instances: the stack of calls of one thread. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/variance/reading.h"
#include "base/grow.h"

/* Deeper calls count as part of their callers. */
enum { DEPTH_MAX = 1 << 20, PARTS_MAX = 1 << 20 };

struct frame {
    uint32_t function, node, part; /* part: FIELD_NONE outside the explained function */
    uint64_t enter[VARIANCE_METRICS];
    uint64_t calls; /* that had begun in the stream, this one included */
};

static struct frame *calls_frame(const struct variance_reading *reading, size_t i)
{
    return (struct frame *)reading->frames.items + i;
}

/* ------------------------------------------------------------------------------------------ explaining -- */

/* Beyond PARTS_MAX a function is part of its caller. */
static uint32_t calls_find_part(struct variance *variance, uint32_t parent, uint32_t function)
{
    const struct variance_part key = {.run = variance->reading->run,
                                      .parent = parent,
                                      .function = function,
                                      .depth =
                                          parent == FIELD_NONE ? 0 : variance_part_at(variance, parent)->depth + 1};
    bool is_full = parent != FIELD_NONE && variance_part_count(variance) >= PARTS_MAX;
    return is_full && relations_find(&variance->relations, VARIANCE_PARTS, &key) == FIELD_NONE
               ? parent
               : relations_row(&variance->relations, VARIANCE_PARTS, &key);
}

/* The part of a call that begins on the frames there are; a deep one is part of its caller. FIELD_NONE without memory.
 */
static bool calls_start_part(struct variance *variance, uint32_t function, uint32_t *part)
{
    struct variance_reading *reading = variance->reading;
    *part = FIELD_NONE;
    if (!variance->wish->explain)
        return true;
    if (reading->root == 0 && function != variance->explained)
        return true;
    uint32_t parent = reading->root == 0 ? FIELD_NONE : calls_frame(reading, reading->depth - 1)->part;
    bool deep = parent != FIELD_NONE && variance_part_at(variance, parent)->depth >= VARIANCE_DEPTH;
    bool again = parent != FIELD_NONE && variance_part_at(variance, parent)->function == function;
    *part = deep || again ? parent : calls_find_part(variance, parent, function);
    if (reading->root == 0)
        reading->root = (uint32_t)reading->depth + 1;
    return *part != FIELD_NONE;
}

static bool calls_add_to_part(struct variance *variance, uint32_t index, const double values[VARIANCE_METRICS])
{
    struct variance_reading *reading = variance->reading;
    struct variance_part *part = variance_part_at(variance, index);
    for (size_t m = 0; m < reading->count; m++)
        part->now[m] += values[m];
    if (part->touched)
        return true;
    uint32_t *grown =
        grow_unset(reading->touched, &reading->touched_capacity, reading->touched_count, sizeof *reading->touched);
    if (!grown)
        return false;
    reading->touched = grown;
    grown[reading->touched_count++] = index;
    part->touched = true;
    return true;
}

/* An instance of the explained function has ended; it counts if it was finished. */
static void calls_finish_root(struct variance *variance, const double root[VARIANCE_METRICS], bool finished)
{
    struct variance_reading *reading = variance->reading;
    for (size_t i = 0; i < reading->touched_count; i++) {
        struct variance_part *part = variance_part_at(variance, reading->touched[i]);
        for (size_t m = 0; m < reading->count; m++) {
            long double x = part->now[m];
            part->sum[m] += finished ? x : 0;
            part->squares[m] += finished ? x * x : 0;
            part->with_root[m] += finished ? x * (long double)root[m] : 0;
            part->now[m] = 0;
        }
        part->present += finished;
        part->touched = false;
    }
    reading->touched_count = 0;
    reading->root = 0;
}

/* A call in an instance of the explained function has ended. A call within one of the same function is part of that. */
static bool calls_finish_part(struct variance *variance, const struct frame *frame,
                              const double values[VARIANCE_METRICS], bool finished)
{
    struct variance_reading *reading = variance->reading;
    if (frame->part == FIELD_NONE)
        return true;
    bool is_root = reading->depth + 1 == reading->root;
    bool inside = !is_root && calls_frame(reading, reading->depth - 1)->part == frame->part;
    bool good = inside || calls_add_to_part(variance, frame->part, values);
    if (is_root)
        calls_finish_root(variance, values, finished && good);
    return good;
}

/* ------------------------------------------------------------------------------------------ calls -- */

/* The context of a call that begins: a function that calls itself stays in its own. */
static uint32_t calls_find_node(struct variance *variance, uint32_t function)
{
    struct variance_reading *reading = variance->reading;
    uint32_t parent = FIELD_NONE;
    if (variance->wish->contexts && reading->depth > 0) {
        const struct frame *caller = calls_frame(reading, reading->depth - 1);
        if (caller->function == function)
            return caller->node;
        parent = caller->node;
    }
    return variance_add_node(variance, parent, function);
}

static int calls_enter_function(struct variance *variance, uint32_t function)
{
    struct variance_reading *reading = variance->reading;
    reading->calls++;
    if (reading->depth == DEPTH_MAX) {
        reading->excess++;
        return 0;
    }
    struct frame frame = {.function = function, .node = calls_find_node(variance, function), .calls = reading->calls};
    uint32_t *open = frame.node == FIELD_NONE ? NULL : reading_element(&reading->open, frame.node);
    void *frames = grow_unset(reading->frames.items, &reading->frames.capacity, reading->depth, sizeof frame);
    if (frames)
        reading->frames.items = frames;
    if (!open || !frames || !calls_start_part(variance, function, &frame.part))
        return ENOMEM;
    ++*open;
    memcpy(frame.enter, reading->last, sizeof frame.enter);
    *calls_frame(reading, reading->depth++) = frame;
    return 0;
}

/* What a call took, without the cost of its own probes and of those inside. */
static void calls_measure_call(struct variance *variance, const struct frame *frame, double values[VARIANCE_METRICS])
{
    const struct variance_reading *reading = variance->reading;
    double calls = (double)(reading->calls - frame->calls);
    memset(values, 0, VARIANCE_METRICS * sizeof *values);
    for (size_t m = 0; m < reading->count; m++) {
        double took = (double)(reading->last[m] - frame->enter[m]);
        double cost = ((double)reading->probes[m].inner + calls * (double)reading->probes[m].pair) /
                      (double)(1 << PROBE_COST_SHIFT);
        if (m == 0)
            variance_run_at(variance, reading->run)->below_probe += took < cost;
        values[m] = took > cost ? took - cost : 0;
    }
}

/* The innermost call ends; `finished`: by a return or an exception. 0 or ENOMEM. */
static int calls_close_innermost(struct variance *variance, bool finished)
{
    struct variance_reading *reading = variance->reading;
    const struct frame frame = *calls_frame(reading, --reading->depth);
    double values[VARIANCE_METRICS];
    uint32_t cell = reading_cell(variance, frame.node), *open = reading_element(&reading->open, frame.node);
    if (cell == FIELD_NONE || !open)
        return ENOMEM;
    calls_measure_call(variance, &frame, values);
    if (--*open == 0)
        for (size_t m = 0; m < reading->count; m++)
            variance_cell_at(variance, cell)->inclusive[m] += values[m];
    if (!calls_finish_part(variance, &frame, values, finished))
        return ENOMEM;
    if (!finished) {
        variance_run_at(variance, reading->run)->unfinished++;
        return 0;
    }
    double time = (double)(frame.enter[0] - reading->first[0]) / 1e9;
    return variance_observe(variance, cell, time, 1, values, NULL) ? 0 : ENOMEM;
}

/* Calls above the one that is left have lost their exits. */
static int calls_leave_function(struct variance *variance, uint32_t function, bool finished)
{
    struct variance_reading *reading = variance->reading;
    size_t at = reading->depth;
    int error = 0;
    if (reading->excess > 0) {
        reading->excess--;
        return 0;
    }
    while (at > 0 && calls_frame(reading, at - 1)->function != function)
        at--;
    if (at == 0) {
        variance_run_at(variance, reading->run)->orphans++;
        return 0;
    }
    while (!error && reading->depth > at)
        error = calls_close_innermost(variance, false);
    return error ? error : calls_close_innermost(variance, finished);
}

/* ------------------------------------------------------------------------------------------ streams -- */

int reading_end_events(struct variance *variance)
{
    struct variance_reading *reading = variance->reading;
    struct variance_run *run = variance_run_at(variance, reading->run);
    for (size_t m = 0; m < reading->count && reading->has_events; m++) {
        double cost = (double)reading->calls * (double)reading->probes[m].pair / (double)(1 << PROBE_COST_SHIFT);
        double took = (double)(reading->last[m] - reading->first[m]);
        run->total[m] += took > cost ? took - cost : 0;
    }
    reading->excess = 0;
    int error = 0;
    while (!error && reading->depth > 0)
        error = calls_close_innermost(variance, false);
    return error;
}

/* The stream is at this event. */
static void calls_advance(struct variance *variance, const struct trace_batch *batch, size_t row)
{
    struct variance_reading *reading = variance->reading;
    bool backwards = false;
    for (size_t m = 0; m < reading->count; m++) {
        uint64_t value = batch->integers[m ? EVENT_COUNTER_0 + m - 1 : EVENT_TIME][row];
        backwards |= value < reading->last[m];
        reading->last[m] = value < reading->last[m] ? reading->last[m] : value;
    }
    variance_run_at(variance, reading->run)->backwards += backwards;
}

int reading_feed_events(struct variance *variance, const struct analysis_trace *trace, const struct trace_batch *batch)
{
    struct variance_reading *reading = variance->reading;
    int error = 0;
    for (size_t m = 0; m < reading->count && !reading->has_events; m++)
        reading->first[m] = reading->last[m] = batch->integers[m ? EVENT_COUNTER_0 + m - 1 : EVENT_TIME][0];
    reading->has_events = true;
    for (size_t i = 0; !error && i < batch->count; i++) {
        uint64_t what = batch->integers[EVENT_WHAT][i];
        uint32_t function = reading_function(variance, trace->names, batch->integers[EVENT_METHOD][i]);
        if (function == FIELD_NONE)
            return ENOMEM;
        calls_advance(variance, batch, i);
        variance_run_at(variance, reading->run)->events++;
        if (what == EVENT_ENTER)
            error = calls_enter_function(variance, function);
        else
            error = calls_leave_function(variance, function, what == EVENT_EXIT || what == EVENT_EXCEPTION);
    }
    return error;
}
