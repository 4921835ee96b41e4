#include "analyze/causality/traced_points.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/causality/hits.h"

const char *const traced_points_by[TRACED_POINTS_BY_COUNT] = {"profiler", "work"};

void *traced_points_init(const struct analysis_options *options)
{
    struct traced_points *state = calloc(1, sizeof *state);
    if (!state)
        return NULL;
    state->points.item_bytes = sizeof(struct traced_points_point);
    state->points.key_bytes = 7 * sizeof(uint32_t);
    state->options = options->own;
    return state;
}

void traced_points_free(void *own)
{
    struct traced_points *state = own;
    text_set_free(&state->texts);
    text_set_free(&state->strangers);
    keyed_free(&state->points);
    free(state->is_hit);
    free(state);
}

/* ---------------------------------------------------------------------------------------- a trace -- */

static const char *traced_points_profiler(const struct traced_points *state, const struct analysis_trace *trace)
{
    const json_t *metadata = trace_metadata(trace->trace);
    const char *by = state->options->by;
    const char *text = json_string_value(json_object_get(metadata, by ? by : "profiler"));
    if (!text && !by)
        text = json_string_value(json_object_get(json_object_get(metadata, "imported"), "tool"));
    return text ? text : by ? "" : trace->clock;
}

static bool traced_points_is_cpu_time(const struct traced_points *state, const json_t *metadata)
{
    const char *clock = json_string_value(json_object_get(metadata, "interval_clock"));
    if (state->options->time != TRACED_POINTS_BY_CLOCK)
        return state->options->time == TRACED_POINTS_CPU;
    return clock && strcmp(clock, "cpu") == 0;
}

static uint64_t traced_points_real_ns(const struct traced_points *state, const json_t *metadata)
{
    const json_t *exit = json_object_get(metadata, "exit");
    json_int_t ns = traced_points_is_cpu_time(state, metadata)
                        ? json_integer_value(json_object_get(exit, "user_ns")) +
                              json_integer_value(json_object_get(exit, "system_ns"))
                        : json_integer_value(json_object_get(exit, "wall_ns"));
    return ns > 0 ? (uint64_t)ns : 0;
}

static uint64_t traced_points_seen_ns(const struct traced_points *state, const struct analysis_trace *trace)
{
    const struct trace_names *names = trace->names;
    uint64_t cpu_ns = 0, first_ns = UINT64_MAX, last_ns = 0;
    for (size_t t = 0; t < names->thread_count; t++) {
        const struct trace_thread *thread = &names->threads[t];
        if (thread->last_cpu_ns > thread->first_cpu_ns)
            cpu_ns += thread->last_cpu_ns - thread->first_cpu_ns;
        if (thread->first_ns > 0 && thread->first_ns < first_ns)
            first_ns = thread->first_ns;
        if (thread->last_ns > last_ns)
            last_ns = thread->last_ns;
    }
    if (traced_points_is_cpu_time(state, trace_metadata(trace->trace)))
        return cpu_ns;
    return last_ns > first_ns ? last_ns - first_ns : 0;
}

/* Whether these are the Java threads alone of a JVM: what its compilers and collectors took is not known then. */
static bool traced_points_sees_java_alone(const struct trace_names *names)
{
    bool java = false, jit = false;
    for (size_t t = 0; t < names->thread_count; t++) {
        java |= names->threads[t].role == ROLE_JAVA;
        jit |= names->threads[t].role == ROLE_JIT;
    }
    return java && !jit;
}

static uint64_t traced_points_aside_ns(const struct traced_points *state, const struct analysis_trace *trace)
{
    uint64_t cpu_ns = 0;
    for (size_t t = 0; traced_points_is_cpu_time(state, trace_metadata(trace->trace)) && t < trace->names->thread_count;
         t++) {
        const struct trace_thread *thread = &trace->names->threads[t];
        bool aside = thread->role == ROLE_JIT || thread->role == ROLE_GC;
        if (aside && thread->last_cpu_ns > thread->first_cpu_ns)
            cpu_ns += thread->last_cpu_ns - thread->first_cpu_ns;
    }
    return cpu_ns;
}

static int traced_points_begin_stream(struct traced_points *state, const struct analysis_trace *trace)
{
    const json_t *metadata = trace_metadata(trace->trace), *inject = json_object_get(metadata, "inject");
    const char *method = json_string_value(json_object_get(inject, "method"));
    const char *work = json_string_value(json_object_get(inject, "work")), *only = state->options->only;
    const json_t *amount = json_object_get(inject, "amount"), *run = json_object_get(inject, "run");
    const json_t *exit = json_object_get(metadata, "exit");
    state->begun = true;
    state->at = KEYED_FULL;
    if (!method || !work || !json_is_integer(amount) || !json_is_integer(run))
        return text_set_add(&state->strangers, trace->path) == TEXT_SET_FULL ? ENOMEM : 0;
    if (only && !hits_same_method(only, method))
        return 0;
    struct traced_points_point point = {.by = text_set_add(&state->texts, traced_points_profiler(state, trace)),
                                        .work = text_set_add(&state->texts, work),
                                        .method = text_set_add(&state->texts, method),
                                        .run = (uint32_t)json_integer_value(run),
                                        .amount = (uint32_t)json_integer_value(amount),
                                        .name = text_set_add(&state->texts, trace->run),
                                        .path = text_set_add(&state->texts, trace->path),
                                        .failed = json_integer_value(json_object_get(exit, "status")) != 0 ||
                                                  json_is_integer(json_object_get(exit, "signal")),
                                        .real_ns = traced_points_real_ns(state, metadata),
                                        .seen_ns = traced_points_seen_ns(state, trace),
                                        .aside_ns = traced_points_aside_ns(state, trace)};
    if (traced_points_is_cpu_time(state, metadata) && traced_points_sees_java_alone(trace->names) && point.seen_ns > 0)
        point.real_ns = point.seen_ns;
    if (point.by == TEXT_SET_FULL || point.work == TEXT_SET_FULL || point.method == TEXT_SET_FULL ||
        point.name == TEXT_SET_FULL || point.path == TEXT_SET_FULL)
        return ENOMEM;
    state->at = keyed_add(&state->points, &point);
    state->is_hit = hits_find(trace->names, method);
    return state->at == KEYED_FULL || !state->is_hit ? ENOMEM : 0;
}

int traced_points_feed(void *own, const struct analysis_trace *trace, const struct trace_batch *batch)
{
    struct traced_points *state = own;
    int error = state->begun ? 0 : traced_points_begin_stream(state, trace);
    if (error || state->at == KEYED_FULL)
        return error;
    struct traced_points_point *point = keyed_at(&state->points, state->at);
    const uint64_t *contexts = batch->integers[SAMPLE_CONTEXT], *weights = batch->integers[SAMPLE_WEIGHT];
    size_t limit = trace->names->context_count;
    for (size_t i = 0; i < batch->count; i++) {
        uint64_t weight = trace_sample_weight(weights[i]);
        point->samples += weight;
        point->hits += contexts[i] < limit && state->is_hit[contexts[i]] ? weight : 0;
    }
    return 0;
}

int traced_points_finalize(void *own, const struct analysis_trace *trace)
{
    struct traced_points *state = own;
    int error = state->begun ? 0 : traced_points_begin_stream(state, trace);
    free(state->is_hit);
    state->is_hit = NULL;
    state->begun = false;
    return error;
}

/* ------------------------------------------------------------------------------------------- states -- */

static int traced_points_join_point(struct traced_points *state, const struct traced_points_point *point)
{
    struct traced_points_point fresh = *point;
    fresh.hits = fresh.samples = 0;
    uint32_t at = keyed_add(&state->points, &fresh);
    if (at == KEYED_FULL)
        return ENOMEM;
    struct traced_points_point *into = keyed_at(&state->points, at);
    into->hits += point->hits;
    into->samples += point->samples;
    return 0;
}

int traced_points_merge(void *own, void *other)
{
    struct traced_points *state = own;
    const struct traced_points *later = other;
    for (uint32_t i = 0; i < later->strangers.count; i++)
        if (text_set_add(&state->strangers, later->strangers.texts[i]) == TEXT_SET_FULL)
            return ENOMEM;
    for (size_t i = 0; i < later->points.count; i++) {
        struct traced_points_point point = *(const struct traced_points_point *)keyed_at(&later->points, i);
        uint32_t *const texts[] = {&point.by, &point.work, &point.method, &point.name, &point.path};
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
            *texts[t] = text_set_add(&state->texts, later->texts.texts[*texts[t]]);
            if (*texts[t] == TEXT_SET_FULL)
                return ENOMEM;
        }
        int error = traced_points_join_point(state, &point);
        if (error)
            return error;
    }
    return 0;
}

static json_t *traced_points_save_texts(const struct text_set *set)
{
    json_t *texts = json_array();
    for (uint32_t i = 0; i < set->count; i++)
        json_array_append_new(texts, json_string_nocheck(set->texts[i]));
    return texts;
}

json_t *traced_points_save(void *own)
{
    const struct traced_points *state = own;
    json_t *points = json_array();
    for (size_t i = 0; i < state->points.count; i++) {
        const struct traced_points_point *point = keyed_at(&state->points, i);
        json_array_append_new(
            points, json_pack("[I, I, I, I, I, I, I, I, I, I, I, I, I]", (json_int_t)point->by, (json_int_t)point->work,
                              (json_int_t)point->method, (json_int_t)point->run, (json_int_t)point->amount,
                              (json_int_t)point->name, (json_int_t)point->path, (json_int_t)point->failed,
                              (json_int_t)point->hits, (json_int_t)point->samples, (json_int_t)point->real_ns,
                              (json_int_t)point->seen_ns, (json_int_t)point->aside_ns));
    }
    return json_pack("{s:o, s:o, s:o}", "texts", traced_points_save_texts(&state->texts), "strangers",
                     traced_points_save_texts(&state->strangers), "points", points);
}

static int traced_points_load_texts(struct text_set *set, const json_t *saved)
{
    size_t i;
    json_t *text;
    if (!json_is_array(saved))
        return EINVAL;
    json_array_foreach(saved, i, text)
    {
        uint32_t number = json_is_string(text) ? text_set_add(set, json_string_value(text)) : TEXT_SET_FULL;
        if (number != i)
            return json_is_string(text) && number == TEXT_SET_FULL ? ENOMEM : EINVAL;
    }
    return 0;
}

static int traced_points_load_point(struct traced_points *state, const json_t *item)
{
    json_int_t n[13];
    if (json_unpack((json_t *)(uintptr_t)item, "[I, I, I, I, I, I, I, I, I, I, I, I, I]", &n[0], &n[1], &n[2], &n[3],
                    &n[4], &n[5], &n[6], &n[7], &n[8], &n[9], &n[10], &n[11], &n[12]))
        return EINVAL;
    for (size_t i = 0; i < 13; i++)
        if (n[i] < 0 || (i < 8 && n[i] >= UINT32_MAX))
            return EINVAL;
    const struct traced_points_point point = {(uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2],  (uint32_t)n[3],
                                              (uint32_t)n[4], (uint32_t)n[5], (uint32_t)n[6],  (uint32_t)n[7],
                                              (uint64_t)n[8], (uint64_t)n[9], (uint64_t)n[10], (uint64_t)n[11],
                                              (uint64_t)n[12]};
    uint32_t texts = state->texts.count;
    if (point.by >= texts || point.work >= texts || point.method >= texts || point.name >= texts ||
        point.path >= texts || point.hits > point.samples)
        return EINVAL;
    return traced_points_join_point(state, &point);
}

int traced_points_load(void *own, const json_t *saved)
{
    struct traced_points *state = own;
    size_t i;
    json_t *item, *points = json_object_get(saved, "points");
    int error = traced_points_load_texts(&state->texts, json_object_get(saved, "texts"));
    if (!error)
        error = traced_points_load_texts(&state->strangers, json_object_get(saved, "strangers"));
    if (!error && !json_is_array(points))
        error = EINVAL;
    json_array_foreach(points, i, item) if (!error) error = traced_points_load_point(state, item);
    return error;
}

/* ------------------------------------------------------------------------------------------- points -- */

char *traced_points_key(const char *method, const char *work, const char *run, double amount)
{
    char *number = NULL;
    if (asprintf(&number, "%.0f", amount) < 0)
        return NULL;
    char *key = text_set_tuple_key((const char *const[]){method, work, run, number}, 4);
    free(number);
    return key;
}

struct order {
    const struct traced_points *state;
    const struct traced_points_point *point;
};

static int traced_points_compare_texts(const struct order *a, const struct order *b, uint32_t x, uint32_t y)
{
    return strcmp(a->state->texts.texts[x], b->state->texts.texts[y]);
}

static int traced_points_compare(const void *first, const void *second)
{
    const struct order *a = first, *b = second;
    const struct traced_points_point *x = a->point, *y = b->point;
    int order = traced_points_compare_texts(a, b, x->by, y->by);
    if (!order)
        order = traced_points_compare_texts(a, b, x->work, y->work);
    if (!order)
        order = traced_points_compare_texts(a, b, x->method, y->method);
    if (!order)
        order = x->run < y->run ? -1 : x->run > y->run;
    if (!order)
        order = x->amount < y->amount ? -1 : x->amount > y->amount;
    if (!order)
        order = traced_points_compare_texts(a, b, x->name, y->name);
    return order ? order : traced_points_compare_texts(a, b, x->path, y->path);
}

/* The traces of one run of the recorder, *n of them, are one point: it had several processes. */
static struct traced_points_point traced_points_join_run(const struct order *order, size_t count, size_t *n)
{
    struct traced_points_point point = *order[0].point;
    for (*n = 1; *n < count; ++*n) {
        const struct traced_points_point *next = order[*n].point;
        if (memcmp(next, &point, offsetof(struct traced_points_point, path)) != 0)
            break;
        point.hits += next->hits;
        point.samples += next->samples;
        point.seen_ns += next->seen_ns;
        point.aside_ns += next->aside_ns;
        point.failed |= next->failed;
    }
    point.real_ns = point.real_ns > point.aside_ns ? point.real_ns - point.aside_ns : 0;
    return point;
}

/* One of invalid; -1 without memory. */
static int traced_points_is_invalid(const struct text_set *invalid, char *const *texts, const char *run,
                                    uint32_t amount)
{
    if (!invalid)
        return 0;
    char *key = traced_points_key(texts[2], texts[1], run, amount);
    int found = key ? text_set_has(invalid, key) : -1;
    free(key);
    return found;
}

static int traced_points_add_point(const struct traced_points *state, const struct traced_points_point *point,
                                   const struct text_set *invalid, struct points *points, char **texts,
                                   struct text_set *names)
{
    char number[16];
    char *const found[] = {state->texts.texts[point->by], state->texts.texts[point->work],
                           state->texts.texts[point->method]};
    memcpy(texts, found, sizeof found);
    snprintf(number, sizeof number, "%u", (unsigned)point->run);
    uint32_t name = text_set_add(names, number);
    struct points_method *method = points_method_of(points, texts, TRACED_POINTS_BY_COUNT + 1);
    int bad = traced_points_is_invalid(invalid, texts, number, point->amount);
    if (!method || name == TEXT_SET_FULL || bad < 0)
        return ENOMEM;
    if (bad) {
        method->invalid++;
        return 0;
    }
    struct points_run *run = points_run_of(method, names->texts[name]);
    double real_ms = (double)point->real_ns / 1e6;
    double seen_ms = point->seen_ns > 0 ? (double)point->seen_ns / 1e6 : real_ms;
    double reported_ms = (double)point->hits / (double)point->samples * seen_ms;
    return run && points_add(run, real_ms, reported_ms, point->amount) ? 0 : ENOMEM;
}

int traced_points_points(const struct traced_points *state, const struct text_set *invalid, struct points *points,
                         struct traced_points_texts *texts, struct traced_points_left_out *left_out)
{
    size_t count = state->points.count;
    struct order *order = calloc(count + 1, sizeof *order);
    *points = (struct points){0};
    *texts = (struct traced_points_texts){.items = calloc(count + 1, sizeof *texts->items)};
    *left_out = (struct traced_points_left_out){.strangers = state->strangers.count};
    int error = order && texts->items ? 0 : ENOMEM;
    for (size_t i = 0; !error && i < count; i++)
        order[i] = (struct order){state, keyed_at(&state->points, i)};
    if (!error)
        qsort(order, count, sizeof *order, traced_points_compare);
    for (size_t i = 0, n; !error && i < count; i += n) {
        const struct traced_points_point point = traced_points_join_run(order + i, count - i, &n);
        left_out->failed += point.failed;
        left_out->timeless += !point.failed && point.real_ns == 0;
        left_out->empty += !point.failed && point.real_ns > 0 && point.samples == 0;
        if (!point.failed && point.real_ns > 0 && point.samples > 0)
            error = traced_points_add_point(state, &point, invalid, points, texts->items[i], &texts->names);
    }
    free(order);
    return error;
}

void traced_points_texts_free(struct traced_points_texts *texts)
{
    free(texts->items);
    text_set_free(&texts->names);
}
