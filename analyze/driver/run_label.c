#include "analyze/driver/run_label.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cli/command.h"
#include "base/suggest.h"
#include "base/text_stream.h"

static const struct {
    const char *name;
    bool separates;
} run_labels[RUN_LABELS] = {
    [RUN_LABEL_CLOCK] = {"clock", true},
    [RUN_LABEL_COMMAND] = {"command", true},
    [RUN_LABEL_DIRECTORY] = {"directory", false},
    [RUN_LABEL_ENGINE] = {"engine", true},
    [RUN_LABEL_FILE] = {"file", false},
    [RUN_LABEL_LABEL] = {"label", true},
    [RUN_LABEL_MODE] = {"mode", true},
    [RUN_LABEL_PROFILER] = {"profiler", false},
    [RUN_LABEL_PROGRAM] = {"program", false},
};

const char *run_label_name(enum run_label label)
{
    return run_labels[label].name;
}

enum run_label run_label_named(const char *name)
{
    enum run_label label = 0;
    while (label < RUN_LABELS && !(name && strcmp(name, run_labels[label].name) == 0))
        label++;
    return label;
}

void run_label_refuse_unknown(const char *name, struct report *report)
{
    const char *names[RUN_LABELS];
    if (!name || run_label_named(name) < RUN_LABELS)
        return;
    for (enum run_label label = 0; label < RUN_LABELS; label++)
        names[label] = run_labels[label].name;
    const char *near = suggest_name(name, names, RUN_LABELS);
    report_warn(report, "--by %s: no trace has this key in its metadata%s%s%s; labels: " RUN_LABEL_LIST, name,
                near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
    report->no_result = true;
}

bool run_label_separates(enum run_label label)
{
    return run_labels[label].separates;
}

static int run_label_compare_keys(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "NAME=VALUE,NAME=VALUE", by name. */
static char *run_label_recorded(const json_t *labels)
{
    size_t count = json_object_size(labels), n = 0, size;
    const char **keys = calloc(count + 1, sizeof *keys), *key;
    char *text = NULL;
    FILE *out = keys ? text_stream_open(&text, &size) : NULL;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)labels, key, value)
    {
        if (keys && json_is_string(value))
            keys[n++] = key;
    }
    if (out) {
        qsort(keys, n, sizeof *keys, run_label_compare_keys);
        for (size_t i = 0; i < n; i++)
            fprintf(out, "%s%s=%s", i > 0 ? "," : "", keys[i], json_string_value(json_object_get(labels, keys[i])));
        text_stream_close(out, &text);
    }
    free(keys);
    return text;
}

static char *run_label_profiler(const struct analysis_trace *trace, const json_t *metadata)
{
    const json_t *imported = json_object_get(metadata, "imported");
    const char *text = json_string_value(json_object_get(metadata, "profiler"));
    if (!text)
        text = json_string_value(json_object_get(imported, "tool"));
    if (!text && !*trace->clock && imported)
        text = trace->path; /* nobody knows who made it */
    return strdup(text ? text : trace->clock);
}

/* The text under a key of the metadata. */
static char *run_label_metadata(const struct analysis_trace *trace, const char *key)
{
    const char *text = json_string_value(json_object_get(trace_metadata(trace->trace), key));
    return strdup(text ? text : "");
}

char *run_label_text(const struct analysis_trace *trace, enum run_label label)
{
    const json_t *metadata = trace_metadata(trace->trace);
    const char *slash = strrchr(trace->path, '/');
    switch (label) {
    case RUN_LABEL_COMMAND:
        return command_text(json_object_get(metadata, "command"));
    case RUN_LABEL_DIRECTORY:
        return slash ? strndup(trace->path, (size_t)(slash - trace->path)) : strdup(".");
    case RUN_LABEL_FILE:
        return strdup(trace->path);
    case RUN_LABEL_LABEL:
        return run_label_recorded(json_object_get(metadata, "labels"));
    case RUN_LABEL_PROFILER:
        return run_label_profiler(trace, metadata);
    case RUN_LABEL_PROGRAM:
        return command_program(metadata);
    default:
        return run_label_metadata(trace, run_labels[label].name);
    }
}

char *run_label_value(const struct analysis_trace *trace, const char *name)
{
    enum run_label label = name ? run_label_named(name) : RUN_LABEL_PROFILER;
    return label < RUN_LABELS ? run_label_text(trace, label) : run_label_metadata(trace, name);
}
