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
    struct waste_cell context;
};

/* With --baseline; texts for readers have units. */
enum { WASTE_AMOUNT_MAX = 64, WASTE_NAME_MAX = WASTE_BRIEF_MAX + 64 };
struct waste_baseline_row {
    const char *level, *status, *kind, *quantity, *name, *second, *scope, *object, *old_name, *old_second;
    double old, new, change, low, high, removed, removed_low, removed_high;
    uint64_t runs_old, runs_new;
    double time_old, time_new;
    struct column_estimate time_ratio;
    char brief_name[WASTE_NAME_MAX], old_text[WASTE_AMOUNT_MAX], new_text[WASTE_AMOUNT_MAX];
    char change_text[WASTE_AMOUNT_MAX], interval_text[2 * WASTE_AMOUNT_MAX + 8];
    const char *name_shown, *second_shown, *old_shown, *new_shown, *change_shown, *interval_shown;
};
enum { BASELINE_WITH_PAIRS = 1, BASELINE_WITH_KINDS = 2, BASELINE_WITH_TIMES = 4 };
enum { WASTE_BASELINE_COLUMNS = 33 };
extern const struct column waste_baseline_columns[WASTE_BASELINE_COLUMNS];

#endif
