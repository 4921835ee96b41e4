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
    [RUN_LABEL_OTHER] = {"", false},
};

static const char *run_label_other_name = "";

const char *run_label_name(enum run_label label)
{
    return label == RUN_LABEL_OTHER ? run_label_other_name : run_labels[label].name;
}

const char *run_label_column(enum run_label label, const struct columns *table)
{
    static char other[64]; /* columns have shorter names */
    const char *name = run_label_name(label);
    for (size_t c = 0; c < table->count; c++)
        if (table->items[c].name != name && strcmp(table->items[c].name, name) == 0) {
            snprintf(other, sizeof other, "by_%s", name);
            return other;
        }
    return name;
}

enum run_label run_label_named(const char *name)
{
    enum run_label label = 0;
    while (label < RUN_LABELS && !(name && *name && strcmp(name, run_label_name(label)) == 0))
        label++;
    return label;
}

enum run_label run_label_select(const char *name)
{
    if (run_label_named(name) == RUN_LABELS)
        run_label_other_name = name;
    return run_label_named(name);
}

void run_label_refuse_unknown(struct report *report)
{
    const char *names[RUN_LABEL_OTHER], *name = run_label_other_name;
    if (!*name)
        return;
    for (enum run_label label = 0; label < RUN_LABEL_OTHER; label++)
        names[label] = run_labels[label].name;
    const char *near = suggest_name(name, names, RUN_LABEL_OTHER);
    report_warn(report, "--by %s: no input has a label of this name%s%s%s; there are: " RUN_LABEL_LIST, name,
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
    const json_t *metadata = trace_metadata(trace->trace), *other;
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
    case RUN_LABEL_OTHER:
        other = json_object_get(json_object_get(metadata, "labels"), run_label_other_name);
        return json_is_string(other) ? strdup(json_string_value(other))
                                     : run_label_metadata(trace, run_label_other_name);
    default:
        return run_label_metadata(trace, run_labels[label].name);
    }
}
