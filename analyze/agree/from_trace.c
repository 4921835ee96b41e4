#include "analyze/agree/sources.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/driver/run_label.h"
#include "trace/names/method_name.h"
#include "trace/names/normal_name.h"

void *from_trace_init(const struct analysis_options *options)
{
    struct from_trace *state = calloc(1, sizeof *state);
    if (!state)
        return NULL;
    profiles_init(&state->profiles);
    state->options = options->own;
    return state;
}

void from_trace_free(void *own)
{
    struct from_trace *state = own;
    profiles_free(&state->profiles);
    free(state->counts);
    free(state);
}

/* -------------------------------------------------------------------------------------- one stream -- */

/* The texts of all methods; NULL without memory. */
static uint32_t *from_trace_method_texts(struct from_trace *state, const struct trace_names *names)
{
    uint32_t *texts = malloc((names->method_count + 1) * sizeof *texts);
    for (size_t m = 0; texts && m < names->method_count; m++) {
        char name[METHOD_NAME_MAX];
        struct normal_name normal;
        struct trace_method method = names->methods[m];
        if (!state->options->raw_names) {
            normal_name(&method, &normal);
            method.class_name = normal.class_name;
            method.name = normal.name;
            method.signature = normal.signature;
        }
        method_name(&method, name);
        if (state->options->without_signatures && *name != '(')
            name[strcspn(name, "(")] = '\0';
        texts[m] = relations_text(&state->profiles.relations, name);
        if (texts[m] == FIELD_NONE) {
            free(texts);
            return NULL;
        }
    }
    return texts;
}

static int from_trace_add_contexts(struct from_trace *state, const struct analysis_trace *trace, const uint32_t *texts,
                                   uint32_t run)
{
    const struct trace_names *names = trace->names;
    struct sample_roles roles;
    int error = sample_roles_init(&roles, names, analysis_trace_is_imported(trace)) ? 0 : ENOMEM;
    for (uint32_t c = 0; !error && c < names->context_count; c++) {
        uint32_t method = texts[names->frames[names->contexts[c].frame].method];
        uint32_t parent = names->contexts[c].parent;
        if (state->counts[c] > 0)
            error = profiles_add(&state->profiles, run, sample_role(&roles, state->stream, c), method,
                                 (double)state->counts[c]);
        if (!error && parent > 0)
            error =
                profiles_add_call(&state->profiles, texts[names->frames[names->contexts[parent].frame].method], method);
    }
    sample_roles_free(&roles);
    return error;
}

static int from_trace_add_stream(struct from_trace *state, const struct analysis_trace *trace)
{
    const struct trace_names *names = trace->names;
    const json_t *metadata = trace_metadata(trace->trace), *exit = json_object_get(metadata, "exit");
    char *profiler = run_label_text(trace, state->options->by);
    uint32_t *texts = from_trace_method_texts(state, names);
    uint32_t run = profiler ? profiles_run(&state->profiles, profiler, trace->run) : FIELD_NONE;
    int error = texts && run != FIELD_NONE ? 0 : ENOMEM;
    if (!error) {
        struct profiles_run *into = profiles_run_at(&state->profiles, run);
        /* the metadata about the command is the same for all traces of its processes */
        json_int_t wall_ns = json_integer_value(json_object_get(exit, "wall_ns"));
        json_int_t cpu_ns = json_integer_value(json_object_get(exit, "user_ns")) +
                            json_integer_value(json_object_get(exit, "system_ns"));
        if (wall_ns > 0 && (uint64_t)wall_ns > into->wall_ns)
            into->wall_ns = (uint64_t)wall_ns;
        if (cpu_ns > 0 && (uint64_t)cpu_ns > into->command_cpu_ns)
            into->command_cpu_ns = (uint64_t)cpu_ns;
        const char *unit = json_string_value(json_object_get(metadata, "period_unit"));
        json_int_t period_ns = json_integer_value(json_object_get(metadata, "period_ns"));
        if (period_ns > 0 && (!unit || strcmp(unit, "ns") == 0)) {
            into->cpu_ns += state->cpu_ns;
            into->sampled_ns += state->intervals * (uint64_t)period_ns;
        }
    }
    if (!error && state->counts) {
        error = from_trace_add_contexts(state, trace, texts, run);
    }
    if (state->counts)
        memset(state->counts, 0, names->context_count * sizeof *state->counts);
    state->cpu_ns = state->intervals = state->last_cpu_ns = 0;
    free(profiler);
    free(texts);
    return error;
}

/* -------------------------------------------------------------------------------------- the analyzer -- */

int from_trace_feed(void *own, const struct analysis_trace *trace, const struct trace_batch *batch)
{
    struct from_trace *state = own;
    size_t limit = trace->names->context_count;
    if (state->counts && state->stream != batch->thread) {
        int error = from_trace_add_stream(state, trace);
        if (error)
            return error;
    }
    if (!state->counts)
        state->counts = calloc(limit, sizeof *state->counts);
    if (!state->counts)
        return ENOMEM;
    state->stream = batch->thread;
    const uint64_t *contexts = batch->integers[SAMPLE_CONTEXT], *cpu_ns = batch->integers[SAMPLE_CPU];
    const uint64_t *weights = batch->integers[SAMPLE_WEIGHT];
    for (size_t i = 0; i < batch->count; i++) {
        state->counts[contexts[i] < limit ? contexts[i] : 0] += trace_sample_weight(weights[i]);
        if (state->last_cpu_ns > 0 && cpu_ns[i] > state->last_cpu_ns) {
            state->cpu_ns += cpu_ns[i] - state->last_cpu_ns;
            state->intervals++;
        }
        state->last_cpu_ns = cpu_ns[i];
    }
    return 0;
}

int from_trace_finalize(void *own, const struct analysis_trace *trace)
{
    struct from_trace *state = own;
    int error = from_trace_add_stream(state, trace);
    free(state->counts);
    state->counts = NULL;
    return error;
}
