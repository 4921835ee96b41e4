/* The table of kinds. */
#include "analyze/waste/tables/waste_columns.h"
#include "stats/estimates/proportion.h"

/* Adds the remaining bias of sampling, if the kind was sampled. */
static void waste_add_bias(const struct waste_request *request, uint64_t traps, struct waste_mean *mean)
{
    if (traps > 0 && mean->has_interval)
        proportion_widen(mean->value, request->bias, request->confidence, &mean->interval.low, &mean->interval.high);
}

void waste_print_kinds(const struct waste_request *request, const struct waste_group *group,
                       const struct waste_kinds *kinds, struct table *table, struct table *human)
{
    for (size_t i = 0; i < kinds->rows.count; i++) {
        struct waste_kind_row row = {.label = group->label,
                                     .kind = *(const struct waste_kind *)keyed_at(&kinds->rows, i)};
        row.name = trace_waste_name(row.kind.waste);
        row.runs = row.kind.fraction.runs;
        waste_add_bias(request, row.kind.traps, &row.kind.fraction);
        waste_add_bias(request, row.kind.traps, &row.kind.pair_fraction);
        waste_fit_text(group->label, WASTE_LABEL_WIDTH, row.brief_label, sizeof row.brief_label);
        waste_fit_text(row.kind.thread, WASTE_LABEL_WIDTH, row.brief_thread, sizeof row.brief_thread);
        row.shown_label = row.brief_label;
        row.shown_thread = row.brief_thread;
        if (request->kind != WASTE_COUNT && request->kind != row.kind.waste)
            continue;
        if (human)
            columns_add(human, &waste_tables[WASTE_KINDS_TABLE], COLUMNS_HUMAN, waste_given(request), &row);
        columns_add(table, &waste_tables[WASTE_KINDS_TABLE], COLUMNS_MACHINE, waste_given(request), &row);
    }
}
