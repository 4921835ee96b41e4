/*
 * assay audit - how far is sampling, or a profiler, from the truth?
 *
 * `audit waste`: sampled dead stores, silent stores and silent loads, and those of bursts, against full runs of engine
 * exact (of JVMs: rewrite) of the same programs; --pairs and --lines: what only one of them has, and why.
 * `audit variance`: chosen calls against every call (audit/audit_variance.h). `audit profiler`: profilers against each
 * other and against injected slowdowns (audit/profiler). Records of waste: those of assay waste. Columns:
 * audit_tables.c. Source: comparison as Witch, ASPLOS 2018, §7; intervals: proportion.h.
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
#include "analyze/audit/profiler/profilers_plan.h"
#include "analyze/driver/analyzer.h"
#include "analyze/cli/number.h"
#include "analyze/waste/tables/waste_notes.h"

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
        waste_notes(state, run_label_name(RUN_LABEL_PROGRAM), report);
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
    .subject = "waste",
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
    .tables = audit_tables,
    .table_count = AUDIT_TABLES,
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
    if (argc == 8 && strcmp(argv[1], "profiler-plan") == 0)
        return profilers_plan_main(argv + 2);
    bool variance = argc > 1 && strcmp(argv[1], "variance") == 0;
    if (argc > 1 && (variance || strcmp(argv[1], "waste") == 0)) {
        argv[1] = argv[0];
        return analyzer_main(variance ? &audit_variance_analyzer : &analyzer, argc - 1, argv + 1);
    }
    if (argc > 1 && *argv[1] == '-') { /* the options of audit waste, and all columns */
        const struct columns all[] = {audit_tables[AUDIT_FRACTIONS], audit_tables[AUDIT_SINGLES],
                                      *audit_variance_analyzer.tables};
        struct analyzer any = analyzer;
        any.tables = all;
        any.table_count = sizeof all / sizeof *all;
        return analyzer_main(&any, argc, argv);
    }
    fputs("assay-audit: say what to audit: assay audit waste or assay audit variance --exact E.trace... "
          "SAMPLED.trace..., "
          "or assay audit profiler --profiler A --profiler B -- COMMAND...\n",
          stderr);
    return 2;
}
