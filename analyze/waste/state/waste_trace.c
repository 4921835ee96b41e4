/* One trace's names for contexts, objects and threads, each looked up once, and its metadata. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/names/method_name.h"
#include "trace/names/runtime.h"
#include "trace/names/thread_name.h"
#include "analyze/waste/state/waste.h"

struct definition {
    uint64_t id, kind, context;
};

struct waste_reading {
    const struct analysis_trace *trace;
    uint32_t source, recording;     /* rows */
    uint32_t *nodes, *path;         /* [context]: node, 0 if not looked up; and capacity for a stack */
    uint32_t *frames;               /* [frame]: text + 1, 0 if not looked up */
    uint64_t *samples;              /* [context], of a CPU profile, which has no source and recording; else NULL */
    uint32_t lost;                  /* node that represents missing definitions */
    struct definition *definitions; /* of objects, by id */
    size_t definition_count;
    uint32_t stream, thread; /* of the last batch; text */
    bool has_stream;
};

/* ------------------------------------------------------------------------------------------ objects -- */

static int waste_compare_definitions(const void *a, const void *b)
{
    const struct definition *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* The driver reports damage, since it also reads these chunks. */
static int waste_read_definitions(struct waste_reading *reading)
{
    const struct trace *trace = reading->trace->trace;
    const uint64_t columns = TRACE_COLUMN(OBJECT_ID) | TRACE_COLUMN(OBJECT_KIND) | TRACE_COLUMN(OBJECT_CONTEXT);
    struct trace_batch batch = {0};
    struct error_text problem;
    int error = 0;
    for (size_t i = 0; i < trace_chunk_count(trace) && !error; i++) {
        int status = trace_chunk_at(trace, i)->kind == TRACE_OBJECT ? trace_read(trace, i, columns, &batch, &problem)
                                                                    : TRACE_NEWER;
        if (status == TRACE_NO_MEMORY)
            error = ENOMEM;
        if (status)
            continue;
        size_t count = reading->definition_count;
        struct definition *grown = realloc(reading->definitions, (count + batch.count + 1) * sizeof *grown);
        if (!grown) {
            error = ENOMEM;
            break;
        }
        reading->definitions = grown;
        for (size_t row = 0; row < batch.count; row++)
            grown[count + row] = (struct definition){batch.integers[OBJECT_ID][row], batch.integers[OBJECT_KIND][row],
                                                     batch.integers[OBJECT_CONTEXT][row]};
        reading->definition_count += batch.count;
    }
    trace_batch_free(&batch);
    if (reading->definition_count > 0)
        qsort(reading->definitions, reading->definition_count, sizeof *reading->definitions, waste_compare_definitions);
    return error;
}

int waste_add_object(struct waste *waste, uint64_t id, uint32_t *object)
{
    const struct waste_reading *reading = waste->reading;
    const struct definition wanted = {.id = id}, *found = NULL;
    struct waste_object key = {WASTE_LOST_OBJECT, reading->lost};
    *object = 0;
    if (id == 0)
        return 0;
    if (reading->definition_count > 0)
        found =
            bsearch(&wanted, reading->definitions, reading->definition_count, sizeof wanted, waste_compare_definitions);
    if (found) {
        key.kind = found->kind < OBJECT_KIND_COUNT ? (uint32_t)found->kind : WASTE_LOST_OBJECT;
        int error = waste_add_context(waste, found->context, &key.node);
        if (error)
            return error;
    }
    *object = relations_row(&waste->relations, WASTE_OBJECT_ROWS, &key);
    return *object == FIELD_NONE ? ENOMEM : 0;
}

/* ------------------------------------------------------------------------------------------ contexts -- */

/* The node of a frame in a context; FIELD_NONE without memory. */
static uint32_t waste_node_in(struct waste *waste, uint32_t parent, uint32_t text, bool is_runtime)
{
    const struct waste_node node = {parent, text, is_runtime};
    return relations_add(&waste->relations, WASTE_NODE_ROWS, &node);
}

/* Adds the files of a frame with this text. 0 or ENOMEM. */
static int waste_add_frame_files(struct waste *waste, uint32_t frame, uint32_t text)
{
    const struct trace_names *names = waste->reading->trace->names;
    const struct trace_frame *source = &names->frames[frame];
    const struct trace_module *module = &names->modules[source->module];
    struct waste_frame row = {.text = text, .file = FIELD_NONE, .module = FIELD_NONE, .build_id = FIELD_NONE};
    char file[METHOD_NAME_MAX];
    bool full = false;
    if (source->line > 0 && waste_frame_file(&names->methods[source->method], file, sizeof file))
        full = (row.file = relations_text(&waste->relations, file)) == FIELD_NONE;
    else if (source->line == 0 && source->module > 0 && source->position >= 0)
        full = (row.module = relations_text(&waste->relations, module->path)) == FIELD_NONE ||
               (row.build_id = relations_text(&waste->relations, module->build_id)) == FIELD_NONE;
    if (!full && row.file == FIELD_NONE && row.module == FIELD_NONE)
        return 0;
    return full || relations_add(&waste->relations, WASTE_FRAME_ROWS, &row) == FIELD_NONE ? ENOMEM : 0;
}

/* Text + 1; 0 without memory. */
static uint32_t waste_add_frame(struct waste *waste, uint32_t frame)
{
    struct waste_reading *reading = waste->reading;
    char text[METHOD_NAME_MAX + 32];
    if (reading->frames[frame] == 0) {
        waste_frame_text(reading->trace->names, frame, text, sizeof text);
        uint32_t known = relations_text(&waste->relations, text);
        if (known == FIELD_NONE || waste_add_frame_files(waste, frame, known) != 0)
            return 0;
        reading->frames[frame] = known + 1;
    }
    return reading->frames[frame];
}

/* From the innermost frame out to one that is known or to the outermost, then back in. */
int waste_add_context(struct waste *waste, uint64_t context, uint32_t *node)
{
    struct waste_reading *reading = waste->reading;
    const struct trace_names *names = reading->trace->names;
    size_t depth = 0;
    if (context >= names->context_count) {
        *node = reading->lost;
        return 0;
    }
    uint32_t at = (uint32_t)context;
    for (; at && reading->nodes[at] == 0; at = names->contexts[at].parent)
        reading->path[depth++] = at;
    uint32_t around = at ? reading->nodes[at] : 0;
    while (depth-- > 0) {
        at = reading->path[depth];
        uint32_t frame = names->contexts[at].frame, text = waste_add_frame(waste, frame);
        uint32_t known = text ? waste_node_in(waste, around, text - 1, runtime_has_frame(names, frame)) : FIELD_NONE;
        if (known == FIELD_NONE)
            return ENOMEM;
        around = reading->nodes[at] = known;
    }
    *node = around;
    return 0;
}

/* A loop's header is a location in a function: only its frame counts, even if inlined functions added others. */
int waste_add_scope(struct waste *waste, uint64_t context, uint32_t *node)
{
    const struct trace_names *names = waste->reading->trace->names;
    *node = 0;
    if (context == 0)
        return 0;
    uint32_t frame = trace_names_context(names, context)->frame, text = waste_add_frame(waste, frame);
    *node = text ? waste_node_in(waste, 0, text - 1, runtime_has_frame(names, frame)) : FIELD_NONE;
    return *node == FIELD_NONE ? ENOMEM : 0;
}

int waste_add_thread(struct waste *waste, uint32_t stream, uint32_t *text)
{
    struct waste_reading *reading = waste->reading;
    if (!reading->has_stream || reading->stream != stream) {
        char name[256];
        thread_name(reading->trace->names, stream, name, sizeof name);
        reading->thread = relations_text(&waste->relations, name);
        if (reading->thread == FIELD_NONE)
            return ENOMEM;
        reading->stream = stream;
        reading->has_stream = true;
    }
    *text = reading->thread;
    return 0;
}

/* ------------------------------------------------------------------------------------------ metadata -- */

static const char *waste_metadata_text(const json_t *metadata, const char *key)
{
    const char *text = json_string_value(json_object_get(metadata, key));
    return text ? text : "";
}

static int waste_read_source(struct waste *waste, const struct analysis_trace *trace, uint32_t *row)
{
    const json_t *metadata = trace_metadata(trace->trace);
    const char *mode = waste_metadata_text(metadata, "mode");
    struct waste_source source = {.run = relations_text(&waste->relations, trace->run)};
    /* The kinds that the mode records, whether or not there was anything to record. */
    unsigned kind = trace_waste_named(mode);
    if (strcmp(mode, "waste") == 0)
        source.kinds = 1 << WASTE_DEAD_STORE | 1 << WASTE_SILENT_STORE | 1 << WASTE_SILENT_LOAD;
    else if (kind < WASTE_COUNT)
        source.kinds = UINT32_C(1) << kind;
    if (json_is_true(json_object_get(metadata, "adjacent")) && source.kinds >> WASTE_SILENT_LOAD & 1)
        source.kinds |= 1 << WASTE_ADJACENT_LOAD;
    bool full = source.run == FIELD_NONE;
    for (enum run_label label = 0; !full && label < RUN_LABELS; label++) {
        bool left_out = label == RUN_LABEL_FILE && !waste->keeps_files;
        char *text = left_out ? strdup("") : run_label_text(trace, label);
        source.labels[label] = text ? relations_text(&waste->relations, text) : FIELD_NONE;
        full = source.labels[label] == FIELD_NONE;
        free(text);
    }
    *row = full ? FIELD_NONE : relations_add(&waste->relations, WASTE_SOURCE_ROWS, &source);
    return *row == FIELD_NONE ? ENOMEM : 0;
}

static uint64_t waste_metadata_count(const json_t *object, const char *key)
{
    double value = json_number_value(json_object_get(object, key));
    return value > 0 && value < 0x1p63 ? (uint64_t)value : 0;
}

static int waste_read_recording(struct waste *waste, const struct analysis_trace *trace, uint32_t *row)
{
    static const char *const keys[WASTE_LOSSES] = {"other_thread_bytes", "lost_nodes",      "lost_depth",
                                                   "lost_scopes",        "elsewhere_bytes", "hidden_classes"};
    const json_t *metadata = trace_metadata(trace->trace), *burst = json_object_get(metadata, "burst");
    const json_t *tolerance = json_object_get(metadata, "fp_tolerance");
    struct waste_recording recording = {.path = relations_text(&waste->relations, trace->path),
                                        .kernel = WASTE_KERNEL_SEEN,
                                        .burst_enable = waste_metadata_count(burst, "enable"),
                                        .burst_disable = waste_metadata_count(burst, "disable"),
                                        .burst_auto = json_is_true(json_object_get(burst, "auto")),
                                        .rewritten = strcmp(waste_metadata_text(metadata, "engine"), "rewrite") == 0,
                                        .between_threads = json_is_true(json_object_get(metadata, "between_threads")),
                                        .array_lengths = json_is_true(json_object_get(metadata, "array_lengths")),
                                        .fp_tolerance = json_is_number(tolerance) ? json_number_value(tolerance) : NAN};
    const char *kernel = waste_metadata_text(metadata, "kernel_accesses"),
               *mode = waste_metadata_text(metadata, "mode");
    bool watches = json_object_get(metadata, "watch") &&
                   trace_waste_named(mode) != WASTE_SILENT_LOAD; /* which compares loads alone */
    if (watches && strcmp(kernel, "seen") != 0)
        recording.kernel = strcmp(kernel, "left-out") == 0 ? WASTE_KERNEL_LEFT_OUT : WASTE_KERNEL_UNSEEN;
    for (size_t i = 0; i < WASTE_LOSSES; i++)
        recording.losses[i] = waste_metadata_count(json_object_get(metadata, "exact"), keys[i]);
    *row =
        recording.path == FIELD_NONE ? FIELD_NONE : relations_add(&waste->relations, WASTE_RECORDING_ROWS, &recording);
    return *row == FIELD_NONE ? ENOMEM : 0;
}

/* ------------------------------------------------------------------------------------------ a trace -- */

int waste_start_reading(struct waste *waste, const struct analysis_trace *trace)
{
    const struct trace_names *names = trace->names;
    struct waste_reading *reading = waste->reading = calloc(1, sizeof *reading);
    if (!reading)
        return ENOMEM;
    reading->trace = trace;
    reading->nodes = calloc(names->context_count, sizeof *reading->nodes);
    reading->path = calloc(names->context_count, sizeof *reading->path);
    reading->frames = calloc(names->frame_count, sizeof *reading->frames);
    if (!reading->nodes || !reading->path || !reading->frames)
        return ENOMEM;

    /* Node and object 0 are the first ones of a state. */
    char text[METHOD_NAME_MAX];
    method_name(&names->methods[0], text);
    uint32_t lost = relations_text(&waste->relations, text), none = waste_node_in(waste, FIELD_NONE, FIELD_NONE, false);
    const struct waste_object object = {WASTE_NO_OBJECT, none};
    if (lost == FIELD_NONE || none == FIELD_NONE ||
        relations_row(&waste->relations, WASTE_OBJECT_ROWS, &object) == FIELD_NONE)
        return ENOMEM;
    reading->lost = waste_node_in(waste, none, lost, false);
    if (reading->lost == FIELD_NONE)
        return ENOMEM;
    if (waste_is_profile(trace->trace)) {
        reading->samples = calloc(names->context_count, sizeof *reading->samples);
        return reading->samples ? 0 : ENOMEM;
    }
    int error = waste_read_definitions(reading);
    if (!error)
        error = waste_read_source(waste, trace, &reading->source);
    return error ? error : waste_read_recording(waste, trace, &reading->recording);
}

void waste_stop_reading(struct waste *waste)
{
    struct waste_reading *reading = waste->reading;
    if (!reading)
        return;
    free(reading->nodes);
    free(reading->path);
    free(reading->frames);
    free(reading->definitions);
    free(reading->samples);
    free(reading);
    waste->reading = NULL;
}

unsigned waste_reading_mode(const struct waste *waste)
{
    return trace_waste_named(waste_metadata_text(trace_metadata(waste->reading->trace->trace), "mode"));
}

struct waste_recording *waste_reading_recording(const struct waste *waste)
{
    return waste_row(waste, WASTE_RECORDING_ROWS, waste->reading->recording);
}

uint32_t waste_reading_source(const struct waste *waste)
{
    return waste->reading->source;
}

/* ------------------------------------------------------------------------------------------ a CPU profile -- */

bool waste_is_profile(const struct trace *trace)
{
    bool samples = strcmp(waste_metadata_text(trace_metadata(trace), "mode"), "cpu") == 0, accesses = false;
    for (size_t i = 0; i < trace_chunk_count(trace); i++) {
        unsigned kind = trace_chunk_at(trace, i)->kind;
        samples |= kind == TRACE_SAMPLE;
        accesses |= kind == TRACE_PAIR || kind == TRACE_TOTAL || kind == TRACE_TRAP || kind == TRACE_WATCH ||
                    kind == TRACE_RANGE || kind == TRACE_BURST || kind == TRACE_OBJECT;
    }
    return samples && !accesses;
}

int waste_count_samples(struct waste *waste, const struct trace_batch *batch)
{
    const struct waste_reading *reading = waste->reading;
    if (!reading->samples)
        return 0;
    const uint64_t *contexts = batch->integers[SAMPLE_CONTEXT], *weights = batch->integers[SAMPLE_WEIGHT];
    for (size_t row = 0; row < batch->count; row++) {
        size_t context = contexts[row] < reading->trace->names->context_count ? contexts[row] : 0;
        reading->samples[context] += trace_sample_weight(weights[row]);
    }
    return 0;
}

/* Reads the CPU time that a sample of weight 1 stands for; 0: unknown, or weights do not count samples. */
static uint64_t waste_read_period(const json_t *metadata)
{
    const char *unit = waste_metadata_text(metadata, "period_unit"),
               *weight = waste_metadata_text(metadata, "sample_unit");
    bool timed = (!*unit || strcmp(unit, "ns") == 0) && (!*weight || strcmp(weight, "samples") == 0);
    return timed ? waste_metadata_count(metadata, "period_ns") : 0;
}

bool waste_has_samples(const struct waste *waste)
{
    for (size_t i = 0; i < waste_count(waste, WASTE_TIME_ROWS); i++)
        if (((const struct waste_time *)waste_row(waste, WASTE_TIME_ROWS, i))->samples > 0)
            return true;
    return false;
}

/* A trace without samples is still a run. */
static int waste_add_times(struct waste *waste)
{
    const struct waste_reading *reading = waste->reading;
    uint64_t samples = 0;
    struct waste_time time = {.run = relations_text(&waste->relations, reading->trace->run),
                              .period_ns = waste_read_period(trace_metadata(reading->trace->trace))};
    int error = time.run == FIELD_NONE ? ENOMEM : 0;
    for (size_t context = 0; !error && context < reading->trace->names->context_count; context++) {
        time.samples = reading->samples[context];
        samples += time.samples;
        if (time.samples > 0)
            error = waste_add_context(waste, context, &time.node);
        if (!error && time.samples > 0 && relations_add(&waste->relations, WASTE_TIME_ROWS, &time) == FIELD_NONE)
            error = ENOMEM;
    }
    time.node = 0;
    if (!error && samples == 0 && relations_add(&waste->relations, WASTE_TIME_ROWS, &time) == FIELD_NONE)
        error = ENOMEM;
    return error;
}

/* A trace without accesses is still a run. */
int waste_finalize(void *state, const struct analysis_trace *trace)
{
    struct waste *waste = state;
    int error = waste->reading ? 0 : waste_start_reading(waste, trace);
    if (!error && waste->reading->samples)
        error = waste_add_times(waste);
    waste_stop_reading(waste);
    return error;
}
