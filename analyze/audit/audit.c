#include "analyze/audit/audit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/estimates/proportion.h"

enum { NEITHER, EXACT, SAMPLED, ENGINES };
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

/* ------------------------------------------------------------------------------------------ bias -- */

/* Over all programs but one (NULL: all). NaN if there is none. */
static double bias_without(const struct audit *audit, const char *program)
{
    double squares = 0;
    size_t count = 0;
    for (size_t i = 0; i < audit->count; i++) {
        const struct audit_row *row = &audit->rows[i];
        double error = row->sampled - row->exact;
        if (!isfinite(error) || (program && strcmp(program, row->program) == 0))
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
        double bias = bias_without(audit, row->program);
        row->wide_low = row->low;
        row->wide_high = row->high;
        if (proportion_widen(row->sampled, bias, confidence, &row->wide_low, &row->wide_high) != STATS_OK)
            row->wide_low = row->wide_high = NAN;
        row->wide_covered = row->wide_low <= row->exact && row->exact <= row->wide_high;
    }
}

/* ------------------------------------------------------------------------------------------ rows -- */

static uint8_t engine_of(const struct waste *waste, size_t source)
{
    const char *engine = label_of(waste, source, LABEL_ENGINE);
    return strcmp(engine, "exact") == 0 ? EXACT : *engine ? SAMPLED : NEITHER;
}

/* Whether both engines recorded the program. */
static bool mark_sources(const struct waste *waste, const char *program, uint8_t *sources)
{
    bool seen[ENGINES] = {false};
    for (size_t i = 0; i < waste->sources.count; i++) {
        bool same = strcmp(label_of(waste, i, LABEL_PROGRAM), program) == 0;
        sources[i] = same ? engine_of(waste, i) : NEITHER;
        seen[sources[i]] = true;
    }
    return seen[EXACT] && seen[SAMPLED];
}

static int add_program(const struct waste *waste, const struct audit_tree *tree, const char *program,
                       const uint8_t *sources, double confidence, struct audit *audit)
{
    for (uint32_t kind = 0; kind < WASTE_COUNT; kind++) {
        struct sums exact = add_up(waste, sources, EXACT, kind), sampled = add_up(waste, sources, SAMPLED, kind);
        if (!exact.recorded || !sampled.recorded)
            continue;
        struct audit_row *row = &audit->rows[audit->count++];
        *row = (struct audit_row){.program = program, .waste = kind};
        set_values(&exact, &sampled, confidence, row);
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

int audit_rows(const struct waste *waste, const struct analysis_options *options, struct audit *audit)
{
    size_t count = waste->sources.count;
    const char **programs = calloc(count + 1, sizeof *programs);
    uint8_t *sources = calloc(count + 1, 1);
    *audit = (struct audit){.rows = calloc(count * WASTE_COUNT + 1, sizeof *audit->rows)};
    int error = programs && sources && audit->rows ? 0 : ENOMEM;
    for (size_t i = 0; !error && i < count; i++) {
        programs[i] = label_of(waste, i, LABEL_PROGRAM);
        sources[i] = engine_of(waste, i);
    }
    struct audit_tree *tree = error ? NULL : audit_tree_new(waste, sources);
    error = tree ? error : ENOMEM;
    if (!error)
        qsort(programs, count, sizeof *programs, by_text);
    for (size_t i = 0; !error && i < count; i++) {
        if (i > 0 && strcmp(programs[i], programs[i - 1]) == 0)
            continue;
        if (mark_sources(waste, programs[i], sources))
            error = add_program(waste, tree, programs[i], sources, options->confidence, audit);
        else
            audit->unmatched++;
    }
    if (!error)
        widen(audit, options->confidence);
    audit_tree_free(tree);
    free(programs);
    free(sources);
    return error;
}

void audit_free(struct audit *audit)
{
    free(audit->rows);
    *audit = (struct audit){0};
}
