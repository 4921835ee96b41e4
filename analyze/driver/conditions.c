#include "analyze/driver/conditions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error_text.h"
#include "base/text.h"

static const char ENVIRONMENT[] = "environment";

json_t *conditions_of_trace(const struct analysis_trace *trace)
{
    json_t *own = json_object(), *environment = json_object_get(trace_metadata(trace->trace), ENVIRONMENT);
    for (enum run_label label = 0; own && label < RUN_LABELS; label++) {
        const char *name = run_label_name(label);
        if (label == RUN_LABEL_FILE || !*name)
            continue;
        char *text = run_label_text(trace, label);
        bool lost = !text || json_object_set_new(own, name, text_json(text, strlen(text))) != 0;
        free(text);
        if (lost) {
            json_decref(own);
            own = NULL;
        }
    }
    if (own && json_is_object(environment))
        json_object_set(own, ENVIRONMENT, environment);
    return own ? json_pack("[o]", own) : NULL;
}

int conditions_join(json_t *all, json_t *known, const json_t *more)
{
    size_t i;
    json_t *each;
    bool good = true;
    json_array_foreach(more, i, each)
    {
        char *text = json_dumps(each, JSON_COMPACT | JSON_SORT_KEYS);
        if (!text || !json_object_get(known, text))
            good =
                good && text && json_object_set_new(known, text, json_null()) == 0 && json_array_append(all, each) == 0;
        free(text);
    }
    return good ? 0 : ENOMEM;
}

/* What conditions have under a label; "": nothing. */
static const char *conditions_text(const json_t *conditions, enum run_label label)
{
    const char *text =
        label < RUN_LABELS ? json_string_value(json_object_get(conditions, run_label_name(label))) : NULL;
    return text ? text : "";
}

static bool conditions_share(const json_t *a, const json_t *b, enum run_label label)
{
    return strcmp(conditions_text(a, label), conditions_text(b, label)) == 0;
}

/* Adds the names of the variables in which two environments differ to an object. */
static void conditions_add_differences(const json_t *a, const json_t *b, json_t *names)
{
    json_t *either = json_copy((json_t *)(uintptr_t)a), *value;
    const char *name;
    json_object_update_missing(either, (json_t *)(uintptr_t)b);
    json_object_foreach(either, name, value)
    {
        const json_t *one = json_object_get(a, name), *other = json_object_get(b, name);
        if (!one || !other || !json_equal(one, other))
            json_object_set_new(names, name, json_null());
    }
    json_decref(either);
}

/* The variables in which runs with the same text under a label differ: a new object of names. Where any two runs
 * differ, one of them differs from the first with that text. */
static json_t *conditions_differences(const json_t *all, enum run_label label)
{
    json_t *names = json_object(), *firsts = json_object(), *each;
    size_t i;
    json_array_foreach(all, i, each)
    {
        const char *text = conditions_text(each, label);
        json_t *own = json_object_get(each, ENVIRONMENT), *first = json_object_get(firsts, text);
        if (own && first)
            conditions_add_differences(first, own, names);
        else if (own)
            json_object_set(firsts, text, own);
    }
    json_decref(firsts);
    return names;
}

/* The label that keeps different environments apart. */
static enum run_label conditions_separating(const json_t *all)
{
    static const enum run_label labels[] = {RUN_LABEL_LABEL, RUN_LABEL_DIRECTORY, RUN_LABEL_COMMAND, RUN_LABEL_PROGRAM};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        json_t *left = conditions_differences(all, labels[i]);
        bool separates = json_object_size(left) == 0;
        json_decref(left);
        if (separates)
            return labels[i];
    }
    return RUN_LABEL_FILE;
}

static void conditions_warn_of_labels(const json_t *all, struct report *report)
{
    for (enum run_label label = 0; label < RUN_LABELS; label++) {
        bool mixed = false;
        size_t i;
        json_t *each;
        json_array_foreach(all, i, each) mixed |= !conditions_share(each, json_array_get(all, 0), label);
        if (mixed && run_label_separates(label)) {
            report_warn(report, "these runs differ in %s; --by %s gives a table for each", run_label_name(label),
                        run_label_name(label));
            return;
        }
    }
}

static int conditions_compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names in an object, in order, as a list for a message. */
static void conditions_list(const json_t *names, char *list, size_t size)
{
    size_t count = 0;
    const char **sorted = calloc(json_object_size(names) + 1, sizeof *sorted), *name;
    json_t *unused;
    json_object_foreach((json_t *)(uintptr_t)names, name, unused)
    {
        if (sorted)
            sorted[count++] = name;
    }
    if (sorted)
        qsort(sorted, count, sizeof *sorted, conditions_compare_names);
    for (size_t i = 0; i < count; i++)
        error_list(list, size, sorted[i]);
    free(sorted);
}

void conditions_warn(const json_t *all, enum run_label by, bool labels, struct report *report)
{
    if (by == RUN_LABEL_FILE)
        return;
    if (labels && by == RUN_LABELS)
        conditions_warn_of_labels(all, report);
    json_t *names = conditions_differences(all, by);
    char list[160] = "";
    conditions_list(names, list, sizeof list);
    if (json_object_size(names) > 0) {
        enum run_label separating = conditions_separating(all);
        report_warn(report, "%s differ in the environment variable%s %s; --by %s gives a table for each",
                    by < RUN_LABELS ? "runs of the same table" : "these runs", json_object_size(names) == 1 ? "" : "s",
                    list, run_label_name(separating));
    }
    json_decref(names);
}
