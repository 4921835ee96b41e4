/* Which columns a table for readers has, and how wide its texts may be: a line has at most 100 characters. */
#include "analyze/waste/tables/waste_columns.h"

enum { LINE_WIDTH = 100, GAP = 2, LEAST_TEXT = 22 };

/* A column, or some, with the gaps before them. */
struct waste_option {
    unsigned views, needs, show; /* `needs` 0: nothing */
    int width;
};

#define LOCATIONS (VIEW(PAIRS) | VIEW(OBJECTS) | VIEW(SCOPES) | VIEW(OBJECT_PAIRS))
#define RANKED (VIEW(FUNCTIONS) | VIEW(LINES))

/* These are always there. */
static const struct waste_option fixed[] = {
    {LOCATIONS | VIEW(KINDS), WITH_BY, 0, WASTE_LABEL_WIDTH + GAP},
    {LOCATIONS | VIEW(KINDS), WITH_THREADS, 0, WASTE_LABEL_WIDTH + GAP},
    {LOCATIONS | RANKED | VIEW(KINDS), WITH_ADJACENT, 0, (int)(sizeof "adjacent-load" - sizeof "spatial-load")},
    {LOCATIONS, 0, 0, (int)sizeof "rank  spatial-load  traffic_share" - 1 + GAP},
    {VIEW(OBJECT_PAIRS), 0, 0, (int)sizeof "pair" - 1 + GAP},
    {VIEW(KINDS), 0, 0, (int)sizeof "spatial-load  fraction  pair_fraction  wasted_bytes" - 1},
    {RANKED, 0, 0, (int)sizeof "rank  100.00%" - 1 + 2 * GAP},
    {RANKED, WITH_TIMES, 0, (int)sizeof "100.00%  100.00%  100.00%" - 1 + GAP},
};

/* These are there if they fit, the first ones first. */
static const struct waste_option optional[] = {
    {VIEW(FUNCTIONS) | VIEW(LINES), 0, SHOW_WASTED, (int)sizeof "spatial-load  traffic_share" - 1 + GAP},
    {VIEW(OBJECTS) | VIEW(SCOPES), 0, SHOW_FRACTION, (int)sizeof "fraction" - 1 + GAP},
    {VIEW(PAIRS), SHOW_INTERVAL, SHOW_FRACTION | SHOW_INTERVAL, (int)sizeof "fraction  100.00%  100.00%" - 1 + GAP},
    {VIEW(OBJECTS) | VIEW(SCOPES) | VIEW(KINDS), SHOW_INTERVAL, SHOW_INTERVAL,
     (int)sizeof "100.00%  100.00%" - 1 + GAP},
    {VIEW(KINDS), SAMPLED(KINDS), SHOW_SAMPLED, (int)sizeof "100.00%  100.00%  12345678" - 1 + GAP},
    {VIEW(KINDS), WITH_BURSTS, SHOW_BURSTS, (int)sizeof "100.00%  bursts" - 1 + GAP},
    {VIEW(OBJECTS), 0, SHOW_STORAGE, (int)sizeof "unknown" - 1 + GAP},
    {VIEW(OBJECT_PAIRS), 0, SHOW_OBJECT_SHARE, (int)sizeof "object_share" - 1 + GAP},
    {VIEW(PAIRS) | VIEW(SCOPES), 0, SHOW_PAIR_FRACTION, (int)sizeof "pair_fraction" - 1 + GAP},
    {LOCATIONS, 0, SHOW_WASTED, (int)sizeof "wasted_bytes" - 1 + GAP},
    {VIEW(KINDS), 0, SHOW_BYTES, (int)sizeof "999.9 MB" - 1 + GAP},
    {VIEW(KINDS), SHOW_INTERVAL, SHOW_RUNS, (int)sizeof "runs" - 1 + GAP},
    {VIEW(KINDS), 0, SHOW_CLASSES, (int)sizeof "precise_fraction  approx_fraction" - 1 + GAP},
};

unsigned waste_layout(const struct waste_request *request, unsigned given, size_t *text_width)
{
    unsigned view = 1U << request->view, known = given | (request->intervals ? SHOW_INTERVAL : 0), shown = 0;
    int left = LINE_WIDTH, least = view == VIEW(KINDS) ? 0 : view & RANKED ? 2 * LEAST_TEXT : LEAST_TEXT;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if ((fixed[i].views & view) && (fixed[i].needs == 0 || (fixed[i].needs & known)))
            left -= fixed[i].width;
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++) {
        const struct waste_option *option = &optional[i];
        if (!(option->views & view) || (option->needs != 0 && !(option->needs & known)) || left - option->width < least)
            continue;
        left -= option->width;
        shown |= option->show;
    }
    *text_width = left < 8 ? 8 : (size_t)left;
    return shown;
}
