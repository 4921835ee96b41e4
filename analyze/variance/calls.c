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

/* The part of a call that begins on the frames there are; a deep one is part of its caller, and so is a new one beyond
 * PARTS_MAX. False without memory. */
static bool calls_start_part(struct variance *variance, uint32_t function, uint32_t *part)
{
    struct variance_reading *reading = variance->reading;
    bool is_root = reading->root == 0;
    *part = FIELD_NONE;
    if (!variance->wish->explain || (is_root && function != variance->explained))
        return true;
    uint32_t parent = is_root ? FIELD_NONE : calls_frame(reading, reading->depth - 1)->part;
    const struct variance_part *above = parent == FIELD_NONE ? NULL : variance_part_at(variance, parent);
    const struct variance_part key = {
        .run = reading->run, .parent = parent, .function = function, .depth = above ? above->depth + 1 : 0};
    if (above && (above->depth >= VARIANCE_DEPTH || above->function == function ||
                  (variance_part_count(variance) >= PARTS_MAX &&
                   relations_find(&variance->relations, VARIANCE_PARTS, &key) == FIELD_NONE)))
        *part = parent;
    else
        *part = relations_row(&variance->relations, VARIANCE_PARTS, &key);
    if (is_root)
        reading->root = (uint32_t)reading->depth + 1;
    return *part != FIELD_NONE;
}

/* A call in an instance of the explained function has ended. A call within one of the same function is part of that. If
 * the instance itself has ended, it counts if it was finished. */
static bool calls_finish_part(struct variance *variance, const struct frame *frame,
                              const double values[VARIANCE_METRICS], bool finished)
{
    struct variance_reading *reading = variance->reading;
    if (frame->part == FIELD_NONE)
        return true;
    bool is_root = reading->depth + 1 == reading->root;
    bool good = true, inside = !is_root && calls_frame(reading, reading->depth - 1)->part == frame->part;
    struct variance_part *own = variance_part_at(variance, frame->part);
    for (size_t m = 0; m < reading->count && !inside; m++)
        own->now[m] += values[m];
    if (!inside && !own->touched) {
        uint32_t *grown =
            grow_unset(reading->touched, &reading->touched_capacity, reading->touched_count, sizeof *reading->touched);
        good = grown != NULL;
        if (good) {
            reading->touched = grown;
            grown[reading->touched_count++] = frame->part;
            own->touched = true;
        }
    }
    if (!is_root)
        return good;

    bool counts = finished && good;
    for (size_t i = 0; i < reading->touched_count; i++) {
        struct variance_part *part = variance_part_at(variance, reading->touched[i]);
        for (size_t m = 0; m < reading->count; m++) {
            long double x = part->now[m];
            part->sum[m] += counts ? x : 0;
            part->squares[m] += counts ? x * x : 0;
            part->with_root[m] += counts ? x * (long double)values[m] : 0;
            part->now[m] = 0;
        }
        part->present += counts;
        part->touched = false;
    }
    reading->touched_count = 0;
    reading->root = 0;
    return good;
}

/* ------------------------------------------------------------------------------------------ calls -- */

static int calls_enter_function(struct variance *variance, uint32_t function)
{
    struct variance_reading *reading = variance->reading;
    reading->calls++;
    if (reading->depth == DEPTH_MAX) {
        reading->excess++;
        return 0;
    }
    const struct frame *caller =
        variance->wish->contexts && reading->depth > 0 ? calls_frame(reading, reading->depth - 1) : NULL;
    struct frame frame = {.function = function, .calls = reading->calls};
    if (caller && caller->function == function) /* a function that calls itself stays in its own context */
        frame.node = caller->node;
    else
        frame.node = variance_add_node(variance, caller ? caller->node : FIELD_NONE, function);
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

/* The innermost call ends; `finished`: by a return or an exception. 0 or ENOMEM. */
static int calls_close_innermost(struct variance *variance, bool finished)
{
    struct variance_reading *reading = variance->reading;
    const struct frame frame = *calls_frame(reading, --reading->depth);
    uint32_t cell = reading_cell(variance, frame.node), *open = reading_element(&reading->open, frame.node);
    if (cell == FIELD_NONE || !open)
        return ENOMEM;

    /* What the call took, without the cost of its own probes and of those inside. */
    double values[VARIANCE_METRICS] = {0}, calls = (double)(reading->calls - frame.calls);
    for (size_t m = 0; m < reading->count; m++) {
        double took = (double)(reading->last[m] - frame.enter[m]);
        double cost = ((double)reading->probes[m].inner + calls * (double)reading->probes[m].pair) /
                      (double)(1 << PROBE_COST_SHIFT);
        if (m == 0)
            variance_run_at(variance, reading->run)->below_probe += took < cost;
        values[m] = took > cost ? took - cost : 0;
    }
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
        bool backwards = false;
        for (size_t m = 0; m < reading->count; m++) {
            uint64_t value = batch->integers[m ? EVENT_COUNTER_0 + m - 1 : EVENT_TIME][i];
            backwards |= value < reading->last[m];
            reading->last[m] = value < reading->last[m] ? reading->last[m] : value;
        }
        struct variance_run *run = variance_run_at(variance, reading->run);
        run->backwards += backwards;
        run->events++;
        if (what == EVENT_ENTER)
            error = calls_enter_function(variance, function);
        else
            error = calls_leave_function(variance, function, what == EVENT_EXIT || what == EVENT_EXCEPTION);
    }
    return error;
}
