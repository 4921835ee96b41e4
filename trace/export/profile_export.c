#include "trace/export/profile_export.h"

#include <stdlib.h>
#include <string.h>

#include "trace/names/thread_name.h"
#include "trace/export/export_format.h"

static const struct export_format *const formats[] = {&export_speedscope, &export_pprof, &export_chrome};

static const struct export_format *profile_export_find_format(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

bool profile_export_known(const char *name)
{
    return profile_export_find_format(name) != NULL;
}

struct profile_export *profile_export_open(const char *name, FILE *out, bool lines)
{
    const struct export_format *format = profile_export_find_format(name);
    struct profile_export *export = format ? calloc(1, sizeof *export) : NULL;
    if (!export)
        return NULL;
    export->format = format;
    export->out = out;
    export->lines = lines;
    return export;
}

/* ------------------------------------------------------------------------------------------ samples -- */

static const char *profile_export_metadata_text(const struct trace *trace, const char *key, const char *otherwise)
{
    const char *text = json_string_value(json_object_get(trace_metadata(trace), key));
    return text ? text : otherwise;
}

/* The further weights of the first trace, unless one weight was chosen. False without memory. */
static bool profile_export_set_weights(struct profile_export *export, const struct trace *trace,
                                       const struct trace_selection *selection)
{
    struct trace_weight weights[SAMPLE_WEIGHTS_MAX];
    size_t count = trace_weights(trace, weights);
    if (!export->format->all_weights || selection->column > 0)
        return true;
    export->more_count = count - 1;
    for (size_t i = 0; i < export->more_count; i++) {
        export->more[i].name = strdup(weights[i + 1].name);
        export->more[i].unit = strdup(weights[i + 1].unit);
        if (!export->more[i].name || !export->more[i].unit)
            return false;
    }
    return true;
}

/* Weights of different units have no sum. STATUS_BAD without a message: no memory. */
static int profile_export_check_unit(struct profile_export *export, const struct trace *trace,
                                     const struct trace_selection *selection, struct error_text *error)
{
    struct trace_weight weights[SAMPLE_WEIGHTS_MAX];
    const char *unit = profile_export_metadata_text(trace, "sample_unit", "samples"),
               *mode = profile_export_metadata_text(trace, "mode", "samples");
    if (selection->column > SAMPLE_WEIGHT && trace_weights(trace, weights) > 1) {
        const struct trace_weight *chosen = &weights[selection->column - SAMPLE_WEIGHT];
        unit = chosen->unit;
        mode = chosen->name;
    }
    if (export->unit && strcmp(export->unit, unit) != 0)
        return error_set(error, STATUS_BAD,
                         "its samples are weighed in '%s', those before it in '%s'; export them separately", unit,
                         export->unit);
    if (!export->unit) {
        export->unit = strdup(unit);
        export->mode = strdup(mode);
        bool weighted = profile_export_set_weights(export, trace, selection);
        export->period_ns = (uint64_t)json_integer_value(json_object_get(trace_metadata(trace), "period_ns"));
        if (!weighted || !export->unit || !export->mode)
            return STATUS_BAD;
        export->format->begin_file(export);
    }
    /* All others must have the same. */
    struct trace_weight units[SAMPLE_WEIGHTS_MAX];
    size_t count = trace_weights(trace, units);
    bool same = !export->format->all_weights || selection->column > 0 || count == export->more_count + 1;
    for (size_t i = 0; i < export->more_count && same; i++)
        same = i + 1 < count && strcmp(units[i + 1].name, export->more[i].name) == 0 &&
               strcmp(units[i + 1].unit, export->more[i].unit) == 0;
    if (same)
        return STATUS_GOOD;
    return error_set(error, STATUS_BAD,
                     "its samples have other weights than those before it: choose one with --weight");
}

/* Whether samples of this kind are exported: those of weight 0 where they have other weights. */
static bool profile_export_takes(const struct profile_export *export, const struct trace_selection *selection,
                                 unsigned kind)
{
    return trace_selection_takes(selection, kind) || (export->more_count > 0 && kind == TRACE_ZERO_SAMPLE);
}

/* All samples of one thread; the format may need each of them, and then their sums by context. */
static uint64_t profile_export_add_thread(struct profile_export *export, const struct trace *trace, uint32_t thread,
                                          const struct trace_selection *selection, struct trace_loss *loss)
{
    uint64_t columns = trace_selection_columns(selection, TRACE_COLUMN(SAMPLE_TIME) | TRACE_COLUMN(SAMPLE_CONTEXT) |
                                                              TRACE_COLUMN(SAMPLE_WEIGHT));
    for (size_t i = 0; i < export->more_count; i++)
        columns |= TRACE_COLUMN(SAMPLE_WEIGHT_1 + i);
    struct trace_batch batch = {0};
    struct error_text problem;
    uint64_t total = 0;
    for (size_t i = 0; i < trace_chunk_count(trace); i++) {
        const struct trace_chunk *chunk = trace_chunk_at(trace, i);
        if (!profile_export_takes(export, selection, chunk->kind) || chunk->thread != thread)
            continue;
        int status = trace_read(trace, i, columns, &batch, &problem);
        trace_loss_read(loss, chunk, status, &problem);
        if (status == 0)
            trace_selection_apply(selection, &batch);
        for (size_t row = 0; status == 0 && row < batch.count; row++) {
            uint64_t id = batch.integers[SAMPLE_CONTEXT][row];
            uint32_t context = id < export->names->context_count ? (uint32_t)id : 0;
            uint64_t weight = batch.integers[SAMPLE_WEIGHT][row];
            if (weight == 0 && chunk->kind == TRACE_SAMPLE)
                weight = trace_sample_weight(weight);
            for (size_t w = 0; w < export->more_count; w++)
                export->more_counts[context * export->more_count + w] += batch.integers[SAMPLE_WEIGHT_1 + w][row];
            export->counts[context] += weight;
            total += weight;
            if (export->format->sample)
                export->format->sample(export, context, batch.integers[SAMPLE_TIME][row], weight);
        }
    }
    trace_batch_free(&batch);
    return total;
}

static bool profile_export_has_samples(const struct profile_export *export, const struct trace *trace,
                                       const struct trace_selection *selection, uint32_t thread)
{
    for (size_t i = 0; i < trace_chunk_count(trace); i++)
        if (profile_export_takes(export, selection, trace_chunk_at(trace, i)->kind) &&
            trace_chunk_at(trace, i)->thread == thread)
            return true;
    return false;
}

int profile_export_add(struct profile_export *export, const struct trace *trace, const struct trace_names *names,
                       const struct trace_selection *selection, struct trace_loss *loss, struct error_text *error)
{
    if (export->format->one_trace && export->trace_number > 0)
        return error_set(error, STATUS_BAD, "%s holds one trace; export them separately", export->format->name);
    int status = profile_export_check_unit(export, trace, selection, error);
    if (status)
        return status;
    export->trace_number++;
    export->names = names;
    export->counts = calloc(names->context_count, sizeof *export->counts);
    export->more_counts = calloc(names->context_count * export->more_count + 1, sizeof *export->more_counts);
    bool good = export->counts && export->more_counts && export->format->begin_trace(export);
    uint32_t last = 0; /* streams with samples but without a definition come after the last thread */
    for (size_t i = 0; i < trace_chunk_count(trace); i++) {
        const struct trace_chunk *chunk = trace_chunk_at(trace, i);
        if (profile_export_takes(export, selection, chunk->kind) && chunk->thread > last)
            last = chunk->thread;
    }
    for (uint32_t thread = 0; good && thread <= last; thread++) {
        if (!profile_export_has_samples(export, trace, selection, thread))
            continue;
        thread_name(names, thread, export->thread, sizeof export->thread);
        export->tid = thread < names->thread_count ? names->threads[thread].tid : 0;
        uint64_t total = profile_export_add_thread(export, trace, thread, selection, loss);
        good = !export->format->thread || export->format->thread(export, total);
        memset(export->counts, 0, names->context_count * sizeof *export->counts);
        memset(export->more_counts, 0, names->context_count * export->more_count * sizeof *export->more_counts);
    }
    free(export->counts);
    free(export->more_counts);
    export->counts = export->more_counts = NULL;
    free(export->cache);
    export->cache = NULL;
    return good ? STATUS_GOOD : STATUS_BAD;
}

bool profile_export_close(struct profile_export *export)
{
    if (!export->unit) {
        export->unit = strdup("samples");
        export->mode = strdup("samples");
        if (export->unit && export->mode)
            export->format->begin_file(export);
    }
    bool good = export->unit && export->mode && export->format->end_file(export);
    text_set_free(&export->frames);
    text_set_free(&export->functions);
    text_set_free(&export->texts);
    free(export->message.bytes);
    free(export->part.bytes);
    for (size_t i = 0; i < export->more_count; i++) {
        free(export->more[i].name);
        free(export->more[i].unit);
    }
    free(export->unit);
    free(export->mode);
    free(export);
    return good;
}
