#include "analyze/audit/audit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/estimates/proportion.h"

enum { NEITHER, EXACT, OTHER, ROLES };
enum { LABEL_PROGRAM = 0, LABEL_ENGINE = 2 };

static const char *label_of(const struct waste *waste, size_t source, size_t label)
{
    const struct waste_source *item = keyed_at(&waste->sources, source);
    return waste->texts.texts[item->labels[label]];
}

/* ------------------------------------------------------------------------------------------ values -- */

/* Means over runs need separate runs: they are identified by their text. */
struct sums {
    double bytes, wasted, squares, wasted_squares;
    uint64_t traps;
    bool recorded;
};

static struct sums add_up(const struct waste *waste, const uint8_t *sources, uint8_t engine, uint32_t kind)
{
    struct sums sums = {0};
    for (size_t i = 0; i < waste->sources.count; i++)
        sums.recorded |=
            sources[i] == engine && ((const struct waste_source *)keyed_at(&waste->sources, i))->kinds >> kind & 1;
    for (size_t i = 0; i < waste->pairs.count; i++) {
        const struct waste_pair *pair = keyed_at(&waste->pairs, i);
        if (sources[pair->source] != engine || pair->waste != kind)
            continue;
        sums.bytes += (double)pair->bytes;
        sums.wasted += (double)(pair->wasted[VALUES_PRECISE] + pair->wasted[VALUES_APPROXIMATE]);
        sums.squares += (double)pair->squares;
        sums.wasted_squares += (double)pair->wasted_squares;
        sums.traps += pair->traps;
    }
    return sums;
}

static void set_values(const struct sums *exact, const struct sums *sampled, double confidence, struct audit_row *row)
{
    row->exact = exact->bytes > 0 ? exact->wasted / exact->bytes : NAN;
    row->sampled = sampled->bytes > 0 ? sampled->wasted / sampled->bytes : NAN;
    row->traps = sampled->traps;
    row->low = row->high = NAN;
    double n = proportion_effective(sampled->bytes, sampled->squares, sampled->wasted_squares, row->sampled);
    if (isfinite(row->sampled))
        proportion_interval(row->sampled, n, confidence, &row->low, &row->high);
    row->covered = row->low <= row->exact && row->exact <= row->high;
    row->variance = row->sampled * (1 - row->sampled) / n;
}

/* The share of wasted bytes among all that these sources, in full runs, loaded or stored. */
static double share_of_all(const struct waste *waste, const uint8_t *sources, uint32_t kind, double wasted)
{
    double all = 0;
    for (size_t i = 0; i < waste->totals.count; i++) {
        const struct waste_total *total = keyed_at(&waste->totals, i);
        for (size_t v = 0; v < VALUES_COUNT && sources[total->source] == EXACT; v++)
            all += (double)total->bytes[waste_access(kind)][v];
    }
    return all > 0 ? wasted / all : NAN;
}

static struct windows bursts_of(const struct waste *waste, const uint8_t *sources, uint32_t kind)
{
    struct windows all = {0};
    for (size_t i = 0; i < waste->bursts.count; i++) {
        const struct waste_burst *burst = keyed_at(&waste->bursts, i);
        if (sources[burst->source] == OTHER && burst->waste == kind)
            windows_join(&all, &burst->windows);
    }
    return all;
}

static void set_burst_values(const struct windows *bursts, double exact, double confidence, struct audit_row *row)
{
    struct windows_share share = {.share = NAN, .low = NAN, .high = NAN, .unseen = NAN};
    windows_share(bursts, confidence, &share);
    row->exact = exact;
    row->sampled = share.share;
    row->low = share.low;
    row->high = share.high;
    row->covered = row->low <= row->exact && row->exact <= row->high;
    row->unseen = share.unseen;
    row->bursts = (uint64_t)bursts->n;
}

/* ------------------------------------------------------------------------------------------ bias -- */

/* Of samples, over all programs but one (NULL: all). NaN if there is none. */
static double bias_without(const struct audit *audit, const char *program)
{
    double squares = 0;
    size_t count = 0;
    for (size_t i = 0; i < audit->count; i++) {
        const struct audit_row *row = &audit->rows[i];
        double error = row->sampled - row->exact;
        if (!isfinite(error) || row->way != AUDIT_SAMPLES || (program && strcmp(program, row->program) == 0))
            continue;
        squares += error * error - row->variance;
        count++;
    }
    return count > 0 ? sqrt(fmax(0, squares / (double)count)) : NAN;
}

static void widen(struct audit *audit, double confidence)
{
    audit->bias = bias_without(audit, NULL);
    for (size_t i = 0; i < audit->count; i++) {
        struct audit_row *row = &audit->rows[i];
        double bias = row->way == AUDIT_SAMPLES ? bias_without(audit, row->program) : NAN;
        row->wide_low = row->low;
        row->wide_high = row->high;
        if (proportion_widen(row->sampled, bias, confidence, &row->wide_low, &row->wide_high) != STATS_OK)
            row->wide_low = row->wide_high = NAN;
        row->wide_covered = row->wide_low <= row->exact && row->exact <= row->wide_high;
    }
}

/* ------------------------------------------------------------------------------------------ rows -- */

static bool has_bursts(const struct waste *waste, size_t source)
{
    for (size_t i = 0; i < waste->bursts.count; i++)
        if (((const struct waste_burst *)keyed_at(&waste->bursts, i))->source == source)
            return true;
    return false;
}

/* The role of a source when `way` is compared with full runs. */
static uint8_t role_of(const struct waste *waste, size_t source, enum audit_way way)
{
    const char *engine = label_of(waste, source, LABEL_ENGINE);
    bool exact = strcmp(engine, "exact") == 0, bursts = exact && has_bursts(waste, source);
    if (exact && !bursts)
        return EXACT;
    return *engine && bursts == (way == AUDIT_BURSTS) ? OTHER : NEITHER;
}

/* Whether the program was recorded both in full and in this way. NULL: roles of all programs. */
static bool mark_sources(const struct waste *waste, const char *program, enum audit_way way, uint8_t *sources)
{
    bool seen[ROLES] = {false};
    for (size_t i = 0; i < waste->sources.count; i++) {
        bool same = !program || strcmp(label_of(waste, i, LABEL_PROGRAM), program) == 0;
        sources[i] = same ? role_of(waste, i, way) : NEITHER;
        seen[sources[i]] = true;
    }
    return seen[EXACT] && seen[OTHER];
}

static int add_program(const struct waste *waste, const struct audit_tree *tree, const char *program,
                       const uint8_t *sources, enum audit_way way, double confidence, struct audit *audit)
{
    for (uint32_t kind = 0; kind < WASTE_COUNT; kind++) {
        struct sums exact = add_up(waste, sources, EXACT, kind), other = add_up(waste, sources, OTHER, kind);
        struct windows bursts = bursts_of(waste, sources, kind);
        if (!exact.recorded || !other.recorded || (way == AUDIT_BURSTS && bursts.n == 0))
            continue;
        struct audit_row *row = &audit->rows[audit->count++];
        *row = (struct audit_row){.program = program, .way = way, .waste = kind, .unseen = NAN};
        if (way == AUDIT_BURSTS)
            set_burst_values(&bursts, share_of_all(waste, sources, kind, exact.wasted), confidence, row);
        else
            set_values(&exact, &other, confidence, row);
        int error = audit_compare_pairs(tree, sources, row);
        if (error)
            return error;
    }
    return 0;
}

static int by_text(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

/* The rows of a way. */
static int add_way(const struct waste *waste, const char *const *programs, enum audit_way way, uint8_t *sources,
                   double confidence, struct audit *audit)
{
    size_t count = waste->sources.count;
    mark_sources(waste, NULL, way, sources);
    struct audit_tree *tree = audit_tree_new(waste, sources);
    int error = tree ? 0 : ENOMEM;
    for (size_t i = 0; !error && i < count; i++)
        if ((i == 0 || strcmp(programs[i], programs[i - 1]) != 0) && mark_sources(waste, programs[i], way, sources))
            error = add_program(waste, tree, programs[i], sources, way, confidence, audit);
    audit_tree_free(tree);
    return error;
}

static int by_program(const void *a, const void *b)
{
    const struct audit_row *x = a, *y = b;
    int order = strcmp(x->program, y->program);
    if (order == 0 && x->waste != y->waste)
        return x->waste < y->waste ? -1 : 1;
    return order ? order : (x->way > y->way) - (x->way < y->way);
}

/* Programs that have no row: they were recorded in full only, or never. */
static size_t count_unmatched(const char *const *programs, size_t count, uint8_t *sources, const struct waste *waste)
{
    size_t unmatched = 0;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(programs[i], programs[i - 1]) != 0)
            unmatched += !mark_sources(waste, programs[i], AUDIT_SAMPLES, sources) &&
                         !mark_sources(waste, programs[i], AUDIT_BURSTS, sources);
    return unmatched;
}

int audit_rows(const struct waste *waste, const struct analysis_options *options, struct audit *audit)
{
    size_t count = waste->sources.count;
    const char **programs = calloc(count + 1, sizeof *programs);
    uint8_t *sources = calloc(count + 1, 1);
    *audit = (struct audit){.rows = calloc(count * WASTE_COUNT * AUDIT_WAYS + 1, sizeof *audit->rows)};
    int error = programs && sources && audit->rows ? 0 : ENOMEM;
    for (size_t i = 0; !error && i < count; i++)
        programs[i] = label_of(waste, i, LABEL_PROGRAM);
    if (!error)
        qsort(programs, count, sizeof *programs, by_text);
    for (unsigned way = 0; !error && way < AUDIT_WAYS; way++)
        error = add_way(waste, programs, way, sources, options->confidence, audit);
    if (!error) {
        audit->unmatched = count_unmatched(programs, count, sources, waste);
        qsort(audit->rows, audit->count, sizeof *audit->rows, by_program);
        widen(audit, options->confidence);
    }
    free(programs);
    free(sources);
    return error;
}

void audit_free(struct audit *audit)
{
    free(audit->rows);
    *audit = (struct audit){0};
}
