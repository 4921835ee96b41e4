/*
 * calls_state.h - inside calls.h: the stack of the stream at hand, and what a part keeps of calls that began before it.
 */
#ifndef ASSAY_PHASES_CALLS_STATE_H
#define ASSAY_PHASES_CALLS_STATE_H

#include <stdlib.h>

#include "trace/metrics/event_metrics.h"
#include "analyze/phases/sums/calls.h"
#include "base/grow.h"

/* Running values of a stream: its metrics, and the calls that have begun in it. */
struct point {
    uint64_t metrics[METRICS_MAX];
    uint64_t calls;
};

/* The part of a call in its own calls: their number, and what those that ended took. */
struct inner {
    uint64_t calls;
    uint64_t metrics[METRICS_MAX];
};

struct frame {
    uint32_t entry;
    struct point enter;
    struct inner inner;
};

/* An exit of a call that was open when the part began, and its own calls in the part. */
struct leave {
    uint32_t entry;
    unsigned what;
    struct point exit;
    struct inner inner;
};

/* Outermost calls of one method that ended in the part after this many exits of earlier calls (level): they count
 * unless the method is open below. */
struct nested {
    uint32_t level, entry;
    struct phases_sums sums;
};

struct growing {
    void *items;
    size_t count, capacity;
};

struct phases_stitch {
    uint32_t path, run, role; /* of the current stream: text, run, index into roles */
    uint32_t stream;
    struct phases_metrics metrics;
    struct probe_cost probes[METRICS_MAX];
    struct growing frames; /* struct frame */
    uint64_t excess;       /* open calls beyond DEPTH_MAX */
    struct point last;
    /* The first stream of the part: */
    bool at_head; /* it is the current stream */
    uint32_t head_path, head_stream, head_role;
    struct point head_first; /* its first event */
    struct point head_last;  /* once it is no longer current: its last event */
    struct growing leaves;   /* struct leave; then the open level: */
    struct inner level;
    struct growing nested; /* struct nested */
    /* Maps the trace's methods to entries: entry + 1; 0: not seen yet. */
    uint32_t *entry_of;
    size_t entry_of_count;
};

static inline void *calls_grow(struct growing *array, size_t bytes)
{
    void *items = grow_unset(array->items, &array->capacity, array->count, bytes);
    if (!items)
        return NULL;
    array->items = items;
    return (char *)array->items + bytes * array->count++;
}

static inline struct frame *calls_top(const struct phases_stitch *stitch)
{
    return stitch->frames.count ? (struct frame *)stitch->frames.items + stitch->frames.count - 1 : NULL;
}

static inline struct leave *calls_leave_at(const struct phases_stitch *stitch, size_t i)
{
    return (struct leave *)stitch->leaves.items + i;
}

static inline struct nested *calls_nested_at(const struct phases_stitch *stitch, size_t i)
{
    return (struct nested *)stitch->nested.items + i;
}

/* Where calls of the innermost call are counted; NULL outside all calls. */
static inline struct inner *calls_inner_of_top(struct phases_stitch *stitch)
{
    struct frame *top = calls_top(stitch);
    return top ? &top->inner : stitch->at_head ? &stitch->level : NULL;
}

/* Adds this much of metric m to the calls of the innermost call. */
static inline void calls_spend(struct phases *phases, struct inner *caller, size_t m, uint64_t value)
{
    if (caller)
        caller->metrics[m] += value;
    else
        phases_role_at(phases, phases->stitch->role)->inside[m] += value;
}

/* A new frame on top, whose metrics beyond metrics.count are never set; NULL without memory, or at DEPTH_MAX, where the
 * call is not tracked: its own probe counts for its method, and its time for its caller. */
static inline struct frame *calls_push(struct phases *phases, uint32_t index)
{
    struct phases_stitch *stitch = phases->stitch;
    struct phases_entry *entry = phases_entry_at(phases, index);
    if (stitch->frames.count == DEPTH_MAX) {
        stitch->excess++;
        phases_run_at(phases, stitch->run)->too_deep++;
        for (size_t m = 0; m < stitch->metrics.count; m++)
            entry->exclusive.probe[m] += stitch->probes[m].inner;
        return NULL;
    }
    struct frame *frame = calls_grow(&stitch->frames, sizeof *frame);
    if (frame) {
        frame->entry = index;
        entry->open++;
    }
    return frame;
}

/* The stream is at the position of its metrics. */
static inline void calls_go_on(struct phases *phases, const uint64_t *const columns[METRICS_MAX], size_t row)
{
    struct phases_stitch *stitch = phases->stitch;
    bool backwards = false;
    for (size_t m = 0; m < stitch->metrics.count; m++) {
        uint64_t value = columns[m][row];
        backwards |= value < stitch->last.metrics[m];
        stitch->last.metrics[m] = value < stitch->last.metrics[m] ? stitch->last.metrics[m] : value;
    }
    if (backwards)
        phases_run_at(phases, stitch->run)->backwards++;
}

/* The stream has advanced. */
void calls_add_span(struct phases *phases, const struct point *from);

/* A call of the entry ends; what: enum trace_event. 0 or ENOMEM. */
int calls_leave(struct phases *phases, uint32_t index, unsigned what);

/* The stream at hand has ended here. 0 or ENOMEM. */
int calls_end_stream(struct phases *phases);

#endif
