/* Waste by kind, the basis for the fractions of everything else. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/waste/sums/waste_rows.h"
#include "stats/estimates/proportion.h"

/* ------------------------------------------------------------------------------------------ means -- */

int waste_mean_over_runs(const uint64_t *part, const uint64_t *whole, size_t runs,
                         const struct analysis_options *options, struct waste_mean *mean)
{
    double *values = malloc((runs + 1) * sizeof *values);
    long double sum = 0;
    if (!values)
        return ENOMEM;
    *mean = (struct waste_mean){.value = NAN, .interval = {NAN, NAN, NAN, NAN}};
    for (size_t r = 0; r < runs; r++)
        if (whole[r] > 0)
            sum += values[mean->runs++] = (double)((long double)part[r] / (long double)whole[r]);
    if (mean->runs > 0)
        mean->value = (double)(sum / (long double)mean->runs);
    enum interval_method method = options->use_z ? INTERVAL_Z : INTERVAL_T;
    mean->has_interval =
        proportion_mean_interval(values, mean->runs, method, options->confidence, &mean->interval) == STATS_OK;
    free(values);
    return 0;
}

/* ------------------------------------------------------------------------------------------ adding up -- */

/* The row of a kind and thread; NULL without memory. */
static struct waste_kind *waste_kind_row(struct waste_kinds *kinds, uint32_t waste, uint32_t thread, const char *name)
{
    const struct waste_kind fresh = {.waste = waste, .thread_text = thread, .thread = name};
    uint32_t index = keyed_add(&kinds->rows, &fresh);
    if (index == KEYED_FULL)
        return NULL;
    struct waste_kind *row = keyed_at(&kinds->rows, index);
    if (!row->runs)
        row->runs = calloc(kinds->run_count + 1, sizeof *row->runs);
    return row->runs ? row : NULL;
}

static int waste_kind_add_total(const struct waste *waste, const struct waste_group *group, bool threads,
                                const struct waste_total *total, struct waste_kinds *kinds)
{
    size_t run = group->run_of[total->source];
    uint32_t thread = threads ? total->thread : 0;
    for (uint32_t w = 0; run != SIZE_MAX && w < WASTE_COUNT; w++) {
        if (!(group->kinds[run] >> w & 1))
            continue;
        struct waste_kind *row = waste_kind_row(kinds, w, thread, threads ? waste_text(waste, thread) : "");
        if (!row)
            return ENOMEM;
        row->runs[run].recorded = true;
        for (size_t v = 0; v < VALUES_COUNT; v++)
            row->runs[run].total[v] += total->bytes[waste_access(w)][v];
    }
    return 0;
}

static int waste_kind_add_pair(const struct waste *waste, const struct waste_group *group, bool threads,
                               const struct waste_pair *pair, struct waste_kinds *kinds)
{
    size_t run = group->run_of[pair->source];
    uint32_t thread = threads ? pair->thread : 0;
    if (run == SIZE_MAX)
        return 0;
    struct waste_kind *row = waste_kind_row(kinds, pair->waste, thread, threads ? waste_text(waste, thread) : "");
    if (!row)
        return ENOMEM;
    struct waste_sums *sums = &row->runs[run];
    sums->recorded = true;
    sums->events += pair->events;
    sums->bytes += pair->bytes;
    if (pair->object) {
        sums->object_bytes[VALUES_APPROXIMATE] += pair->approximate_bytes;
        sums->object_bytes[VALUES_PRECISE] += pair->bytes - pair->approximate_bytes;
    }
    for (size_t v = 0; v < VALUES_COUNT; v++)
        sums->wasted[v] += pair->wasted[v];
    sums->traps += pair->traps;
    sums->squares += pair->squares;
    sums->wasted_squares += pair->wasted_squares;
    return 0;
}

/* ------------------------------------------------------------------------------------------ fractions -- */

enum {
    WASTED,
    WASTED_PRECISE,
    WASTED_APPROX,
    TOTAL,
    TOTAL_PRECISE,
    TOTAL_APPROX,
    PAIRED,
    ESTIMATED,
    ESTIMATED_OF,
    PARTS
};

/* Stands for 1 where a share is estimated. */
static const uint64_t ESTIMATE_WHOLE = UINT64_C(1) << 52;
void waste_sampled_interval(uint64_t whole, uint64_t squares, uint64_t wasted_squares, double confidence,
                            struct waste_mean *mean)
{
    double p = mean->value, low, high;
    if (mean->has_interval || mean->runs != 1 || !(p >= 0 && p <= 1))
        return;
    double n = proportion_effective((double)whole, (double)squares, (double)wasted_squares, p);
    if (proportion_interval(p, n, confidence, &low, &high) != STATS_OK)
        return;
    mean->interval = (struct interval){p, low, high, (high - low) / 2};
    mean->has_interval = true;
}

/* The intervals of sampled runs, and of a single run in bursts. */
static void waste_kind_add_intervals(struct waste_kind *row, size_t runs, double confidence)
{
    /* Only the wasted part of the samples has its squares: the others are assumed to have the same size. */
    for (size_t r = 0; r < runs && row->traps > 0; r++) {
        const struct waste_sums *sums = &row->runs[r];
        if (sums->traps == 0)
            continue;
        uint64_t total = sums->total[VALUES_PRECISE] + sums->total[VALUES_APPROXIMATE];
        uint64_t squares = (uint64_t)((double)sums->squares * (double)total / (double)sums->bytes);
        waste_sampled_interval(total, squares, sums->wasted_squares, confidence, &row->fraction);
        waste_sampled_interval(sums->bytes, sums->squares, sums->wasted_squares, confidence, &row->pair_fraction);
    }

    struct windows all = {0}; /* all runs in bursts together */
    struct windows_share share;
    for (size_t r = 0; r < runs; r++)
        windows_join(&all, &row->runs[r].windows);
    row->bursts = (uint64_t)all.n;
    row->unseen = row->unseen_wasted = NAN;
    if (all.n == 0 || windows_share(&all, confidence, &share) != STATS_OK)
        return;
    row->unseen = share.unseen;
    row->unseen_wasted = share.q;
    if (row->fraction.runs != 1 || row->recorded != 1 || isnan(share.low))
        return;
    row->fraction.interval = (struct interval){share.share, share.low, share.high, (share.high - share.low) / 2};
    row->fraction.has_interval = true;
}

static int waste_kind_divide(struct waste_kind *row, size_t runs, const struct analysis_options *options)
{
    uint64_t *memory = calloc(PARTS * (runs + 1), sizeof *memory), *parts[PARTS];
    if (!memory)
        return ENOMEM;
    for (size_t p = 0; p < PARTS; p++)
        parts[p] = memory + p * (runs + 1);

    /* Numerators and denominators, by run; a run that did not record the kind has zeros. */
    for (size_t r = 0; r < runs; r++) {
        const struct waste_sums *sums = &row->runs[r];
        uint64_t wasted = sums->wasted[VALUES_PRECISE] + sums->wasted[VALUES_APPROXIMATE],
                 total = sums->total[VALUES_PRECISE] + sums->total[VALUES_APPROXIMATE];
        parts[WASTED_PRECISE][r] = sums->wasted[VALUES_PRECISE];
        parts[WASTED_APPROX][r] = sums->wasted[VALUES_APPROXIMATE];
        parts[WASTED][r] = parts[ESTIMATED][r] = wasted;
        parts[TOTAL_PRECISE][r] = sums->total[VALUES_PRECISE];
        parts[TOTAL_APPROX][r] = sums->total[VALUES_APPROXIMATE];
        parts[TOTAL][r] = parts[ESTIMATED_OF][r] = total;
        parts[PAIRED][r] = sums->bytes;
        if (sums->windows.n > 0) { /* in bursts: 0 of 0 if they saw nothing */
            struct windows_share share;
            bool known = total > 0 && windows_share(&sums->windows, 0.95, &share) == STATS_OK && !isnan(share.share);
            parts[ESTIMATED][r] = known ? (uint64_t)(share.share * (double)ESTIMATE_WHOLE) : 0;
            parts[ESTIMATED_OF][r] = known ? ESTIMATE_WHOLE : 0;
        }
        row->recorded += sums->recorded;
        row->events += sums->events;
        row->traps += sums->traps;
        row->bytes += total;
        row->wasted_bytes += wasted;
        row->exceeded |= wasted > total;
    }

    const struct {
        struct waste_mean *mean;
        size_t part, whole;
    } means[] = {{&row->fraction, ESTIMATED, ESTIMATED_OF},
                 {&row->pair_fraction, WASTED, PAIRED},
                 {&row->precise_fraction, WASTED_PRECISE, TOTAL_PRECISE},
                 {&row->approx_fraction, WASTED_APPROX, TOTAL_APPROX},
                 {&row->approx_part, WASTED_APPROX, TOTAL}};
    int error = 0;
    for (size_t i = 0; !error && i < sizeof means / sizeof *means; i++)
        error = waste_mean_over_runs(parts[means[i].part], parts[means[i].whole], runs, options, means[i].mean);
    free(memory);
    waste_kind_add_intervals(row, runs, options->confidence);
    return error;
}

static int waste_kind_compare(const void *a, const void *b)
{
    const struct waste_kind *x = a, *y = b;
    return x->waste != y->waste ? (x->waste < y->waste ? -1 : 1) : strcmp(x->thread, y->thread);
}

int waste_kinds(const struct waste *waste, const struct waste_group *group, bool threads,
                const struct analysis_options *options, struct waste_kinds *kinds)
{
    const size_t key_bytes = offsetof(struct waste_kind, thread_text) + sizeof(uint32_t);
    *kinds = (struct waste_kinds){.rows = {.item_bytes = sizeof(struct waste_kind), .key_bytes = key_bytes},
                                  .run_count = group->run_count};
    int error = 0;
    for (uint32_t w = 0; w < WASTE_COUNT; w++) {
        kinds->order[w] = KEYED_FULL;
        /* Without threads, a run that recorded a kind has a row for it, even if nothing was found. */
        for (size_t r = 0; !error && !threads && r < group->run_count; r++) {
            bool recorded = group->kinds[r] >> w & 1;
            struct waste_kind *row = recorded ? waste_kind_row(kinds, w, 0, "") : NULL;
            if (row)
                row->runs[r].recorded = true;
            error = recorded && !row ? ENOMEM : 0;
        }
    }
    for (size_t i = 0; !error && i < waste_count(waste, WASTE_TOTAL_ROWS); i++)
        error = waste_kind_add_total(waste, group, threads, waste_row(waste, WASTE_TOTAL_ROWS, i), kinds);
    for (size_t i = 0; !error && i < waste_count(waste, WASTE_PAIR_ROWS); i++)
        error = waste_kind_add_pair(waste, group, threads, waste_row(waste, WASTE_PAIR_ROWS, i), kinds);
    /* Bursts do not tell threads apart. */
    for (size_t i = 0; !error && !threads && i < waste_count(waste, WASTE_BURST_ROWS); i++) {
        const struct waste_burst *burst = waste_row(waste, WASTE_BURST_ROWS, i);
        size_t run = group->run_of[burst->source];
        struct waste_kind *row = run == SIZE_MAX ? NULL : waste_kind_row(kinds, burst->waste, 0, "");
        if (row)
            windows_join(&row->runs[run].windows, &burst->windows);
        error = row || run == SIZE_MAX ? 0 : ENOMEM;
    }

    if (!error && kinds->rows.count > 0)
        qsort(kinds->rows.items, kinds->rows.count, kinds->rows.item_bytes, waste_kind_compare);
    for (size_t i = 0; !error && i < kinds->rows.count; i++) {
        struct waste_kind *row = keyed_at(&kinds->rows, i);
        kinds->order[row->waste] = (uint32_t)i;
        error = waste_kind_divide(row, kinds->run_count, options);
    }
    return error;
}

void waste_kinds_free(struct waste_kinds *kinds)
{
    for (size_t i = 0; i < kinds->rows.count; i++)
        free(((struct waste_kind *)keyed_at(&kinds->rows, i))->runs);
    keyed_free(&kinds->rows);
}
