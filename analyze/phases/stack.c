#include "analyze/phases/stack.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/names/method_name.h"

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

/* The cost of a pair of probes in a metric, 2^-16; inner: between a call's own entry and exit; outer: the rest of the
 * pair, in its caller. */
struct probe_cost {
    uint64_t inner, outer, pair;
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

static void *grow(struct growing *array, size_t bytes)
{
    if (array->count == array->capacity) {
        size_t capacity = array->capacity ? 2 * array->capacity : 64;
        void *items = realloc(array->items, capacity * bytes);
        if (!items)
            return NULL;
        array->items = items;
        array->capacity = capacity;
    }
    return (char *)array->items + bytes * array->count++;
}

static struct frame *top_of(const struct phases_stitch *stitch)
{
    return stitch->frames.count ? (struct frame *)stitch->frames.items + stitch->frames.count - 1 : NULL;
}

static struct leave *leave_at(const struct phases_stitch *stitch, size_t i)
{
    return (struct leave *)stitch->leaves.items + i;
}

static struct nested *nested_at(const struct phases_stitch *stitch, size_t i)
{
    return (struct nested *)stitch->nested.items + i;
}

void stack_free(struct phases *phases)
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

static uint64_t above(uint64_t to, uint64_t from)
{
    return to > from ? to - from : 0;
}

/* Where calls of the innermost call are counted; NULL outside all calls. */
static inline struct inner *inner_of_top(struct phases_stitch *stitch)
{
    struct frame *top = top_of(stitch);
    return top ? &top->inner : stitch->at_head ? &stitch->level : NULL;
}

/* Adds this much of metric m to the calls of the innermost call. */
static inline void spend(struct phases *phases, struct inner *caller, size_t m, uint64_t value)
{
    if (caller)
        caller->metrics[m] += value;
    else
        phases_role_at(phases, phases->stitch->role)->inside[m] += value;
}

/* What happened between entry and exit; whatever a damaged trace says, not less than in its own calls. The part outside
 * these is exclusive; the caller gets all. */
static inline void difference(struct phases *phases, const struct frame *frame, struct phases_entry *entry,
                              uint64_t values[METRICS_MAX])
{
    struct phases_stitch *stitch = phases->stitch;
    struct inner *caller = inner_of_top(stitch);
    for (size_t m = 0; m < stitch->metrics.count; m++) {
        uint64_t took = above(stitch->last.metrics[m], frame->enter.metrics[m]), inner = frame->inner.metrics[m];
        values[m] = took > inner ? took : inner;
        entry->exclusive.metrics[m] += values[m] - inner;
        entry->exclusive.probe[m] += stitch->probes[m].inner + (wide_u128)frame->inner.calls * stitch->probes[m].outer;
        spend(phases, caller, m, values[m]);
    }
}

/* The sums to which an outermost call is added; NULL without memory. */
static struct phases_sums *sums_of(struct phases *phases, uint32_t index)
{
    struct phases_stitch *stitch = phases->stitch;
    struct phases_entry *entry = phases_entry_at(phases, index);
    if (!stitch->at_head)
        return &entry->inclusive;
    uint32_t level = (uint32_t)stitch->leaves.count;
    if (entry->nested && nested_at(stitch, entry->nested - 1)->level == level)
        return &nested_at(stitch, entry->nested - 1)->sums;
    struct nested *nested = grow(&stitch->nested, sizeof *nested);
    if (!nested)
        return NULL;
    *nested = (struct nested){.level = level, .entry = index};
    entry->nested = (uint32_t)stitch->nested.count;
    return &nested->sums;
}

/* Subtracts the cost of probes from what a call took, with `calls` inside it. clear: false if it took less than they
 * did: then the remainder is mostly the error of their cost, and can't be a denominator. */
static void without_probes(struct phases *phases, uint64_t values[METRICS_MAX], uint64_t calls, bool clear[METRICS_MAX])
{
    const struct phases_stitch *stitch = phases->stitch;
    for (size_t m = 0; m < stitch->metrics.count; m++) {
        const struct probe_cost *probe = &stitch->probes[m];
        wide_u128 exact = probe->inner + (wide_u128)calls * probe->pair;
        uint64_t cost = (uint64_t)((exact + (1 << (RUN_PROBE_SHIFT - 1))) >> RUN_PROBE_SHIFT);
        clear[m] = values[m] / 2 >= cost || cost == 0;
        if (m == 0)
            phases_run_at(phases, stitch->run)->below_probe += values[m] < cost;
        values[m] = values[m] > cost ? values[m] - cost : 0;
    }
}

/* The innermost call ends; what: enum trace_event, or EVENT_COUNT + enum unfinished. 0 or ENOMEM. */
static int close_call(struct phases *phases, unsigned what)
{
    struct phases_stitch *stitch = phases->stitch;
    const struct frame *frame = top_of(stitch); /* its memory is kept until the next push */
    struct phases_entry *entry = phases_entry_at(phases, frame->entry);
    uint64_t values[METRICS_MAX];
    uint64_t calls = stitch->last.calls - frame->enter.calls;
    stitch->frames.count--;
    difference(phases, frame, entry, values);
    if (--entry->open == 0) {
        struct phases_sums *sums = sums_of(phases, frame->entry);
        if (!sums)
            return ENOMEM;
        for (size_t m = 0; m < stitch->metrics.count; m++) {
            sums->metrics[m] += values[m];
            sums->probe[m] += stitch->probes[m].inner + (wide_u128)calls * stitch->probes[m].pair;
        }
    }
    if (what != EVENT_EXIT && what != EVENT_EXCEPTION) {
        entry->unfinished[what < EVENT_COUNT ? UNFINISHED_TOLD : what - EVENT_COUNT]++;
        return 0;
    }
    entry->exceptions += what == EVENT_EXCEPTION;
    bool clear[METRICS_MAX];
    without_probes(phases, values, calls, clear);
    return phases_observe(phases, entry, &stitch->metrics, values, clear) ? 0 : ENOMEM;
}

/* An exit of a call that began before the part. */
static int leave_head(struct phases *phases, uint32_t entry, unsigned what)
{
    struct phases_stitch *stitch = phases->stitch;
    struct leave *leave = stitch->leaves.count < DEPTH_MAX ? grow(&stitch->leaves, sizeof *leave) : NULL;
    if (!leave && stitch->leaves.count < DEPTH_MAX)
        return ENOMEM;
    if (!leave) {
        phases_run_at(phases, stitch->run)->orphans++;
        return 0;
    }
    *leave = (struct leave){entry, what, stitch->last, stitch->level};
    stitch->level = (struct inner){0};
    return 0;
}

static int leave_call(struct phases *phases, uint32_t index, unsigned what)
{
    struct phases_stitch *stitch = phases->stitch;
    int error = 0;
    if (stitch->excess > 0) {
        stitch->excess--;
        return 0;
    }
    if (stitch->frames.count == 0 && stitch->at_head)
        return leave_head(phases, index, what);
    if (phases_entry_at(phases, index)->open == 0) {
        phases_run_at(phases, stitch->run)->orphans++;
        return 0;
    }
    while (!error && top_of(stitch)->entry != index)
        error = close_call(phases, EVENT_COUNT + UNFINISHED_OVERTAKEN);
    return error ? error : close_call(phases, what);
}

/* ------------------------------------------------------------------------------------------ a call begins -- */

/* A new frame on top, whose metrics beyond metrics.count are never set; NULL without memory, or at DEPTH_MAX, where the
 * call is not tracked: its own probe counts for its method, and its time for its caller. */
static inline struct frame *push(struct phases *phases, uint32_t index)
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
    struct frame *frame = grow(&stitch->frames, sizeof *frame);
    if (frame) {
        frame->entry = index;
        entry->open++;
    }
    return frame;
}

static int enter_call(struct phases *phases, uint32_t index)
{
    struct phases_stitch *stitch = phases->stitch;
    struct inner *caller = inner_of_top(stitch);
    if (caller)
        caller->calls++;
    phases_entry_at(phases, index)->calls++;
    stitch->last.calls++;
    struct frame *frame = push(phases, index);
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

/* ------------------------------------------------------------------------------------------- time passes -- */

/* The stream is at the position of its metrics. */
static inline void go_on(struct phases *phases, const uint64_t *const columns[METRICS_MAX], size_t row)
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
static void add_span(struct phases *phases, const struct point *from)
{
    const struct phases_stitch *stitch = phases->stitch;
    struct phases_sums *span = &phases_role_at(phases, stitch->role)->span;
    for (size_t m = 0; m < stitch->metrics.count; m++) {
        span->metrics[m] += stitch->last.metrics[m] - from->metrics[m];
        span->probe[m] += (wide_u128)(stitch->last.calls - from->calls) * stitch->probes[m].pair;
    }
}

/* ------------------------------------------------------------------------------------------ streams -- */

static int close_all(struct phases *phases)
{
    int error = 0;
    while (!error && phases->stitch->frames.count > 0)
        error = close_call(phases, EVENT_COUNT + UNFINISHED_OPEN);
    phases->stitch->excess = 0;
    return error;
}

/* The current stream has ended here. */
static int end_stream(struct phases *phases)
{
    struct phases_stitch *stitch = phases->stitch;
    int error = close_all(phases);
    if (stitch->at_head)
        stitch->head_last = stitch->last;
    stitch->at_head = false;
    return error;
}

/* A number of the metadata, 2^-16. */
static uint64_t fixed_cost(const json_t *probe, const char *key)
{
    const json_t *number = json_object_get(probe, key);
    double cost = json_is_number(number) ? json_number_value(number) : 0;
    return cost > 0 && cost < 1e9 ? (uint64_t)llround(ldexp(cost, RUN_PROBE_SHIFT)) : 0;
}

static struct probe_cost cost_of(uint64_t pair, uint64_t inner)
{
    inner = inner < pair ? inner : pair;
    return (struct probe_cost){inner, pair - inner, pair};
}

static void take_costs(struct phases_stitch *stitch, const json_t *probe)
{
    const struct probe_cost time = cost_of(fixed_cost(probe, "pair_ns"), fixed_cost(probe, "exit_ns"));
    for (size_t m = 0; m < stitch->metrics.count; m++) {
        const json_t *own = m ? json_array_get(json_object_get(probe, "counters"), m - 1) : NULL;
        bool sure = fixed_cost(own, "lo") > 0; /* otherwise it may be anything */
        stitch->probes[m] = stitch->metrics.is_time[m] ? time
                            : sure                     ? cost_of(fixed_cost(own, "pair"), fixed_cost(own, "exit"))
                                                       : (struct probe_cost){0};
    }
}

static int begin_trace(struct phases *phases, const struct analysis_trace *trace)
{
    struct phases_stitch *stitch = phases->stitch = calloc(1, sizeof *phases->stitch);
    if (!stitch)
        return ENOMEM;
    stitch->path = text_set_add(&phases->texts, trace->path);
    stitch->run = phases_run_of(phases, trace);
    stitch->entry_of_count = trace->names->method_count;
    stitch->entry_of = calloc(stitch->entry_of_count, sizeof *stitch->entry_of);
    if (stitch->path == TEXT_SET_FULL || stitch->run == KEYED_FULL || !stitch->entry_of)
        return ENOMEM;
    const json_t *probe = json_object_get(trace_metadata(trace->trace), "probe");
    stitch->metrics = phases_metrics(phases, phases_run_at(phases, stitch->run));
    take_costs(stitch, probe);
    return 0;
}

static int begin_stream(struct phases *phases, const struct analysis_trace *trace, const struct trace_batch *batch)
{
    bool is_first = !phases->stitch;
    int error = is_first ? begin_trace(phases, trace) : end_stream(phases);
    if (error)
        return error;
    struct phases_stitch *stitch = phases->stitch;
    bool known = batch->thread < trace->names->thread_count;
    enum phases_component component =
        known ? phases_component_of(&trace->names->threads[batch->thread]) : COMPONENT_APPLICATION;
    stitch->stream = batch->thread;
    stitch->role = phases_role_of(phases, stitch->run, component);
    if (stitch->role == KEYED_FULL)
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

static uint32_t new_entry(struct phases *phases, const struct trace_names *names, uint64_t method)
{
    struct phases_stitch *stitch = phases->stitch;
    char name[METHOD_NAME_MAX];
    method_name(&names->methods[method], name);
    uint32_t text = text_set_add(&phases->texts, name);
    uint32_t entry = text == TEXT_SET_FULL ? KEYED_FULL : phases_entry_of(phases, stitch->run, text);
    if (entry != KEYED_FULL)
        stitch->entry_of[method] = entry + 1;
    return entry;
}

/* The entry of a method of the trace; KEYED_FULL without memory. */
static inline uint32_t entry_of(struct phases *phases, const struct trace_names *names, uint64_t method)
{
    const struct phases_stitch *stitch = phases->stitch;
    if (method >= stitch->entry_of_count)
        method = 0;
    return stitch->entry_of[method] ? stitch->entry_of[method] - 1 : new_entry(phases, names, method);
}

int stack_feed(struct phases *phases, const struct analysis_trace *trace, const struct trace_batch *batch)
{
    int error = 0;
    if (batch->count == 0)
        return 0;
    if (!phases->stitch || phases->stitch->stream != batch->thread)
        error = begin_stream(phases, trace, batch);
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
        uint32_t entry = entry_of(phases, trace->names, batch->integers[EVENT_METHOD][i]);
        if (entry == KEYED_FULL)
            return ENOMEM;
        go_on(phases, columns, i);
        if (what == EVENT_ENTER)
            error = enter_call(phases, entry);
        else if (what < EVENT_COUNT)
            error = leave_call(phases, entry, (unsigned)what);
        else
            phases_run_at(phases, stitch->run)->orphans++;
    }
    add_span(phases, &before);
    return error;
}

/* ------------------------------------------------------------------------------------------ parts -- */

/* The calls that ended above the open ones of a level, on the current stack. */
static void take_nested(struct phases *phases, const struct phases_stitch *other, const uint32_t *entries,
                        uint32_t level, size_t *next)
{
    for (; *next < other->nested.count && nested_at(other, *next)->level == level; ++*next) {
        const struct nested *nested = nested_at(other, *next);
        struct phases_entry *entry = phases_entry_at(phases, entries[nested->entry]);
        if (entry->open == 0)
            phases_sums_add(&entry->inclusive, &nested->sums);
    }
}

/* Calls of the innermost call that the part has seen. */
static void take_inner(struct phases *phases, const struct inner *inner)
{
    struct inner *caller = inner_of_top(phases->stitch);
    for (size_t m = 0; m < METRICS_MAX; m++)
        spend(phases, caller, m, inner->metrics[m]);
    if (caller)
        caller->calls += inner->calls;
}

static void set_point(struct phases_stitch *stitch, const struct point *point, uint64_t calls_before)
{
    for (size_t m = 0; m < METRICS_MAX; m++)
        if (point->metrics[m] > stitch->last.metrics[m])
            stitch->last.metrics[m] = point->metrics[m];
    stitch->last.calls = calls_before + point->calls;
}

/* Applies the beginning of a part to the stack before it. */
static int take_head(struct phases *phases, const struct phases_stitch *other, const struct phases_map *map,
                     uint64_t calls_before)
{
    struct phases_stitch *stitch = phases->stitch;
    size_t next = 0;
    int error = 0;
    for (size_t level = 0; !error && level < other->leaves.count; level++) {
        const struct leave *leave = leave_at(other, level);
        take_nested(phases, other, map->entries, (uint32_t)level, &next);
        take_inner(phases, &leave->inner);
        set_point(stitch, &leave->exit, calls_before);
        error = leave_call(phases, map->entries[leave->entry], leave->what);
    }
    take_nested(phases, other, map->entries, (uint32_t)other->leaves.count, &next);
    take_inner(phases, &other->level);
    set_point(stitch, other->at_head ? &other->last : &other->head_last, calls_before);
    return error;
}

/* The calls that are open at the end of a part. They did not begin before the part, whatever a damaged trace says. */
static int take_open(struct phases *phases, const struct phases_stitch *other, const struct phases_map *map,
                     const struct point *before)
{
    struct phases_stitch *stitch = phases->stitch;
    int error = 0;
    for (size_t i = 0; !error && i < other->frames.count; i++) {
        const struct frame *from = (const struct frame *)other->frames.items + i;
        uint32_t entry = map->entries[from->entry];
        struct frame *frame = push(phases, entry);
        if (!frame) {
            error = stitch->excess ? 0 : ENOMEM;
            continue;
        }
        *frame = *from;
        frame->entry = entry;
        frame->enter.calls += before->calls;
        for (size_t m = 0; m < stitch->metrics.count; m++)
            if (frame->enter.metrics[m] < before->metrics[m])
                frame->enter.metrics[m] = before->metrics[m];
    }
    stitch->excess += other->excess;
    return error;
}

/* The current stream is the other's first one; nothing is known about it before that. */
static int begin_head(struct phases *phases, const struct phases_stitch *other, const struct phases_map *map)
{
    int error = phases->stitch ? end_stream(phases) : 0;
    if (!phases->stitch && !(phases->stitch = calloc(1, sizeof *phases->stitch)))
        return ENOMEM;
    struct phases_stitch *stitch = phases->stitch;
    stitch->path = map->texts[other->head_path];
    stitch->stream = other->head_stream;
    stitch->run = map->runs[other->run];
    stitch->role = map->roles[other->head_role];
    stitch->metrics = other->metrics;
    memcpy(stitch->probes, other->probes, sizeof stitch->probes);
    stitch->last = other->head_first;
    phases_role_at(phases, stitch->role)->streams++;
    return error;
}

/* The same for the other's last stream, if that is not its first one. */
static void begin_last(struct phases_stitch *stitch, const struct phases_stitch *other, const struct phases_map *map)
{
    stitch->stream = other->stream;
    stitch->role = map->roles[other->role];
    stitch->last = other->last;
}

int stack_merge(struct phases *phases, struct phases *other)
{
    struct phases_map map;
    const struct phases_stitch *next = other->stitch;
    int error = phases_join(phases, other, &map);
    if (error || !next) {
        phases_map_free(&map);
        return error;
    }
    bool same = phases->stitch && phases->stitch->path == map.texts[next->head_path] &&
                phases->stitch->stream == next->head_stream && phases->stitch->run == map.runs[next->run];
    if (same) {
        const struct point from = phases->stitch->last;
        const uint64_t *columns[METRICS_MAX];
        for (size_t m = 0; m < METRICS_MAX; m++)
            columns[m] = &next->head_first.metrics[m];
        go_on(phases, columns, 0);
        add_span(phases, &from);
    } else {
        error = begin_head(phases, next, &map);
    }
    struct point before = {0};
    if (same)
        before = phases->stitch->last;
    if (!error)
        error = take_head(phases, next, &map, before.calls);
    if (!error && !next->at_head) {
        error = end_stream(phases);
        begin_last(phases->stitch, next, &map);
        before = (struct point){0};
    }
    if (!error)
        error = take_open(phases, next, &map, &before);
    phases_map_free(&map);
    return error;
}

int stack_end(struct phases *phases)
{
    int error = phases->stitch ? end_stream(phases) : 0;
    stack_free(phases);
    return error ? error : phases_flush(phases);
}
