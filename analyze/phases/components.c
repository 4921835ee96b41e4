/* Shares of the application and of the virtual machine's components, and the bottlenecks of a phase. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/phases/rows.h"
#include "stats/estimates/proportion.h"

static const char *const component_names[COMPONENTS] = {"application", "garbage collector", "finalizer", "C1 compiler",
                                                        "C2 compiler", "other compiler",    "other VM"};

/* The metric of components from the threads, and the name of that of events. */
static const char CPU_METRIC[] = "thread-cpu-ns";

static const struct table_column stack_columns[] = {
    {"metric", TABLE_TEXT}, {"part", TABLE_TEXT}, {"share", TABLE_SHARE}};

/* The components' parts of a metric in one run; past the end of metrics, of the CPU time of threads. */
static void phases_component_parts(const struct phases_totals *totals, size_t run, size_t metric,
                                   double parts[COMPONENTS])
{
    const struct phases *phases = totals->phases;
    if (metric == totals->metric_count) {
        for (size_t i = 0; i < phases_trace_count(phases); i++) {
            const struct phases_trace *trace = phases_trace_at(phases, i);
            for (size_t c = 0; trace->run == totals->runs[run] && c < COMPONENTS; c++)
                parts[c] += (double)trace->cpu_ns[c];
        }
        return;
    }
    int slot = totals->metrics[metric].slots[run];
    for (size_t i = 0; slot >= 0 && i < phases_role_count(phases); i++) {
        const struct phases_role *role = phases_role_at(phases, i);
        if (role->run == totals->runs[run])
            parts[role->role] += phases_without_probe(role->span.metrics[slot], role->span.probe[slot]);
    }
}

/* The mean of the runs' shares, and its interval. */
static void phases_component_add_row(const char *component, const char *metric, const double *shares, size_t count,
                                     struct report *report)
{
    struct interval interval;
    double mean = 0;
    for (size_t i = 0; i < count; i++)
        mean += shares[i] / (double)count;
    bool has = proportion_mean_interval(shares, count, report->options->use_z ? INTERVAL_Z : INTERVAL_T,
                                        report->options->confidence, &interval) == STATS_OK;
    const struct phases_component_row row = {.component = component,
                                             .metric = metric,
                                             .share = has ? interval.mean : mean,
                                             .low = has ? interval.low : NAN,
                                             .high = has ? interval.high : NAN};
    report_row(report, &row);
}

/* The shares of a component in each run that has the metric. `metric` is past the end for the CPU time of threads.
 * False if no run has it. */
static bool phases_add_component(const struct phases_totals *totals, size_t metric, const char *name, size_t component,
                                 double *shares, struct report *report)
{
    size_t count = 0;
    double mean = 0;
    for (size_t r = 0; r < totals->run_count; r++) {
        double parts[COMPONENTS] = {0}, all = 0;
        phases_component_parts(totals, r, metric, parts);
        for (size_t c = 0; c < COMPONENTS; c++)
            all += parts[c];
        if (all > 0)
            shares[count++] = parts[component] / all;
    }
    if (count == 0)
        return false;
    for (size_t i = 0; i < count; i++)
        mean += shares[i] / (double)count;
    if (report->figure) {
        table_text(report->figure, name);
        table_text(report->figure, component_names[component]);
        table_real(report->figure, mean);
    }
    phases_component_add_row(component_names[component], name, shares, count, report);
    return true;
}

/* What the virtual machine reports about itself, relative to the elapsed time since the recording began. */
static bool phases_component_add_vm(const struct phases_totals *totals, enum trace_vm what, const char *name,
                                    double *shares, struct report *report)
{
    const struct phases *phases = totals->phases;
    size_t count = 0;
    for (size_t r = 0; r < totals->run_count; r++) {
        double above = 0, below = 0;
        for (size_t i = 0; i < phases_trace_count(phases); i++) {
            const struct phases_trace *trace = phases_trace_at(phases, i);
            if (trace->run != totals->runs[r] || trace->vm_elapsed_ns == 0)
                continue;
            above += (double)trace->vm_ns[what];
            below += (double)trace->vm_elapsed_ns;
        }
        if (below > 0)
            shares[count++] = above / below;
    }
    if (count > 0)
        phases_component_add_row(name, "elapsed-ns", shares, count, report);
    return count > 0;
}

int phases_components_table(const struct phases_request *request, const struct phases_totals *totals,
                            struct report *report)
{
    (void)request;
    double *shares = calloc(totals->run_count + 1, sizeof *shares);
    if (report->wants_figure)
        report->figure = table_new(TABLE_COLUMNS(stack_columns));
    if (!shares || !report->table || (report->wants_figure && !report->figure)) {
        free(shares);
        return ENOMEM;
    }
    bool any_cpu = true;
    for (size_t c = 0; any_cpu && c < COMPONENTS; c++)
        any_cpu = phases_add_component(totals, totals->metric_count, CPU_METRIC, c, shares, report);
    bool has_vm = phases_component_add_vm(totals, VM_SAFEPOINT, "safepoints", shares, report);
    if (has_vm)
        phases_component_add_vm(totals, VM_CLASS_LOAD, "class loading", shares, report);
    for (size_t m = 0; m < totals->metric_count; m++) {
        const char *name = totals->metrics[m].name;
        bool again = any_cpu && strcmp(name, CPU_METRIC) == 0;
        for (size_t c = 0; !totals->metrics[m].is_rate && !again && c < COMPONENTS; c++)
            phases_add_component(totals, m, name, c, shares, report);
    }
    free(shares);
    report_note(report, "thread-cpu-ns: CPU time of all threads, by role and name; other metrics: threads that have "
                        "events, from the first to the last event");
    if (has_vm)
        report_note(report, "elapsed-ns: what the virtual machine reports about itself, from the start of the "
                            "recording; class loading is summed over threads; both overlap the components above");
    if (!any_cpu)
        report_warn(report, "the CPU time of threads is not known");
    bool knows_vm = false;
    for (size_t i = 0; i < phases_trace_count(totals->phases); i++)
        for (size_t c = COMPONENT_APPLICATION + 1; c < COMPONENTS; c++)
            knows_vm |= phases_trace_at(totals->phases, i)->threads[c] > 0;
    if (!knows_vm)
        report_warn(report, "no threads of a virtual machine are known: everything counts as the application");
    return 0;
}

/* ------------------------------------------------------------------------------------------ bottlenecks -- */

static void phases_add_bottleneck(const struct phases_totals *totals, const struct phases_total *item, size_t metric,
                                  struct report *report)
{
    const struct phases *phases = totals->phases;
    double above = 0, below = 0; /* in the whole program: over all threads, from their first event to the last */
    for (size_t r = 0; r < totals->run_count; r++) {
        int slot = totals->metrics[metric].slots[r];
        if (slot < 0)
            continue;
        struct phases_metrics metrics = phases_metrics(phases, phases_run_at(phases, totals->runs[r]));
        int under = metrics.denominator[slot];
        for (size_t i = 0; i < phases_role_count(phases); i++) {
            const struct phases_sums *span = &phases_role_at(phases, i)->span;
            if (phases_role_at(phases, i)->run != totals->runs[r])
                continue;
            above += phases_without_probe(span->metrics[slot], span->probe[slot]);
            below += phases_without_probe(span->metrics[under], span->probe[under]) / metrics.factor[slot];
        }
    }
    double program = below > 0 ? above / below : NAN;
    phases_sums_of(totals, item, metric, &above, &below);
    double value = below > 0 ? above / below : NAN;

    char name[RATE_NAME_MAX + 24];
    const char *rate = totals->metrics[metric].name, *slash = strrchr(rate, '/');
    bool per_instruction = strcmp(slash, "/instruction") == 0, cycles = strncmp(rate, "cycles/", 7) == 0;
    /* Cycles per instruction unchanged; other events per 1,000 instructions or per ms. */
    double scale = cycles && per_instruction ? 1 : per_instruction ? 1000 : 1e-3;
    snprintf(name, sizeof name, "%.*s%s", (int)(slash - rate), rate,
             scale == 1        ? "/instruction"
             : per_instruction ? "/1000 instructions"
                               : "/ms");
    const struct phases_bottleneck_row row = {.phase = phases_text(phases, item->method),
                                              .total_share = item->share,
                                              .metric = name,
                                              .value = value * scale,
                                              .program = program * scale,
                                              .ratio = program > 0 ? value / program : NAN};
    report_row(report, &row);
}

int phases_bottlenecks_table(const struct phases_request *request, const struct phases_totals *totals,
                             struct report *report)
{
    (void)request;
    bool any_rate = false;
    for (size_t m = 0; m < totals->metric_count; m++)
        any_rate |= totals->metrics[m].is_rate;
    for (size_t i = 0; i < totals->count; i++)
        for (size_t m = 0; totals->items[i].selected && m < totals->metric_count; m++)
            if (totals->metrics[m].is_rate)
                phases_add_bottleneck(totals, &totals->items[i], m, report);
    report_note(report, "value: counted in the phase and all that it calls; program: the same in all threads, from "
                        "their first event to the last; ratio: value / program");
    if (!any_rate) {
        report_warn(report, "the traces have no counter besides time, so there are no rates: record them with others, "
                            "such as assay record --mode methods --counters page-faults,context-switches");
        report->no_result = true;
    }
    return 0;
}
