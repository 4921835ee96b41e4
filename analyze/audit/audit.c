#include "analyze/audit/audit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/estimates/proportion.h"

const char *const audit_way_names[AUDIT_WAYS] = {"samples", "common", "bursts"};

static const char *audit_source_label(const struct waste *waste, size_t source, enum run_label label)
{
    const struct waste_source *item = waste_row(waste, WASTE_SOURCE_ROWS, source);
    return waste_text(waste, item->labels[label]);
}

/* ------------------------------------------------------------------------------------------ values -- */

/* Means over runs need separate runs: they are identified by their text. */
struct sums {
    double bytes, wasted, squares, wasted_squares;
    uint64_t traps;
    bool recorded;
};

static struct sums audit_sum_pairs(const struct audit_comparison *comparison, uint8_t role)
{
    const struct waste *waste = comparison->waste;
    struct sums sums = {0};
    for (size_t i = 0; i < waste_count(waste, WASTE_SOURCE_ROWS); i++)
        sums.recorded |=
            comparison->roles[i] == role &&
            ((const struct waste_source *)waste_row(waste, WASTE_SOURCE_ROWS, i))->kinds >> comparison->kind & 1;
    for (size_t i = 0; i < waste_count(waste, WASTE_PAIR_ROWS); i++) {
        const struct waste_pair *pair = waste_row(waste, WASTE_PAIR_ROWS, i);
        if (comparison->roles[pair->source] != role || pair->waste != comparison->kind)
            continue;
        sums.bytes += (double)pair->bytes;
        sums.wasted += (double)(pair->wasted[VALUES_PRECISE] + pair->wasted[VALUES_APPROXIMATE]);
        sums.squares += (double)pair->squares;
        sums.wasted_squares += (double)pair->wasted_squares;
        sums.traps += pair->traps;
    }
    return sums;
}

/* The same of the pairs of lines that both kinds of runs have. */
static int audit_sum_common_pairs(const struct audit_comparison *comparison, struct sums *exact, struct sums *other)
{
    struct keyed pairs;
    int error = audit_pairs(comparison, true, &pairs);
    *exact = *other = (struct sums){.recorded = true};
    for (size_t i = 0; i < pairs.count; i++) {
        const struct audit_pair *pair = keyed_at(&pairs, i);
        if (pair->bytes[AUDIT_EXACT] == 0 || pair->bytes[AUDIT_OTHER] == 0)
            continue;
        exact->bytes += pair->bytes[AUDIT_EXACT];
        exact->wasted += pair->wasted[AUDIT_EXACT];
        other->bytes += pair->bytes[AUDIT_OTHER];
        other->wasted += pair->wasted[AUDIT_OTHER];
        other->squares += pair->squares;
        other->wasted_squares += pair->wasted_squares;
        other->traps += pair->traps;
    }
    keyed_free(&pairs);
    return error;
}

/* Bursts: the shares of all bytes that were loaded or stored. False if there are no bursts. */
static bool audit_set_burst_values(const struct audit_comparison *comparison, double wasted, double confidence,
                                   struct audit_row *row)
{
    const struct waste *waste = comparison->waste;
    struct windows_share share = {.share = NAN, .low = NAN, .high = NAN, .unseen = NAN};
    struct windows bursts = {0};
    for (size_t i = 0; i < waste_count(waste, WASTE_BURST_ROWS); i++) {
        const struct waste_burst *burst = waste_row(waste, WASTE_BURST_ROWS, i);
        if (comparison->roles[burst->source] == AUDIT_OTHER && burst->waste == comparison->kind)
            windows_join(&bursts, &burst->windows);
    }
    if (bursts.n == 0)
        return false;

    double all = 0;
    for (size_t i = 0; i < waste_count(waste, WASTE_TOTAL_ROWS); i++) {
        const struct waste_total *total = waste_row(waste, WASTE_TOTAL_ROWS, i);
        for (size_t v = 0; v < VALUES_COUNT && comparison->roles[total->source] == AUDIT_EXACT; v++)
            all += (double)total->bytes[waste_access(comparison->kind)][v];
    }
    windows_share(&bursts, confidence, &share);
    row->exact = all > 0 ? wasted / all : NAN;
    row->sampled = share.share;
    row->low = share.low;
    row->high = share.high;
    row->unseen = share.unseen;
    row->bursts = (uint64_t)bursts.n;
    return true;
}

/* ------------------------------------------------------------------------------------------ bias -- */

/* The bias of samples, over all programs but one (NULL: all). NaN if there is none. */
static double audit_bias_without(const struct audit *audit, const char *program)
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

static void audit_widen_intervals(struct audit *audit, double confidence)
{
    audit->bias = audit_bias_without(audit, NULL);
    for (size_t i = 0; i < audit->count; i++) {
        struct audit_row *row = &audit->rows[i];
        double bias = row->way == AUDIT_SAMPLES ? audit_bias_without(audit, row->program) : NAN;
        row->wide_low = row->low;
        row->wide_high = row->high;
        if (proportion_widen(row->sampled, bias, confidence, &row->wide_low, &row->wide_high) != STATS_OK)
            row->wide_low = row->wide_high = NAN;
        row->wide_covered = row->wide_low <= row->exact && row->exact <= row->wide_high;
    }
}

/* ------------------------------------------------------------------------------------------ rows -- */

/* The role of each source when `way` of a program is compared with full runs. Whether the program was recorded both in
 * full (*java: by engine rewrite) and in this way. */
static bool audit_set_roles(const struct waste *waste, const char *program, enum audit_way way, uint8_t *roles,
                            bool *java)
{
    bool seen[AUDIT_ROLES] = {false};
    *java = false;
    for (size_t i = 0; i < waste_count(waste, WASTE_SOURCE_ROWS); i++) {
        const char *engine = audit_source_label(waste, i, RUN_LABEL_ENGINE);
        bool rewrite = strcmp(engine, "rewrite") == 0, exact = rewrite || strcmp(engine, "exact") == 0, bursts = false;
        for (size_t b = 0; exact && b < waste_count(waste, WASTE_BURST_ROWS); b++)
            bursts |= ((const struct waste_burst *)waste_row(waste, WASTE_BURST_ROWS, b))->source == i;
        if (strcmp(audit_source_label(waste, i, RUN_LABEL_PROGRAM), program) != 0)
            roles[i] = AUDIT_NEITHER;
        else if (exact && !bursts)
            roles[i] = AUDIT_EXACT;
        else
            roles[i] = *engine && bursts == (way == AUDIT_BURSTS) ? AUDIT_OTHER : AUDIT_NEITHER;
        seen[roles[i]] = true;
        *java |= roles[i] == AUDIT_EXACT && rewrite;
    }
    return seen[AUDIT_EXACT] && seen[AUDIT_OTHER] && (*java || way != AUDIT_COMMON);
}

static int audit_add_comparison(const struct audit_comparison *comparison, const char *program, double confidence,
                                struct audit *audit)
{
    struct sums exact = audit_sum_pairs(comparison, AUDIT_EXACT), other = audit_sum_pairs(comparison, AUDIT_OTHER);
    struct audit_row row = {
        .program = program, .way = comparison->way, .waste = comparison->kind, .low = NAN, .high = NAN, .unseen = NAN};
    if (!exact.recorded || !other.recorded)
        return 0;
    if (comparison->way == AUDIT_BURSTS) {
        if (!audit_set_burst_values(comparison, exact.wasted, confidence, &row))
            return 0;
    } else {
        int error = comparison->way == AUDIT_COMMON ? audit_sum_common_pairs(comparison, &exact, &other) : 0;
        if (error)
            return error;
        row.exact = exact.bytes > 0 ? exact.wasted / exact.bytes : NAN;
        row.sampled = other.bytes > 0 ? other.wasted / other.bytes : NAN;
        row.traps = other.traps;
        double n = proportion_effective(other.bytes, other.squares, other.wasted_squares, row.sampled);
        if (isfinite(row.sampled))
            proportion_interval(row.sampled, n, confidence, &row.low, &row.high);
        row.variance = row.sampled * (1 - row.sampled) / n;
    }
    row.covered = row.low <= row.exact && row.exact <= row.high;
    int error = audit_compare_pairs(comparison, &row);
    if (!error)
        error = audit_miss(comparison, &row.missed);
    audit->rows[audit->count++] = row;
    return error;
}

/* A program in one way. */
static int audit_add_program(struct audit_comparison comparison, const char *program, const struct audit_wish *wish,
                             double confidence, struct audit *audit)
{
    struct audit_match *match = audit_match_new(comparison.waste, comparison.roles, comparison.java);
    bool lists = wish->singles && comparison.way == AUDIT_SAMPLES;
    int error = match ? 0 : ENOMEM;
    comparison.match = match;
    for (comparison.kind = 0; !error && comparison.kind < WASTE_COUNT; comparison.kind++) {
        size_t before = audit->count;
        error = audit_add_comparison(&comparison, program, confidence, audit);
        if (!error && lists && audit->count > before)
            error = audit_list_singles(&comparison, program, wish, audit);
    }
    audit_match_free(match);
    return error;
}

static int audit_compare_texts(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

static int audit_compare_rows(const void *a, const void *b)
{
    const struct audit_row *x = a, *y = b;
    int order = strcmp(x->program, y->program);
    if (order == 0 && x->waste != y->waste)
        return x->waste < y->waste ? -1 : 1;
    return order ? order : (x->way > y->way) - (x->way < y->way);
}

int audit_rows(const struct waste *waste, const struct analysis_options *options, const struct audit_wish *wish,
               struct audit *audit)
{
    size_t count = waste_count(waste, WASTE_SOURCE_ROWS);
    const char **programs = calloc(count + 1, sizeof *programs);
    uint8_t *roles = calloc(count + 1, 1);
    *audit = (struct audit){.rows = calloc(count * WASTE_COUNT * AUDIT_WAYS + 1, sizeof *audit->rows)};
    int error = programs && roles && audit->rows ? 0 : ENOMEM;
    for (size_t i = 0; !error && i < count; i++)
        programs[i] = audit_source_label(waste, i, RUN_LABEL_PROGRAM);
    if (!error)
        qsort(programs, count, sizeof *programs, audit_compare_texts);
    for (size_t i = 0; !error && i < count; i++) {
        bool matched = false, java;
        if (i > 0 && strcmp(programs[i], programs[i - 1]) == 0)
            continue;
        for (unsigned way = 0; !error && way < AUDIT_WAYS; way++)
            if (audit_set_roles(waste, programs[i], way, roles, &java)) {
                matched = true;
                error = audit_add_program(
                    (struct audit_comparison){.waste = waste, .roles = roles, .way = way, .java = java}, programs[i],
                    wish, options->confidence, audit);
            }
        audit->unmatched += !matched;
    }
    if (!error) {
        qsort(audit->rows, audit->count, sizeof *audit->rows, audit_compare_rows);
        audit_widen_intervals(audit, options->confidence);
    }
    free(programs);
    free(roles);
    return error;
}

void audit_free(struct audit *audit)
{
    free(audit->rows);
    free(audit->singles);
    *audit = (struct audit){0};
}
