#include "analyze/waste/waste_tables.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/waste/instruction.h"
#include "stats/estimates/proportion.h"

/* ------------------------------------------------------------------------------------------ tables -- */

static const struct table_column columns[][12] = {
    [WASTE_VIEW_KINDS] = {{"fraction", TABLE_SHARE},
                          {"lo", TABLE_SHARE},
                          {"hi", TABLE_SHARE},
                          {"pair_fraction", TABLE_SHARE},
                          {"bytes", TABLE_COUNT},
                          {"wasted_bytes", TABLE_COUNT},
                          {"precise_fraction", TABLE_SHARE},
                          {"approx_fraction", TABLE_SHARE},
                          {"events", TABLE_COUNT},
                          {"runs", TABLE_COUNT}},
    [WASTE_VIEW_PAIRS] = {{"fraction", TABLE_SHARE},
                          {"lo", TABLE_SHARE},
                          {"hi", TABLE_SHARE},
                          {"wasted_bytes", TABLE_COUNT},
                          {"first_context", TABLE_TEXT},
                          {"second_context", TABLE_TEXT},
                          {"scope", TABLE_TEXT}},
    [WASTE_VIEW_OBJECTS] = {{"object", TABLE_TEXT},
                            {"storage", TABLE_TEXT},
                            {"fraction", TABLE_SHARE},
                            {"lo", TABLE_SHARE},
                            {"hi", TABLE_SHARE},
                            {"wasted_bytes", TABLE_COUNT},
                            {"bytes", TABLE_COUNT}},
    [WASTE_VIEW_SCOPES] = {{"scope", TABLE_TEXT},
                           {"fraction", TABLE_SHARE},
                           {"lo", TABLE_SHARE},
                           {"hi", TABLE_SHARE},
                           {"wasted_bytes", TABLE_COUNT},
                           {"bytes", TABLE_COUNT}},
};

struct table *waste_table(const struct waste_request *request)
{
    enum waste_view view = request->view;
    struct table_column all[20];
    size_t count = 0;
    if (request->by)
        all[count++] = (struct table_column){request->by, TABLE_TEXT};
    if (view != WASTE_VIEW_KINDS)
        all[count++] = (struct table_column){"rank", TABLE_COUNT};
    all[count++] = (struct table_column){"kind", TABLE_TEXT};
    if (request->threads)
        all[count++] = (struct table_column){"thread", TABLE_TEXT};
    for (const struct table_column *column = columns[view]; column->name; column++)
        all[count++] = *column;
    if (request->sampled && view == WASTE_VIEW_KINDS) {
        all[count++] = (struct table_column){"pair_lo", TABLE_SHARE};
        all[count++] = (struct table_column){"pair_hi", TABLE_SHARE};
        all[count++] = (struct table_column){"traps", TABLE_COUNT};
    } else if (request->sampled && view == WASTE_VIEW_PAIRS) {
        all[count++] = (struct table_column){"first_instruction", TABLE_TEXT};
        all[count++] = (struct table_column){"second_instruction", TABLE_TEXT};
    }
    if (request->bursts && !request->threads && view == WASTE_VIEW_KINDS) {
        all[count++] = (struct table_column){"unseen", TABLE_SHARE};
        all[count++] = (struct table_column){"bursts", TABLE_COUNT};
    }
    if (request->by && view == WASTE_VIEW_KINDS)
        all[count++] = (struct table_column){"approx_part", TABLE_SHARE};
    return table_new(all, count);
}

static void print_mean(struct table *table, const struct waste_mean *mean)
{
    table_real(table, mean->value);
    table_real(table, mean->has_interval ? mean->interval.low : NAN);
    table_real(table, mean->has_interval ? mean->interval.high : NAN);
}

/* With the remaining bias of sampling, if the kind was sampled. */
static struct waste_mean with_bias(const struct waste_request *request, const struct waste_kind *row,
                                   struct waste_mean mean)
{
    if (row->traps > 0 && mean.has_interval)
        proportion_widen(mean.value, request->bias, request->confidence, &mean.interval.low, &mean.interval.high);
    return mean;
}

void waste_print_kinds(const struct waste_request *request, const struct waste_group *group,
                       const struct waste_kinds *kinds, struct table *table)
{
    for (size_t i = 0; i < kinds->rows.count; i++) {
        const struct waste_kind *row = keyed_at(&kinds->rows, i);
        if (request->kind != WASTE_COUNT && request->kind != row->waste)
            continue;
        struct waste_mean fraction = with_bias(request, row, row->fraction);
        struct waste_mean of_pairs = with_bias(request, row, row->pair_fraction);
        if (request->by)
            table_text(table, group->label);
        table_text(table, trace_waste_name(row->waste));
        if (request->threads)
            table_text(table, row->thread);
        print_mean(table, &fraction);
        table_real(table, row->pair_fraction.value);
        table_count(table, row->bytes);
        table_count(table, row->wasted_bytes);
        table_real(table, row->precise_fraction.value);
        table_real(table, row->approx_fraction.value);
        table_count(table, row->events);
        table_count(table, row->fraction.runs);
        if (request->sampled) {
            table_real(table, of_pairs.has_interval ? of_pairs.interval.low : NAN);
            table_real(table, of_pairs.has_interval ? of_pairs.interval.high : NAN);
            table_count(table, row->traps);
        }
        if (request->bursts && !request->threads) {
            table_real(table, row->bursts ? row->unseen : NAN);
            table_count(table, row->bursts);
        }
        if (request->by)
            table_real(table, row->approx_part.value);
    }
}

/* ------------------------------------------------------------------------------------------ places -- */

/* Where places are printed. */
struct page {
    const struct waste *waste;
    struct table *table;
    bool brief; /* for people */
};

/* 0 or ENOMEM. */
static int print_context(const struct page *page, uint32_t node)
{
    char text[WASTE_BRIEF_MAX], *chain = NULL;
    if (page->brief)
        waste_brief(page->waste, node, text);
    else if (!(chain = waste_chain(page->waste, node)))
        return ENOMEM;
    table_text(page->table, page->brief ? text : chain);
    free(chain);
    return 0;
}

static int print_scope(const struct page *page, uint32_t scope)
{
    if (scope)
        return print_context(page, scope);
    table_blank(page->table);
    return 0;
}

static int print_object(const struct page *page, uint32_t index)
{
    const struct waste_object *object = keyed_at(&page->waste->objects, index);
    int error = print_context(page, object->node);
    table_text(page->table, trace_object_kind_name(object->kind));
    return error;
}

/* Followed by "…": there are others. */
static void print_instruction(const struct page *page, const struct waste_place *row, size_t side)
{
    char text[INSTRUCTION_MAX + 8];
    uint32_t known = row->instructions[side];
    if (!known) {
        table_blank(page->table);
        return;
    }
    snprintf(text, sizeof text, "%s%s", page->waste->texts.texts[known - 1], row->several[side] ? " …" : "");
    table_text(page->table, text);
}

static int print_pair(const struct page *page, const struct waste_place *row)
{
    int error = print_context(page, row->first);
    if (!error)
        error = print_context(page, row->second);
    return error ? error : print_scope(page, row->scope);
}

static int print_place(const struct waste_request *request, const struct page *page, const char *label,
                       const struct waste_place *row, size_t rank)
{
    struct table *table = page->table;
    int error = 0;
    if (request->by)
        table_text(table, label);
    table_count(table, rank);
    table_text(table, trace_waste_name(row->waste));
    if (request->threads)
        table_text(table, page->waste->texts.texts[row->thread]);
    if (request->view == WASTE_VIEW_OBJECTS)
        error = print_object(page, row->object);
    else if (request->view == WASTE_VIEW_SCOPES)
        error = print_scope(page, row->scope);
    if (error)
        return error;
    print_mean(table, &row->fraction);
    table_count(table, row->wasted_bytes);
    if (request->view == WASTE_VIEW_PAIRS) {
        error = print_pair(page, row);
        for (size_t side = 0; !error && request->sampled && side < WASTE_SIDES; side++)
            print_instruction(page, row, side);
        return error;
    }
    table_count(table, row->bytes);
    return 0;
}

static void note_rest(const struct waste_request *request, struct report *report, const char *label,
                      const struct waste_places *places, size_t shown)
{
    static const char *const what[] = {
        [WASTE_VIEW_PAIRS] = "pairs", [WASTE_VIEW_OBJECTS] = "objects", [WASTE_VIEW_SCOPES] = "scopes"};
    uint64_t rest = 0;
    for (size_t i = shown; i < places->rows.count; i++)
        rest += ((const struct waste_place *)keyed_at(&places->rows, i))->wasted_bytes;
    if (shown < places->rows.count)
        report_note(report, "%s%s%zu more %s with %" PRIu64 " wasted bytes are not shown (--%s 0 shows all)", label,
                    *label ? ": " : "", places->rows.count - shown, what[request->view], rest, what[request->view]);
}

int waste_print_places(const struct waste_request *request, const struct waste *waste, const struct waste_group *group,
                       const struct waste_kinds *kinds, struct report *report)
{
    const struct waste_wish wish = {(enum waste_grain)request->view, request->kind, request->threads, request->top};
    const struct page page = {waste, report->table, false}, brief = {waste, report->people, true};
    struct waste_places places;
    int error = waste_places(waste, group, kinds, &wish, report->options, &places);
    size_t shown = request->top && request->top < places.rows.count ? (size_t)request->top : places.rows.count;
    for (size_t i = 0; !error && i < shown; i++) {
        error = print_place(request, &page, group->label, keyed_at(&places.rows, i), i + 1);
        if (!error && report->people)
            error = print_place(request, &brief, group->label, keyed_at(&places.rows, i), i + 1);
    }
    if (!error)
        note_rest(request, report, group->label, &places, shown);
    waste_places_free(&places);
    return error;
}
