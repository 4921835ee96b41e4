#include "analyze/waste/waste_columns.h"

const struct table_column waste_columns[CELLS] = {
    [LABEL] = {"", TABLE_TEXT}, /* the label's name */
    [RANK] = {"rank", TABLE_COUNT},
    [KIND] = {"kind", TABLE_TEXT},
    [THREAD] = {"thread", TABLE_TEXT},
    [OBJECT] = {"object", TABLE_TEXT},
    [STORAGE] = {"storage", TABLE_TEXT},
    [PAIR] = {"pair", TABLE_TEXT},
    [FRACTION] = {"fraction", TABLE_SHARE},
    [LO] = {"lo", TABLE_SHARE},
    [HI] = {"hi", TABLE_SHARE},
    [WASTED_BYTES] = {"wasted_bytes", TABLE_COUNT},
    [BYTES] = {"bytes", TABLE_COUNT},
    [WASTED_EVENTS] = {"wasted_events", TABLE_COUNT},
    [EVENTS] = {"events", TABLE_COUNT},
    [PAIR_FRACTION] = {"pair_fraction", TABLE_SHARE},
    [WASTE_SHARE] = {"waste_share", TABLE_SHARE},
    [OBJECT_SHARE] = {"object_share", TABLE_SHARE},
    [PRECISE] = {"precise_fraction", TABLE_SHARE},
    [APPROX] = {"approx_fraction", TABLE_SHARE},
    [FIRST] = {"first_context", TABLE_TEXT},
    [SECOND] = {"second_context", TABLE_TEXT},
    [SCOPE] = {"scope", TABLE_TEXT},
    [FIRST_INSTRUCTION] = {"first_instruction", TABLE_TEXT},
    [SECOND_INSTRUCTION] = {"second_instruction", TABLE_TEXT},
};

/* For machines: what was added later comes last. */
static const enum waste_cell full[][CELLS] = {
    [WASTE_VIEW_PAIRS] = {LABEL,
                          RANK,
                          KIND,
                          THREAD,
                          FRACTION,
                          LO,
                          HI,
                          WASTED_BYTES,
                          FIRST,
                          SECOND,
                          SCOPE,
                          FIRST_INSTRUCTION,
                          SECOND_INSTRUCTION,
                          BYTES,
                          WASTED_EVENTS,
                          EVENTS,
                          PAIR_FRACTION,
                          WASTE_SHARE,
                          PRECISE,
                          APPROX,
                          OBJECT,
                          STORAGE,
                          CELLS_END},
    [WASTE_VIEW_OBJECTS] = {LABEL, RANK, KIND, THREAD, OBJECT, STORAGE, FRACTION, LO, HI, WASTED_BYTES, BYTES,
                            WASTED_EVENTS, EVENTS, PAIR_FRACTION, WASTE_SHARE, PRECISE, APPROX, CELLS_END},
    [WASTE_VIEW_SCOPES] = {LABEL, RANK, KIND, THREAD, SCOPE, FRACTION, LO, HI, WASTED_BYTES, BYTES, WASTED_EVENTS,
                           EVENTS, PAIR_FRACTION, WASTE_SHARE, PRECISE, APPROX, CELLS_END},
    [WASTE_VIEW_OBJECT_PAIRS] = {LABEL,
                                 RANK,
                                 KIND,
                                 THREAD,
                                 OBJECT,
                                 STORAGE,
                                 PAIR,
                                 FRACTION,
                                 LO,
                                 HI,
                                 WASTED_BYTES,
                                 BYTES,
                                 WASTED_EVENTS,
                                 EVENTS,
                                 PAIR_FRACTION,
                                 OBJECT_SHARE,
                                 WASTE_SHARE,
                                 PRECISE,
                                 APPROX,
                                 FIRST,
                                 SECOND,
                                 SCOPE,
                                 FIRST_INSTRUCTION,
                                 SECOND_INSTRUCTION,
                                 CELLS_END},
};

/* For readers: numbers before long names, and no classes of values. */
static const enum waste_cell brief[][CELLS] = {
    [WASTE_VIEW_PAIRS] = {LABEL,
                          RANK,
                          KIND,
                          THREAD,
                          FRACTION,
                          LO,
                          HI,
                          WASTE_SHARE,
                          PAIR_FRACTION,
                          WASTED_BYTES,
                          WASTED_EVENTS,
                          EVENTS,
                          FIRST,
                          SECOND,
                          SCOPE,
                          FIRST_INSTRUCTION,
                          SECOND_INSTRUCTION,
                          OBJECT,
                          STORAGE,
                          CELLS_END},
    [WASTE_VIEW_OBJECTS] = {LABEL, RANK, KIND, THREAD, OBJECT, STORAGE, FRACTION, LO, HI, WASTE_SHARE, PAIR_FRACTION,
                            WASTED_BYTES, BYTES, CELLS_END},
    [WASTE_VIEW_SCOPES] = {LABEL, RANK, KIND, THREAD, SCOPE, FRACTION, LO, HI, WASTE_SHARE, PAIR_FRACTION, WASTED_BYTES,
                           BYTES, CELLS_END},
    [WASTE_VIEW_OBJECT_PAIRS] = {LABEL,
                                 RANK,
                                 KIND,
                                 THREAD,
                                 OBJECT,
                                 STORAGE,
                                 PAIR,
                                 FRACTION,
                                 LO,
                                 HI,
                                 OBJECT_SHARE,
                                 PAIR_FRACTION,
                                 WASTED_BYTES,
                                 WASTED_EVENTS,
                                 EVENTS,
                                 FIRST,
                                 SECOND,
                                 SCOPE,
                                 FIRST_INSTRUCTION,
                                 SECOND_INSTRUCTION,
                                 CELLS_END},
};

const enum waste_cell *waste_cells(enum waste_view view, bool human_readable)
{
    return human_readable ? brief[view] : full[view];
}

bool waste_has_cell(const struct waste_request *request, enum waste_cell cell, bool human_readable)
{
    switch (cell) {
    case LABEL:
        return request->by != NULL;
    case THREAD:
        return request->threads;
    case FIRST_INSTRUCTION:
    case SECOND_INSTRUCTION:
        return request->sampled;
    case OBJECT:
    case STORAGE:
        return !human_readable || request->view != WASTE_VIEW_PAIRS || request->objects;
    default:
        return true;
    }
}

struct table *waste_locations_table(const struct waste_request *request, bool human_readable)
{
    struct table_column all[CELLS];
    size_t count = 0;
    for (const enum waste_cell *cell = waste_cells(request->view, human_readable); *cell != CELLS_END; cell++)
        if (waste_has_cell(request, *cell, human_readable)) {
            all[count] = waste_columns[*cell];
            if (*cell == LABEL)
                all[count].name = request->by;
            count++;
        }
    return table_new(all, count);
}
