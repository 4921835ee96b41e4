/* The table of kinds. */
#include <math.h>

#include "analyze/waste/waste_tables.h"
#include "stats/estimates/proportion.h"

struct table *waste_kinds_table(const struct waste_request *request)
{
    static const struct table_column columns[] = {{"fraction", TABLE_SHARE},
                                                  {"lo", TABLE_SHARE},
                                                  {"hi", TABLE_SHARE},
                                                  {"pair_fraction", TABLE_SHARE},
                                                  {"bytes", TABLE_COUNT},
                                                  {"wasted_bytes", TABLE_COUNT},
                                                  {"precise_fraction", TABLE_SHARE},
                                                  {"approx_fraction", TABLE_SHARE},
                                                  {"events", TABLE_COUNT},
                                                  {"runs", TABLE_COUNT}};
    struct table_column all[20];
    size_t count = 0;
    if (request->by)
        all[count++] = (struct table_column){request->by, TABLE_TEXT};
    all[count++] = (struct table_column){"kind", TABLE_TEXT};
    if (request->threads)
        all[count++] = (struct table_column){"thread", TABLE_TEXT};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        all[count++] = columns[i];
    if (request->sampled) {
        all[count++] = (struct table_column){"pair_lo", TABLE_SHARE};
        all[count++] = (struct table_column){"pair_hi", TABLE_SHARE};
        all[count++] = (struct table_column){"traps", TABLE_COUNT};
    }
    if (request->bursts && !request->threads) {
        all[count++] = (struct table_column){"unseen", TABLE_SHARE};
        all[count++] = (struct table_column){"bursts", TABLE_COUNT};
    }
    if (request->by)
        all[count++] = (struct table_column){"approx_part", TABLE_SHARE};
    return table_new(all, count);
}

/* With the remaining bias of sampling, if the kind was sampled. */
static struct waste_mean waste_with_bias(const struct waste_request *request, const struct waste_kind *row,
                                         struct waste_mean mean)
{
    if (row->traps > 0 && mean.has_interval)
        proportion_widen(mean.value, request->bias, request->confidence, &mean.interval.low, &mean.interval.high);
    return mean;
}

void waste_print_kinds(const struct waste_request *request, const struct waste_group *group,
                       const struct waste_kinds *kinds, struct table *table)
{
    for (size_t i = 0; i < kinds->rows.count; i++) {
        const struct waste_kind *row = keyed_at(&kinds->rows, i);
        if (request->kind != WASTE_COUNT && request->kind != row->waste)
            continue;
        struct waste_mean fraction = waste_with_bias(request, row, row->fraction);
        struct waste_mean of_pairs = waste_with_bias(request, row, row->pair_fraction);
        if (request->by)
            table_text(table, group->label);
        table_text(table, trace_waste_name(row->waste));
        if (request->threads)
            table_text(table, row->thread);
        table_real(table, fraction.value);
        table_real(table, fraction.has_interval ? fraction.interval.low : NAN);
        table_real(table, fraction.has_interval ? fraction.interval.high : NAN);
        table_real(table, row->pair_fraction.value);
        table_count(table, row->bytes);
        table_count(table, row->wasted_bytes);
        table_real(table, row->precise_fraction.value);
        table_real(table, row->approx_fraction.value);
        table_count(table, row->events);
        table_count(table, row->fraction.runs);
        if (request->sampled) {
            table_real(table, of_pairs.has_interval ? of_pairs.interval.low : NAN);
            table_real(table, of_pairs.has_interval ? of_pairs.interval.high : NAN);
            table_count(table, row->traps);
        }
        if (request->bursts && !request->threads) {
            table_real(table, row->bursts ? row->unseen : NAN);
            table_count(table, row->bursts);
        }
        if (request->by)
            table_real(table, row->approx_part.value);
    }
}
