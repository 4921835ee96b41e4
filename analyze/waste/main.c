/*
 * assay waste - how much of a program's memory accesses did nothing new?
 *
 * Records: pair, total, object. Kinds: dead-store (stored, and overwritten without a load between), silent-store and
 * silent-load (the value that was already there), spatial-load (the value of the previous load from the same data
 * object), adjacent-load (the value of a neighbor in an array). Columns: kind; fraction (0-1): wasted bytes over all
 * bytes stored or loaded in a run, mean over runs; lo, hi: interval of that mean, within 0 and 1 (blank for one run);
 * pair_fraction: of the bytes that had been accessed before; bytes: all stored or loaded, in all runs; wasted_bytes;
 * precise_fraction, approx_fraction: of values compared exactly, or within a tolerance; events: accesses in pairs;
 * runs; approx_part (with --by): the part of fraction within a tolerance.
 * --pairs, --objects, --scopes: where, by traffic_share, which all kinds have in common (waste_traffic.h); --objects
 * with
 * --pairs: the pairs of each object. --baseline: what changed between two versions (waste_baseline.h).
 * Source: Su, dissertation 2020, Definition 3, eq. 3.1-3.3, Fig. 3.2; JXPerf, ESEC/FSE 2019, eq. 1-3, §5.6.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "analyze/driver/analyzer.h"
#include "analyze/cli/number.h"
#include "analyze/waste/page/waste_page.h"
#include "analyze/waste/baseline/waste_baseline.h"
#include "analyze/waste/tables/waste_notes.h"
#include "analyze/waste/tables/waste_columns.h"
#include "stats/distributions/critical.h"

enum {
    KEY_PAIRS = 0x100,
    KEY_OBJECTS,
    KEY_SCOPES,
    KEY_BY,
    KEY_MERGE,
    KEY_BIAS,
    KEY_FUNCTIONS,
    KEY_LINES,
    KEY_HOT,
    KEY_BASELINE,
    KEY_HTML,
    KEY_SOURCES
};
enum { TOP_FOR_READERS = 20 }; /* of --hot */

static struct analyzer analyzer; /* its figure is that of the request */
static struct waste_request own = {.view = WASTE_VIEW_KINDS, .kind = WASTE_COUNT, .bias = WASTE_BIAS};

static bool has_bias; /* --bias is given */
static struct analyzer_baseline baseline;
static struct waste_page_request page;

static const struct argp_option options[] = {
    {"baseline", KEY_BASELINE, "OLD", 0,
     "compare: what changed since OLD, a trace, a directory of traces or a saved state of the version before; may be "
     "given several times",
     0},
    {"hot", KEY_HOT, NULL, 0,
     "rank functions, or with --lines lines, by what mending them can gain: the TRACEs include CPU profiles, too", 0},
    {"functions", KEY_FUNCTIONS, "N", 0, "show the N functions that waste most, of all kinds (0: all)", 0},
    {"lines", KEY_LINES, "N", 0, "show the N lines that waste most, of all kinds (0: all)", 0},
    {"pairs", KEY_PAIRS, "N", 0, "show the N pairs of contexts that waste most (0: all)", 0},
    {"objects", KEY_OBJECTS, "N", 0,
     "show the N data objects that waste most (0: all), by where they are allocated: of Java, and of spatial loads; "
     "with --pairs, each one's N pairs, too",
     0},
    {"scopes", KEY_SCOPES, "N", 0, "show the N loops that waste most (0: all)", 0},
    {"kind", 'k', "KIND", 0, "only dead-store, silent-store, silent-load, spatial-load or adjacent-load", 0},
    {"threads", 't', NULL, 0, "one row for each thread", 0},
    {"merge-threads", KEY_MERGE, NULL, 0,
     "merge pairs of different threads with equal contexts and scope (the default; undoes --threads)", 0},
    {"bias", KEY_BIAS, "POINTS", 0,
     "bias of sampled kinds beyond the sampling error, as a standard deviation in percentage points; widens their "
     "intervals (default 7.6; assay audit waste measures it; 0: sampling error alone)",
     0},
    {"html", KEY_HTML, "FILE", 0,
     "also write a page for a browser into FILE: functions, lines, source, pairs, objects and loops", 0},
    {"sources", KEY_SOURCES, "DIR", 0,
     "with --html, search source files below DIR, too; may be repeated, or several separated by colons", 0},
    {"by", KEY_BY, "LABEL", 0, "a table for each " RUN_LABEL_HELP, 0},
    {0}};

static bool waste_is_ranking(void)
{
    return own.times || own.view == WASTE_VIEW_FUNCTIONS || own.view == WASTE_VIEW_LINES;
}

/* Functions and lines have none. */
static void waste_choose_figure(void)
{
    analyzer.figure = waste_is_ranking() || baseline.count > 0 ? NULL
                      : own.view == WASTE_VIEW_OBJECT_PAIRS    ? "waste-objects"
                                                               : "waste";
}

/* Whether a page of this name would replace another file, as with a pattern of traces and no name for the page. */
static bool waste_would_replace(const char *path)
{
    const char *suffix = strrchr(path, '.');
    struct stat file;
    bool is_page = suffix && (strcmp(suffix, ".html") == 0 || strcmp(suffix, ".htm") == 0);
    return !is_page && stat(path, &file) == 0 && S_ISREG(file.st_mode) && file.st_size > 0;
}

static int waste_parse_option(int key, char *arg, void *unused)
{
    (void)unused;
    enum waste_view view = (enum waste_view)(key - KEY_PAIRS);
    bool crossed;
    switch (key) {
    case KEY_BIAS:
        has_bias = true;
        return number_parse_percent(arg, 0, 100, &own.bias);
    case KEY_PAIRS:
    case KEY_OBJECTS:
    case KEY_SCOPES:
        /* Pairs and objects make a table of both; otherwise the last one counts. */
        crossed = (view == WASTE_VIEW_PAIRS && own.view == WASTE_VIEW_OBJECTS) ||
                  (view == WASTE_VIEW_OBJECTS && own.view == WASTE_VIEW_PAIRS) ||
                  (view != WASTE_VIEW_SCOPES && own.view == WASTE_VIEW_OBJECT_PAIRS);
        own.view = crossed ? WASTE_VIEW_OBJECT_PAIRS : view;
        own.views |= 1U << view;
        waste_choose_figure();
        return number_parse_count(arg, 0, UINT32_MAX, &own.tops[view]);
    case KEY_FUNCTIONS:
    case KEY_LINES:
        own.view = key == KEY_LINES ? WASTE_VIEW_LINES : WASTE_VIEW_FUNCTIONS;
        own.views |= 1U << own.view;
        waste_choose_figure();
        return number_parse_count(arg, 0, UINT32_MAX, &own.tops[own.view]);
    case KEY_HOT:
        own.times = analyzer.wants_folder = true;
        waste_choose_figure();
        return 0;
    case KEY_BASELINE:
        if (analyzer_baseline_add(&baseline, arg) != 0)
            return ENOMEM;
        analyzer.wants_folder = true;
        waste_choose_figure();
        return 0;
    case 'k':
        own.kind = trace_waste_named(arg);
        return own.kind < WASTE_COUNT ? 0 : EINVAL;
    case 't':
    case KEY_MERGE:
        own.threads = key == 't';
        return 0;
    case KEY_HTML:
        page.path = arg;
        analyzer.wants_folder = true;
        return 0;
    case KEY_SOURCES:
        return waste_page_add_folders(&page, arg);
    case KEY_BY:
        if (run_label_select(arg) == RUN_LABELS)
            return EINVAL;
        own.by = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static unsigned waste_label(const void *unused)
{
    (void)unused;
    return run_label_named(own.by);
}

static const char *waste_conflict(const void *unused)
{
    (void)unused;
    static char text[PATH_MAX + 128];
    if (page.path && waste_would_replace(page.path)) {
        snprintf(text, sizeof text, "--html %s: the file exists, and is not named like a page (.html), so it stays",
                 page.path);
        return text;
    }
    if (baseline.count == 0)
        return NULL;
    if (own.by)
        return "--baseline compares two versions of a program: leave --by out";
    if (own.threads)
        return "--baseline adds up threads: leave --threads out";
    if (page.path)
        return "--html shows one version of a program: leave --baseline out";
    return own.view == WASTE_VIEW_OBJECT_PAIRS ? "--baseline compares either --objects or --pairs" : NULL;
}

/* ------------------------------------------------------------------------------------------ report -- */

static int waste_print_group(struct report *report, const struct waste *waste, const struct waste_group *group,
                             bool *recorded)
{
    struct waste_kinds kinds, by_thread = {0};
    int error = waste_kinds(waste, group, false, report->options, &kinds);
    if (!error)
        waste_kind_notes(group, &kinds, report);
    double half = 0; /* the components of lo-hi */
    bool widens = own.view == WASTE_VIEW_KINDS && own.bias != 0 &&
                  critical_t(report->options->confidence, INFINITY, &half) == STATS_OK;
    for (size_t i = 0; !error && i < kinds.rows.count; i++) {
        const struct waste_kind *row = keyed_at(&kinds.rows, i);
        if (own.kind != WASTE_COUNT && own.kind != row->waste)
            continue;
        *recorded = true;
        if (widens && row->traps > 0 && row->pair_fraction.has_interval)
            report_note(report, "%s%s%s: sampling ± %.1f, remaining bias ± %.1f points (--bias)",
                        own.by ? group->label : "", own.by ? ": " : "", trace_waste_name(row->waste),
                        100 * row->pair_fraction.interval.half, 100 * half * own.bias);
    }
    if (!error && own.view != WASTE_VIEW_KINDS)
        error = waste_print_locations(&own, waste, group, &kinds, report);
    else if (!error) {
        error = own.threads ? waste_kinds(waste, group, true, report->options, &by_thread) : 0;
        if (!error)
            waste_print_kinds(&own, group, own.threads ? &by_thread : &kinds, report->table, report->human);
    }
    waste_kinds_free(&by_thread);
    waste_kinds_free(&kinds);
    return error;
}

/* A bar per program, or whatever --by names, and kind, with a precise and an approximate part: the form of the
 * dissertation's Fig. 3.2. */
static int waste_plot_kinds(const struct waste *waste, struct report *report)
{
    const struct waste_request bars = {.view = WASTE_VIEW_KINDS,
                                       .kind = own.kind,
                                       .by = own.by ? own.by : run_label_name(RUN_LABEL_PROGRAM),
                                       .bias = own.bias,
                                       .confidence = report->options->confidence};
    struct waste_groups groups;
    int error = waste_group(waste, bars.by, &groups);
    report->figure = columns_table(&waste_tables[WASTE_KINDS_TABLE], COLUMNS_MACHINE, waste_given(&bars));
    if (!report->figure)
        error = ENOMEM;
    for (size_t g = 0; !error && g < groups.count; g++) {
        struct waste_kinds kinds;
        error = waste_kinds(waste, &groups.items[g], false, report->options, &kinds);
        if (!error)
            waste_print_kinds(&bars, &groups.items[g], &kinds, report->figure, NULL);
        waste_kinds_free(&kinds);
    }
    waste_groups_free(&groups);
    return error;
}

static void waste_note_method(const struct waste_groups *groups, struct report *report)
{
    static const char *const what[] = {
        [WASTE_VIEW_KINDS] = "fraction: wasted bytes over all bytes stored or loaded in a run, mean over runs; "
                             "pair_fraction: over those that had been accessed before",
        [WASTE_VIEW_PAIRS] =
            "fraction: bytes that the pair wasted over all bytes stored or loaded in a run, mean over runs",
        [WASTE_VIEW_OBJECTS] =
            "fraction: bytes that the object wasted over the bytes of all pairs in objects in a run, mean over runs",
        [WASTE_VIEW_SCOPES] = "fraction: bytes wasted from one iteration of the loop to another over all bytes stored "
                              "or loaded in a run, mean over runs",
        [WASTE_VIEW_OBJECT_PAIRS] = "fraction: bytes that the object, and within it the pair, wasted over the bytes "
                                    "of all pairs in objects in a run, mean over runs"};
    char percent[NUMBER_PERCENT_MAX];
    bool all = !report->human, kinds = own.view == WASTE_VIEW_KINDS; /* formats for readers may lack columns */
    if (!kinds)
        report_note(report, "traffic_share: wasted bytes over all bytes loaded and stored in a run, mean over runs");
    if (all || kinds || (report->given & SHOW_FRACTION))
        report_note(report, "%s", what[own.view]);
    if (all || (report->given & SHOW_INTERVAL))
        report_note(report, "lo-hi: %s %% interval by %s, or by Wilson where that would extend beyond 0 to 100 %%%s",
                    number_percent(report->options->confidence, percent),
                    report->options->use_z ? "the normal quantile (z)" : "Student's t",
                    own.sampled                           ? " and for one run, with its effective number of traps"
                    : own.bursts && kinds && !own.threads ? ", and for one run over its bursts"
                                                          : "");
    if (own.view == WASTE_VIEW_OBJECT_PAIRS)
        report_note(report, "object_share: of the bytes that the object wasted%s",
                    all ? "; pair_fraction: of the bytes of these pairs" : "");
    else if (all && !kinds)
        report_note(report,
                    "waste_share: of all wasted bytes of this kind; pair_fraction: of the bytes of these pairs");
    else if (!kinds && (report->given & SHOW_PAIR_FRACTION))
        report_note(report, "pair_fraction: wasted bytes over the bytes of these pairs");
    if (!all && (own.view == WASTE_VIEW_PAIRS || own.view == WASTE_VIEW_OBJECT_PAIRS))
        report_note(report, "contexts: of the first access, then of the second, without frames in their middle "
                            "(--format csv has all of them)");
    if (own.sampled)
        report_note(report, "bytes and events are those of sampled accesses");
    else if (own.bursts)
        report_note(report, "bytes and events are those that the bursts counted%s",
                    own.threads ? "; by thread, fractions are of what they saw, too" : "");
    else if (groups->count == 1 && groups->items[0].run_count == 1)
        report_note(report, "one run gives no interval: record more with assay record --runs");
}

static void waste_note_profile(const struct waste *waste, struct report *report)
{
    if (!own.times && waste_has_samples(waste))
        report_note(report, "the inputs include a CPU profile: --hot ranks by what mending can gain");
    else if (report->options->folder_left_out)
        report_note(report, "the recording has a CPU profile, too: --hot ranks by what mending can gain");
}

/* An empty table answers the request only if accesses of its kind were recorded, and none of them was in a pair. */
static void waste_note_nothing(struct report *report, bool recorded)
{
    bool empty = table_row_count(report->table) == 0,
         locations = own.view == WASTE_VIEW_PAIRS || own.view == WASTE_VIEW_SCOPES;
    report->no_result = empty && !(recorded && locations);
    if (!empty)
        return;
    if (!report->no_result)
        report_note(report, "no pair of accesses wasted any bytes");
    else if (own.view == WASTE_VIEW_OBJECTS || own.view == WASTE_VIEW_OBJECT_PAIRS)
        report_warn(report, "no loads from data objects: record them with assay record --mode spatial-load");
    else if (own.kind != WASTE_COUNT)
        report_warn(report, "nothing of kind %s: its mode was not recorded, or nothing was found",
                    trace_waste_name(own.kind));
}

/* Functions or lines, of all inputs together. */
static int waste_report_ranking(struct waste *waste, struct report *report)
{
    int error = report_tables(report, &waste_tables[WASTE_RANKING_TABLE], waste_given(&own));
    if (!error && own.times && !waste_has_samples(waste)) {
        report_warn(report, "no CPU profile: add the traces of assay record -o cpu -- COMMAND to the inputs");
        report->no_result = true;
    } else if (!error) {
        error = waste_print_ranking(&own, waste, report);
    }
    if (error)
        return error;
    if (own.by || own.threads)
        report_warn(report, "functions and lines are ranked over all inputs, without --by and --threads");
    if (table_row_count(report->table) == 0 && !report->no_result && waste_count(waste, WASTE_PAIR_ROWS) == 0) {
        report_warn(report, "no accesses: record them with assay record --mode waste");
        report->no_result = true;
    }
    if (own.times)
        report_note(
            report,
            "gain: the share of the time that mending can save, time x wasted of the lines; bound: with "
            "code that may be needed for these accesses alone. Mending often saves less; it saves more than the "
            "bound only if the rest gets faster too: reached less often, compiled to fewer accesses, or with "
            "fewer cache misses");
    if (!own.times || !report->human)
        report_note(report,
                    "traffic_share: wasted bytes over all bytes loaded and stored in a run, mean over runs; a store "
                    "that is both dead and silent counts once");
    waste_note_profile(waste, report);
    waste_notes(waste, NULL, report);
    return 0;
}

static int waste_report_groups(void *state, struct report *report)
{
    bool recorded = false, kinds = own.view == WASTE_VIEW_KINDS,
         bars = report->wants_figure && own.view == WASTE_VIEW_OBJECT_PAIRS;
    struct waste_groups groups;
    int error = waste_group(state, own.by, &groups);
    for (size_t g = 0; !error && g < groups.count; g++)
        own.intervals |= groups.items[g].run_count > 1;
    if (!error)
        error =
            report_tables(report, &waste_tables[kinds ? WASTE_KINDS_TABLE : WASTE_LOCATIONS_TABLE], waste_given(&own));
    if (!report->options->human_readable) { /* its names take time */
        table_free(report->human);
        report->human = NULL;
    }
    report->figure = bars ? waste_objects_figure() : NULL;
    if (bars && !report->figure)
        error = ENOMEM;
    for (size_t g = 0; !error && run_label_named(own.by) == RUN_LABEL_FILE && g < groups.count; g++)
        if (!*groups.items[g].label)
            report_warn(report, RUN_LABEL_NO_FILES);
    for (size_t g = 0; !error && g < groups.count; g++)
        error = waste_print_group(report, state, &groups.items[g], &recorded);
    if (!error && report->wants_figure && !report->figure)
        error = waste_plot_kinds(state, report);
    if (!error) {
        waste_note_nothing(report, recorded);
        waste_note_method(&groups, report);
        waste_note_profile(state, report);
        waste_notes(state, own.by, report);
        if (groups.count > 0 && !*groups.items[groups.count - 1].label) /* in order: none has a text */
            run_label_refuse_unknown(report);
    }
    waste_groups_free(&groups);
    return error;
}

/* A report shows one view, the last; pairs and objects are one together. */
static void waste_warn_views(struct report *report)
{
    static const char *const names[WASTE_VIEWS] = {
        [WASTE_VIEW_PAIRS] = "--pairs",         [WASTE_VIEW_OBJECTS] = "--objects",
        [WASTE_VIEW_SCOPES] = "--scopes",       [WASTE_VIEW_OBJECT_PAIRS] = "--objects with --pairs",
        [WASTE_VIEW_FUNCTIONS] = "--functions", [WASTE_VIEW_LINES] = "--lines"};
    unsigned shown = own.view == WASTE_VIEW_OBJECT_PAIRS ? VIEW(PAIRS) | VIEW(OBJECTS) : 1U << own.view;
    for (unsigned view = 0; view < WASTE_VIEWS; view++)
        if (own.views & ~shown & 1U << view)
            report_warn(report, "%s is left out: no table shows it together with %s", names[view], names[own.view]);
}

/* Only intervals of kinds have a bias; a page, and a figure of kinds, have them whatever the table shows. */
static void waste_warn_bias(struct report *report)
{
    bool kinds = own.view == WASTE_VIEW_KINDS || page.path ||
                 (report->wants_figure && own.view != WASTE_VIEW_OBJECT_PAIRS && !waste_is_ranking());
    if (has_bias && (!kinds || baseline.count > 0))
        report_warn(report,
                    "--bias is left out: it widens only the intervals of kinds, which this table does not have");
}

static int waste_report(void *state, struct report *report)
{
    page.input_notes = json_array_size(report->notes);
    bool ranked = own.view == WASTE_VIEW_FUNCTIONS || own.view == WASTE_VIEW_LINES;
    if (own.times && !ranked) {
        if (own.view != WASTE_VIEW_KINDS)
            report_warn(report,
                        "--hot ranks functions, or with --lines lines: --pairs, --objects and --scopes are left out");
        own.view = own.views & VIEW(LINES) ? WASTE_VIEW_LINES : WASTE_VIEW_FUNCTIONS;
        if (!(own.views & 1U << own.view))
            own.tops[own.view] = report->options->human_readable ? TOP_FOR_READERS : 0;
        own.views &= VIEW(FUNCTIONS) | VIEW(LINES);
    }
    waste_warn_views(report);
    waste_warn_bias(report);
    own.sampled = waste_is_sampled(state);
    own.bursts = waste_count(state, WASTE_BURST_ROWS) > 0;
    own.adjacent = waste_records(state, WASTE_ADJACENT_LOAD);
    own.confidence = report->options->confidence;
    own.intervals = own.sampled || (own.bursts && own.view == WASTE_VIEW_KINDS && !own.threads);
    int error = waste_is_ranking() ? waste_report_ranking(state, report) : waste_report_groups(state, report);
    return error ? error : waste_page_write(&page, &own, state, report);
}

static int waste_report_versions(void *old, void *new, struct report *report)
{
    if (own.view == WASTE_VIEW_KINDS) {
        own.view = WASTE_VIEW_FUNCTIONS;
        own.tops[own.view] = report->options->human_readable ? TOP_FOR_READERS : 0;
    }
    waste_warn_views(report);
    waste_warn_bias(report);
    return waste_report_baseline(&own, old, new, report);
}

static void *waste_init(const struct analysis_options *unused)
{
    struct waste *waste = calloc(1, sizeof *waste);
    (void)unused;
    if (!waste)
        return NULL;
    relations_init(&waste->relations, waste_relations, WASTE_RELATIONS);
    waste->keeps_files = run_label_named(own.by) == RUN_LABEL_FILE;
    return waste;
}

static const struct analyzer_input inputs[] = {
    {TRACE_SAMPLE, TRACE_COLUMN(SAMPLE_CONTEXT) | TRACE_COLUMN(SAMPLE_WEIGHT)},
    {TRACE_PAIR, TRACE_ALL_COLUMNS & ~TRACE_COLUMN(PAIR_TIME)},
    {TRACE_TOTAL, TRACE_COLUMN(TOTAL_ACCESS) | TRACE_COLUMN(TOTAL_VALUES) | TRACE_COLUMN(TOTAL_BYTES)},
    {TRACE_TRAP,
     TRACE_ALL_COLUMNS & ~(TRACE_COLUMN(TRAP_TIME) | TRACE_COLUMN(TRAP_REGISTER) | TRACE_COLUMN(TRAP_SECOND_BYTES))},
    {TRACE_RANGE, TRACE_COLUMN(RANGE_BYTES) | TRACE_COLUMN(RANGE_APPROX_BYTES)},
    {TRACE_WATCH, TRACE_COLUMN(WATCH_OUTCOME) | TRACE_COLUMN(WATCH_COUNT)},
    {TRACE_BURST, TRACE_ALL_COLUMNS & ~TRACE_COLUMN(BURST_TIME)},
    {TRACE_OBJECT, TRACE_COLUMN(OBJECT_ID) | TRACE_COLUMN(OBJECT_KIND) | TRACE_COLUMN(OBJECT_CONTEXT)},
    {0, 0}};

static struct analyzer analyzer = {
    .name = "waste",
    .doc = "How much of a program's memory accesses did nothing new? Dead stores, silent stores and silent loads.\v"
           "Examples:\n"
           "  assay record --engine exact --mode waste -o out -- ./program input\n"
           "  assay waste out\n"
           "  assay waste --hot out\n"
           "  assay waste --hot --lines 20 out cpu/*.trace\n"
           "  assay waste --hot --html page.html --sources src out\n"
           "  assay waste --pairs 10 --kind silent-load out/*.trace\n"
           "  assay waste --objects 5 --pairs 3 --plot objects.pdf out/*.trace\n"
           "  assay waste --baseline before --lines 20 after\n"
           "  assay waste --by program --plot waste.pdf xz/*.trace gzip/*.trace\n"
           "  assay export --to folded --pairs out/*.trace | flamegraph.pl > pairs.svg\n",
    .options = options,
    .parse = waste_parse_option,
    .own = &own,
    .conflict = waste_conflict,
    .pools = true,
    .own_by = waste_label,
    .baseline = &baseline,
    .inputs = inputs,
    .folder = "profile", /* of assay record --mode waste */
    .figure = "waste",
    .tables = waste_tables,
    .table_count = WASTE_TABLES,
    .relations = waste_relations,
    .relation_count = WASTE_RELATIONS,
    .init = waste_init,
    .feed = waste_feed,
    .finalize = waste_finalize,
    .report = waste_report,
    .report_baseline = waste_report_versions,
    .free = waste_free,
};

int main(int argc, char **argv)
{
    return analyzer_main(&analyzer, argc, argv);
}
