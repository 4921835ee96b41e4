#include "analyze/waste/waste_figure.h"

#include <stdlib.h>

enum { PAIRS_MOST = 7 }; /* plots/waste-objects.gp tells eight parts apart */

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

int waste_plot_object(const struct waste *waste, const char *label, const struct waste_location *object, size_t rank,
                      const struct waste_locations *pairs, uint64_t top, const struct analysis_options *options,
                      struct table *figure)
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
