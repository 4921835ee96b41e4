/* The notes beside the table. */
#include <errno.h>
#include <inttypes.h>

#include "analyze/cli/number.h"
#include "analyze/strides/tables.h"

static void summary_note_plan(const struct strides *strides, struct report *report)
{
    const struct loads_totals *totals = loads_totals_of(&strides->loads);
    const struct cache_prefetches *prefetches = &totals->prefetches;
    const struct cache_machine *machine = &strides->options.machine;
    if (prefetches->issued == 0) {
        report_note(report, "nothing is planned: the reasons are in the table");
        return;
    }
    for (unsigned level = 0; level < machine->level_count; level++) {
        uint64_t before = totals->before.load_misses[level], after = totals->after.load_misses[level];
        if (totals->instructions > 0)
            report_note(report,
                        "with the plan, level %u: %" PRIu64 " load misses instead of %" PRIu64
                        " (%.4g instead of %.4g per "
                        "1000 instructions)",
                        level + 1, after, before, 1000 * (double)after / (double)(totals->instructions + totals->added),
                        1000 * (double)before / (double)totals->instructions);
        else
            report_note(report, "with the plan, level %u: %" PRIu64 " load misses instead of %" PRIu64, level + 1,
                        after, before);
    }
    if (machine->tlb_entries > 0)
        report_note(report, "with the plan, TLB: %" PRIu64 " load misses instead of %" PRIu64,
                    totals->after.load_tlb_misses, totals->before.load_tlb_misses);
    report_note(report,
                "prefetches issued: %" PRIu64 " = %" PRIu64 " useful + %" PRIu64 " late + %" PRIu64
                " useless + %" PRIu64 " resident + %" PRIu64 " dropped; instructions added: %" PRIu64,
                prefetches->issued, prefetches->useful, prefetches->late, prefetches->useless, prefetches->resident,
                prefetches->dropped, totals->added);
    if (totals->unknown > 0)
        report_note(report,
                    "%" PRIu64 " prefetches go through values that the trace does not tell, and count as useless",
                    totals->unknown);
}

/* -------------------------------------------------------------------------------------------------------- JSON -- */

static json_t *summary_misses_json(const struct strides *strides, const struct cache_counts *counts)
{
    json_t *levels = json_array();
    for (unsigned level = 0; level < strides->options.machine.level_count; level++)
        json_array_append_new(levels, json_pack("{s:I, s:I}", "loads", (json_int_t)counts->load_misses[level], "stores",
                                                (json_int_t)counts->store_misses[level]));
    return json_pack("{s:o, s:I, s:I}", "levels", levels, "tlb_loads", (json_int_t)counts->load_tlb_misses,
                     "tlb_stores", (json_int_t)counts->store_tlb_misses);
}

static json_t *summary_totals_json(const struct strides *strides)
{
    const struct loads_totals *totals = loads_totals_of(&strides->loads);
    const struct cache_prefetches *prefetches = &totals->prefetches;
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "cache",
                     strides->options.machine.name, "accesses", (json_int_t)totals->accesses, "loads",
                     (json_int_t)totals->loads, "loads_in_loops", (json_int_t)totals->loads_in_loops, "instructions",
                     (json_int_t)totals->instructions, "misses", summary_misses_json(strides, &totals->before),
                     "misses_with_plan", summary_misses_json(strides, &totals->after), "added_instructions",
                     (json_int_t)totals->added, "issued", (json_int_t)prefetches->issued, "useful",
                     (json_int_t)prefetches->useful, "late", (json_int_t)prefetches->late, "useless",
                     (json_int_t)prefetches->useless, "resident", (json_int_t)prefetches->resident, "dropped",
                     (json_int_t)prefetches->dropped, "unknown", (json_int_t)totals->unknown);
}

int tables_summary(const struct strides *strides, struct report *report)
{
    const struct loads_totals *totals = loads_totals_of(&strides->loads);
    const struct strides_options *options = &strides->options;
    unsigned level = options->machine.prefetch_level;
    uint64_t outside = totals->loads - totals->loads_in_loops;
    report->summary = summary_totals_json(strides);
    report->no_result = totals->loads_in_loops == 0;
    if (totals->accesses == 0)
        report_warn(report, "no memory accesses: record them with assay record --mode memory");
    else if (totals->loads_in_loops == 0)
        report_warn(report, "no load is in a loop that the trace knows");
    if (totals->valueless > 0)
        report_warn(
            report,
            "%" PRIu64 " of %" PRIu64 " traces have no values, so that no dependence of loads is known, intra and "
            "indirect are missing, and plans know strides only: record with assay record --mode memory --values",
            totals->valueless, totals->traces);

    char percent[NUMBER_PERCENT_MAX];
    number_percent(options->majority, percent);
    if (options->iterations)
        report_note(report, "looked at the first %" PRIu64 " iterations that execute a load, of each burst",
                    options->iterations);
    report_note(
        report,
        "inter: more than %s %% of the steps from one iteration to the next%s are the stride; intra: so often the "
        "load is this far from its partner, through whose value it loads; indirect: it is indexed by the "
        "partner's value, in units of the stride",
        percent, options->moves ? ", but for those to the same address," : "");
    report_note(report, "A: the address that the load has in this iteration; a: what was loaded ahead; dependences are "
                        "inferred from values");
    report_note(
        report,
        "misses: loads that the simulated first %u level%s of %s did not have; simulated caches tell misses, not "
        "seconds",
        level + 1, level == 0 ? "" : "s", options->machine.name);
    summary_note_plan(strides, report);
    if (outside > 0)
        report_note(report, "%" PRIu64 " of %" PRIu64 " loads are in no loop, and not in the table", outside,
                    totals->loads);
    if (totals->gaps > 0)
        report_note(report, "the trace has %" PRIu64 " gaps between bursts, after which the simulated caches are empty",
                    totals->gaps);
    return report->summary ? 0 : ENOMEM;
}
