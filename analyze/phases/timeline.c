/*
 * The timeline of phases by thread, and a metric over time. The phases are known only after all events were seen, so
 * the traces are read a second time. Memory: threads × bins × phases; never the length of a trace.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/shorten.h"
#include "trace/names/method_name.h"
#include "trace/names/thread_name.h"
#include "analyze/phases/rows.h"
#include "analyze/phases/sums/calls.h"
#include "base/grow.h"

enum {
    LANES_SHOWN = 7,
    LABEL_LONGEST = 40,
    LANE_NAME_MAX = 256
}; /* phases with a colour of their own; the others share one */

/* A thread's open calls of phases, and the contents of its bins. */
struct lane {
    uint32_t *stack; /* phases */
    size_t depth, capacity;
    uint64_t excess, last_ns, last[2];
    bool begun;
    double *ns; /* [bin][phase + 1]: time in which the phase was the innermost one; 0: none */
    double *above, *below;
};

struct timeline {
    const struct phases_request *request;
    const struct phases_totals *totals;
    struct report *report;
    uint32_t *phases; /* [phase]: index into totals->items */
    size_t phase_count, bins;
    int slots[2]; /* of the metric and of its denominator, in the current trace; -1: none */
    double factor;
    double *phase_ns; /* [phase + 1], over all threads of the trace */
    char **labels;    /* [phase]: of the figure */
    /* the trace at hand */
    const char *path;
    const struct trace_names *names;
    uint32_t *phase_of; /* [method]: phase + 1; 0: not a phase */
    struct lane *lanes;
    uint64_t first_ns, last_ns;
};

/* ------------------------------------------------------------------------------------------ bins -- */

static double timeline_bin_width(const struct timeline *line)
{
    double span = (double)(line->last_ns - line->first_ns);
    return span > 0 ? span / (double)line->bins : 1;
}

/* Spreads an amount between two times evenly over the bins between them. */
static void timeline_spend(const struct timeline *line, struct lane *lane, uint64_t to_ns, const double values[2])
{
    double width = timeline_bin_width(line), from = (double)(lane->last_ns - line->first_ns),
           span = (double)(to_ns - lane->last_ns);
    size_t phase = lane->depth > 0 ? lane->stack[lane->depth - 1] + 1 : 0;
    size_t bin = (size_t)(from / width);
    for (double at = from; bin < line->bins; bin++) {
        double end = bin + 1 < line->bins ? fmin((double)(bin + 1) * width, from + span) : from + span;
        double share = span > 0 ? (end - at) / span : 1;
        lane->ns[bin * (line->phase_count + 1) + phase] += end - at;
        lane->above[bin] += values[0] * share;
        lane->below[bin] += values[1] * share;
        at = end;
        if (at >= from + span)
            break;
    }
}

/* The call that the thread is in from now on. */
static bool timeline_change_phase(struct lane *lane, uint32_t phase, bool enters)
{
    if (enters && lane->depth == DEPTH_MAX)
        lane->excess++;
    else if (enters) {
        uint32_t *grown = grow_unset(lane->stack, &lane->capacity, lane->depth, sizeof *grown);
        if (!grown)
            return false;
        lane->stack = grown;
        lane->stack[lane->depth++] = phase;
    } else if (lane->excess > 0)
        lane->excess--;
    else {
        size_t at = lane->depth;
        while (at > 0 && lane->stack[at - 1] != phase)
            at--;
        lane->depth = at > 0 ? at - 1 : lane->depth;
    }
    return true;
}

static bool timeline_add_event(struct timeline *line, struct lane *lane, const struct trace_batch *batch, size_t row)
{
    uint64_t time_ns = batch->integers[EVENT_TIME][row], method = batch->integers[EVENT_METHOD][row], now[2] = {0, 0};
    double passed[2] = {0, 0};
    if (time_ns < lane->last_ns && lane->begun)
        time_ns = lane->last_ns;
    if (time_ns < line->first_ns || time_ns > line->last_ns) /* inconsistent with its chunk's header: damage */
        return true;
    for (size_t i = 0; i < 2; i++)
        if (line->slots[i] >= 0)
            now[i] = batch->integers[line->slots[i] ? EVENT_COUNTER_0 + line->slots[i] - 1 : EVENT_TIME][row];
    if (lane->begun) {
        for (size_t i = 0; i < 2; i++)
            passed[i] = now[i] > lane->last[i] ? (double)(now[i] - lane->last[i]) : 0;
        timeline_spend(line, lane, time_ns, passed);
    } else {
        lane->begun = true;
        lane->ns = calloc(line->bins * (line->phase_count + 1), sizeof *lane->ns);
        lane->above = calloc(2 * line->bins, sizeof *lane->above);
        if (!lane->ns || !lane->above)
            return false;
        lane->below = lane->above + line->bins;
    }
    lane->last_ns = time_ns;
    memcpy(lane->last, now, sizeof now);
    uint32_t phase = method < line->names->method_count ? line->phase_of[method] : 0;
    return !phase || timeline_change_phase(lane, phase - 1, batch->integers[EVENT_WHAT][row] == EVENT_ENTER);
}

/* ------------------------------------------------------------------------------------------ a trace -- */

/* Reads the spans between the events of all threads into their lanes. */
static bool timeline_read_events(struct timeline *line, const struct trace *trace)
{
    char name[METHOD_NAME_MAX];
    line->lanes = calloc(line->names->thread_count, sizeof *line->lanes);
    line->phase_of = calloc(line->names->method_count, sizeof *line->phase_of);
    bool good = line->lanes && line->phase_of;
    for (size_t m = 0; good && m < line->names->method_count; m++) {
        method_name(&line->names->methods[m], name);
        for (size_t p = 0; p < line->phase_count && !line->phase_of[m]; p++)
            if (strcmp(phases_text(line->totals->phases, line->totals->items[line->phases[p]].method), name) == 0)
                line->phase_of[m] = (uint32_t)p + 1;
    }

    /* From the first event to the last, according to the headers of chunks. */
    line->first_ns = UINT64_MAX;
    line->last_ns = 0;
    for (size_t i = 0; i < trace_chunk_count(trace); i++) {
        const struct trace_chunk *chunk = trace_chunk_at(trace, i);
        if (chunk->kind != TRACE_EVENT)
            continue;
        line->first_ns = chunk->first_ns < line->first_ns ? chunk->first_ns : line->first_ns;
        line->last_ns = chunk->last_ns > line->last_ns ? chunk->last_ns : line->last_ns;
    }

    struct trace_batch batch = {0};
    struct error_text problem;
    for (size_t i = 0; good && line->first_ns <= line->last_ns && i < trace_chunk_count(trace); i++) {
        /* A damaged chunk was reported when the trace was read for the first time. */
        int status = trace_chunk_at(trace, i)->kind == TRACE_EVENT
                         ? trace_read(trace, i, TRACE_ALL_COLUMNS, &batch, &problem)
                         : TRACE_NEWER;
        good = status != TRACE_NO_MEMORY;
        if (status)
            continue;
        struct lane *lane = &line->lanes[batch.thread < line->names->thread_count ? batch.thread : 0];
        for (size_t row = 0; good && row < batch.count; row++)
            good = timeline_add_event(line, lane, &batch, row);
    }
    trace_batch_free(&batch);
    return good;
}

/* ------------------------------------------------------------------------------------------ tables -- */

static const struct table_column line_figure_columns[] = {{"thread", TABLE_TEXT}, {"phase", TABLE_TEXT},
                                                          {"from_s", TABLE_REAL}, {"to_s", TABLE_REAL},
                                                          {"low", TABLE_REAL},    {"high", TABLE_REAL}};
static const struct table_column metric_figure_columns[] = {
    {"thread", TABLE_TEXT}, {"x", TABLE_REAL}, {"y", TABLE_REAL}, {"fit", TABLE_REAL}};

static const char *timeline_phase_name(const struct timeline *line, size_t phase)
{
    return phase ? phases_text(line->totals->phases, line->totals->items[line->phases[phase - 1]].method) : "";
}

static void timeline_add_row(const struct timeline *line, const char *thread, size_t bin, const char *what,
                             double value)
{
    double width = timeline_bin_width(line);
    const struct phases_time_row row = {line->path, thread, what, (double)bin * width, (double)(bin + 1) * width,
                                        value};
    report_row(line->report, &row);
}

static void timeline_plot_bin(const struct timeline *line, const char *thread, const char *phase, size_t bin,
                              double *low, double share)
{
    double width = timeline_bin_width(line) / 1e9;
    if (share <= 0)
        return;
    table_text(line->report->figure, thread);
    table_text(line->report->figure, phase);
    table_real(line->report->figure, (double)bin * width);
    table_real(line->report->figure, (double)(bin + 1) * width);
    table_real(line->report->figure, *low);
    table_real(line->report->figure, *low + share);
    *low += share;
}

static void timeline_write_bin(const struct timeline *line, const struct lane *lane, const char *thread, size_t bin)
{
    double width = timeline_bin_width(line), low = 0, others = 0;
    const double *ns = line->phase_ns;
    for (size_t phase = 1; phase <= line->phase_count; phase++) {
        double share = lane->ns[bin * (line->phase_count + 1) + phase] / width;
        if (share <= 0)
            continue;
        timeline_add_row(line, thread, bin, timeline_phase_name(line, phase), share);
        /* Phases that are innermost for longer than all but a few others have a colour of their own. */
        size_t longer = 0;
        for (size_t p = 1; line->report->figure && p <= line->phase_count; p++)
            longer += ns[p] > ns[phase] || (ns[p] == ns[phase] && p < phase);
        if (line->report->figure && longer < LANES_SHOWN)
            timeline_plot_bin(line, thread, line->labels[phase - 1], bin, &low, share);
        else
            others += share;
    }
    if (line->report->figure)
        timeline_plot_bin(line, thread, "other phases", bin, &low, others);
}

static void timeline_write_metric(const struct timeline *line, const struct lane *lane, const char *thread, size_t bin)
{
    double width = timeline_bin_width(line);
    bool is_rate = line->slots[1] >= 0;
    if (is_rate && lane->below[bin] <= 0)
        return;
    double value = is_rate ? lane->above[bin] * line->factor / lane->below[bin] : lane->above[bin];
    timeline_add_row(line, thread, bin, line->request->metric, value);
    if (!line->report->figure)
        return;
    table_text(line->report->figure, thread);
    table_real(line->report->figure, ((double)bin + 0.5) * width / 1e9);
    table_real(line->report->figure, value);
    table_real(line->report->figure, value);
}

static void timeline_write_lanes(const struct timeline *line)
{
    char name[LANE_NAME_MAX], other[LANE_NAME_MAX];
    for (size_t t = 0; t < line->names->thread_count; t++) {
        const struct lane *lane = &line->lanes[t];
        if (!lane->begun)
            continue;
        /* "worker", or "worker 4711" if another thread has the same name */
        bool alone = true;
        thread_name(line->names, (uint32_t)t, name, sizeof name);
        for (size_t i = 0; alone && i < line->names->thread_count; i++) {
            if (i == t || !line->lanes[i].begun)
                continue;
            thread_name(line->names, (uint32_t)i, other, sizeof other);
            alone = strcmp(name, other) != 0;
        }
        if (!alone)
            snprintf(name + strlen(name), sizeof name - strlen(name), " %" PRIu64, line->names->threads[t].tid);
        for (size_t bin = 0; bin < line->bins; bin++)
            if (line->request->view == PHASES_VIEW_TIMELINE)
                timeline_write_bin(line, lane, name, bin);
            else
                timeline_write_metric(line, lane, name, bin);
    }
}

static bool timeline_show_trace(struct timeline *line, const struct trace *trace)
{
    bool good = timeline_read_events(line, trace);
    for (size_t p = 0; p <= line->phase_count; p++)
        line->phase_ns[p] = 0;
    for (size_t t = 0; good && t < line->names->thread_count; t++)
        for (size_t i = 0; line->lanes[t].begun && i < line->bins * (line->phase_count + 1); i++)
            line->phase_ns[i % (line->phase_count + 1)] += line->lanes[t].ns[i];
    if (good)
        timeline_write_lanes(line);
    for (size_t t = 0; line->lanes && t < line->names->thread_count; t++) {
        free(line->lanes[t].stack);
        free(line->lanes[t].ns);
        free(line->lanes[t].above);
    }
    free(line->lanes);
    free(line->phase_of);
    line->phase_of = NULL;
    return good;
}

/* The event columns that the metric uses in a run; false if it lacks the metric. */
static bool timeline_find_slots(struct timeline *line, uint32_t run, size_t metric)
{
    const struct phases_totals *totals = line->totals;
    size_t r = 0;
    line->slots[0] = line->slots[1] = -1;
    while (r < totals->run_count && totals->runs[r] != run)
        r++;
    if (r == totals->run_count || line->request->view == PHASES_VIEW_TIMELINE)
        return r < totals->run_count;
    struct phases_metrics metrics = phases_metrics(totals->phases, phases_run_at(totals->phases, run));
    int slot = line->slots[0] = totals->metrics[metric].slots[r];
    if (slot >= 0 && totals->metrics[metric].is_rate) {
        line->slots[1] = metrics.denominator[slot];
        line->factor = metrics.factor[slot];
    }
    return slot >= 0;
}

static bool timeline_show_traces(struct timeline *line, size_t metric)
{
    bool good = true;
    for (size_t i = 0; good && i < phases_trace_count(line->totals->phases); i++) {
        const struct phases_trace *from = phases_trace_at(line->totals->phases, i);
        struct trace *trace = NULL;
        struct error_text problem;
        struct trace_names names;
        struct trace_loss loss = {0};
        line->path = phases_text(line->totals->phases, from->path);
        if (!timeline_find_slots(line, from->run, metric))
            continue;
        if (trace_open(line->path, &trace, &problem) != 0) {
            report_warn(line->report, "%s: a timeline reads traces a second time: %s", line->path, problem.text);
            line->report->no_result = true;
            continue;
        }
        good = trace_names_load(trace, &names, &loss) == 0;
        line->names = &names;
        if (good) {
            good = timeline_show_trace(line, trace);
            trace_names_free(&names);
        }
        trace_close(trace);
    }
    return good;
}

int phases_timeline_table(const struct phases_request *request, const struct phases_totals *totals,
                          struct report *report)
{
    struct timeline line = {.request = request,
                            .totals = totals,
                            .report = report,
                            .bins = (size_t)request->bins,
                            .phases = calloc(totals->count + 1, sizeof *line.phases),
                            .phase_ns = calloc(totals->count + 1, sizeof *line.phase_ns),
                            .labels = calloc(totals->count + 1, sizeof *line.labels)};
    const char **names = calloc(totals->count + 1, sizeof *names);
    size_t metric = 0;
    bool over_time = request->view == PHASES_VIEW_OVER_TIME;
    if (report->wants_figure)
        report->figure =
            over_time ? table_new(TABLE_COLUMNS(metric_figure_columns)) : table_new(TABLE_COLUMNS(line_figure_columns));
    report->x_label = "Time (s)";
    report->y_label = over_time ? request->metric : NULL;
    bool good = line.phases && line.phase_ns && line.labels && names && (report->figure || !report->wants_figure);
    for (size_t i = 0; good && i < totals->count; i++)
        if (totals->items[i].selected) {
            line.phases[line.phase_count] = (uint32_t)i;
            names[line.phase_count++] = phases_text(totals->phases, totals->items[i].method);
        }
    good = good && shorten_names(names, line.phase_count, LABEL_LONGEST, line.labels); /* short, but distinct */
    while (request->metric && metric < totals->metric_count &&
           strcmp(totals->metrics[metric].name, request->metric) != 0)
        metric++;
    if (good && request->metric && metric == totals->metric_count) {
        report_warn(report, "--over-time %s: there is no such metric; assay phases lists all", request->metric);
        report->no_result = true;
    } else if (good)
        good = timeline_show_traces(&line, metric);
    report_note(report,
                "times since the first event of each trace, in %zu bins, including the cost of probes; what passes "
                "between two events is spread evenly between them",
                line.bins);
    if (request->view == PHASES_VIEW_TIMELINE)
        report_note(report, "share: part of the bin in which the phase was the innermost one of its thread");
    if (line.labels)
        shorten_drop(line.labels, line.phase_count);
    free(line.labels);
    free(line.phases);
    free(line.phase_ns);
    free(names);
    return good ? 0 : ENOMEM;
}
