/* The tables of locations: pairs, objects, loops, and the pairs of each object. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/waste/tables/waste_columns.h"
#include "analyze/waste/sums/waste_traffic.h"
#include "base/text.h"

enum { PAIRS_MOST = 7 }; /* plots/waste-objects.gp tells eight parts apart */

#define ALL_PAIRS "all"
#define OTHER_PAIRS "rest"

/* Where locations are printed. */
struct page {
    const struct waste_request *request;
    const struct waste *waste;
    const char *label;
    struct report *report;
    size_t text_width;    /* of what readers see */
    const char *no_scope; /* likewise */
};

/* 0 or ENOMEM. */
static int waste_set_context(const struct page *page, uint32_t node, struct waste_cell *cell)
{
    if (page->report->human)
        waste_fit_context(page->waste, node, page->text_width, cell->text);
    cell->brief = cell->text;
    cell->full = waste_chain(page->waste, node);
    return cell->full ? 0 : ENOMEM;
}

/* Followed by "…": there are others. NULL: unknown. */
static const char *waste_set_instruction(const struct page *page, struct waste_location_row *row, size_t side)
{
    uint32_t known = row->location.instructions[side];
    if (known == FIELD_NONE)
        return NULL;
    snprintf(row->instructions[side], sizeof row->instructions[side], "%s%s", waste_text(page->waste, known),
             row->location.several[side] ? " …" : "");
    return row->instructions[side];
}

/* Appends a line for readers, cut to the width; names may contain anything. */
static void waste_append_line(const struct page *page, struct waste_location_row *row, const char *before,
                              const char *text, const char *after)
{
    size_t used = strlen(row->lines), width = page->text_width;
    char line[WASTE_BRIEF_MAX + 64], cut[WASTE_BRIEF_MAX + 64];
    snprintf(line, sizeof line, "%s%s%s", before, text, after);
    text_tame(line);
    waste_fit_text(line, width, cut, sizeof cut);
    snprintf(row->lines + used, sizeof row->lines - used, "%s%s", used > 0 ? "\n" : "", cut);
    row->contexts = row->lines;
}

/* The lines of a pair, or of an object in its own row. */
static void waste_set_lines_of_pair(const struct page *page, struct waste_location_row *row, bool has_pair,
                                    bool has_object)
{
    char object[WASTE_BRIEF_MAX];
    for (size_t side = 0; has_pair && side < WASTE_SIDES; side++) {
        const char *instruction = side == 0 ? row->first_instruction : row->second_instruction;
        waste_append_line(page, row, "", row->sides[side].brief, "");
        if (instruction)
            waste_append_line(page, row, "(", instruction, ")");
    }
    if (has_pair && row->location.scope)
        waste_append_line(page, row, "(loop ", row->scope.brief, ")");
    if (!has_object)
        return;
    /* "(heap main:3 > … > make:7)" */
    const struct waste_object *named = waste_row(page->waste, WASTE_OBJECT_ROWS, row->location.object);
    size_t around = strlen(row->storage) + (has_pair ? 3 : 1);
    waste_fit_context(page->waste, named->node, page->text_width > around ? page->text_width - around : 1, object);
    char storage[64];
    snprintf(storage, sizeof storage, "%s%s ", has_pair ? "(" : "", row->storage);
    waste_append_line(page, row, storage, object, has_pair ? ")" : "");
}

/* A location, or one within an object: `pair` is "all", "1", "rest"; NULL: the view has no such column. */
static int waste_print_location(const struct page *page, const struct waste_location *location, size_t rank,
                                const char *pair, double object_share)
{
    struct waste_location_row row = {.location = *location,
                                     .label = page->label,
                                     .kind = trace_waste_name(location->waste),
                                     .thread = waste_text(page->waste, location->thread),
                                     .scope.brief = page->no_scope,
                                     .rank = rank,
                                     .pair = pair,
                                     .object_share = object_share};
    bool all = pair && strcmp(pair, ALL_PAIRS) == 0;
    bool sums = pair ? all || strcmp(pair, OTHER_PAIRS) == 0 : page->request->view == WASTE_VIEW_OBJECTS;
    int error = 0;
    if (location->object != 0) {
        const struct waste_object *object = waste_row(page->waste, WASTE_OBJECT_ROWS, location->object);
        error = waste_set_context(page, object->node, &row.object);
        row.storage = trace_object_kind_name(object->kind);
    }
    row.shown_label = row.brief_label;
    row.shown_thread = row.brief_thread;
    waste_fit_text(row.label, WASTE_LABEL_WIDTH, row.brief_label, sizeof row.brief_label);
    waste_fit_text(row.thread, WASTE_LABEL_WIDTH, row.brief_thread, sizeof row.brief_thread);

    /* Where the accesses of a row are that is one pair, or a loop. */
    if (!error && !sums && location->scope)
        error = waste_set_context(page, location->scope, &row.scope);
    if (!error && !sums && page->request->view != WASTE_VIEW_SCOPES) {
        row.first_instruction = waste_set_instruction(page, &row, 0);
        row.second_instruction = waste_set_instruction(page, &row, 1);
        error = waste_set_context(page, location->first, &row.sides[0]);
        error = error ? error : waste_set_context(page, location->second, &row.sides[1]);
    }
    bool has_pair = !sums && page->request->view != WASTE_VIEW_SCOPES;
    if (!error && page->report->human) /* for readers an object is named once, at its first row */
        waste_set_lines_of_pair(page, &row, has_pair, location->object != 0 && (!pair || all));
    row.contexts = row.contexts ? row.contexts : "(other pairs)";
    if (!error)
        report_row(page->report, &row);
    free(row.object.full);
    free(row.scope.full);
    free(row.sides[0].full);
    free(row.sides[1].full);
    return error;
}

/* The object's row, its pairs, and what remains: these add up to the first. */
static int waste_print_object_pairs(const struct page *page, const struct waste_locations *pairs,
                                    const struct waste_location *object, size_t rank)
{
    uint64_t top = page->request->tops[WASTE_PAIRS];
    size_t begin, end;
    int error = waste_print_location(page, object, rank, ALL_PAIRS, waste_object_share(pairs, object, object));
    waste_locations_within(pairs, object, &begin, &end);
    size_t at = begin;
    for (char number[24]; !error && at < end && (top == 0 || at - begin < top); at++) {
        const struct waste_location *pair = keyed_at(&pairs->rows, at);
        if (pair->wasted_bytes == 0)
            break;
        snprintf(number, sizeof number, "%zu", at - begin + 1);
        error = waste_print_location(page, pair, rank, number, waste_object_share(pairs, pair, object));
    }
    if (error || at == end)
        return error;
    struct waste_location rest;
    error = waste_locations_rest(pairs, object, begin, at, page->report->options, &rest);
    if (!error)
        error = waste_print_location(page, &rest, rank, OTHER_PAIRS, waste_object_share(pairs, &rest, object));
    free(rest.runs);
    return error;
}

/* ------------------------------------------------------------------------------------------ the figure -- */

struct table *waste_objects_figure(void)
{
    static const struct table_column columns[] = {
        {"object", TABLE_TEXT}, {"part", TABLE_TEXT}, {"fraction", TABLE_SHARE}};
    return table_new(TABLE_COLUMNS(columns));
}

static void waste_figure_add_part(struct table *figure, const char *object, const char *part, double fraction)
{
    table_text(figure, object);
    table_text(figure, part);
    table_real(figure, fraction);
}

/* Adds the bar of an object, number `rank`: its first pairs, `top` at most (0: as many as the figure has capacity for),
 * and the others together. `pairs` are in WASTE_OBJECT_PAIRS. 0 or ENOMEM. */
static int waste_plot_object(const struct waste *waste, const char *label, const struct waste_location *object,
                             size_t rank, const struct waste_locations *pairs, uint64_t top,
                             const struct analysis_options *options, struct table *figure)
{
    const struct waste_object *named = waste_row(waste, WASTE_OBJECT_ROWS, object->object);
    char brief[WASTE_BRIEF_MAX], name[WASTE_BRIEF_MAX + 64], part[32];
    size_t begin, end, most = top > 0 && top < PAIRS_MOST ? (size_t)top : PAIRS_MOST;
    struct waste_location rest;
    waste_brief(waste, named->node, brief);
    snprintf(name, sizeof name, "%s%s%zu. %s", label, *label ? " " : "", rank, brief);
    waste_locations_within(pairs, object, &begin, &end);
    size_t stop = begin;
    for (; stop < end && stop - begin < most; stop++) {
        snprintf(part, sizeof part, "pair %zu", stop - begin + 1);
        waste_figure_add_part(figure, name, part,
                              ((const struct waste_location *)keyed_at(&pairs->rows, stop))->fraction.value);
    }
    int error = waste_locations_rest(pairs, object, begin, stop, options, &rest);
    if (!error && rest.wasted_bytes > 0)
        waste_figure_add_part(figure, name, "other pairs", rest.fraction.value);
    free(rest.runs);
    return error;
}

/* ------------------------------------------------------------------------------------------ all of them -- */

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

/* Sampled accesses have no loops, and recordings count those that they could not determine. */
static bool waste_scope_may_be_lost(const struct waste *waste)
{
    bool lost = waste_is_sampled(waste);
    for (size_t i = 0; !lost && i < waste_count(waste, WASTE_RECORDING_ROWS); i++)
        lost =
            ((const struct waste_recording *)waste_row(waste, WASTE_RECORDING_ROWS, i))->losses[WASTE_LOST_SCOPES] > 0;
    return lost;
}

int waste_print_locations(const struct waste_request *request, const struct waste *waste,
                          const struct waste_group *group, const struct waste_kinds *kinds, struct report *report)
{
    bool crossed = request->view == WASTE_VIEW_OBJECT_PAIRS;
    enum waste_granularity granularity = crossed ? WASTE_OBJECTS : (enum waste_granularity)request->view;
    uint64_t top = request->tops[granularity];
    const struct waste_wish wish = {granularity, request->kind, request->threads, top};
    const struct waste_wish within = {WASTE_OBJECT_PAIRS, request->kind, request->threads, request->tops[WASTE_PAIRS]};
    struct page page = {request, waste, group->label,
                        report,  0,     waste_scope_may_be_lost(waste) ? "(no loop or unknown)" : "(no loop)"};
    waste_layout(request, report->given, &page.text_width);
    const char *what = granularity == WASTE_PAIRS ? "pairs" : granularity == WASTE_SCOPES ? "scopes" : "objects";
    struct waste_locations locations, pairs = {0};
    int error = waste_locations(waste, group, kinds, &wish, report->options, &locations);
    if (!error && crossed)
        error = waste_locations(waste, group, kinds, &within, report->options, &pairs);
    size_t shown = top && top < locations.rows.count ? (size_t)top : locations.rows.count;
    for (size_t i = 0; !error && i < shown; i++) {
        const struct waste_location *location = keyed_at(&locations.rows, i);
        error = crossed ? waste_print_object_pairs(&page, &pairs, location, i + 1)
                        : waste_print_location(&page, location, i + 1, NULL, NAN);
        if (!error && crossed && report->figure)
            error = waste_plot_object(waste, group->label, location, i + 1, &pairs, request->tops[WASTE_PAIRS],
                                      report->options, report->figure);
    }
    if (!error && granularity == WASTE_OBJECTS)
        waste_note_objectless(request, report, group->label, kinds);
    uint64_t rest = 0;
    for (size_t i = shown; i < locations.rows.count; i++)
        rest += ((const struct waste_location *)keyed_at(&locations.rows, i))->wasted_bytes;
    if (!error && shown < locations.rows.count)
        report_note(report, "%s%s%zu more %s with %" PRIu64 " wasted bytes are not shown (--%s 0 shows all)",
                    group->label, *group->label ? ": " : "", locations.rows.count - shown, what, rest, what);
    if (!error)
        waste_traffic_note(&locations.traffic, group->label, report);
    waste_locations_free(&pairs);
    waste_locations_free(&locations);
    return error;
}
