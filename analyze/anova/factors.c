#include "analyze/anova/factors.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/driver/tables/leave_out.h"
#include "base/text_set.h"
#include "table/model/p_text.h"

struct factors_row {
    const char *metric, *effect, *type, *p_text, *p_family_text;
    struct two_way_effect found;
    uint64_t dof;
    struct tail family; /* p, adjusted */
};

static const char log10_p_meaning[] = "The decimal logarithm of p; it stays exact where p is too small for a double.";

static const struct column columns[] = {
    COLUMN(factors_row, "metric", TABLE_TEXT, metric, "The column of values that the row is about."),
    COLUMN(
        factors_row, "effect", TABLE_TEXT, effect,
        "A factor, the interaction of both (A:B), or within: the spread within cells, which the effects are compared "
        "with."),
    COLUMN(factors_row, "type", TABLE_TEXT, type,
           "The type of the sum of squares: I, II or III (--type). It makes a difference only if cells have different "
           "numbers of values."),
    COLUMN(factors_row, "ss", TABLE_REAL, found.ss, "The sum of squares of the effect."),
    COLUMN(factors_row, "dof", TABLE_COUNT, dof, "Its degrees of freedom."),
    COLUMN(factors_row, "ms", TABLE_REAL, found.ms, "Its mean square: ss / dof.", .readers = COLUMN_MACHINE),
    COLUMN(factors_row, "f", TABLE_REAL, found.f, "ms / ms of the row within."),
    COLUMN(factors_row, "p", TABLE_REAL, found.p, "The p-value of the hypothesis that there is no such effect.",
           .readers = COLUMN_MACHINE),
    COLUMN(factors_row, "p", TABLE_TEXT, p_text, NULL, .readers = COLUMN_HUMAN),
    COLUMN(factors_row, "log10_p", TABLE_REAL, found.log10_p, log10_p_meaning, .readers = COLUMN_MACHINE),
    COLUMN(factors_row, "p_family", TABLE_REAL, family.p,
           "p, adjusted for the number of tests in the table by the method of --family.", .readers = COLUMN_MACHINE,
           .when = FACTORS_FAMILY),
    COLUMN(factors_row, "p_family", TABLE_TEXT, p_family_text, NULL, .readers = COLUMN_HUMAN, .when = FACTORS_FAMILY),
    COLUMN(factors_row, "log10_p_family", TABLE_REAL, family.log10_p, "Its decimal logarithm.",
           .readers = COLUMN_MACHINE, .when = FACTORS_FAMILY),
    COLUMN(factors_row, "eta2_partial", TABLE_REAL, found.eta2_partial,
           "Effect size: ss / (ss + ss of the row within), the share of variance in these values.",
           .readers = COLUMN_MACHINE),
    COLUMN(
        factors_row, "omega2", TABLE_REAL, found.omega2,
        "Effect size: an estimate of the effect's share of the total variance in the population. It is below 0 where "
        "f < 1. With different numbers of values in cells it is an approximation."),
    COLUMN(factors_row, "omega2_partial", TABLE_REAL, found.omega2_partial,
           "The same as a share of the variance that the other effects leave.")};

const struct columns factors_table = COLUMNS(
    "With --factors, for each metric a row for each factor, their interaction, and the spread within cells", columns);

/* Cells by the levels of both factors, in the order of their appearance. */
struct factors_cells {
    struct text_set levels[2];
    const char **names[2]; /* of the levels */
    size_t counts[2];
    struct group *cells; /* [counts[0] · counts[1]]; n is 0 without values */
};

static enum stats_status factors_fill(const struct metric *metric, struct factors_cells *found)
{
    size_t total = metric->groups->count;
    size_t(*positions)[2] = calloc(total + 1, sizeof *positions);
    bool good = positions != NULL;
    for (size_t f = 0; f < 2; f++) {
        found->names[f] = calloc(total + 1, sizeof *found->names[f]);
        good &= found->names[f] != NULL;
    }
    for (size_t g = 0; g < total && good; g++)
        for (size_t f = 0; f < 2 && good; f++) {
            const char *text = metric->groups->texts[g][f];
            uint32_t level = text_set_add_tuple(&found->levels[f], &text, 1);
            good = level != TEXT_SET_FULL;
            positions[g][f] = level;
            if (good && level == found->counts[f])
                found->names[f][found->counts[f]++] = text;
        }
    found->cells = good ? calloc(found->counts[0] * found->counts[1], sizeof *found->cells) : NULL;
    for (size_t g = 0; g < total && found->cells; g++)
        found->cells[positions[g][0] * found->counts[1] + positions[g][1]] = metric->group[g];
    free(positions);
    return found->cells ? STATS_OK : STATS_NO_MEMORY;
}

static void factors_free(struct factors_cells *found)
{
    for (size_t f = 0; f < 2; f++) {
        text_set_free(&found->levels[f]);
        free(found->names[f]);
    }
    free(found->cells);
}

static void factors_explain(const struct metric *metric, const struct factors_cells *found, enum stats_status status,
                            struct report *report, struct error_text *first)
{
    size_t count = found->counts[0] * found->counts[1], empty = 0, example = 0;
    const char *const *names = metric->groups->columns.groups;
    for (size_t i = count; i-- > 0;)
        if (found->cells[i].n == 0) {
            example = i;
            empty++;
        }
    if (empty > 0)
        leave_out(report, first, metric->name, "",
                  "no values with %s %s and %s %s (empty cells: %zu of %zu): without them main effects and the "
                  "interaction are not defined; leave such a level out",
                  names[0], found->names[0][example / found->counts[1]], names[1],
                  found->names[1][example % found->counts[1]], empty, count);
    else if (found->counts[0] < 2 || found->counts[1] < 2)
        leave_out(report, first, metric->name, "", "%s has only one level, %s", names[found->counts[0] < 2 ? 0 : 1],
                  found->names[found->counts[0] < 2 ? 0 : 1][0]);
    else if (status == STATS_TOO_FEW)
        leave_out(report, first, metric->name, "",
                  "each cell has one value, which says nothing about the spread within cells");
    else if (status == STATS_CONSTANT)
        leave_out(report, first, metric->name, "",
                  "constant within cells: there is no spread to compare the means with");
    else
        leave_out(report, first, metric->name, "", "%s", stats_status_text(status));
}

static enum stats_status factors_add_rows(struct factors_rows *rows, const struct metric *metric,
                                          const struct two_way *found)
{
    static const char *const types[] = {[TWO_WAY_I] = "I", [TWO_WAY_II] = "II", [TWO_WAY_III] = "III"};
    const char *const *names = metric->groups->columns.groups;
    struct factors_row *items = realloc(rows->items, (rows->count + TWO_WAY_EFFECTS + 1) * sizeof *items);
    if (!items)
        return STATS_NO_MEMORY;
    rows->items = items;
    rows->balanced &= found->balanced;
    snprintf(rows->interaction, sizeof rows->interaction, "%s:%s", names[0], names[1]);
    const char *const effects[] = {
        [TWO_WAY_ROWS] = names[0], [TWO_WAY_COLUMNS] = names[1], [TWO_WAY_INTERACTION] = rows->interaction};
    for (size_t i = 0; i < TWO_WAY_EFFECTS; i++)
        items[rows->count++] = (struct factors_row){.metric = metric->name,
                                                    .effect = effects[i],
                                                    .type = types[rows->type],
                                                    .found = found->effects[i],
                                                    .dof = (uint64_t)found->effects[i].dof};
    items[rows->count++] = (struct factors_row){
        .metric = metric->name,
        .effect = "within",
        .found = {found->ss_within, found->dof_within, found->ms_within, NAN, NAN, NAN, NAN, NAN, NAN},
        .dof = (uint64_t)found->dof_within};
    return STATS_OK;
}

enum stats_status factors_add(struct factors_rows *rows, const struct metric *metric, struct report *report,
                              struct error_text *first)
{
    struct factors_cells cells = {.cells = NULL};
    struct two_way found;
    enum stats_status status = factors_fill(metric, &cells);
    if (!status) {
        status = two_way_anova(cells.cells, cells.counts[0], cells.counts[1], rows->type, &found);
        if (!status) {
            status = factors_add_rows(rows, metric, &found);
        } else if (status != STATS_NO_MEMORY) {
            factors_explain(metric, &cells, status, report, first);
            status = STATS_OK;
        }
    }
    factors_free(&cells);
    return status;
}

/* Adjusts the p of all effects; the rows within have none. */
static enum stats_status factors_adjust(struct factors_rows *rows, enum family_method family, struct report *report)
{
    size_t tests = 0;
    struct tail *p = calloc(rows->count + 1, sizeof *p);
    for (size_t i = 0; p && i < rows->count; i++)
        if (rows->items[i].type)
            p[tests++] = (struct tail){rows->items[i].found.p, rows->items[i].found.log10_p};
    enum stats_status status = p ? family_adjust(family, p, tests, p) : STATS_NO_MEMORY;
    for (size_t i = 0, test = 0; !status && i < rows->count; i++)
        if (rows->items[i].type)
            rows->items[i].family = p[test++];
    free(p);
    if (!status)
        report_note(report, "p_family: p adjusted by %s for the %zu tests of this table", family_name(family), tests);
    return status;
}

static void factors_note(enum two_way_type type, bool balanced, struct report *report)
{
    static const char *const notes[] = {[TWO_WAY_I] =
                                            "type I adjusts the second factor for the first, and that one for "
                                            "nothing",
                                        [TWO_WAY_II] = "type II adjusts each factor for the other, but not for the "
                                                       "interaction",
                                        [TWO_WAY_III] = "type III compares unweighted means of cells"};
    if (balanced)
        report_note(report, "all cells have equally many values, so all types of sums of squares agree");
    else
        report_note(report,
                    "cells have different numbers of values, so --type makes a difference: %s; omega2 is an "
                    "approximation",
                    notes[type]);
}

enum stats_status factors_report(struct factors_rows *rows, const enum family_method *family, struct report *report)
{
    if (rows->count == 0)
        return STATS_OK;
    enum stats_status status = family ? factors_adjust(rows, *family, report) : STATS_OK;
    for (size_t i = 0; i < rows->count && !status; i++) {
        struct factors_row *row = &rows->items[i];
        char p[P_TEXT_MAX], p_family[P_TEXT_MAX];
        p_text(row->found.p, row->found.log10_p, p);
        p_text(row->family.p, row->family.log10_p, p_family);
        row->p_text = row->type ? p : NULL;
        row->p_family_text = row->type ? p_family : NULL;
        if (!row->type)
            row->family = (struct tail){NAN, NAN};
        report_row(report, row);
    }
    if (!status)
        factors_note(rows->type, rows->balanced, report);
    return status;
}

void factors_rows_free(struct factors_rows *rows)
{
    free(rows->items);
    *rows = (struct factors_rows){0};
}
