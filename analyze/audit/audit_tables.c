/* The tables of assay audit waste, and their notes. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/audit/audit.h"
#include "analyze/cli/number.h"
#include "analyze/driver/analyzer.h"
#include "stats/estimates/order.h"

/* ------------------------------------------------------------------------------------------ columns -- */

struct fraction_row {
    const char *program, *kind, *way;
    double exact, sampled, low, high, error_points, tau, wide_low, wide_high, unseen;
    uint64_t covered, found, edit_distance, traps, wide_covered, bursts;
    struct audit_missed missed;
    bool is_wide, is_bursts;
};

static const struct column fraction_columns[] = {
    COLUMN(fraction_row, "program", TABLE_TEXT, program, "The program."),
    COLUMN(fraction_row, "kind", TABLE_TEXT, kind, "The kind of waste."),
    COLUMN(
        fraction_row, "exact", TABLE_SHARE, exact,
        "The fraction of the exact runs: the share of previously accessed bytes that were wasted, from 0 to 1, or in "
        "percent in the formats for readers. In rows of way common, both fractions cover the common pairs only. In "
        "rows of way "
        "bursts, it and sampled are shares of all bytes that were loaded or stored (the fraction of assay-waste(1))."),
    COLUMN(fraction_row, "sampled", TABLE_SHARE, sampled,
           "The fraction of the sampled runs. In rows of way bursts, it and its interval are the estimate over the "
           "bursts of all runs."),
    COLUMN(fraction_row, "lo", TABLE_SHARE, low,
           "The lower end of the interval of the sampled fraction, by Wilson's method for the effective number of "
           "pairs. It accounts for the sampling error, but not for the bias of the clock."),
    COLUMN(fraction_row, "hi", TABLE_SHARE, high, "The upper end of this interval."),
    COLUMN(fraction_row, "error_points", TABLE_REAL, error_points,
           "The sampled fraction minus the exact one, in percentage points."),
    COLUMN(fraction_row, "covered", TABLE_COUNT, covered, "1 if the interval contains the exact value, otherwise 0."),
    COLUMN(fraction_row, "top10_found", TABLE_COUNT, found,
           "The number of the ten most wasteful pairs of calling contexts in the exact runs that waste anything in the "
           "sampled runs. Frames match by function and line; where the line is unknown, by address, and callers within "
           "the call instruction. In rows of way common, it and the columns to edit_distance compare pairs of lines."),
    COLUMN(fraction_row, "kendall_tau", TABLE_REAL, tau,
           "The rank correlation (tau b) of the bytes that those ten pairs waste; blank where it is undefined."),
    COLUMN(fraction_row, "edit_distance", TABLE_COUNT, edit_distance,
           "The distance between the two lists of the ten worst pairs: the insertions, deletions and replacements that "
           "turn one into the other."),
    COLUMN(fraction_row, "traps", TABLE_COUNT, traps, "The number of sampled pairs; 0 in rows of way bursts."),
    COLUMN(fraction_row, "wide_lo", TABLE_SHARE, wide_low,
           "The lower end of the interval widened by the bias of all other programs in the table. The bias is the "
           "standard deviation of the part of their errors that sampling does not explain. So the share of these "
           "intervals that cover the exact value shows how well assay waste --bias works for a program that was not "
           "measured. It and the next two columns are blank if there is no other program, and in rows of a way other "
           "than samples."),
    COLUMN(fraction_row, "wide_hi", TABLE_SHARE, wide_high, "The upper end of this interval."),
    COLUMN(fraction_row, "wide_covered", TABLE_COUNT, wide_covered, "1 if it contains the exact value, otherwise 0.",
           .present = offsetof(struct fraction_row, is_wide)),
    COLUMN(fraction_row, "way", TABLE_TEXT, way,
           "The data that is compared with the full runs of engine exact or rewrite: samples, common (see JAVA) or "
           "bursts of these engines (assay record --burst)."),
    COLUMN(fraction_row, "unseen", TABLE_SHARE, unseen,
           "Only in rows of way bursts: the share of the bytes that bursts cannot classify."),
    COLUMN(fraction_row, "bursts", TABLE_COUNT, bursts, "Only in rows of way bursts: their number.",
           .present = offsetof(struct fraction_row, is_bursts)),
    COLUMN(fraction_row, "missed_lo", TABLE_SHARE, missed.low,
           "A lower bound of the share of the bytes of all exact pairs that sampling does not see because their pairs "
           "of lines have no sample. It leaves out pairs that are too rare. A pair is too rare if the chance that all "
           "samples miss it is above 5 %, assuming that each sample hits it with its share of the bytes. It and the "
           "columns to extra are blank without samples, and in rows of a way other than samples."),
    COLUMN(fraction_row, "missed_hi", TABLE_SHARE, missed.high, "The upper bound: the share of all such pairs."),
    COLUMN(fraction_row, "missed_waste_lo", TABLE_SHARE, missed.waste_low,
           "The lower bound for the wasted bytes of the exact pairs."),
    COLUMN(fraction_row, "missed_waste_hi", TABLE_SHARE, missed.waste_high, "The upper bound for them."),
    COLUMN(fraction_row, "missed_by_chance", TABLE_SHARE, missed.chance,
           "The share that the same number of samples would miss on average if nothing were hidden from them."),
    COLUMN(fraction_row, "extra", TABLE_SHARE, missed.extra,
           "The share of the sampled bytes at pairs of lines that the exact runs do not have; for a JVM, also of those "
           "on the stack.")};

struct single_row {
    const char *program, *kind, *only, *reason, *first, *second;
    double waste_share, share, chance;
    uint64_t traps;
};

static const struct column single_columns[] = {
    COLUMN(single_row, "program", TABLE_TEXT, program, "The program."),
    COLUMN(single_row, "kind", TABLE_TEXT, kind, "The kind of waste."),
    COLUMN(single_row, "only", TABLE_TEXT, only, "The runs that have the pair: exact or sampled."),
    COLUMN(single_row, "waste_share", TABLE_SHARE, waste_share,
           "The pair's share of all wasted bytes in these runs; for a JVM, samples on the stack do not count."),
    COLUMN(single_row, "share", TABLE_SHARE, share, "Its share of all bytes in them, likewise."),
    COLUMN(single_row, "traps", TABLE_COUNT, traps, "The number of samples of the pair."),
    COLUMN(single_row, "chance", TABLE_SHARE, chance,
           "The chance that all samples miss the pair, as for missed_lo; blank for a pair of the sampled runs."),
    COLUMN(single_row, "reason", TABLE_TEXT, reason, "The likely reason; see REASONS."),
    COLUMN(single_row, "first", TABLE_TEXT, first, "The context, or with --lines the line, of the first access."),
    COLUMN(single_row, "second", TABLE_TEXT, second, "The context or line of the second access.")};

const struct columns audit_tables[AUDIT_TABLES] = {
    [AUDIT_FRACTIONS] = COLUMNS("assay audit waste: one row for each program, kind and way", fraction_columns),
    [AUDIT_SINGLES] = COLUMNS(
        "assay audit waste --pairs or --lines: one row for each pair that only the exact or only the sampled runs have",
        single_columns)};

/* ------------------------------------------------------------------------------------------ fractions -- */

static void audit_add_fraction(struct report *report, const struct audit_row *row)
{
    const struct fraction_row cells = {.program = row->program,
                                       .kind = trace_waste_name(row->waste),
                                       .exact = row->exact,
                                       .sampled = row->sampled,
                                       .low = row->low,
                                       .high = row->high,
                                       .error_points = 100 * (row->sampled - row->exact),
                                       .covered = row->covered,
                                       .found = row->found,
                                       .tau = row->tau,
                                       .edit_distance = row->edit_distance,
                                       .traps = row->traps,
                                       .wide_low = row->wide_low,
                                       .wide_high = row->wide_high,
                                       .is_wide = !isnan(row->wide_low),
                                       .wide_covered = row->wide_covered,
                                       .way = audit_way_names[row->way],
                                       .unseen = row->unseen,
                                       .is_bursts = row->way == AUDIT_BURSTS,
                                       .bursts = row->bursts,
                                       .missed = row->missed};
    report_row(report, &cells);
}

/* In one line: what readers of a long table look for first. */
static int audit_note_summary(const struct audit *audit, enum audit_way way, struct report *report)
{
    double *errors = calloc(audit->count + 1, sizeof *errors), median;
    static const char *const what[AUDIT_WAYS] = {"samples", "what both see", "bursts"};
    size_t count = 0, covered = 0, wide = 0, wide_covered = 0;
    if (!errors)
        return ENOMEM;
    for (size_t i = 0; i < audit->count; i++) {
        double error = fabs(audit->rows[i].sampled - audit->rows[i].exact);
        if (!isfinite(error) || audit->rows[i].way != way)
            continue;
        errors[count++] = 100 * error;
        covered += audit->rows[i].covered;
        wide += isnan(audit->rows[i].wide_low) ? 0 : 1;
        wide_covered += audit->rows[i].wide_covered;
    }
    order_sort(errors, count);
    if (order_quantile(errors, count, 0.5, &median) == STATS_OK)
        report_note(report,
                    "error of %s: median %.2f, largest %.2f points; %zu of %zu intervals contain the exact value",
                    what[way], median, errors[count - 1], covered, count);
    if (wide > 0 && way == AUDIT_SAMPLES)
        report_note(report,
                    "bias that sampling does not explain: standard deviation %.2f points (assay waste --bias %.2f); "
                    "widened by that of the other programs, %zu of %zu intervals contain the exact value",
                    100 * audit->bias, 100 * audit->bias, wide_covered, wide);
    free(errors);
    return 0;
}

int audit_report_fractions(const struct audit *audit, struct report *report)
{
    char percent[NUMBER_PERCENT_MAX];
    bool java = false;
    int error = report_tables(report, &audit_tables[AUDIT_FRACTIONS], 0);
    for (size_t i = 0; !error && i < audit->count; i++) {
        audit_add_fraction(report, &audit->rows[i]);
        java |= audit->rows[i].way == AUDIT_COMMON;
    }
    for (unsigned way = 0; !error && way < AUDIT_WAYS; way++)
        error = audit_note_summary(audit, way, report);
    for (size_t i = 0; !error && java && i < audit->count; i++) { /* the accesses of Java that samples don't see */
        const struct audit_row *row = &audit->rows[i];
        const struct audit_missed *missed = &row->missed;
        char waste[64] = "";
        if (isnan(missed->low))
            continue;
        if (!isnan(missed->waste_low))
            snprintf(waste, sizeof waste, ", and %.1f to %.1f %% of the wasted ones", 100 * missed->waste_low,
                     100 * missed->waste_high);
        report_note(report,
                    "%s, %s: sampling does not see %.1f to %.1f %% of the accesses of Java code (bytes of pairs)%s; as "
                    "many samples would miss %.1f %% by chance",
                    row->program, trace_waste_name(row->waste), 100 * missed->low, 100 * missed->high, waste,
                    100 * missed->chance);
    }
    if (java)
        report_note(report,
                    "common: of pairs of lines that both have, without samples on the stack, where Java code has no "
                    "access");
    report_note(report,
                "exact, sampled: share of previously accessed bytes that were wasted; lo-hi: %s %% Wilson interval "
                "of the sampled value, for the sampling error alone; of bursts, share of all bytes loaded or stored "
                "that were wasted, and the interval of assay waste",
                number_percent(report->options->confidence, percent));
    report_note(report,
                "missed: share of the exact bytes (and of the wasted ones) at pairs of lines that no sample has: "
                "of those that are too frequent to be missed by chance, to all; extra: share of the sampled "
                "bytes at pairs of lines that the exact runs do not have");
    return error;
}

/* ------------------------------------------------------------------------------------------ singles -- */

static const char *audit_singles_reason(const struct audit_single *single)
{
    static const char *const texts[AUDIT_REASONS] = {
        [AUDIT_RARE] = "too rare to be sampled",
        [AUDIT_ABSENT] = "samples would have seen it: code that is too fast for the clock",
        [AUDIT_APART] = "both lines were sampled, but not one after the other",
        [AUDIT_CODE] = "code in which the exact runs have no access",
        [AUDIT_NO_ACCESS] = "a line at which the exact runs have no access",
        [AUDIT_BETWEEN] = "both lines are exact, but not one after the other",
        [AUDIT_ELSEWHERE] = "these lines, in other contexts"};
    static const char *const java[AUDIT_REASONS] = {
        [AUDIT_ABSENT] = "samples would have seen it: probably no access in compiled code, or one at another line",
        [AUDIT_APART] = "both lines were sampled: probably one access is not in compiled code, or at another line",
        [AUDIT_CODE] = "native code, the JVM, or a method without probes",
        [AUDIT_NO_ACCESS] = "no access of bytecode at this line: the JVM's own, or another line's",
        [AUDIT_BETWEEN] = "an access between is not in compiled code, or these are the JVM's own"};
    return single->java && java[single->reason] ? java[single->reason] : texts[single->reason];
}

/* A context as the table shows it, in memory that the caller frees; NULL without memory. */
static char *audit_singles_context(const struct waste *waste, uint32_t node, bool by_line, bool human_readable)
{
    char brief[WASTE_BRIEF_MAX];
    if (by_line)
        return strdup(node ? waste_text(waste, waste_node_at(waste, node)->text) : "[unknown]");
    if (!human_readable)
        return waste_chain(waste, node);
    waste_brief(waste, node, brief);
    return strdup(brief);
}

int audit_report_singles(const struct waste *waste, const struct audit *audit, bool by_line, struct report *report)
{
    int error = report_tables(report, &audit_tables[AUDIT_SINGLES], 0);
    for (size_t i = 0; !error && i < audit->single_count; i++) {
        const struct audit_single *single = &audit->singles[i];
        char *contexts[WASTE_SIDES];
        for (size_t side = 0; side < WASTE_SIDES; side++) {
            contexts[side] =
                audit_singles_context(waste, single->nodes[side], by_line, report->options->human_readable);
            error = contexts[side] ? error : ENOMEM;
        }
        const struct single_row row = {.program = single->program,
                                       .kind = trace_waste_name(single->waste),
                                       .only = single->exact ? "exact" : "sampled",
                                       .waste_share = single->waste_share,
                                       .share = single->share,
                                       .traps = single->traps,
                                       .chance = single->chance,
                                       .reason = audit_singles_reason(single),
                                       .first = contexts[0],
                                       .second = contexts[1]};
        if (!error)
            report_row(report, &row);
        for (size_t side = 0; side < WASTE_SIDES; side++)
            free(contexts[side]);
    }
    report_note(report,
                "share, waste_share: of the bytes, and of the wasted bytes, of all pairs of the runs that have it; "
                "samples on the stack of a JVM are left out");
    report_note(report,
                "chance: that all samples miss the pair, if each hits it with its share of the bytes; above %.0f %% "
                "it is too rare to be sampled",
                100 * AUDIT_CHANCE);
    return error;
}
