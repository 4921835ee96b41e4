/* The table of pairs that only one kind of runs has. */
#include <errno.h>
#include <stdlib.h>

#include "analyze/audit/audit.h"
#include "analyze/driver/analyzer.h"

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

static int audit_singles_add_context(const struct waste *waste, uint32_t node, bool by_line,
                                     const struct report *report)
{
    char brief[WASTE_BRIEF_MAX];
    if (by_line) {
        const char *text = node ? waste_text(waste, waste_node_at(waste, node)->text) : "[unknown]";
        table_text(report->table, text);
    } else if (report->options->human_readable) {
        waste_brief(waste, node, brief);
        table_text(report->table, brief);
    } else {
        char *chain = waste_chain(waste, node);
        if (!chain)
            return ENOMEM;
        table_text(report->table, chain);
        free(chain);
    }
    return 0;
}

static int audit_singles_add_row(const struct waste *waste, const struct audit_single *single, bool by_line,
                                 const struct report *report)
{
    table_text(report->table, single->program);
    table_text(report->table, trace_waste_name(single->waste));
    table_text(report->table, single->exact ? "exact" : "sampled");
    table_real(report->table, single->waste_share);
    table_real(report->table, single->share);
    table_count(report->table, single->traps);
    table_real(report->table, single->chance);
    table_text(report->table, audit_singles_reason(single));
    int error = 0;
    for (size_t side = 0; !error && side < WASTE_SIDES; side++)
        error = audit_singles_add_context(waste, single->nodes[side], by_line, report);
    return error;
}

int audit_report_singles(const struct waste *waste, const struct audit *audit, bool by_line, struct report *report)
{
    static const struct table_column columns[] = {
        {"program", TABLE_TEXT}, {"kind", TABLE_TEXT},   {"only", TABLE_TEXT},    {"waste_share", TABLE_SHARE},
        {"share", TABLE_SHARE},  {"traps", TABLE_COUNT}, {"chance", TABLE_SHARE}, {"reason", TABLE_TEXT},
        {"first", TABLE_TEXT},   {"second", TABLE_TEXT}};
    report->table = table_new(columns, sizeof columns / sizeof *columns);
    int error = report->table ? 0 : ENOMEM;
    for (size_t i = 0; !error && i < audit->single_count; i++)
        error = audit_singles_add_row(waste, &audit->singles[i], by_line, report);
    report_note(report,
                "share, waste_share: of the bytes, and of the wasted bytes, of all pairs of the runs that have it; "
                "samples on the stack of a JVM are left out");
    report_note(report,
                "chance: that all samples miss the pair, if each hits it with its share of the bytes; above %.0f %% "
                "it is too rare to be sampled",
                100 * AUDIT_CHANCE);
    return error;
}
