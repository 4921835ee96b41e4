/* The totals of both versions: loads, stores, kinds and CPU time. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/waste/baseline/waste_baseline.h"

/* One value for each run of both versions. */
struct run_values {
    double *items[WASTE_VERSIONS];
    size_t counts[WASTE_VERSIONS];
};

static int run_values_init(const struct waste_compared *compared, struct run_values *values)
{
    *values = (struct run_values){{NULL}, {0}};
    for (size_t v = 0; v < WASTE_VERSIONS; v++) {
        const struct waste_version_state *version = &compared->versions[v];
        values->items[v] = calloc(version->group->run_count + 1, sizeof *values->items[v]);
        if (!values->items[v])
            return ENOMEM;
    }
    return 0;
}

static void run_values_free(struct run_values *values)
{
    for (size_t v = 0; v < WASTE_VERSIONS; v++)
        free(values->items[v]);
}

static void run_values_compare(const struct waste_compared *compared, const struct run_values *values, bool has_ratio,
                               struct waste_change *change)
{
    const struct analysis_options *options = compared->report->options;
    const double *old = values->items[WASTE_OLD], *new = values->items[WASTE_CURRENT];
    size_t n = values->counts[WASTE_OLD], m = values->counts[WASTE_CURRENT];
    waste_change_of_runs(old, n, new, m, options, change);
    if (has_ratio)
        waste_change_add_ratio(old, n, new, m, options->confidence, change);
}

/* The kinds that are compared and about this kind of access. */
static uint32_t waste_compared_kinds(const struct waste_compared *compared, enum trace_access access)
{
    uint32_t kinds = 0;
    for (unsigned w = 0; w < WASTE_COUNT; w++)
        kinds |= waste_access(w) == access ? UINT32_C(1) << w : 0;
    return compared->kinds & kinds;
}

static const struct waste_sums *waste_version_sums(const struct waste_version_state *version, unsigned kind, size_t run)
{
    uint32_t row = version->kinds.order[kind];
    const struct waste_kind *found = row == KEYED_FULL ? NULL : keyed_at(&version->kinds.rows, row);
    return found && found->runs[run].recorded ? &found->runs[run] : NULL;
}

/* ------------------------------------------------------------------------------------------ loads and stores -- */

/* What each run loaded or stored, in bytes, and how many of these accesses are in pairs. */
static void waste_count_accesses(const struct waste_version_state *version, uint32_t kinds, bool events,
                                 enum waste_version v, struct run_values *values)
{
    values->counts[v] = 0;
    for (size_t r = 0; r < version->group->run_count; r++) {
        uint64_t most = 0;
        bool recorded = false;
        for (unsigned w = 0; w < WASTE_COUNT; w++) {
            const struct waste_sums *sums = kinds >> w & 1 ? waste_version_sums(version, w, r) : NULL;
            uint64_t bytes = sums ? sums->total[VALUES_PRECISE] + sums->total[VALUES_APPROXIMATE] : 0,
                     amount = sums && events ? sums->events : bytes;
            most = amount > most ? amount : most;
            recorded |= sums != NULL;
        }
        if (recorded)
            values->items[v][values->counts[v]++] = (double)most;
    }
}

static void waste_total_accesses(struct waste_compared *compared, enum trace_access access, struct run_values *values)
{
    static const char *const names[] = {[ACCESS_LOAD] = "loads", [ACCESS_STORE] = "stores"};
    uint32_t kinds = waste_compared_kinds(compared, access);
    if (kinds == 0 || compared->sampled || compared->bursts)
        return;
    for (int events = 0; events < 2; events++) {
        struct waste_change change;
        for (enum waste_version v = 0; v < WASTE_VERSIONS; v++)
            waste_count_accesses(&compared->versions[v], kinds, events, v, values);
        run_values_compare(compared, values, true, &change);
        if (change.old > 0 || change.new > 0)
            waste_baseline_add_total(compared, names[access], events ? QUANTITY_ACCESSES : QUANTITY_BYTES, &change);
    }
}

/* ------------------------------------------------------------------------------------------ kinds -- */

/* The fraction of one run, as in waste_rows.h; NaN: it is undefined. */
static double waste_run_fraction(const struct waste_sums *sums, bool of_pairs)
{
    struct windows_share share;
    double wasted = (double)(sums->wasted[VALUES_PRECISE] + sums->wasted[VALUES_APPROXIMATE]),
           total = (double)(sums->total[VALUES_PRECISE] + sums->total[VALUES_APPROXIMATE]);
    if (of_pairs)
        return sums->bytes > 0 ? wasted / (double)sums->bytes : NAN;
    if (sums->windows.n > 0)
        return total > 0 && windows_share(&sums->windows, 0.95, &share) == STATS_OK ? share.share : NAN;
    return total > 0 ? wasted / total : NAN;
}

static void waste_collect_kind(const struct waste_version_state *version, unsigned kind, enum waste_quantity quantity,
                               enum waste_version v, struct run_values *values)
{
    values->counts[v] = 0;
    for (size_t r = 0; r < version->group->run_count; r++) {
        const struct waste_sums *sums = waste_version_sums(version, kind, r);
        if (!sums)
            continue;
        double value = quantity == QUANTITY_WASTED
                           ? (double)(sums->wasted[VALUES_PRECISE] + sums->wasted[VALUES_APPROXIMATE])
                           : waste_run_fraction(sums, quantity == QUANTITY_PAIR_FRACTION);
        if (!isnan(value))
            values->items[v][values->counts[v]++] = value;
    }
}

/* The mean of a version, with the interval of a single run that was sampled or recorded in bursts. */
static const struct waste_mean *waste_kind_mean(const struct waste_version_state *version, unsigned kind, bool of_pairs)
{
    const struct waste_kind *row = keyed_at(&version->kinds.rows, version->kinds.order[kind]);
    return of_pairs ? &row->pair_fraction : &row->fraction;
}

static void waste_total_kind(struct waste_compared *compared, unsigned kind, struct run_values *values)
{
    const struct waste_version_state *versions = compared->versions;
    enum waste_quantity quantity = compared->sampled ? QUANTITY_PAIR_FRACTION : QUANTITY_FRACTION;
    struct waste_change change;
    for (enum waste_version v = 0; v < WASTE_VERSIONS; v++)
        waste_collect_kind(&versions[v], kind, quantity, v, values);
    run_values_compare(compared, values, false, &change);
    waste_change_add_interval(waste_kind_mean(&versions[WASTE_OLD], kind, compared->sampled),
                              waste_kind_mean(&versions[WASTE_CURRENT], kind, compared->sampled), &change);
    change.low = fmax(change.low, isnan(change.low) ? NAN : -1);
    change.high = fmin(change.high, isnan(change.high) ? NAN : 1);
    if (values->counts[WASTE_OLD] + values->counts[WASTE_CURRENT] > 0)
        waste_baseline_add_total(compared, trace_waste_name(kind), quantity, &change);
    if (compared->sampled || compared->bursts)
        return;
    for (enum waste_version v = 0; v < WASTE_VERSIONS; v++)
        waste_collect_kind(&versions[v], kind, QUANTITY_WASTED, v, values);
    run_values_compare(compared, values, true, &change);
    waste_baseline_add_total(compared, trace_waste_name(kind), QUANTITY_WASTED, &change);
}

int waste_baseline_totals(struct waste_compared *compared)
{
    struct run_values values;
    int error = run_values_init(compared, &values);
    for (enum trace_access access = 0; !error && access < ACCESS_COUNT; access++)
        waste_total_accesses(compared, access, &values);
    for (unsigned kind = 0; !error && kind < WASTE_COUNT; kind++)
        if (compared->kinds >> kind & 1)
            waste_total_kind(compared, kind, &values);
    run_values_free(&values);
    if (!error && compared->has_times) {
        const struct waste_version_state *old = &compared->versions[WASTE_OLD],
                                         *new = &compared->versions[WASTE_CURRENT];
        const struct run_values times = {{old->run_times, new->run_times}, {old->time_run_count, new->time_run_count}};
        struct waste_change *change = &compared->time;
        run_values_compare(compared, &times, true, change);
        double *const all[] = {&change->old, &change->new, &change->change, &change->low, &change->high};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            *all[i] /= 1e9;
        waste_baseline_add_total(compared, "CPU time", QUANTITY_SECONDS, change);
    }
    return error;
}
