/*
 * waste_columns.h - the rows of the tables of assay waste.
 */
#ifndef ASSAY_WASTE_WASTE_COLUMNS_H
#define ASSAY_WASTE_WASTE_COLUMNS_H

#include "analyze/waste/instruction.h"
#include "analyze/waste/waste_tables.h"

struct waste_kind_row {
    const char *label, *name;
    struct waste_kind kind; /* its intervals include the bias */
    uint64_t runs;
};

/* A cell in full, and for readers; NULL: blank. */
struct waste_cell {
    char *full; /* allocated */
    const char *brief;
    char text[WASTE_BRIEF_MAX];
};

struct waste_location_row {
    struct waste_location location;
    const char *label, *kind, *thread;
    uint64_t rank;
    const char *pair;    /* "all", "1", "rest"; NULL: the view has no such column */
    double object_share; /* of the object's wasted bytes */
    const char *storage, *brief_storage;
    struct waste_cell object, sides[WASTE_SIDES], scope;
    char instructions[WASTE_SIDES][INSTRUCTION_MAX + 8];
    const char *first_instruction, *second_instruction;
};

struct waste_ranking_row {
    uint64_t rank, accesses, wasted_bytes;
    struct waste_share gain, bound, time;
    double wasted, fraction, kinds[WASTE_COUNT];
    const char *site, *brief_site, *lines;
    const char *inefficiency, *evidence, *remedy;
    struct waste_cell context;
};

#endif
