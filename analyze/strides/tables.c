#include "analyze/strides/tables.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/names/method_name.h"
#include "analyze/strides/loops.h"
#include "analyze/strides/pattern.h"
#include "analyze/strides/plan_text.h"

/* ---------------------------------------------------------------------------------------------------- one load -- */

/* A load, or a load and a partner. */
struct load_cells {
    const char *site, *loop, *kind, *partner, *plan, *reason, *class_name, *position;
    double stride, majority, trips;
    uint64_t executions, misses, bytes, accesses, number;
    struct cache_prefetches prefetches;
};

static const struct column load_columns[] = {
    COLUMN(load_cells, "site", TABLE_TEXT, site, "The load, as method:line, or method@address if no line is known."),
    COLUMN(load_cells, "loop", TABLE_TEXT, loop, "The header of the loop, likewise."),
    COLUMN(load_cells, "kind", TABLE_TEXT, kind,
           "inter: the address moves by the stride from one iteration to the next. intra: the address is at this "
           "distance from its partner's. indirect: the load is indexed by the value of its partner. none: nothing "
           "recurs."),
    COLUMN(load_cells, "partner", TABLE_TEXT, partner,
           "The load through whose value it loads, or whose value indexes it."),
    COLUMN(load_cells, "stride", TABLE_REAL, stride,
           "The most frequent stride or distance, in bytes; indirect: the bytes of an element."),
    COLUMN(load_cells, "majority", TABLE_SHARE, majority,
           "The share of this stride, as 0 to 1, or in percent in the formats for readers."),
    COLUMN(load_cells, "executions", TABLE_COUNT, executions, "The number of iterations that execute the load."),
    COLUMN(load_cells, "misses", TABLE_COUNT, misses, "How often it misses in the level that prefetches fill."),
    COLUMN(load_cells, "plan", TABLE_TEXT, plan, "The prefetch for the load, or don't."),
    COLUMN(load_cells, "reason", TABLE_TEXT, reason, "The result of the simulated plan, or why there is none."),
    TABLES_MACHINE_COLUMN(load_cells, "class", TABLE_TEXT, class_name,
                          "Wu's class of the strides: strong single, phased multiple or weak single; empty: none of "
                          "them. Only machine formats have this column and those below."),
    TABLES_MACHINE_COLUMN(load_cells, "position", TABLE_TEXT, position,
                          "The address of the instruction in its module's file, or the index of its bytecode."),
    TABLES_MACHINE_COLUMN(load_cells, "bytes", TABLE_COUNT, bytes, "The number of bytes that it loads."),
    TABLES_MACHINE_COLUMN(load_cells, "accesses", TABLE_COUNT, accesses, "The number of all its executions."),
    TABLES_MACHINE_COLUMN(load_cells, "trips", TABLE_REAL, trips,
                          "The mean number of iterations per entry of the loop."),
    TABLES_PREFETCH_COLUMNS(load_cells),
    TABLES_MACHINE_COLUMN(load_cells, "number", TABLE_COUNT, number, "Which load of its instruction it is, from 1.")};
const struct columns tables_loads_columns =
    COLUMNS("One row for each load in a loop, or for each of its partners", load_columns);

/* A line of the table: what recurs in a load, alone or with a partner. */
struct finding {
    const char *kind;
    uint32_t partner; /* location; LOADS_NONE */
    const struct histogram_entry *top;
    double majority;
};

enum { FINDINGS_MAX = LOADS_PARTNERS_MAX + 1 };

static size_t tables_collect_findings(const struct strides *strides, const struct loads_row *row,
                                      struct finding *findings)
{
    int64_t number;
    size_t count = 0;
    uint32_t depends_on = LOADS_NONE;
    bool strided = pattern_inter(&strides->options, row, &number);
    if (strided) {
        struct finding *inter = &findings[count++];
        *inter = (struct finding){"inter", LOADS_NONE, NULL, 0};
        inter->top = pattern_inter_top(&strides->options, row, &inter->majority);
    }
    for (uint32_t i = 0; i < row->partner_count; i++) {
        const struct loads_partner *partner = loads_partner_at(&strides->loads, row, i);
        bool depends = pattern_depends(&strides->options, row, partner, &number);
        if (depends && depends_on == LOADS_NONE)
            depends_on = partner->location;
        if (pattern_intra(&strides->options, row, partner, &number))
            findings[count++] = (struct finding){"intra", partner->location, histogram_top(&partner->strides),
                                                 pattern_intra_share(row, partner)};
        else if (depends && !strided && partner->how == LOADS_INDEX) /* a load that has a stride needs no index */
            findings[count++] = (struct finding){"indirect", partner->location, histogram_top(&partner->offsets),
                                                 histogram_share(&partner->offsets)};
    }
    assert(count <= FINDINGS_MAX);
    if (count == 0)
        findings[count++] =
            (struct finding){"none", depends_on, histogram_top(&row->strides), histogram_share(&row->strides)};
    return count;
}

enum { BRIEF_MAX = METHOD_NAME_MAX + 32 };

/* Brief: "method(parameters):line" without parameters, which the line makes redundant. NULL: no location. */
static const char *tables_location_text(const struct strides *strides, uint32_t location, bool brief,
                                        char without[BRIEF_MAX])
{
    if (location == LOADS_NONE)
        return NULL;
    const char *text = loads_text(&strides->loads, location), *open = strchr(text, '('), *close = strrchr(text, ')');
    if (!brief || !open || !close || close < open)
        return text;
    snprintf(without, BRIEF_MAX, "%.*s%s", (int)(open - text), text, close + 1);
    return without;
}

/* The plan stands in the first line of a load. */
static void tables_print_finding(struct table *table, enum columns_view view, const struct strides *strides,
                                 const struct plan *plan, uint32_t index, const struct finding *finding, bool first)
{
    char site[BRIEF_MAX], header[BRIEF_MAX], partner[BRIEF_MAX], position[64], planned[PLAN_TEXT_MAX] = "",
                                                                               reason[PLAN_TEXT_MAX] = "";
    bool brief = view == COLUMNS_HUMAN;
    const struct loads_row *row = loads_row_at(&strides->loads, index);
    const struct loads_location *location = loads_location_at(&strides->loads, row->location);
    const struct loads_loop *loop = loads_loop_find(&strides->loads, row->loop);
    if (first) {
        plan_text(plan, index, planned);
        plan_reason_text(strides, plan, index, reason);
    }
    snprintf(position, sizeof position, "%s0x%" PRIx64,
             *relations_text_at(&strides->loads.relations, location->module) ? "" : "bytecode ",
             (uint64_t)loads_position(location));

    /* The line is enough for a loop in the same method. */
    const char *around = loads_text(&strides->loads, row->loop), *colon = strrchr(around, ':');
    bool same = colon && strncmp(loads_text(&strides->loads, row->location), around, (size_t)(colon - around) + 1) == 0;
    const struct load_cells cells = {.site = tables_location_text(strides, row->location, brief, site),
                                     .loop = brief && same ? colon
                                                           : tables_location_text(strides, row->loop, brief, header),
                                     .kind = finding->kind,
                                     .partner = tables_location_text(strides, finding->partner, brief, partner),
                                     .stride = finding->top ? (double)finding->top->number : NAN,
                                     .majority = finding->top ? finding->majority : NAN,
                                     .executions = row->executions,
                                     .misses = row->misses,
                                     .plan = planned,
                                     .reason = reason,
                                     .class_name = pattern_class_name(pattern_class_of(row)),
                                     .position = position,
                                     .bytes = location->bytes,
                                     .accesses = row->accesses,
                                     .trips = loop ? loads_trips(loop) : NAN,
                                     .prefetches = row->prefetches,
                                     .number = (uint64_t)location->number + 1};
    columns_add(table, &tables_loads_columns, view, 0, &cells);
}

static void tables_print_load(struct table *table, enum columns_view view, const struct strides *strides,
                              const struct plan *plan, uint32_t index)
{
    struct finding findings[FINDINGS_MAX];
    size_t count = tables_collect_findings(strides, loads_row_at(&strides->loads, index), findings);
    for (size_t i = 0; i < count; i++)
        tables_print_finding(table, view, strides, plan, index, &findings[i], i == 0);
}

/* -------------------------------------------------------------------------------------------------- all loads -- */

struct ranked_load {
    const struct strides *strides;
    uint32_t row;
};

/* What misses most comes first; then what is executed most. */
static int tables_compare_loads(const void *a, const void *b)
{
    const struct ranked_load *left = a, *right = b;
    const struct loads *loads = &left->strides->loads;
    const struct loads_row *x = loads_row_at(loads, left->row), *y = loads_row_at(loads, right->row);
    if (x->misses != y->misses)
        return x->misses > y->misses ? -1 : 1;
    if (x->executions != y->executions)
        return x->executions > y->executions ? -1 : 1;
    int order = strcmp(loads_text(loads, x->location), loads_text(loads, y->location));
    if (!order)
        order = strcmp(loads_text(loads, x->loop), loads_text(loads, y->loop));
    int64_t p = loads_position(loads_location_at(loads, x->location)),
            q = loads_position(loads_location_at(loads, y->location));
    return order ? order : p < q ? -1 : p > q;
}

static void tables_print_most(const struct strides *strides, const struct plan *plan, const struct ranked_load *ranked,
                              uint32_t count, uint64_t most, struct report *report)
{
    uint64_t shown = 0;
    for (uint32_t i = 0; i < count && (most == 0 || shown < most); i++) {
        struct finding findings[FINDINGS_MAX];
        const struct loads_row *row = loads_row_at(&strides->loads, ranked[i].row),
                               *inner = loads_row_find(&strides->loads, row->location, row->inner);
        tables_collect_findings(strides, row, findings);
        /* Nothing recurs in it, in a loop around one that shows most of its misses. A load of a function that is called
         * in several loops may have few in the innermost one. */
        bool redundant =
            inner && inner != row && inner->misses >= row->misses / 2 && strcmp(findings[0].kind, "none") == 0;
        if (most > 0 && redundant)
            continue;
        tables_print_load(report->human, COLUMNS_HUMAN, strides, plan, ranked[i].row);
        shown++;
    }
    if (shown < count)
        report_note(report, "%" PRIu64 " of %" PRIu32 " loads are shown, those that miss most (--rows 0 shows all)",
                    shown, count);
}

int tables_loads(const struct strides *strides, const struct plan *plan, uint64_t most, struct report *report)
{
    struct ranked_load *ranked = calloc(loads_row_count(&strides->loads) + 1, sizeof *ranked);
    if (report_tables(report, &tables_loads_columns, 0) != 0 || !ranked) {
        free(ranked);
        return ENOMEM;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < loads_row_count(&strides->loads); i++)
        if (loops_includes_row(strides, loads_row_at(&strides->loads, i)))
            ranked[count++] = (struct ranked_load){strides, i};
    if (count > 1)
        qsort(ranked, count, sizeof *ranked, tables_compare_loads);
    for (uint32_t i = 0; i < count; i++)
        tables_print_load(report->table, COLUMNS_MACHINE, strides, plan, ranked[i].row);
    if (report->options->human_readable)
        tables_print_most(strides, plan, ranked, count, most, report);
    free(ranked);
    return 0;
}
