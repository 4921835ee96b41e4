#include "analyze/phases/totals.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/estimates/interval.h"

/* Metrics that are the time of a program, the best first. */
static const char *const basis_names[] = {"cycles", "simulated-instructions", "thread-cpu-ns", "cpu-ns", "time_ns"};

static int phases_metric_slot(const struct phases *phases, const struct phases_run *run, const char *name)
{
    for (size_t m = 0; m < METRICS_MAX && run->metrics[m] != FIELD_NONE; m++)
        if (strcmp(phases_text(phases, run->metrics[m]), name) == 0)
            return (int)m;
    return -1;
}

static double phases_corrected_sum(const struct phases_sums *sums, int slot)
{
    return phases_without_probe(sums->metrics[slot], sums->probe[slot]);
}

/* ------------------------------------------------------------------------------------------ runs -- */

static int phases_compare_runs(const void *a, const void *b, void *user)
{
    const struct phases *phases = user;
    const struct phases_run *x = phases_run_at(phases, *(const uint32_t *)a),
                            *y = phases_run_at(phases, *(const uint32_t *)b);
    int order = strcmp(phases_text(phases, x->id), phases_text(phases, y->id));
    for (size_t m = 1; order == 0 && m < METRICS_MAX; m++) {
        const char *name_x = x->metrics[m] == FIELD_NONE ? "" : phases_text(phases, x->metrics[m]);
        order = strcmp(name_x, y->metrics[m] == FIELD_NONE ? "" : phases_text(phases, y->metrics[m]));
    }
    return order;
}

/* c_T of a run in a metric; 0 if there is none. */
static double phases_basis_time(const struct phases *phases, uint32_t run, const char *basis)
{
    const struct phases_run *item = phases_run_at(phases, run);
    struct phases_sums span = {0};
    int slot = phases_metric_slot(phases, item, basis);
    for (size_t i = 0; i < phases_role_count(phases); i++)
        if (phases_role_at(phases, i)->run == run)
            phases_sums_add(&span, &phases_role_at(phases, i)->span);
    return slot < 0 ? 0 : phases_corrected_sum(&span, slot);
}

/* Chooses the basis if there is none: the best metric that every run with events has, so that no run is left out for
 * lack of it. Then the runs that have it. */
static int phases_choose_runs(struct phases_totals *totals, struct phases_filter filter)
{
    const struct phases *phases = totals->phases;
    size_t count = phases_run_count(phases);
    for (size_t b = 0; !totals->basis; b++) {
        size_t with = 0, without = 0;
        for (uint32_t r = 0; r < count; r++) {
            const struct phases_run *run = phases_run_at(phases, r);
            if (!phases_takes(phases, run, filter) || run->events == 0)
                continue;
            bool has = phases_basis_time(phases, r, basis_names[b]) > 0;
            with += has;
            without += !has;
        }
        if ((with > 0 && without == 0) || b + 1 == sizeof basis_names / sizeof *basis_names)
            totals->basis = basis_names[b];
    }

    totals->runs = calloc(count + 1, sizeof *totals->runs);
    totals->time = calloc(count + 1, sizeof *totals->time);
    if (!totals->runs || !totals->time)
        return ENOMEM;
    for (uint32_t r = 0; r < count; r++) {
        if (!phases_takes(phases, phases_run_at(phases, r), filter))
            continue;
        /* A run without events may have collections. */
        if (phases_run_at(phases, r)->events > 0 && phases_basis_time(phases, r, totals->basis) > 0)
            totals->runs[totals->run_count++] = r;
        else
            totals->left_out++;
    }
    qsort_r(totals->runs, totals->run_count, sizeof *totals->runs, phases_compare_runs, (void *)(uintptr_t)phases);
    for (size_t r = 0; r < totals->run_count; r++)
        totals->time[r] = phases_basis_time(phases, totals->runs[r], totals->basis);
    return totals->run_count > 0 ? 0 : EINVAL;
}

/* ------------------------------------------------------------------------------------------ methods -- */

static int phases_compare_shares(const void *a, const void *b, void *user)
{
    const struct phases *phases = user;
    const struct phases_total *x = a, *y = b;
    if (x->share != y->share)
        return x->share > y->share ? -1 : 1;
    if (x->exclusive_share != y->exclusive_share)
        return x->exclusive_share > y->exclusive_share ? -1 : 1;
    return strcmp(phases_text(phases, x->method), phases_text(phases, y->method));
}

/* Half the width of the interval of the mean of a share over runs; NAN for one run. */
static double phases_share_half(const double *shares, size_t n, const struct analysis_options *options)
{
    struct interval interval;
    enum interval_method method = options->use_z ? INTERVAL_Z : INTERVAL_T;
    return interval_mean(shares, n, method, options->confidence, &interval) == STATS_OK ? interval.half : NAN;
}

static int phases_sum_item(struct phases_totals *totals, struct phases_total *item,
                           const struct analysis_options *options)
{
    double *shares = calloc(2 * totals->run_count, sizeof *shares), *exclusive = shares + totals->run_count;
    if (!shares)
        return ENOMEM;
    for (size_t r = 0; r < totals->run_count; r++) {
        const struct phases_run *run = phases_run_at(totals->phases, totals->runs[r]);
        int slot = phases_metric_slot(totals->phases, run, totals->basis);
        if (item->entries[r] == 0)
            continue;
        const struct phases_entry *entry = phases_entry_at(totals->phases, item->entries[r] - 1);
        double inclusive_time = phases_corrected_sum(&entry->inclusive, slot);
        double exclusive_time = phases_corrected_sum(&entry->exclusive, slot);
        shares[r] = inclusive_time / totals->time[r];
        exclusive[r] = exclusive_time / totals->time[r];
        item->share += shares[r] / (double)totals->run_count;
        item->exclusive_share += exclusive[r] / (double)totals->run_count;
        item->basis_total += inclusive_time;
        item->exclusive_total += exclusive_time;
        item->calls += entry->calls;
        item->exceptions += entry->exceptions;
        for (size_t u = 0; u < UNFINISHED_COUNT; u++)
            item->unfinished[u] += entry->unfinished[u];
    }
    /* A call that began before the recorded part of the stream has no entry: it has a share, but does not count as a
     * call. */
    item->mean_share = item->calls ? item->share * (double)totals->run_count / (double)item->calls : 0;
    item->share_half = phases_share_half(shares, totals->run_count, options);
    item->exclusive_half = phases_share_half(exclusive, totals->run_count, options);
    free(shares);
    return 0;
}

/* The item of each text that is a method, created if new. */
static int phases_make_items(struct phases_totals *totals)
{
    const struct phases *phases = totals->phases;
    uint32_t *item_of = totals->item_of = calloc(phases->relations.texts.count + 1, sizeof *item_of);
    uint32_t *run_positions = calloc(phases_run_count(phases) + 1, sizeof *run_positions);
    totals->items = calloc(phases_entry_count(phases) + 1, sizeof *totals->items);
    int error = item_of && run_positions && totals->items ? 0 : ENOMEM;
    for (size_t r = 0; !error && r < totals->run_count; r++)
        run_positions[totals->runs[r]] = (uint32_t)r + 1;
    for (uint32_t i = 0; !error && i < phases_entry_count(phases); i++) {
        const struct phases_entry *entry = phases_entry_at(phases, i);
        if (run_positions[entry->run] == 0)
            continue;
        if (item_of[entry->method] == 0) {
            struct phases_total *item = &totals->items[totals->count];
            item->method = entry->method;
            item->entries = calloc(totals->run_count, sizeof *item->entries);
            error = item->entries ? 0 : ENOMEM;
            item_of[entry->method] = (uint32_t)++totals->count;
        }
        if (!error)
            totals->items[item_of[entry->method] - 1].entries[run_positions[entry->run] - 1] = i + 1;
    }
    free(run_positions);
    return error;
}

/* ------------------------------------------------------------------------------------------ metrics -- */

static int phases_list_metric(struct phases_totals *totals, const char *name, bool is_rate, size_t run, size_t slot)
{
    size_t m = 0;
    while (m < totals->metric_count &&
           (totals->metrics[m].is_rate != is_rate || strcmp(totals->metrics[m].name, name) != 0))
        m++;
    struct phases_metric *metric = &totals->metrics[m];
    if (m == totals->metric_count) {
        *metric = (struct phases_metric){.is_rate = is_rate, .slots = malloc(totals->run_count * sizeof(int))};
        if (!metric->slots)
            return ENOMEM;
        for (size_t r = 0; r < totals->run_count; r++)
            metric->slots[r] = -1;
        snprintf(metric->name, sizeof metric->name, "%s", name);
        totals->metric_count++;
    }
    metric->slots[run] = (int)slot;
    return 0;
}

/* Counters in the order of the runs' names, then rates. */
static int phases_list_metrics(struct phases_totals *totals)
{
    int error = 0;
    totals->metrics = calloc(totals->run_count * (METRICS_MAX + RATES_MAX) + 1, sizeof *totals->metrics);
    if (!totals->metrics)
        return ENOMEM;
    for (int rates = 0; rates < 2; rates++)
        for (size_t r = 0; r < totals->run_count; r++) {
            const struct phases_run *run = phases_run_at(totals->phases, totals->runs[r]);
            struct phases_metrics metrics = phases_metrics(totals->phases, run);
            for (size_t m = 0; !error && m < metrics.count; m++) {
                char name[RATE_NAME_MAX];
                if (rates && metrics.denominator[m] < 0)
                    continue;
                if (rates)
                    phases_rate_name(totals->phases, run, m, name);
                else
                    snprintf(name, sizeof name, "%.140s", phases_text(totals->phases, run->metrics[m]));
                error = phases_list_metric(totals, name, rates, r, m);
            }
        }
    return error;
}

/* Its calls that need probes. */
static uint64_t phases_probed_calls(const struct phases_totals *totals, const struct phases_total *item)
{
    return phases_is_collector(totals->phases, item->method) ? 0 : item->calls;
}

int phases_totals(const struct phases *phases, struct phases_filter filter, const char *basis,
                  const struct analysis_options *options, struct phases_totals *out)
{
    *out = (struct phases_totals){.phases = phases, .basis = basis};
    int error = phases_choose_runs(out, filter);
    if (!error)
        error = phases_make_items(out);
    for (size_t i = 0; !error && i < out->count; i++) {
        error = phases_sum_item(out, &out->items[i], options);
        out->invocations += phases_probed_calls(out, &out->items[i]);
    }
    if (!error)
        qsort_r(out->items, out->count, sizeof *out->items, phases_compare_shares, (void *)(uintptr_t)phases);
    for (size_t i = 0; !error && i < out->count; i++)
        out->item_of[out->items[i].method] = (uint32_t)i + 1;
    double time, cost;
    phases_probe_total(out, &time, &cost);
    out->probe_overhead = cost > 0 && time > cost ? cost / (time - cost) : NAN;
    out->cost = phases_cost(out, filter);
    return error ? error : phases_list_metrics(out);
}

void phases_totals_free(struct phases_totals *totals)
{
    for (size_t i = 0; totals->items && i < totals->count; i++)
        free(totals->items[i].entries);
    for (size_t m = 0; totals->metrics && m < totals->metric_count; m++)
        free(totals->metrics[m].slots);
    free(totals->items);
    free(totals->item_of);
    free(totals->metrics);
    free(totals->runs);
    free(totals->time);
}

const struct phases_total *phases_find(const struct phases_totals *totals, const char *name)
{
    uint32_t text = text_set_find(&totals->phases->relations.texts, name);
    uint32_t item = text == FIELD_NONE || totals->count == 0 ? 0 : totals->item_of[text];
    return item ? &totals->items[item - 1] : NULL;
}

uint64_t phases_unfinished(const struct phases_total *item)
{
    uint64_t sum = 0;
    for (size_t u = 0; u < UNFINISHED_COUNT; u++)
        sum += item->unfinished[u];
    return sum;
}

/* ------------------------------------------------------------------------------------------ selection -- */

static bool phases_is_phase(const struct phases_total *item, double weight, double granularity)
{
    return item->share > weight && item->mean_share > granularity;
}

struct phases_choice phases_count(const struct phases_totals *totals, double weight, double granularity)
{
    struct phases_choice choice = {.weight = weight, .granularity = granularity};
    for (size_t i = 0; i < totals->count; i++)
        if (phases_is_phase(&totals->items[i], weight, granularity)) {
            choice.phases++;
            choice.invocations += phases_probed_calls(totals, &totals->items[i]);
        }
    choice.overhead = totals->invocations ? (double)choice.invocations / (double)totals->invocations : 0;
    choice.time_overhead = choice.overhead * totals->probe_overhead;
    /* The program's own time is the rest of the measured time. */
    const struct phases_cost *cost = &totals->cost;
    double writer = isnan(cost->writer) ? 0 : cost->writer, start = isnan(cost->start) ? 0 : cost->start;
    double program = cost->program - cost->probes - writer - start,
           recording = choice.overhead * (cost->probes + writer) + start;
    choice.cpu_overhead = program > 0 ? recording / program : NAN;
    return choice;
}

void phases_mark(struct phases_totals *totals, double weight, double granularity)
{
    for (size_t i = 0; i < totals->count; i++)
        totals->items[i].selected = phases_is_phase(&totals->items[i], weight, granularity);
}

double phases_theta(size_t i)
{
    static const double thetas[PHASES_THETAS] = {1e-8,  2e-8,  5e-8, 1e-7, 2e-7, 5e-7, 1e-6, 2e-6,
                                                 5e-6,  1e-5,  2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 0.001,
                                                 0.002, 0.005, 0.01, 0.02, 0.05, 0.1,  0.2,  0.5};
    return thetas[i];
}

static double phases_choice_overhead(const struct phases_choice *choice)
{
    return choice->by_time ? choice->time_overhead : choice->overhead;
}

/* The best below the limit; if there is none, the largest thresholds. */
static struct phases_choice phases_choose_below(const struct phases_totals *totals, double limit, bool by_time)
{
    struct phases_choice best = phases_count(totals, phases_theta(PHASES_THETAS - 1), phases_theta(PHASES_THETAS - 1));
    bool any = false;
    best.by_time = by_time;
    for (size_t w = PHASES_THETAS; w-- > 0;)
        for (size_t g = PHASES_THETAS; g-- > 0;) {
            struct phases_choice choice = phases_count(totals, phases_theta(w), phases_theta(g));
            choice.by_time = by_time;
            bool better = !any || choice.phases > best.phases ||
                          (choice.phases == best.phases && choice.overhead < best.overhead);
            if (phases_choice_overhead(&choice) < limit && better) {
                best = choice;
                any = true;
            }
        }
    return best;
}

bool phases_is_below(const struct phases_choice *choice, double limit)
{
    return choice->phases > 0 && phases_choice_overhead(choice) < limit;
}

struct phases_choice phases_choose(const struct phases_totals *totals, double limit)
{
    struct phases_choice by_calls = phases_choose_below(totals, limit, false);
    if (phases_is_below(&by_calls, limit))
        return by_calls;
    struct phases_choice by_time = phases_choose_below(totals, limit, true);
    return phases_is_below(&by_time, limit) ? by_time : by_calls;
}
