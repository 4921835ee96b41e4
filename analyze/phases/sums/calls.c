#include "analyze/phases/sums/calls_state.h"

#include <errno.h>

#include "trace/names/method_name.h"

void calls_free(struct phases *phases)
{
    struct phases_stitch *stitch = phases->stitch;
    if (!stitch)
        return;
    free(stitch->frames.items);
    free(stitch->leaves.items);
    free(stitch->nested.items);
    free(stitch->entry_of);
    free(stitch);
    phases->stitch = NULL;
}

/* ------------------------------------------------------------------------------------------ a call ends -- */

/* The sums to which an outermost call is added; NULL without memory. */
static struct phases_sums *calls_entry_sums(struct phases *phases, uint32_t index)
{
    struct phases_stitch *stitch = phases->stitch;
    struct phases_entry *entry = phases_entry_at(phases, index);
    if (!stitch->at_head)
        return &entry->inclusive;
    uint32_t level = (uint32_t)stitch->leaves.count;
    if (entry->nested && calls_nested_at(stitch, entry->nested - 1)->level == level)
        return &calls_nested_at(stitch, entry->nested - 1)->sums;
    struct nested *nested = calls_grow(&stitch->nested, sizeof *nested);
    if (!nested)
        return NULL;
    *nested = (struct nested){.level = level, .entry = index};
    entry->nested = (uint32_t)stitch->nested.count;
    return &nested->sums;
}

/* Subtracts the cost of probes from what a call took, with `calls` inside it. clear: false if it took less than they
 * did: then the remainder is mostly the error of their cost, and can't be a denominator. */
static void calls_subtract_probes(struct phases *phases, uint64_t values[METRICS_MAX], uint64_t calls,
                                  bool clear[METRICS_MAX])
{
    const struct phases_stitch *stitch = phases->stitch;
    for (size_t m = 0; m < stitch->metrics.count; m++) {
        const struct probe_cost *probe = &stitch->probes[m];
        wide_u128 exact = probe->inner + (wide_u128)calls * probe->pair;
        uint64_t cost = (uint64_t)((exact + (1 << (PROBE_COST_SHIFT - 1))) >> PROBE_COST_SHIFT);
        clear[m] = values[m] / 2 >= cost || cost == 0;
        if (m == 0)
            phases_run_at(phases, stitch->run)->below_probe += values[m] < cost;
        values[m] = values[m] > cost ? values[m] - cost : 0;
    }
}

/* The innermost call ends; what: enum trace_event, or EVENT_COUNT + enum unfinished. 0 or ENOMEM. */
static int calls_close_call(struct phases *phases, unsigned what)
{
    struct phases_stitch *stitch = phases->stitch;
    const struct frame *frame = calls_top(stitch); /* its memory is kept until the next push */
    struct phases_entry *entry = phases_entry_at(phases, frame->entry);
    uint64_t values[METRICS_MAX];
    uint64_t calls = stitch->last.calls - frame->enter.calls;
    stitch->frames.count--;

    /* What happened between entry and exit; whatever a damaged trace says, not less than in its own calls. The part
     * outside these is exclusive; the caller gets all. */
    struct inner *caller = calls_inner_of_top(stitch);
    for (size_t m = 0; m < stitch->metrics.count; m++) {
        uint64_t from = frame->enter.metrics[m], to = stitch->last.metrics[m], took = to > from ? to - from : 0;
        uint64_t inner = frame->inner.metrics[m];
        values[m] = took > inner ? took : inner;
        entry->exclusive.metrics[m] += values[m] - inner;
        entry->exclusive.probe[m] += stitch->probes[m].inner + (wide_u128)frame->inner.calls * stitch->probes[m].outer;
        calls_spend(phases, caller, m, values[m]);
    }
    if (--entry->open == 0) {
        struct phases_sums *sums = calls_entry_sums(phases, frame->entry);
        if (!sums)
            return ENOMEM;
        for (size_t m = 0; m < stitch->metrics.count; m++) {
            sums->metrics[m] += values[m];
            sums->probe[m] += stitch->probes[m].inner + (wide_u128)calls * stitch->probes[m].pair;
        }
    }

    if (what != EVENT_EXIT && what != EVENT_EXCEPTION) {
        entry->unfinished[what < EVENT_COUNT ? UNFINISHED_REPORTED : what - EVENT_COUNT]++;
        return 0;
    }
    entry->exceptions += what == EVENT_EXCEPTION;
    bool clear[METRICS_MAX];
    calls_subtract_probes(phases, values, calls, clear);
    return phases_observe(phases, entry, &stitch->metrics, values, clear) ? 0 : ENOMEM;
}

int calls_leave(struct phases *phases, uint32_t index, unsigned what)
{
    struct phases_stitch *stitch = phases->stitch;
    int error = 0;
    if (stitch->excess > 0) {
        stitch->excess--;
        return 0;
    }
    if (stitch->frames.count == 0 && stitch->at_head && stitch->leaves.count < DEPTH_MAX) {
        struct leave *leave = calls_grow(&stitch->leaves, sizeof *leave); /* the call began before the part */
        if (!leave)
            return ENOMEM;
        *leave = (struct leave){index, what, stitch->last, stitch->level};
        stitch->level = (struct inner){0};
        return 0;
    }
    if (phases_entry_at(phases, index)->open == 0) {
        phases_run_at(phases, stitch->run)->orphans++;
        return 0;
    }
    while (!error && calls_top(stitch)->entry != index)
        error = calls_close_call(phases, (unsigned)EVENT_COUNT + UNFINISHED_OVERTAKEN);
    return error ? error : calls_close_call(phases, what);
}

/* ------------------------------------------------------------------------------------------ a call begins -- */

static int calls_enter_call(struct phases *phases, uint32_t index)
{
    struct phases_stitch *stitch = phases->stitch;
    struct inner *caller = calls_inner_of_top(stitch);
    if (caller)
        caller->calls++;
    phases_entry_at(phases, index)->calls++;
    stitch->last.calls++;
    struct frame *frame = calls_push(phases, index);
    if (!frame)
        return stitch->excess ? 0 : ENOMEM;
    frame->enter.calls = stitch->last.calls;
    frame->inner.calls = 0;
    for (size_t m = 0; m < stitch->metrics.count; m++) {
        frame->enter.metrics[m] = stitch->last.metrics[m];
        frame->inner.metrics[m] = 0;
    }
    return 0;
}

void calls_add_span(struct phases *phases, const struct point *from)
{
    const struct phases_stitch *stitch = phases->stitch;
    struct phases_sums *span = &phases_role_at(phases, stitch->role)->span;
    for (size_t m = 0; m < stitch->metrics.count; m++) {
        span->metrics[m] += stitch->last.metrics[m] - from->metrics[m];
        span->probe[m] += (wide_u128)(stitch->last.calls - from->calls) * stitch->probes[m].pair;
    }
}

/* ------------------------------------------------------------------------------------------ streams -- */

int calls_end_stream(struct phases *phases)
{
    struct phases_stitch *stitch = phases->stitch;
    int error = 0;
    while (!error && stitch->frames.count > 0)
        error = calls_close_call(phases, (unsigned)EVENT_COUNT + UNFINISHED_OPEN);
    stitch->excess = 0;
    if (stitch->at_head)
        stitch->head_last = stitch->last;
    stitch->at_head = false;
    return error;
}

static int calls_begin_stream(struct phases *phases, const struct analysis_trace *trace,
                              const struct trace_batch *batch)
{
    struct phases_stitch *stitch = phases->stitch;
    bool is_first = !stitch;
    if (is_first) {
        stitch = phases->stitch = calloc(1, sizeof *stitch);
        if (!stitch)
            return ENOMEM;
        stitch->path = relations_text(&phases->relations, trace->path);
        stitch->run = phases_run_of(phases, trace);
        stitch->entry_of_count = trace->names->method_count;
        stitch->entry_of = calloc(stitch->entry_of_count, sizeof *stitch->entry_of);
        if (stitch->path == FIELD_NONE || stitch->run == FIELD_NONE || !stitch->entry_of)
            return ENOMEM;
        stitch->metrics = phases_metrics(phases, phases_run_at(phases, stitch->run));
        event_metrics_costs(trace_metadata(trace->trace), stitch->metrics.count, stitch->metrics.is_time,
                            stitch->probes);
    } else if (calls_end_stream(phases) != 0)
        return ENOMEM;

    bool known = batch->thread < trace->names->thread_count;
    enum phases_component component =
        known ? phases_component_of(&trace->names->threads[batch->thread]) : COMPONENT_APPLICATION;
    stitch->stream = batch->thread;
    stitch->role = phases_role_of(phases, stitch->run, component);
    if (stitch->role == FIELD_NONE)
        return ENOMEM;
    stitch->last = (struct point){0};
    for (size_t m = 0; m < stitch->metrics.count; m++)
        stitch->last.metrics[m] = batch->integers[m ? EVENT_COUNTER_0 + m - 1 : EVENT_TIME][0];
    if (is_first) {
        stitch->at_head = true;
        stitch->head_path = stitch->path;
        stitch->head_stream = stitch->stream;
        stitch->head_role = stitch->role;
        stitch->head_first = stitch->last;
    } else {
        phases_role_at(phases, stitch->role)->streams++; /* the first one may have begun before */
    }
    return 0;
}

static uint32_t calls_new_entry(struct phases *phases, const struct trace_names *names, uint64_t method)
{
    struct phases_stitch *stitch = phases->stitch;
    char name[METHOD_NAME_MAX];
    method_name(&names->methods[method], name);
    uint32_t text = relations_text(&phases->relations, name);
    uint32_t entry = text == FIELD_NONE ? FIELD_NONE : phases_entry_of(phases, stitch->run, text);
    if (entry != FIELD_NONE)
        stitch->entry_of[method] = entry + 1;
    return entry;
}

/* The entry of a method of the trace; FIELD_NONE without memory. */
static inline uint32_t calls_find_entry(struct phases *phases, const struct trace_names *names, uint64_t method)
{
    const struct phases_stitch *stitch = phases->stitch;
    if (method >= stitch->entry_of_count)
        method = 0;
    return stitch->entry_of[method] ? stitch->entry_of[method] - 1 : calls_new_entry(phases, names, method);
}

int calls_feed(void *state, const struct analysis_trace *trace, const struct trace_batch *batch)
{
    struct phases *phases = state;
    int error = 0;
    if (batch->count == 0)
        return 0;
    if (!phases->stitch || phases->stitch->stream != batch->thread)
        error = calls_begin_stream(phases, trace, batch);
    if (error)
        return error;
    struct phases_stitch *stitch = phases->stitch;
    phases_run_at(phases, stitch->run)->events += batch->count;
    const uint64_t *columns[METRICS_MAX] = {batch->integers[EVENT_TIME]};
    for (size_t m = 1; m < METRICS_MAX; m++)
        columns[m] = batch->integers[EVENT_COUNTER_0 + m - 1];
    const struct point before = stitch->last;
    for (size_t i = 0; !error && i < batch->count; i++) {
        uint64_t what = batch->integers[EVENT_WHAT][i];
        uint32_t entry = calls_find_entry(phases, trace->names, batch->integers[EVENT_METHOD][i]);
        if (entry == FIELD_NONE)
            return ENOMEM;
        calls_go_on(phases, columns, i);
        if (what == EVENT_ENTER)
            error = calls_enter_call(phases, entry);
        else if (what < EVENT_COUNT)
            error = calls_leave(phases, entry, (unsigned)what);
        else
            phases_run_at(phases, stitch->run)->orphans++;
    }
    calls_add_span(phases, &before);
    return error;
}

int calls_end(struct phases *phases)
{
    int error = phases->stitch ? calls_end_stream(phases) : 0;
    calls_free(phases);
    return error ? error : phases_flush(phases);
}
