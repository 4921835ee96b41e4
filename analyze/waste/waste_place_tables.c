/* The tables of locations: pairs, objects, loops, and the pairs of each object. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/waste/instruction.h"
#include "analyze/waste/waste_columns.h"
#include "analyze/waste/waste_figure.h"

/* ------------------------------------------------------------------------------------------ cells -- */

/* Where locations are printed. */
struct page {
    const struct waste_request *request;
    const struct waste *waste;
    const char *label;
    struct table *table;
    bool human_readable;
};

/* A row: a location, or one within an object. */
struct line {
    const struct waste_location *location;
    size_t rank;
    const char *pair;    /* "all", "1", "rest"; NULL: the view has no such column */
    double object_share; /* of the object's wasted bytes */
};
#define ALL_PAIRS "all"
#define OTHER_PAIRS "rest"

/* Whether the row is one pair. */
static bool waste_line_is_pair(const struct line *line)
{
    return !line->pair || (strcmp(line->pair, ALL_PAIRS) != 0 && strcmp(line->pair, OTHER_PAIRS) != 0);
}

/* 0 or ENOMEM. */
static int waste_print_context(const struct page *page, uint32_t node)
{
    char text[WASTE_BRIEF_MAX], *chain = NULL;
    if (page->human_readable)
        waste_brief(page->waste, node, text);
    else if (!(chain = waste_chain(page->waste, node)))
        return ENOMEM;
    table_text(page->table, page->human_readable ? text : chain);
    free(chain);
    return 0;
}

/* For readers an object is named once, at its first row. */
static int waste_print_object(const struct page *page, const struct line *line, enum waste_cell cell)
{
    const struct waste_object *object = waste_row(page->waste, WASTE_OBJECT_ROWS, line->location->object);
    bool repeated = page->human_readable && line->pair && strcmp(line->pair, ALL_PAIRS) != 0;
    if (line->location->object == 0)
        table_blank(page->table);
    else if (repeated)
        table_text(page->table, "");
    else if (cell == OBJECT)
        return waste_print_context(page, object->node);
    else
        table_text(page->table, trace_object_kind_name(object->kind));
    return 0;
}

/* Followed by "…": there are others. */
static void waste_print_instruction(const struct page *page, const struct waste_location *row, size_t side)
{
    char text[INSTRUCTION_MAX + 8];
    uint32_t known = row->instructions[side];
    if (known == FIELD_NONE) {
        table_blank(page->table);
        return;
    }
    snprintf(text, sizeof text, "%s%s", waste_text(page->waste, known), row->several[side] ? " …" : "");
    table_text(page->table, text);
}

static int waste_print_pair(const struct page *page, const struct line *line, enum waste_cell cell)
{
    const struct waste_location *location = line->location;
    int error = 0;
    if (!waste_line_is_pair(line))
        table_blank(page->table);
    else if (cell == FIRST)
        error = waste_print_context(page, location->first);
    else if (cell == SECOND)
        error = waste_print_context(page, location->second);
    else
        waste_print_instruction(page, location, cell == SECOND_INSTRUCTION);
    return error;
}

static void waste_print_number(struct table *table, const struct line *line, enum waste_cell cell)
{
    const struct waste_location *location = line->location;
    const struct waste_mean *mean = &location->fraction;
    const uint64_t counts[CELLS] = {[RANK] = line->rank,
                                    [WASTED_BYTES] = location->wasted_bytes,
                                    [BYTES] = location->bytes,
                                    [WASTED_EVENTS] = location->wasted_events,
                                    [EVENTS] = location->events};
    const double shares[CELLS] = {[FRACTION] = mean->value,
                                  [LO] = mean->has_interval ? mean->interval.low : NAN,
                                  [HI] = mean->has_interval ? mean->interval.high : NAN,
                                  [PAIR_FRACTION] = location->pair_fraction,
                                  [WASTE_SHARE] = location->waste_share,
                                  [OBJECT_SHARE] = line->object_share,
                                  [PRECISE] = location->precise_fraction,
                                  [APPROX] = location->approx_fraction};
    if (waste_columns[cell].type == TABLE_COUNT)
        table_count(table, counts[cell]);
    else
        table_real(table, shares[cell]);
}

static int waste_print_cell(const struct page *page, const struct line *line, enum waste_cell cell)
{
    switch (cell) {
    case LABEL:
        table_text(page->table, page->label);
        return 0;
    case KIND:
        table_text(page->table, trace_waste_name(line->location->waste));
        return 0;
    case THREAD:
        table_text(page->table, waste_text(page->waste, line->location->thread));
        return 0;
    case PAIR:
        table_text(page->table, line->pair);
        return 0;
    case OBJECT:
    case STORAGE:
        return waste_print_object(page, line, cell);
    case SCOPE:
        if (waste_line_is_pair(line) && line->location->scope)
            return waste_print_context(page, line->location->scope);
        table_blank(page->table);
        return 0;
    case FIRST:
    case SECOND:
    case FIRST_INSTRUCTION:
    case SECOND_INSTRUCTION:
        return waste_print_pair(page, line, cell);
    default:
        waste_print_number(page->table, line, cell);
        return 0;
    }
}

/* ------------------------------------------------------------------------------------------ rows -- */

/* In full, and for readers if there is such a table. */
struct pages {
    struct page full, brief;
};

static int waste_print_line_on_page(const struct page *page, const struct line *line)
{
    enum waste_view view = page->request->view;
    int error = 0;
    for (const enum waste_cell *cell = waste_cells(view, page->human_readable); !error && *cell != CELLS_END; cell++)
        if (waste_has_cell(page->request, *cell, page->human_readable))
            error = waste_print_cell(page, line, *cell);
    return error;
}

static int waste_print_line(const struct pages *pages, const struct line *line)
{
    int error = waste_print_line_on_page(&pages->full, line);
    return error || !pages->brief.table ? error : waste_print_line_on_page(&pages->brief, line);
}

/* The object's row, its pairs, and what remains: these add up to the first. */
static int waste_print_object_pairs(const struct pages *pages, const struct waste_locations *pairs, uint64_t top,
                                    const struct analysis_options *options, const struct line *object)
{
    size_t begin, end;
    struct line line = *object;
    line.pair = ALL_PAIRS;
    line.object_share = waste_object_share(pairs, object->location, object->location);
    int error = waste_print_line(pages, &line);
    waste_locations_within(pairs, object->location, &begin, &end);
    size_t at = begin;
    for (char number[24]; !error && at < end && (top == 0 || at - begin < top); at++) {
        const struct waste_location *pair = keyed_at(&pairs->rows, at);
        if (pair->wasted_bytes == 0)
            break;
        snprintf(number, sizeof number, "%zu", at - begin + 1);
        line = (struct line){pair, object->rank, number, waste_object_share(pairs, pair, object->location)};
        error = waste_print_line(pages, &line);
    }
    if (error || at == end)
        return error;
    struct waste_location rest;
    error = waste_locations_rest(pairs, object->location, begin, at, options, &rest);
    line = (struct line){&rest, object->rank, OTHER_PAIRS, NAN};
    if (!error) {
        line.object_share = waste_object_share(pairs, &rest, object->location);
        error = waste_print_line(pages, &line);
    }
    free(rest.runs);
    return error;
}

static void waste_note_hidden_rows(const struct waste_request *request, struct report *report, const char *label,
                                   const struct waste_locations *locations, size_t shown)
{
    static const char *const what[] = {[WASTE_VIEW_PAIRS] = "pairs",
                                       [WASTE_VIEW_OBJECTS] = "objects",
                                       [WASTE_VIEW_SCOPES] = "scopes",
                                       [WASTE_VIEW_OBJECT_PAIRS] = "objects"};
    uint64_t rest = 0;
    for (size_t i = shown; i < locations->rows.count; i++)
        rest += ((const struct waste_location *)keyed_at(&locations->rows, i))->wasted_bytes;
    if (shown < locations->rows.count)
        report_note(report, "%s%s%zu more %s with %" PRIu64 " wasted bytes are not shown (--%s 0 shows all)", label,
                    *label ? ": " : "", locations->rows.count - shown, what[request->view], rest, what[request->view]);
}

/* Tables of objects leave out pairs without one. */
static void waste_note_objectless(const struct waste_request *request, struct report *report, const char *label,
                                  const struct waste_kinds *kinds)
{
    for (size_t i = 0; i < kinds->rows.count; i++) {
        const struct waste_kind *row = keyed_at(&kinds->rows, i);
        uint64_t with = 0, without = 0;
        for (size_t r = 0; r < kinds->run_count; r++) {
            uint64_t of_objects =
                row->runs[r].object_bytes[VALUES_PRECISE] + row->runs[r].object_bytes[VALUES_APPROXIMATE];
            with += of_objects;
            without += row->runs[r].bytes - of_objects;
        }
        if (with > 0 && without > 0 && (request->kind == WASTE_COUNT || request->kind == row->waste))
            report_note(report, "%s%s%s: %" PRIu64 " bytes of pairs belong to no object, and are left out", label,
                        *label ? ": " : "", trace_waste_name(row->waste), without);
    }
}

int waste_print_locations(const struct waste_request *request, const struct waste *waste,
                          const struct waste_group *group, const struct waste_kinds *kinds, struct report *report)
{
    bool crossed = request->view == WASTE_VIEW_OBJECT_PAIRS;
    enum waste_granularity granularity = crossed ? WASTE_OBJECTS : (enum waste_granularity)request->view;
    uint64_t top = request->tops[granularity];
    const struct waste_wish wish = {granularity, request->kind, request->threads, top};
    const struct waste_wish within = {WASTE_OBJECT_PAIRS, request->kind, request->threads, request->tops[WASTE_PAIRS]};
    const struct pages pages = {{request, waste, group->label, report->table, false},
                                {request, waste, group->label, report->human, true}};
    struct waste_locations locations, pairs = {0};
    int error = waste_locations(waste, group, kinds, &wish, report->options, &locations);
    if (!error && crossed)
        error = waste_locations(waste, group, kinds, &within, report->options, &pairs);
    size_t shown = top && top < locations.rows.count ? (size_t)top : locations.rows.count;
    for (size_t i = 0; !error && i < shown; i++) {
        const struct line line = {.location = keyed_at(&locations.rows, i), .rank = i + 1, .object_share = NAN};
        error = crossed ? waste_print_object_pairs(&pages, &pairs, request->tops[WASTE_PAIRS], report->options, &line)
                        : waste_print_line(&pages, &line);
        if (!error && crossed && report->figure)
            error = waste_plot_object(waste, group->label, line.location, line.rank, &pairs, request->tops[WASTE_PAIRS],
                                      report->options, report->figure);
    }
    if (!error && granularity == WASTE_OBJECTS)
        waste_note_objectless(request, report, group->label, kinds);
    if (!error)
        waste_note_hidden_rows(request, report, group->label, &locations, shown);
    waste_locations_free(&pairs);
    waste_locations_free(&locations);
    return error;
}
