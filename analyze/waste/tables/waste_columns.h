/*
 * waste_columns.h - the rows of the tables of assay waste.
 */
#ifndef ASSAY_WASTE_WASTE_COLUMNS_H
#define ASSAY_WASTE_WASTE_COLUMNS_H

#include "analyze/waste/state/instruction.h"
#include "analyze/waste/tables/waste_tables.h"

/* Bits of struct column's `when`: one for each view, one for each of sampled accesses, what the user requested, and
 * columns for readers, which are left out where they don't fit (waste_layout.c). */
#define VIEW(name) (1U << WASTE_VIEW_##name)
#define SAMPLED(name) (VIEW(name) << WASTE_VIEWS)
enum {
    WITH_BY = 1 << 16,
    WITH_THREADS = 1 << 17,
    WITH_BURSTS = 1 << 18,
    WITH_ADJACENT = 1 << 19,
    WITH_TIMES = 1 << 20
};
#define SHOW_FRACTION (1U << 21)
#define SHOW_INTERVAL (1U << 22)
#define SHOW_PAIR_FRACTION (1U << 23)
#define SHOW_WASTED (1U << 24)
#define SHOW_STORAGE (1U << 25)
#define SHOW_OBJECT_SHARE (1U << 26)
#define SHOW_SAMPLED (1U << 27)
#define SHOW_BURSTS (1U << 28)
#define SHOW_BYTES (1U << 29)
#define SHOW_CLASSES (1U << 30)
#define SHOW_RUNS (1U << 31)

enum { WASTE_LABEL_WIDTH = 12 }; /* of the label of --by, and of a thread */

/* The SHOW_ bits of a table for readers of at most 100 characters a line; *text_width: what its widest texts may have,
 * together. `given`: all other bits. */
unsigned waste_layout(const struct waste_request *request, unsigned given, size_t *text_width);

struct waste_kind_row {
    const char *label, *name;
    char brief_label[4 * WASTE_LABEL_WIDTH + 8], brief_thread[4 * WASTE_LABEL_WIDTH + 8];
    const char *shown_label, *shown_thread; /* these two */
    struct waste_kind kind;                 /* its intervals include the bias */
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
    char brief_label[4 * WASTE_LABEL_WIDTH + 8], brief_thread[4 * WASTE_LABEL_WIDTH + 8];
    const char *shown_label, *shown_thread; /* these two */
    uint64_t rank;
    const char *pair;    /* "all", "1", "rest"; NULL: the view has no such column */
    double object_share; /* of the object's wasted bytes */
    const char *storage;
    struct waste_cell object, sides[WASTE_SIDES], scope;
    char instructions[WASTE_SIDES][INSTRUCTION_MAX + 8];
    const char *first_instruction, *second_instruction;
    char lines[8 * WASTE_BRIEF_MAX]; /* for readers: both contexts with instructions, scope and object, line by line */
    const char *contexts;            /* the same, or NULL: none */
};

struct waste_ranking_row {
    uint64_t rank, accesses, wasted_bytes;
    struct waste_share gain, bound, time;
    double wasted, traffic_share, kinds[WASTE_COUNT];
    const char *site, *brief_site, *kind, *lines, *brief_lines;
    const char *inefficiency, *evidence, *remedy;
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
