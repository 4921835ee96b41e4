/* Weights of samples: their names, and choosing one. */
#include "trace/trace.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------ names -- */

static const char *trace_weight_text(const json_t *object, const char *key, const char *otherwise)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : otherwise;
}

size_t trace_weights(const struct trace *trace, struct trace_weight weights[SAMPLE_WEIGHTS_MAX])
{
    const json_t *metadata = trace_metadata(trace), *named = json_object_get(metadata, "weights");
    const char *unit = trace_weight_text(metadata, "sample_unit", "samples");
    size_t count = json_array_size(named) < SAMPLE_WEIGHTS_MAX ? json_array_size(named) : SAMPLE_WEIGHTS_MAX;
    weights[0] = (struct trace_weight){unit, unit, SAMPLE_WEIGHT};
    for (size_t i = 0; i < count; i++) {
        const json_t *one = json_array_get(named, i);
        weights[i] = (struct trace_weight){trace_weight_text(one, "name", ""), trace_weight_text(one, "unit", ""),
                                           SAMPLE_WEIGHT + i};
    }
    return count > 0 ? count : 1;
}

/* The kinds of units that a weight may be asked for by. Any of the words is a unit of it. */
static const struct unit_kind {
    const char *name;
    const char *units[12];
} unit_kinds[] = {{"samples", {"samples"}},
                  {"bytes", {"bytes", "byte", "B"}},
                  {"duration",
                   {"ns", "nanoseconds", "us", "microseconds", "ms", "milliseconds", "s", "seconds", "nanosecond",
                    "microsecond", "millisecond", "second"}}};

/* Also in parts of the unit, "samples/1e3", which decimals of a file become. */
static bool trace_weight_has_unit(const struct unit_kind *kind, const char *unit)
{
    const char *parts = strstr(unit, "/1e");
    const size_t length = parts ? (size_t)(parts - unit) : strlen(unit);
    for (size_t i = 0; i < sizeof kind->units / sizeof *kind->units && kind->units[i]; i++)
        if (strlen(kind->units[i]) == length && strncmp(kind->units[i], unit, length) == 0)
            return true;
    return false;
}

int trace_weight_find(const struct trace *trace, const char *name, struct trace_weight *weight,
                      struct error_text *message)
{
    struct trace_weight weights[SAMPLE_WEIGHTS_MAX];
    size_t count = trace_weights(trace, weights), found = count, matches = 0;
    assert(count > 0);
    for (size_t i = count; i-- > 0;) {
        /* "NAME", or "NAME/UNIT", since pprof tells types apart by both. */
        size_t length = strlen(weights[i].name);
        if (strncmp(weights[i].name, name, length) == 0 &&
            (name[length] == '\0' || (name[length] == '/' && strcmp(name + length + 1, weights[i].unit) == 0)))
            found = i;
    }
    for (size_t k = 0; found == count && k < sizeof unit_kinds / sizeof *unit_kinds; k++) {
        if (strcmp(unit_kinds[k].name, name) != 0)
            continue;
        for (size_t i = count; i-- > 0;)
            if (trace_weight_has_unit(&unit_kinds[k], weights[i].unit)) {
                found = i;
                matches++;
            }
    }
    if (found == count || (matches > 1 && found > 0)) {
        bool several = matches > 1;
        char list[256] = "", one[80];
        for (size_t i = 0; i < count; i++) {
            bool alike = strcmp(weights[i].name, weights[i].unit) == 0;
            snprintf(one, sizeof one, alike ? "%.30s" : "%.30s (%.30s)", weights[i].name, weights[i].unit);
            error_list(list, sizeof list, one);
        }
        return error_set(message, STATUS_BAD,
                         several ? "several weights of its samples are '%.60s'; choose one by its name: %s"
                                 : "its samples have no weight '%.60s', but: %s",
                         name, list);
    }
    *weight = weights[found];
    return STATUS_GOOD;
}

/* ------------------------------------------------------------------------------------------ choosing -- */

bool trace_selection_takes(const struct trace_selection *selection, unsigned kind)
{
    return kind == TRACE_SAMPLE || (kind == TRACE_ZERO_SAMPLE && selection->column > SAMPLE_WEIGHT);
}

uint64_t trace_selection_columns(const struct trace_selection *selection, uint64_t columns)
{
    if (selection->column > SAMPLE_WEIGHT)
        columns = (columns & ~TRACE_COLUMN(SAMPLE_WEIGHT)) | TRACE_COLUMN(selection->column);
    return selection->states ? columns | TRACE_COLUMN(SAMPLE_THREAD_STATE) : columns;
}

void trace_selection_apply(const struct trace_selection *selection, struct trace_batch *batch)
{
    const bool chosen = selection->column > SAMPLE_WEIGHT;
    uint64_t *columns[TRACE_COLUMNS_MAX];
    size_t used = 0, kept = 0;
    if ((!chosen && !selection->states) || (batch->kind != TRACE_SAMPLE && batch->kind != TRACE_ZERO_SAMPLE))
        return;
    const uint64_t *states = batch->integers[SAMPLE_THREAD_STATE];
    if (chosen) {
        batch->integers[SAMPLE_WEIGHT] = batch->integers[selection->column];
        batch->integers[selection->column] = NULL;
    }
    const uint64_t *weights = batch->integers[SAMPLE_WEIGHT];
    for (size_t c = 0; c < TRACE_COLUMNS_MAX; c++)
        if (batch->integers[c])
            columns[used++] = (uint64_t *)(uintptr_t)batch->integers[c]; /* memory of the batch, until the next read */
    for (size_t i = 0; i < batch->count; i++) {
        uint64_t state = selection->states && states[i] < THREAD_STATE_COUNT ? states[i] : THREAD_STATE_UNKNOWN;
        if ((chosen && weights[i] == 0) || (selection->states && !(selection->states >> state & 1)))
            continue;
        for (size_t c = 0; c < used; c++)
            columns[c][kept] = columns[c][i];
        kept++;
    }
    batch->count = kept;
    batch->kind = TRACE_SAMPLE;
}
