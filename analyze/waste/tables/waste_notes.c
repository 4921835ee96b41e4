#include "analyze/waste/tables/waste_notes.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Fewer clusters than this have an interval that is too narrow if they are skewed. */
enum { BURSTS_FEW = 10 };

static const struct waste_recording *waste_recording_at(const struct waste *waste, size_t index)
{
    return waste_row(waste, WASTE_RECORDING_ROWS, index);
}

/* ------------------------------------------------------------------------------------------ recordings -- */

/* What is in no pair or lumped together. */
static void waste_note_losses(const struct waste *waste, struct report *report)
{
    uint64_t losses[WASTE_LOSSES] = {0}, bytes[2] = {0}; /* of recordings without and with pairs of two threads */
    size_t between = 0, count = waste_count(waste, WASTE_RECORDING_ROWS);
    for (size_t i = 0; i < count; i++) {
        const struct waste_recording *recording = waste_recording_at(waste, i);
        bytes[recording->between_threads] += recording->losses[WASTE_OTHER_THREAD];
        between += recording->between_threads;
        for (size_t l = 0; l < WASTE_LOSSES; l++)
            losses[l] += recording->losses[l];
    }
    if (bytes[0] > 0)
        report_note(report, "%" PRIu64 " bytes had last been accessed by another thread: they are in no pair",
                    bytes[0]);
    if (between > 0)
        report_note(report,
                    "%zu of %zu traces have pairs between threads, which count for the thread of the second access: "
                    "%" PRIu64 " bytes had last been accessed by another thread",
                    between, count, bytes[1]);
    if (between > 0 && between < count)
        report_warn(report, "%s",
                    "only some of these traces have pairs between threads: compare their pairs with care");
    if (losses[WASTE_LOST_NODES] > 0)
        report_warn(report, "%" PRIu64 " calls are lumped together: there were too many contexts",
                    losses[WASTE_LOST_NODES]);
    if (losses[WASTE_LOST_DEPTH] > 0)
        report_note(report,
                    "%" PRIu64 " recursive calls were counted in the context of an earlier call: a path contains a "
                    "call at most three times",
                    losses[WASTE_LOST_DEPTH]);
    if (losses[WASTE_LOST_SCOPES] > 0)
        report_note(report, "%" PRIu64 " pairs have a loop that could not be determined", losses[WASTE_LOST_SCOPES]);
    if (losses[WASTE_ELSEWHERE] > 0)
        report_note(report,
                    "%" PRIu64
                    " bytes were accessed through Unsafe outside of fields and elements, or several elements at "
                    "once: they are in no pair",
                    losses[WASTE_ELSEWHERE]);
    if (losses[WASTE_HIDDEN] > 0)
        report_note(report, "%" PRIu64 " hidden classes (of lambdas and method handles) have no probes",
                    losses[WASTE_HIDDEN]);
}

static void waste_note_bursts(const struct waste *waste, struct report *report)
{
    size_t bursty = 0, chosen = 0;
    const struct waste_recording *last = NULL;
    for (size_t i = 0; i < waste_count(waste, WASTE_RECORDING_ROWS); i++)
        if (waste_recording_at(waste, i)->burst_disable > 0) {
            last = waste_recording_at(waste, i);
            chosen += last->burst_auto;
            bursty++;
        }
    if (!last)
        return;
    report_note(report,
                "%zu of %zu traces were recorded in bursts, %s of %" PRIu64 " %s with about %" PRIu64
                " between, of which the second half counts: all but the fraction is of what they saw, so that a pair "
                "longer than half a burst is rarer here than in the program, or missing",
                bursty, waste_count(waste, WASTE_RECORDING_ROWS), chosen ? "the first ones" : "as", last->burst_enable,
                last->rewritten ? "accesses" : "instructions", last->burst_disable);
    if (last->rewritten)
        report_note(report, "between bursts of engine rewrite nothing counts accesses: these gaps are CPU time, "
                            "estimated from that of the bursts");
    if (waste_count(waste, WASTE_BURST_ROWS) == 0)
        report_warn(report, "%s",
                    "no burst was completed, or an older version recorded them: no fraction is corrected "
                    "for what lies before a burst");
}

/* What engine rewrite sees and a processor does not, and the other way round. */
static void waste_note_rewritten(const struct waste *waste, struct report *report)
{
    size_t rewritten = 0, lengths = 0;
    for (size_t i = 0; i < waste_count(waste, WASTE_RECORDING_ROWS); i++) {
        rewritten += waste_recording_at(waste, i)->rewritten;
        lengths += waste_recording_at(waste, i)->array_lengths;
    }
    if (rewritten > 0)
        report_note(
            report,
            "%zu of %zu traces have the accesses of Java's bytecode, also those that the JIT compilers remove, and "
            "those through Unsafe, VarHandle and atomics; not those of native code and hidden classes (lambdas)",
            rewritten, waste_count(waste, WASTE_RECORDING_ROWS));
    if (lengths > 0)
        report_note(report, "in %zu of %zu traces reading the length of an array is a load of 4 bytes, always the same",
                    lengths, waste_count(waste, WASTE_RECORDING_ROWS));
    if (lengths > 0 && lengths < rewritten)
        report_warn(report, "%s",
                    "only some of these traces count lengths of arrays: their fractions can't be compared");
}

/* The cost of sampling: sampled accesses without a result, and what no interval includes. */
static void waste_note_sampling(const struct waste *waste, struct report *report)
{
    static const char *const why[OUTCOME_COUNT] = {[OUTCOME_DECLINED] = "no register free",
                                                   [OUTCOME_REPLACED] = "replaced",
                                                   [OUTCOME_GIVEN_UP] = "given up",
                                                   [OUTCOME_COLLECTED] = "collection between",
                                                   [OUTCOME_UNKNOWN] = "instruction unknown",
                                                   [OUTCOME_FRESH] = "memory freed",
                                                   [OUTCOME_PENDING] = "no access before the end",
                                                   [OUTCOME_KERNEL] = "overwritten by the kernel",
                                                   [OUTCOME_UNSEEN] = "perhaps read by the kernel"};
    uint64_t counts[OUTCOME_COUNT] = {0};
    char text[512] = "";
    if (!waste_is_sampled(waste))
        return;
    for (size_t i = 0; i < waste_count(waste, WASTE_RECORDING_ROWS); i++)
        for (size_t o = 0; o < OUTCOME_COUNT; o++)
            counts[o] += waste_recording_at(waste, i)->outcomes[o];
    for (size_t o = 0; o < OUTCOME_COUNT; o++)
        if (counts[o] > 0 && why[o])
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s %" PRIu64, *text ? ", " : "", why[o],
                     counts[o]);
    if (*text)
        report_note(report, "sampled accesses that formed no pair: %s", text);
    if (counts[OUTCOME_BLOCKED] > 0)
        report_note(report,
                    "%" PRIu64 " ticks sampled nothing, since the thread blocked or had taken SIGTRAP, or a "
                    "register could not be set",
                    counts[OUTCOME_BLOCKED]);
    report_note(report, "the clock ticks in time: accesses of code that runs slower than the rest are oversampled "
                        "(assay audit waste measures that bias; docs/waste.md says how large it is)");
}

void waste_notes(const struct waste *waste, const char *by, struct report *report)
{
    static const char remedy[] = "root, CAP_PERFMON or /proc/sys/kernel/perf_event_paranoid at most 1 would permit it";
    double least = NAN, most = NAN;
    uint64_t unknown = 0;
    size_t kernel[WASTE_KERNEL_COUNT] = {0}, count = waste_count(waste, WASTE_RECORDING_ROWS);
    for (size_t i = 0; i < count; i++) {
        const struct waste_recording *recording = waste_recording_at(waste, i);
        least = fmin(least, recording->fp_tolerance);
        most = fmax(most, recording->fp_tolerance);
        kernel[recording->kernel]++;
        unknown += recording->unknown;
    }
    if (least < most)
        report_warn(report, "these traces differ in the tolerance of floating-point values: %g %% to %g %%",
                    100 * least, 100 * most);
    else if (least <= most)
        report_note(report, "floating-point values count as equal within %g %%, all others must be identical",
                    100 * least);
    waste_note_losses(waste, report);
    waste_note_sampling(waste, report);

    /* How system calls' accesses to watched addresses were handled. */
    if (kernel[WASTE_KERNEL_LEFT_OUT] > 0)
        report_note(report,
                    "%zu of %zu traces do not see what system calls access (%s): pairs of stores between which the "
                    "thread wrote to a file are left out",
                    kernel[WASTE_KERNEL_LEFT_OUT], count, remedy);
    if (kernel[WASTE_KERNEL_UNSEEN] > 0)
        report_warn(report,
                    "%zu of %zu traces do not see what system calls access (%s): a buffer that only they read looks "
                    "dead, and what they store is not compared",
                    kernel[WASTE_KERNEL_UNSEEN], count, remedy);
    waste_note_bursts(waste, report);
    waste_note_rewritten(waste, report);
    const char *mixed = by ? NULL : waste_mixed_label(waste);
    if (mixed)
        report_warn(report, "these runs differ in %s; --by %s gives a table for each", mixed, mixed);
    if (unknown > 0)
        report_warn(report, "%" PRIu64 " records are of kinds that this version does not know", unknown);
}

/* ------------------------------------------------------------------------------------------ runs -- */

/* What bursts can't see. */
static void waste_note_unseen(const struct waste_kind *row, const char *accessed, struct report *report)
{
    const char *name = trace_waste_name(row->waste);
    if (row->bursts == 0)
        return;
    if (isnan(row->unseen_wasted)) {
        report_warn(report,
                    "%s: its %" PRIu64
                    " bursts can judge none of what they counted, which may all repeat accesses from "
                    "before the burst: longer ones may (--burst auto)",
                    name, row->bursts);
        return;
    }
    report_note(report,
                "%s: %" PRIu64 " bursts; %.2f %% of the bytes %s may repeat accesses from before the burst: %.0f %% of "
                "them are taken to be wasted, as are those that reach back into its first half; the interval allows "
                "for all of them or none",
                name, row->bursts, 100 * row->unseen, accessed, 100 * row->unseen_wasted);
    if (row->bursts < BURSTS_FEW)
        report_warn(report,
                    "%s: %" PRIu64 " burst%s too few for an interval that can be relied on: shorter gaps give "
                    "more of them",
                    name, row->bursts, row->bursts == 1 ? " is" : "s are");
}

void waste_kind_notes(const struct waste_group *group, const struct waste_kinds *kinds, struct report *report)
{
    size_t empty = 0;
    for (size_t r = 0; r < group->run_count; r++)
        empty += group->kinds[r] == 0;
    if (empty == group->run_count)
        report_warn(report, "no memory accesses%s%s: record them with assay record --engine exact --mode waste",
                    *group->label ? " of " : "", group->label);
    else if (empty > 0)
        report_warn(report, "the result leaves out %zu of %zu runs: no memory accesses", empty, group->run_count);
    for (size_t i = 0; i < kinds->rows.count; i++) {
        const struct waste_kind *row = keyed_at(&kinds->rows, i);
        const char *name = trace_waste_name(row->waste);
        const char *accessed = waste_access(row->waste) == ACCESS_STORE ? "stored" : "loaded";
        if (row->recorded > row->fraction.runs)
            report_warn(report, "%s: the fraction leaves out %zu of %zu runs: no bytes %s", name,
                        row->recorded - row->fraction.runs, row->recorded, accessed);
        waste_note_unseen(row, accessed, report);
        if (row->exceeded)
            report_warn(report, "%s: a run wasted more bytes than it %s: totals are missing", name, accessed);
    }
}
