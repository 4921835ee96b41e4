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

static const struct table_column columns[] = {
    {"site", TABLE_TEXT},     {"loop", TABLE_TEXT},      {"kind", TABLE_TEXT},        {"partner", TABLE_TEXT},
    {"stride", TABLE_REAL},   {"majority", TABLE_SHARE}, {"executions", TABLE_COUNT}, {"misses", TABLE_COUNT},
    {"plan", TABLE_TEXT},     {"reason", TABLE_TEXT},    {"class", TABLE_TEXT},       {"position", TABLE_TEXT},
    {"bytes", TABLE_COUNT},   {"accesses", TABLE_COUNT}, {"trips", TABLE_REAL},       {"issued", TABLE_COUNT},
    {"useful", TABLE_COUNT},  {"late", TABLE_COUNT},     {"useless", TABLE_COUNT},    {"resident", TABLE_COUNT},
    {"dropped", TABLE_COUNT}, {"number", TABLE_COUNT}};
enum { BRIEF_COLUMNS = 10 };

/* A line of the table: what recurs in a load, alone or with a partner. */
struct finding {
    const char *kind;
    uint32_t partner; /* location; LOADS_NONE */
    const struct histogram_entry *top;
    double majority;
};

enum { FINDINGS_MAX = LOADS_PARTNERS_MAX + 1 };

/* A load that has a stride needs no index. */
static size_t tables_find_partners(const struct strides *strides, const struct loads_row *row, bool strided,
                                   struct finding *findings)
{
    size_t count = 0;
    int64_t number;
    for (uint32_t i = 0; i < row->partner_count; i++) {
        const struct loads_partner *partner = &row->partners[i];
        if (pattern_intra(&strides->options, row, partner, &number))
            findings[count++] = (struct finding){"intra", partner->location, histogram_top(&partner->strides),
                                                 pattern_intra_share(row, partner)};
        else if (!strided && partner->how == LOADS_INDEX && pattern_depends(&strides->options, row, partner, &number))
            findings[count++] = (struct finding){"indirect", partner->location, histogram_top(&partner->offsets),
                                                 histogram_share(&partner->offsets)};
    }
    return count;
}

static uint32_t tables_find_base(const struct strides *strides, const struct loads_row *row)
{
    int64_t number;
    for (uint32_t i = 0; i < row->partner_count; i++)
        if (pattern_depends(&strides->options, row, &row->partners[i], &number))
            return row->partners[i].location;
    return LOADS_NONE;
}

static size_t tables_collect_findings(const struct strides *strides, const struct loads_row *row,
                                      struct finding *findings)
{
    int64_t stride;
    size_t count = 0;
    if (pattern_inter(&strides->options, row, &stride)) {
        struct finding *inter = &findings[count++];
        *inter = (struct finding){"inter", LOADS_NONE, NULL, 0};
        inter->top = pattern_inter_top(&strides->options, row, &inter->majority);
    }
    count += tables_find_partners(strides, row, count > 0, findings + count);
    assert(count <= FINDINGS_MAX);
    if (count > 0)
        return count;
    findings[0] = (struct finding){"none", tables_find_base(strides, row), histogram_top(&row->strides),
                                   histogram_share(&row->strides)};
    return 1;
}

enum { BRIEF_MAX = METHOD_NAME_MAX + 32 };

/* Brief: "method(parameters):line" without parameters, which the line makes redundant. */
static void tables_print_location(struct table *table, const struct strides *strides, uint32_t location, bool brief)
{
    char without[BRIEF_MAX];
    if (location == LOADS_NONE) {
        table_blank(table);
        return;
    }
    const char *text = loads_text(&strides->loads, location), *open = strchr(text, '('), *close = strrchr(text, ')');
    if (open && close > open)
        snprintf(without, sizeof without, "%.*s%s", (int)(open - text), text, close + 1);
    else
        snprintf(without, sizeof without, "%s", text);
    table_text(table, brief ? without : text);
}

/* The line is enough for a loop in the same method. */
static void tables_print_loop(struct table *table, const struct strides *strides, const struct loads_row *row,
                              bool brief)
{
    const char *site = loads_text(&strides->loads, row->location), *loop = loads_text(&strides->loads, row->loop),
               *colon = strrchr(loop, ':');
    if (brief && colon && strncmp(site, loop, (size_t)(colon - loop) + 1) == 0)
        table_text(table, colon);
    else
        tables_print_location(table, strides, row->loop, brief);
}

static void tables_print_details(struct table *table, const struct strides *strides, const struct loads_row *row)
{
    char position[64];
    const struct loads_location *location = loads_location_at(&strides->loads, row->location);
    const struct loads_loop *loop = loads_loop_find(&strides->loads, row->loop);
    snprintf(position, sizeof position, "%s0x%" PRIx64,
             *strides->loads.texts.texts[location->module] ? "" : "bytecode ", (uint64_t)loads_position(location));
    table_text(table, pattern_class_name(pattern_class_of(row)));
    table_text(table, position);
    table_count(table, location->bytes);
    table_count(table, row->accesses);
    table_real(table, loop ? loads_trips(loop) : NAN);
    table_count(table, row->prefetches.issued);
    table_count(table, row->prefetches.useful);
    table_count(table, row->prefetches.late);
    table_count(table, row->prefetches.useless);
    table_count(table, row->prefetches.resident);
    table_count(table, row->prefetches.dropped);
    table_count(table, (uint64_t)location->number + 1);
}

/* The plan stands in the first line of a load. */
static void tables_print_finding(struct table *table, const struct strides *strides, const struct plan *plan,
                                 uint32_t index, const struct finding *finding, bool first, bool brief)
{
    char planned[PLAN_TEXT_MAX] = "", reason[PLAN_TEXT_MAX] = "";
    const struct loads_row *row = loads_row_at(&strides->loads, index);
    if (first) {
        plan_text(strides, plan, index, planned);
        plan_reason_text(strides, plan, index, reason);
    }
    tables_print_location(table, strides, row->location, brief);
    tables_print_loop(table, strides, row, brief);
    table_text(table, finding->kind);
    tables_print_location(table, strides, finding->partner, brief);
    table_real(table, finding->top ? (double)finding->top->number : NAN);
    table_real(table, finding->top ? finding->majority : NAN);
    table_count(table, row->executions);
    table_count(table, row->misses);
    table_text(table, planned);
    table_text(table, reason);
    if (!brief)
        tables_print_details(table, strides, row);
}

/* Whether nothing recurs in a load, in a loop around one that shows most of its misses. A load of a function that is
 * called in several loops may have few in the innermost one. */
static bool tables_is_redundant(const struct strides *strides, const struct loads_row *row)
{
    struct finding findings[FINDINGS_MAX];
    const struct loads_row *inner = loads_row_find(&strides->loads, row->location, row->inner);
    tables_collect_findings(strides, row, findings);
    return inner && inner != row && inner->misses >= row->misses / 2 && strcmp(findings[0].kind, "none") == 0;
}

static void tables_print_load(struct table *table, const struct strides *strides, const struct plan *plan,
                              uint32_t index, bool brief)
{
    struct finding findings[FINDINGS_MAX];
    size_t count = tables_collect_findings(strides, loads_row_at(&strides->loads, index), findings);
    for (size_t i = 0; i < count; i++)
        tables_print_finding(table, strides, plan, index, &findings[i], i == 0, brief);
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

static uint32_t tables_rank_loads(const struct strides *strides, struct ranked_load *ranked)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < strides->loads.rows.count; i++)
        if (loops_includes_row(strides, loads_row_at(&strides->loads, i)))
            ranked[count++] = (struct ranked_load){strides, i};
    if (count > 1)
        qsort(ranked, count, sizeof *ranked, tables_compare_loads);
    return count;
}

static void tables_print_most(const struct strides *strides, const struct plan *plan, const struct ranked_load *ranked,
                              uint32_t count, uint64_t most, struct report *report)
{
    uint64_t shown = 0;
    for (uint32_t i = 0; i < count && (most == 0 || shown < most); i++)
        if (most == 0 || !tables_is_redundant(strides, loads_row_at(&strides->loads, ranked[i].row))) {
            tables_print_load(report->human, strides, plan, ranked[i].row, true);
            shown++;
        }
    if (shown < count)
        report_note(report, "%" PRIu64 " of %" PRIu32 " loads are shown, those that miss most (--rows 0 shows all)",
                    shown, count);
}

int tables_loads(const struct strides *strides, const struct plan *plan, uint64_t most, struct report *report)
{
    struct ranked_load *ranked = calloc(strides->loads.rows.count + 1, sizeof *ranked);
    report->table = table_new(TABLE_COLUMNS(columns));
    report->human = report->options->human_readable ? table_new(columns, BRIEF_COLUMNS) : NULL;
    if (!ranked || !report->table || (report->options->human_readable && !report->human)) {
        free(ranked);
        return ENOMEM;
    }
    uint32_t count = tables_rank_loads(strides, ranked);
    for (uint32_t i = 0; i < count; i++)
        tables_print_load(report->table, strides, plan, ranked[i].row, false);
    if (report->human)
        tables_print_most(strides, plan, ranked, count, most, report);
    free(ranked);
    return 0;
}
