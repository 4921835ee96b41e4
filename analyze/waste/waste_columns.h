/*
 * waste_columns.h - which columns the tables of locations have, in which order.
 */
#ifndef ASSAY_WASTE_WASTE_COLUMNS_H
#define ASSAY_WASTE_WASTE_COLUMNS_H

#include "analyze/waste/waste_tables.h"

enum waste_cell {
    CELLS_END,
    LABEL,
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
    WASTE_SHARE,
    OBJECT_SHARE,
    PRECISE,
    APPROX,
    FIRST,
    SECOND,
    SCOPE,
    FIRST_INSTRUCTION,
    SECOND_INSTRUCTION,
    CELLS
};

extern const struct table_column waste_columns[CELLS]; /* LABEL has no name of its own */

/* The cells of a row, ended by CELLS_END: all that this may be, and whether the request has one. */
const enum waste_cell *waste_cells(enum waste_view view, bool human_readable);
bool waste_has_cell(const struct waste_request *request, enum waste_cell cell, bool human_readable);

#endif
