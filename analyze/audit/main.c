/*
 * assay audit - how far is sampling, or a profiler, from the truth?
 *
 * `audit waste`: sampled dead stores, silent stores and silent loads, and those of bursts, against full runs of engine
 * exact (of JVMs: rewrite) of the same programs; --pairs and --lines: what only one of them has, and why.
 * `audit variance`: chosen calls against every call (audit/audit_variance.h). `audit profiler`: profilers against each
 * other and against injected slowdowns (audit/profiler). Records of waste: those of assay waste.
 * Columns: program; kind; exact, sampled (0-1): share of previously accessed bytes that were wasted (JXPerf eq. 1); lo,
 * hi: interval of the sampled value, for the sampling error; error_points: sampled minus exact, in percentage points;
 * covered: 1 if the interval contains the exact value; top10_found: of the exact runs' ten worst pairs, how many the
 * sampled runs have; kendall_tau: rank correlation of those ten; edit_distance between both lists of ten; traps;
 * wide_lo, wide_hi, wide_covered: the interval with the bias that all other programs show (blank for a single program);
 * way: samples, common or bursts; of bursts, exact and sampled are shares of all bytes loaded or stored, and so are
 * unseen, what the bursts can't judge, and bursts, their number (windows.h); missed_lo to extra: what samples don't see
 * (audit.h). Source: comparison as Witch, ASPLOS 2018, §7; intervals: proportion.h.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/audit/audit.h"
#include "analyze/audit/audit_variance.h"
#include "analyze/audit/profiler/profilers.h"
#include "analyze/driver/analyzer.h"
#include "analyze/cli/number.h"
#include "analyze/waste/waste_notes.h"
#include "stats/estimates/order.h"

enum { KEY_PAIRS = 0x100, KEY_LINES };

static const struct argp_option options[] = {
    {"exact", 'e', NULL, 0, "documents the command line; changes nothing", 0},
    {"pairs", KEY_PAIRS, "N", 0,
     "show the N pairs of contexts that waste most and that only the exact or only the sampled runs have, with the "
     "likely reason (0: all)",
     0},
    {"lines", KEY_LINES, "N", 0, "the same for pairs of lines, whatever called them", 0},
    {0}};

static struct audit_wish own;

static int audit_parse_option(int key, char *arg, void *unused)
{
    (void)unused;
    switch (key) {
    case 'e':
        return 0;
    case KEY_PAIRS:
    case KEY_LINES:
        own.singles = true;
        own.by_line = key == KEY_LINES;
        return number_parse_count(arg, 0, UINT32_MAX, &own.top);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ------------------------------------------------------------------------------------------ fractions -- */

static struct table *audit_new_table(void)
{
    static const struct table_column columns[] = {{"program", TABLE_TEXT},
                                                  {"kind", TABLE_TEXT},
                                                  {"exact", TABLE_SHARE},
                                                  {"sampled", TABLE_SHARE},
                                                  {"lo", TABLE_SHARE},
                                                  {"hi", TABLE_SHARE},
                                                  {"error_points", TABLE_REAL},
                                                  {"covered", TABLE_COUNT},
                                                  {"top10_found", TABLE_COUNT},
                                                  {"kendall_tau", TABLE_REAL},
                                                  {"edit_distance", TABLE_COUNT},
                                                  {"traps", TABLE_COUNT},
                                                  {"wide_lo", TABLE_SHARE},
                                                  {"wide_hi", TABLE_SHARE},
                                                  {"wide_covered", TABLE_COUNT},
                                                  {"way", TABLE_TEXT},
                                                  {"unseen", TABLE_SHARE},
                                                  {"bursts", TABLE_COUNT},
                                                  {"missed_lo", TABLE_SHARE},
                                                  {"missed_hi", TABLE_SHARE},
                                                  {"missed_waste_lo", TABLE_SHARE},
                                                  {"missed_waste_hi", TABLE_SHARE},
                                                  {"missed_by_chance", TABLE_SHARE},
                                                  {"extra", TABLE_SHARE}};
    return table_new(columns, sizeof columns / sizeof *columns);
}

static void audit_add_row(struct table *table, const struct audit_row *row)
{
    table_text(table, row->program);
    table_text(table, trace_waste_name(row->waste));
    table_real(table, row->exact);
    table_real(table, row->sampled);
    table_real(table, row->low);
    table_real(table, row->high);
    table_real(table, 100 * (row->sampled - row->exact));
    table_count(table, row->covered);
    table_count(table, row->found);
    table_real(table, row->tau);
    table_count(table, row->edit_distance);
    table_count(table, row->traps);
    table_real(table, row->wide_low);
    table_real(table, row->wide_high);
    if (isnan(row->wide_low))
        table_blank(table);
    else
        table_count(table, row->wide_covered);
    table_text(table, audit_way_names[row->way]);
    table_real(table, row->unseen);
    if (row->way == AUDIT_BURSTS)
        table_count(table, row->bursts);
    else
        table_blank(table);
    const struct audit_missed *missed = &row->missed;
    table_reals(table,
                (const double[]){missed->low, missed->high, missed->waste_low, missed->waste_high, missed->chance,
                                 missed->extra},
                6);
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

/* Which share of Java's accesses a sampled run does not see. */
static void audit_note_missed(const struct audit_row *row, struct report *report)
{
    const struct audit_missed *missed = &row->missed;
    char waste[64] = "";
    if (isnan(missed->low))
        return;
    if (!isnan(missed->waste_low))
        snprintf(waste, sizeof waste, ", and %.1f to %.1f %% of the wasted ones", 100 * missed->waste_low,
                 100 * missed->waste_high);
    report_note(
        report,
        "%s, %s: sampling does not see %.1f to %.1f %% of the accesses of Java code (bytes of pairs)%s; as many "
        "samples would miss %.1f %% by chance",
        row->program, trace_waste_name(row->waste), 100 * missed->low, 100 * missed->high, waste, 100 * missed->chance);
}

static int audit_report_fractions(const struct audit *audit, struct report *report)
{
    char percent[NUMBER_PERCENT_MAX];
    bool java = false;
    report->table = audit_new_table();
    int error = report->table ? 0 : ENOMEM;
    for (size_t i = 0; !error && i < audit->count; i++) {
        audit_add_row(report->table, &audit->rows[i]);
        java |= audit->rows[i].way == AUDIT_COMMON;
    }
    for (unsigned way = 0; !error && way < AUDIT_WAYS; way++)
        error = audit_note_summary(audit, way, report);
    for (size_t i = 0; !error && java && i < audit->count; i++)
        audit_note_missed(&audit->rows[i], report);
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

/* ------------------------------------------------------------------------------------------ report -- */

static int audit_report(void *state, struct report *report)
{
    struct audit audit;
    int error = audit_rows(state, report->options, &own, &audit);
    if (!error)
        error = own.singles ? audit_report_singles(state, &audit, own.by_line, report)
                            : audit_report_fractions(&audit, report);
    report->no_result = audit.count == 0;
    if (!error && report->no_result)
        report_warn(report,
                    "no program and kind was recorded both by engine exact or rewrite, in full, and by sampling "
                    "or in bursts");
    if (!error && audit.unmatched > 0)
        report_warn(report, "%zu program%s recorded in one way only and %s left out", audit.unmatched,
                    audit.unmatched == 1 ? " was" : "s were", audit.unmatched == 1 ? "is" : "are");
    if (!error)
        waste_notes(state, waste_label_names[0], report);
    audit_free(&audit);
    return error;
}

static const struct analyzer_input inputs[] = {
    {TRACE_PAIR, TRACE_ALL_COLUMNS & ~TRACE_COLUMN(PAIR_TIME)},
    {TRACE_TOTAL, TRACE_COLUMN(TOTAL_ACCESS) | TRACE_COLUMN(TOTAL_VALUES) | TRACE_COLUMN(TOTAL_BYTES)},
    {TRACE_BURST, TRACE_ALL_COLUMNS & ~TRACE_COLUMN(BURST_TIME)},
    {TRACE_TRAP,
     TRACE_ALL_COLUMNS & ~(TRACE_COLUMN(TRAP_TIME) | TRACE_COLUMN(TRAP_REGISTER) | TRACE_COLUMN(TRAP_SECOND_BYTES))},
    {TRACE_RANGE, TRACE_COLUMN(RANGE_BYTES) | TRACE_COLUMN(RANGE_APPROX_BYTES)},
    {TRACE_WATCH, TRACE_COLUMN(WATCH_OUTCOME) | TRACE_COLUMN(WATCH_COUNT)},
    {0, 0}};

static const struct analyzer analyzer = {
    .name = "audit",
    .doc = "How far is sampling from the truth? Sampled wasted memory accesses, compared with those of engine exact "
           "(of JVMs: rewrite).\v"
           "These are the options of assay audit waste; assay audit profiler --help lists those of audits of "
           "profilers, assay audit variance --help those of calls that were chosen at random.\n\n"
           "Examples:\n"
           "  assay record --engine exact --mode waste -o exact -- xz -k big.tar\n"
           "  assay record --mode silent-load --runs 5 -o sampled -- xz -k big.tar\n"
           "  assay audit waste --exact exact/*.trace sampled/*.trace\n"
           "  assay audit waste --lines 10 --exact exact/*.trace sampled/*.trace\n",
    .options = options,
    .parse = audit_parse_option,
    .inputs = inputs,
    .relations = waste_relations,
    .relation_count = WASTE_RELATIONS,
    .state_bytes = sizeof(struct waste),
    .feed = waste_feed,
    .finalize = waste_finalize,
    .report = audit_report,
    .free = waste_free,
};

/* Runs the script ../../share/assay/analyze/audit/profiler/audit, relative to this program: it runs profilers and
 * assay's other programs, and at the end this one for the report. */
static int audit_run_profilers(char **argv)
{
    static const char below[] = "/share/assay/analyze/audit/profiler/audit";
    char path[PATH_MAX + sizeof below];
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
    path[length > 0 ? length : 0] = '\0';
    for (int up = 0; up < 3; up++) {
        char *slash = strrchr(path, '/');
        if (slash)
            *slash = '\0';
    }
    strcat(path, below);
    argv[0] = path;
    execv(path, argv);
    fprintf(stderr, "assay-audit: %s: %s\n", path, strerror(errno));
    return 1;
}

/* The last step of the script, in the audit's directory: profiler-report FORMAT RUNS TOLERANCE METHODS COMMAND. */
static int audit_report_profilers(char **argv)
{
    const struct profilers_request request = {.format = argv[0],
                                              .runs = profilers_count(argv[1]),
                                              .tolerance = argv[2],
                                              .slowed = argv[3],
                                              .command = argv[4]};
    struct profilers all;
    struct error_text message;
    int status = profilers_read(&all, &request, &message);
    if (!status) {
        FILE *verdicts = fopen("verdicts.tsv", "we");
        if (verdicts)
            profilers_write_verdicts(&all, verdicts);
        if (!verdicts || fclose(verdicts) != 0)
            status = error_set(&message, STATUS_BAD, "verdicts.tsv: %s", strerror(errno));
        profilers_write_report(&all, stdout);
        if (fflush(stdout) != 0)
            status = error_set(&message, STATUS_BAD, "standard output: %s", strerror(errno));
    }
    if (status)
        fprintf(stderr, "assay-audit: %s\n", message.text);
    profilers_free(&all);
    return status;
}

/* The first word names what is audited. */
int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "profiler") == 0)
        return audit_run_profilers(argv + 1);
    if (argc == 7 && strcmp(argv[1], "profiler-report") == 0)
        return audit_report_profilers(argv + 2);
    bool variance = argc > 1 && strcmp(argv[1], "variance") == 0;
    if (argc > 1 && (variance || strcmp(argv[1], "waste") == 0)) {
        argv[1] = argv[0];
        return analyzer_main(variance ? &audit_variance_analyzer : &analyzer, argc - 1, argv + 1);
    }
    if (argc > 1 && *argv[1] == '-')
        return analyzer_main(&analyzer, argc, argv);
    fputs("assay-audit: say what to audit: assay audit waste or assay audit variance --exact E.trace... "
          "SAMPLED.trace..., "
          "or assay audit profiler --profiler A --profiler B -- COMMAND...\n",
          stderr);
    return 2;
}
