/*
 * speedscope: its file format, type `sampled` for each thread. Source: speedscope, src/lib/file-format-spec.ts.
 * chrome: stackFrames and samples of the JSON Object Format. Source: Google, "Trace Event Format", "Stack Traces" and
 * "Global samples". A context is a stack frame there. It describes one process, so one trace.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/export/export_format.h"
#include "base/grow.h"

static void export_write_comma(struct profile_export *export)
{
    fputs(export->items++ > 0 ? ",\n" : "\n", export->out);
}

/* ------------------------------------------------------------------------------------------ speedscope -- */

static void speedscope_begin(struct profile_export *export)
{
    fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"assay " ASSAY_VERSION
          "\",\"profiles\":[",
          export->out);
}

static bool speedscope_begin_trace(struct profile_export *export)
{
    size_t frames = export->names->frame_count;
    export->cache = malloc(frames * sizeof *export->cache);
    for (size_t i = 0; export->cache && i < frames; i++)
        export->cache[i] = TEXT_SET_FULL;
    return export->cache != NULL;
}

static bool speedscope_write_stack(struct profile_export *export, uint32_t context, uint32_t **path, size_t *capacity)
{
    size_t depth = 0;
    for (uint32_t at = context; at || depth == 0; at = export->names->contexts[at].parent) {
        uint32_t *grown = grow_unset(*path, capacity, depth, sizeof *grown);
        if (!grown)
            return false;
        *path = grown;
        uint32_t frame = export->names->contexts[at].frame;
        if (export->cache[frame] == TEXT_SET_FULL)
            export->cache[frame] = export_add_frame(export, frame);
        (*path)[depth++] = export->cache[frame];
    }
    putc('[', export->out);
    while (depth-- > 0)
        fprintf(export->out, depth ? "%" PRIu32 "," : "%" PRIu32, (*path)[depth]);
    putc(']', export->out);
    return true;
}

static bool speedscope_thread(struct profile_export *export, uint64_t total)
{
    uint32_t *path = NULL;
    size_t capacity = 0;
    bool good = true;
    const char *separator = "";
    export_write_comma(export);
    fputs("{\"type\":\"sampled\",\"name\":", export->out);
    export_write_text(export->out, export->thread);
    bool ns = strcmp(export->unit, "ns") == 0 || strcmp(export->unit, "nanoseconds") == 0;
    fprintf(export->out, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRIu64 ",\"samples\":[",
            ns                                   ? "nanoseconds"
            : strcmp(export->unit, "bytes") == 0 ? "bytes"
                                                 : "none",
            total);
    for (uint32_t id = 0; good && id < export->names->context_count; id++)
        if (export->counts[id] > 0) {
            fputs(separator, export->out);
            good = speedscope_write_stack(export, id, &path, &capacity);
            separator = ",";
        }
    fputs("],\"weights\":[", export->out);
    separator = "";
    for (uint32_t id = 0; id < export->names->context_count; id++)
        if (export->counts[id] > 0) {
            fprintf(export->out, "%s%" PRIu64, separator, export->counts[id]);
            separator = ",";
        }
    fputs("]}", export->out);
    free(path);
    return good;
}

static bool speedscope_end(struct profile_export *export)
{
    fputs("],\"shared\":{\"frames\":[", export->out);
    export->items = 0;
    for (uint32_t i = 0; i < export->frames.count; i++) {
        struct export_name name;
        export_split_key(export->frames.texts[i], &name);
        export_write_comma(export);
        fputs("{\"name\":", export->out);
        export_write_text(export->out, name.name);
        if (*name.file) {
            fputs(",\"file\":", export->out);
            export_write_text(export->out, name.file);
        }
        if (name.line > 0)
            fprintf(export->out, ",\"line\":%" PRIu32, name.line);
        putc('}', export->out);
    }
    fputs("]}}\n", export->out);
    return true;
}

const struct export_format export_speedscope = {.name = "speedscope",
                                                .begin_file = speedscope_begin,
                                                .begin_trace = speedscope_begin_trace,
                                                .thread = speedscope_thread,
                                                .end_file = speedscope_end};

/* ------------------------------------------------------------------------------------------ chrome -- */

static void chrome_begin(struct profile_export *export)
{
    fputs("{\"otherData\":{\"exporter\":\"assay " ASSAY_VERSION "\",\"unit\":", export->out);
    export_write_text(export->out, export->unit);
    fputs("},\"traceEvents\":[]", export->out);
}

/* Frames come before the samples, so that a reader can process these one by one. */
static bool chrome_begin_trace(struct profile_export *export)
{
    char name[METHOD_NAME_MAX];
    const struct trace_names *names = export->names;
    export->cache = NULL;
    fputs(",\"stackFrames\":{", export->out);
    export->items = 0;
    for (uint32_t id = 0; id < names->context_count; id++) {
        method_name(&names->methods[names->frames[names->contexts[id].frame].method], name);
        export_write_comma(export);
        fprintf(export->out, "\"%" PRIu32 "\":{\"name\":", id);
        export_write_text(export->out, name);
        if (names->contexts[id].parent > 0)
            fprintf(export->out, ",\"parent\":\"%" PRIu32 "\"", names->contexts[id].parent);
        putc('}', export->out);
    }
    fputs("},\"samples\":[", export->out);
    export->items = 0;
    return true;
}

static void chrome_sample(struct profile_export *export, uint32_t context, uint64_t time_ns, uint64_t weight)
{
    export_write_comma(export);
    fprintf(export->out, "{\"cpu\":0,\"tid\":%" PRIu64 ",\"ts\":%" PRIu64 ".%03u,\"name\":", export->tid,
            time_ns / 1000, (unsigned)(time_ns % 1000));
    export_write_text(export->out, export->mode);
    fprintf(export->out, ",\"sf\":\"%" PRIu32 "\",\"weight\":%" PRIu64 "}", context, weight);
}

static bool chrome_end(struct profile_export *export)
{
    fputs(export->trace_number ? "]}\n" : "}\n", export->out);
    return true;
}

const struct export_format export_chrome = {.name = "chrome",
                                            .one_trace = true,
                                            .begin_file = chrome_begin,
                                            .begin_trace = chrome_begin_trace,
                                            .sample = chrome_sample,
                                            .end_file = chrome_end};
