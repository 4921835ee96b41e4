#include "analyze/causality/traced_points.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/causality/hits.h"
#include "analyze/driver/run_label.h"

const char *const traced_points_by[TRACED_POINTS_BY_COUNT] = {"profiler", "work"};

static const struct field point_fields[] = {FIELD(traced_points_point, by, FIELD_TEXT, JOIN_KEY),
                                            FIELD(traced_points_point, work, FIELD_TEXT, JOIN_KEY),
                                            FIELD(traced_points_point, method, FIELD_TEXT, JOIN_KEY),
                                            FIELD(traced_points_point, run, FIELD_NUMBER, JOIN_KEY),
                                            FIELD(traced_points_point, amount, FIELD_NUMBER, JOIN_KEY),
                                            FIELD(traced_points_point, name, FIELD_TEXT, JOIN_KEY),
                                            FIELD(traced_points_point, path, FIELD_TEXT, JOIN_KEY),
                                            FIELD(traced_points_point, failed, FIELD_NUMBER, JOIN_FIRST),
                                            FIELD(traced_points_point, hits, FIELD_COUNT, JOIN_SUM),
                                            FIELD(traced_points_point, samples, FIELD_COUNT, JOIN_SUM),
                                            FIELD(traced_points_point, real_ns, FIELD_COUNT, JOIN_FIRST),
                                            FIELD(traced_points_point, seen_ns, FIELD_COUNT, JOIN_FIRST),
                                            FIELD(traced_points_point, aside_ns, FIELD_COUNT, JOIN_FIRST),
                                            FIELD(traced_points_point, vm_ns, FIELD_COUNT, JOIN_FIRST),
                                            FIELD(traced_points_point, vm_collecting, FIELD_COUNT, JOIN_SUM),
                                            FIELD(traced_points_point, vm_samples, FIELD_COUNT, JOIN_SUM)};
static const struct field stranger_fields[] = {FIELD(traced_points_stranger, path, FIELD_TEXT, JOIN_KEY)};

static bool traced_points_is_valid(const void *row)
{
    const struct traced_points_point *point = row;
    return point->hits <= point->samples && point->vm_collecting <= point->vm_samples;
}

const struct relation traced_points_relations[] = {
    [TRACED_POINTS] = {"points", sizeof(struct traced_points_point), 7 * sizeof(uint32_t),
                       RELATION_FIELDS(point_fields), .valid = traced_points_is_valid},
    [TRACED_POINTS_STRANGERS] = {"strangers", sizeof(struct traced_points_stranger), sizeof(uint32_t),
                                 RELATION_FIELDS(stranger_fields)}};

void *traced_points_init(const struct analysis_options *options)
{
    struct traced_points *state = calloc(1, sizeof *state);
    if (!state)
        return NULL;
    relations_init(&state->relations, traced_points_relations, TRACED_POINTS_RELATIONS);
    state->options = options->own;
    return state;
}

void traced_points_free(void *own)
{
    struct traced_points *state = own;
    relations_free(&state->relations);
    free(state->is_hit);
    sample_roles_free(&state->roles);
    free(state);
}

/* ---------------------------------------------------------------------------------------- a trace -- */

static bool traced_points_is_cpu_time(const struct traced_points *state, const json_t *metadata)
{
    const char *clock = json_string_value(json_object_get(metadata, "interval_clock"));
    if (state->options->time != TRACED_POINTS_BY_CLOCK)
        return state->options->time == TRACED_POINTS_CPU;
    return clock && strcmp(clock, "cpu") == 0;
}

/* Fills the times of a point. A trace of the Java threads alone of a JVM does not show what its compilers and
 * collectors took: then these threads are the program. */
static void traced_points_measure(const struct traced_points *state, const struct analysis_trace *trace,
                                  struct traced_points_point *point)
{
    const json_t *metadata = trace_metadata(trace->trace), *exit = json_object_get(metadata, "exit");
    bool is_cpu_time = traced_points_is_cpu_time(state, metadata), java = false, jit = false;
    uint64_t cpu_ns = 0, aside_ns = 0, vm_ns = 0, first_ns = UINT64_MAX, last_ns = 0;
    json_int_t ns = is_cpu_time ? json_integer_value(json_object_get(exit, "user_ns")) +
                                      json_integer_value(json_object_get(exit, "system_ns"))
                                : json_integer_value(json_object_get(exit, "wall_ns"));
    for (size_t t = 0; t < trace->names->thread_count; t++) {
        const struct trace_thread *thread = &trace->names->threads[t];
        bool ran = thread->last_cpu_ns > thread->first_cpu_ns;
        uint64_t thread_ns = ran ? thread->last_cpu_ns - thread->first_cpu_ns : 0;
        cpu_ns += thread_ns;
        aside_ns += thread->role == ROLE_JIT || thread->role == ROLE_GC ? thread_ns : 0;
        vm_ns += thread->role == ROLE_VM ? thread_ns : 0;
        if (thread->first_ns > 0 && thread->first_ns < first_ns)
            first_ns = thread->first_ns;
        last_ns = thread->last_ns > last_ns ? thread->last_ns : last_ns;
        java |= thread->role == ROLE_JAVA;
        jit |= thread->role == ROLE_JIT;
    }
    point->seen_ns = is_cpu_time ? cpu_ns : last_ns > first_ns ? last_ns - first_ns : 0;
    point->aside_ns = is_cpu_time ? aside_ns : 0;
    point->vm_ns = is_cpu_time ? vm_ns : 0;
    point->real_ns = ns > 0 ? (uint64_t)ns : 0;
    if (is_cpu_time && java && !jit && point->seen_ns > 0)
        point->real_ns = point->seen_ns;
}

static int traced_points_begin_stream(struct traced_points *state, const struct analysis_trace *trace)
{
    const json_t *metadata = trace_metadata(trace->trace), *inject = json_object_get(metadata, "inject");
    const char *method = json_string_value(json_object_get(inject, "method"));
    const char *work = json_string_value(json_object_get(inject, "work")), *only = state->options->only;
    const json_t *amount = json_object_get(inject, "amount"), *run = json_object_get(inject, "run");
    const json_t *exit = json_object_get(metadata, "exit");
    struct relations *relations = &state->relations;
    state->begun = true;
    state->at = FIELD_NONE;
    if (!method || !work || !json_is_integer(amount) || !json_is_integer(run)) {
        const struct traced_points_stranger stranger = {relations_text(relations, trace->path)};
        bool good =
            stranger.path != FIELD_NONE && relations_add(relations, TRACED_POINTS_STRANGERS, &stranger) != FIELD_NONE;
        return good ? 0 : ENOMEM;
    }
    if (only && !hits_same_method(only, method))
        return 0;
    char *profiler = run_label_text(trace, state->options->by);
    struct traced_points_point point = {.by = profiler ? relations_text(relations, profiler) : FIELD_NONE,
                                        .work = relations_text(relations, work),
                                        .method = relations_text(relations, method),
                                        .run = (uint32_t)json_integer_value(run),
                                        .amount = (uint32_t)json_integer_value(amount),
                                        .name = relations_text(relations, trace->run),
                                        .path = relations_text(relations, trace->path),
                                        .failed = json_integer_value(json_object_get(exit, "status")) != 0 ||
                                                  json_is_integer(json_object_get(exit, "signal"))};
    free(profiler);
    if (point.by == FIELD_NONE || point.work == FIELD_NONE || point.method == FIELD_NONE || point.name == FIELD_NONE ||
        point.path == FIELD_NONE)
        return ENOMEM;
    traced_points_measure(state, trace, &point);
    state->at = relations_add(relations, TRACED_POINTS, &point);
    state->is_hit = hits_find(trace->names, method);
    bool good = sample_roles_init(&state->roles, trace->names, analysis_trace_is_imported(trace)) && state->is_hit;
    return state->at == FIELD_NONE || !good ? ENOMEM : 0;
}

int traced_points_feed(void *own, const struct analysis_trace *trace, const struct trace_batch *batch)
{
    struct traced_points *state = own;
    int error = state->begun ? 0 : traced_points_begin_stream(state, trace);
    if (error || state->at == FIELD_NONE)
        return error;
    struct traced_points_point *point = relations_at(&state->relations, TRACED_POINTS, state->at);
    const uint64_t *contexts = batch->integers[SAMPLE_CONTEXT], *weights = batch->integers[SAMPLE_WEIGHT];
    size_t limit = trace->names->context_count;
    const struct trace_names *names = trace->names;
    bool vm = batch->thread < names->thread_count && names->threads[batch->thread].role == ROLE_VM;
    for (size_t i = 0; i < batch->count; i++) {
        uint64_t weight = trace_sample_weight(weights[i]);
        bool collects = vm && sample_role(&state->roles, batch->thread, (uint32_t)contexts[i]) == ROLE_GC;
        point->vm_samples += vm ? weight : 0;
        point->vm_collecting += collects ? weight : 0;
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
    sample_roles_free(&state->roles);
    state->begun = false;
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
    return strcmp(relations_text_at(&a->state->relations, x), relations_text_at(&b->state->relations, y));
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

/* What was not the program's own work: the time of compilers and collectors, and of the VM's threads as much as their
 * samples show them collecting. */
static uint64_t traced_points_aside(const struct traced_points_point *point)
{
    double collecting =
        point->vm_samples > 0 ? (double)point->vm_collecting / (double)point->vm_samples * (double)point->vm_ns : 0;
    return point->aside_ns + (uint64_t)collecting;
}

/* The traces of one run of the recorder, *n of them, are one point: it had several processes. */
static struct traced_points_point traced_points_join_run(const struct order *order, size_t count, size_t *n)
{
    struct traced_points_point point = *order[0].point;
    uint64_t aside_ns = traced_points_aside(&point);
    for (*n = 1; *n < count; ++*n) {
        const struct traced_points_point *next = order[*n].point;
        if (memcmp(next, &point, offsetof(struct traced_points_point, path)) != 0)
            break;
        point.hits += next->hits;
        point.samples += next->samples;
        point.seen_ns += next->seen_ns;
        aside_ns += traced_points_aside(next);
        point.failed |= next->failed;
    }
    point.real_ns = point.real_ns > aside_ns ? point.real_ns - aside_ns : 0;
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
    char *const *all = state->relations.texts.texts;
    char *const found[] = {all[point->by], all[point->work], all[point->method]};
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
    size_t count = relations_count(&state->relations, TRACED_POINTS);
    struct order *order = calloc(count + 1, sizeof *order);
    *points = (struct points){0};
    *texts = (struct traced_points_texts){.items = calloc(count + 1, sizeof *texts->items)};
    *left_out =
        (struct traced_points_left_out){.strangers = relations_count(&state->relations, TRACED_POINTS_STRANGERS)};
    int error = order && texts->items ? 0 : ENOMEM;
    for (size_t i = 0; !error && i < count; i++)
        order[i] = (struct order){state, relations_at(&state->relations, TRACED_POINTS, i)};
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

bool traced_points_know_profilers(const struct traced_points *state)
{
    for (size_t i = 0; i < relations_count(&state->relations, TRACED_POINTS); i++) {
        const struct traced_points_point *point = relations_at(&state->relations, TRACED_POINTS, i);
        if (*relations_text_at(&state->relations, point->by))
            return true;
    }
    return false;
}

void traced_points_texts_free(struct traced_points_texts *texts)
{
    free(texts->items);
    text_set_free(&texts->names);
}
