#include "analyze/driver/by_label.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/driver/state.h"
#include "base/grow.h"
#include "base/text.h"
#include "table/model/table_stack.h"

/* The traces of one label. */
struct labelled {
    char *label;
    void *state; /* of the analyzer */
};

struct by_label {
    struct labelled *items; /* by label */
    size_t count, capacity;
    const struct analysis_options *options;
    const struct analysis_trace *trace; /* the last one, … */
    void *current;                      /* … and the state that it belongs to */
};

static struct {
    const struct analyzer *analyzer;
    enum run_label label;
} wrapped;

struct by_label_row {
    const char *label;
};
static const struct column label_columns[] = {
    COLUMN(by_label_row, "LABEL", TABLE_TEXT, label,
           "Its name is that of the label (by_LABEL if the table has such a "
           "column), and its text what the traces of the row have under it.")};
const struct columns by_label_columns = COLUMNS("With --by LABEL, the first column of each table", label_columns);

static void *by_label_init(const struct analysis_options *options)
{
    struct by_label *all = calloc(1, sizeof *all);
    if (all)
        all->options = options;
    return all;
}

static void by_label_free(void *state)
{
    struct by_label *all = state;
    for (size_t i = 0; all && i < all->count; i++) {
        state_free(wrapped.analyzer, all->items[i].state);
        free(all->items[i].label);
    }
    if (all)
        free(all->items);
    free(all);
}

/* The state of a label, added if it is new; NULL without memory. */
static void *by_label_state(struct by_label *all, const char *label)
{
    size_t at = 0;
    while (at < all->count && strcmp(all->items[at].label, label) < 0)
        at++;
    if (at < all->count && strcmp(all->items[at].label, label) == 0)
        return all->items[at].state;
    struct labelled *items = grow_unset(all->items, &all->capacity, all->count, sizeof *items);
    if (!items)
        return NULL;
    all->items = items;
    struct labelled added = {strdup(label), state_new(wrapped.analyzer, all->options)};
    if (!added.label || !added.state) {
        free(added.label);
        state_free(wrapped.analyzer, added.state);
        return NULL;
    }
    memmove(items + at + 1, items + at, (all->count - at) * sizeof *items);
    items[at] = added;
    all->count++;
    return added.state;
}

/* Makes the state of this trace's label the current one. 0 or ENOMEM. */
static int by_label_enter(struct by_label *all, const struct analysis_trace *trace)
{
    if (all->trace == trace)
        return 0;
    char *label = run_label_text(trace, wrapped.label);
    all->current = label ? by_label_state(all, label) : NULL;
    all->trace = all->current ? trace : NULL;
    free(label);
    return all->current ? 0 : ENOMEM;
}

static int by_label_feed(void *state, const struct analysis_trace *trace, const struct trace_batch *batch)
{
    struct by_label *all = state;
    int error = by_label_enter(all, trace);
    return error ? error : wrapped.analyzer->feed(all->current, trace, batch);
}

static int by_label_finalize(void *state, const struct analysis_trace *trace)
{
    struct by_label *all = state;
    int error = by_label_enter(all, trace);
    return error || !wrapped.analyzer->finalize ? error : wrapped.analyzer->finalize(all->current, trace);
}

static int by_label_merge(void *state, void *other)
{
    const struct by_label *from = other;
    int error = 0;
    for (size_t i = 0; !error && i < from->count; i++) {
        void *to = by_label_state(state, from->items[i].label);
        error = to ? state_merge(wrapped.analyzer, to, from->items[i].state) : ENOMEM;
    }
    return error;
}

static json_t *by_label_save(void *state)
{
    const struct by_label *all = state;
    json_t *saved = json_array();
    for (size_t i = 0; saved && i < all->count; i++) {
        const char *label = all->items[i].label;
        json_t *own = state_save(wrapped.analyzer, all->items[i].state);
        if (!own || json_array_append_new(
                        saved, json_pack("{s:o, s:o}", "label", text_json(label, strlen(label)), "state", own)) != 0) {
            json_decref(saved);
            saved = NULL;
        }
    }
    return saved;
}

static int by_label_load(void *state, const json_t *saved)
{
    size_t i;
    json_t *item;
    if (!json_is_array(saved))
        return EINVAL;
    json_array_foreach(saved, i, item)
    {
        const char *label = json_string_value(json_object_get(item, "label"));
        void *own = label ? by_label_state(state, label) : NULL;
        int error = own ? state_load(wrapped.analyzer, own, json_object_get(item, "state")) : label ? ENOMEM : EINVAL;
        if (error)
            return error;
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------ report -- */

/* Whether all reports have this text among their warnings or notes, which `texts` selects. */
static bool by_label_is_common(const struct report *reports, size_t count, size_t texts, const char *text)
{
    size_t having = 0, i;
    for (size_t r = 0; r < count; r++) {
        const json_t *all = *(json_t *const *)(const void *)((const char *)&reports[r] + texts), *each;
        bool has = false;
        json_array_foreach(all, i, each) has |= strcmp(json_string_value(each), text) == 0;
        having += has;
    }
    return having == count;
}

/* Adds the warnings or notes of all reports: one that all have once, others after their label. */
static void by_label_join_texts(const struct by_label *all, const struct report *reports, size_t texts, json_t *joined)
{
    for (size_t r = 0; r < all->count; r++) {
        const json_t *own = *(json_t *const *)(const void *)((const char *)&reports[r] + texts), *each;
        size_t i;
        json_array_foreach(own, i, each)
        {
            const char *text = json_string_value(each), *label = all->items[r].label;
            char *both = NULL;
            bool common = by_label_is_common(reports, all->count, texts, text);
            if (common && r == 0)
                json_array_append(joined, (json_t *)(uintptr_t)each);
            else if (!common && asprintf(&both, "%s: %s", *label ? label : "(no name)", text) >= 0)
                json_array_append_new(joined, text_json(both, strlen(both)));
            free(both);
        }
    }
}

/* A table of one view of the first `count` reports; a report without it has its table instead. NULL without memory. */
static struct table *by_label_stack(const struct by_label *all, const struct report *reports, size_t count, size_t view)
{
    struct table_part *parts = calloc(all->count + 1, sizeof *parts);
    for (size_t r = 0; parts && r < count; r++) {
        const struct table *own = *(struct table *const *)(const void *)((const char *)&reports[r] + view);
        parts[r] = (struct table_part){all->items[r].label, own ? own : reports[r].table};
    }
    struct table *stack = parts ? table_stack(run_label_name(wrapped.label), parts, count) : NULL;
    free(parts);
    return stack;
}

static int by_label_join(const struct by_label *all, struct report *reports, struct report *report)
{
    const bool single = all->count > 1 && reports->figure_is_single && report->wants_figure;
    bool human = false, figure = single;
    json_t *summaries = json_array();
    for (size_t r = 0; r < all->count; r++) {
        const char *label = all->items[r].label;
        json_t *own = json_pack("{s:o}", "label", text_json(label, strlen(label)));
        json_object_update(own, reports[r].summary);
        json_array_append_new(summaries, own);
        human |= reports[r].human != NULL;
        figure |= reports[r].figure != NULL;
        report->no_result |= reports[r].no_result;
    }
    report->summary = json_pack("{s:s, s:o}", "by", run_label_name(wrapped.label), "labels", summaries);
    if (all->count > 0 && !*all->items[all->count - 1].label) /* in order: none has a text */
        run_label_refuse_unknown(report);
    report->columns = reports->columns;
    report->given = reports->given;
    report->x_label = reports->x_label;
    report->y_label = reports->y_label;
    by_label_join_texts(all, reports, offsetof(struct report, warnings), report->warnings);
    by_label_join_texts(all, reports, offsetof(struct report, notes), report->notes);
    if (single)
        report_note(report, "the figure shows one label: %s", all->items->label);
    report->table = by_label_stack(all, reports, all->count, offsetof(struct report, table));
    report->human = human ? by_label_stack(all, reports, all->count, offsetof(struct report, human)) : NULL;
    if (single && reports->figure) {
        report->figure = reports->figure;
        reports->figure = NULL;
    } else if (figure) {
        report->figure = by_label_stack(all, reports, single ? 1 : all->count, offsetof(struct report, figure));
    }
    return report->table && (report->human || !human) && (report->figure || !figure) ? 0 : ENOMEM;
}

static int by_label_report(void *state, struct report *report)
{
    const struct by_label *all = state;
    int error = 0;
    struct report *reports = calloc(all->count + 1, sizeof *reports);
    for (size_t r = 0; reports && !error && r < all->count; r++) {
        reports[r] = (struct report){.options = report->options,
                                     .wants_figure = report->wants_figure,
                                     .warnings = json_array(),
                                     .notes = json_array()};
        error = wrapped.analyzer->report(all->items[r].state, &reports[r]);
        if (!error && !reports[r].table)
            error = ENOMEM;
    }
    if (reports && !error)
        error = by_label_join(all, reports, report);
    for (size_t r = 0; reports && r < all->count; r++)
        report_free(&reports[r]);
    if (!reports)
        error = ENOMEM;
    free(reports);
    return error;
}

const struct analyzer *by_label_analyzer(const struct analyzer *analyzer, enum run_label label)
{
    static struct analyzer wrapper;
    wrapped.analyzer = analyzer;
    wrapped.label = label;
    wrapper = *analyzer;
    wrapper.init = by_label_init;
    wrapper.feed = by_label_feed;
    wrapper.finalize = by_label_finalize;
    wrapper.merge = by_label_merge;
    wrapper.save = by_label_save;
    wrapper.load = by_label_load;
    wrapper.report = by_label_report;
    wrapper.free = by_label_free;
    return &wrapper;
}
