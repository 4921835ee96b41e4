#include "analyze/waste/tables/waste_columns.h"

static const char label_meaning[] = "Only with --by LABEL, which is its name: its value.";
static const char kind_meaning[] = "dead-store, silent-store, silent-load, spatial-load or adjacent-load.";
static const char thread_meaning[] = "Only with --threads: the thread's name.";

/* Formats for readers cut these. */
#define LABEL_COLUMNS(row)                                                                                             \
    COLUMN(row, "LABEL", TABLE_TEXT, label, label_meaning, .readers = COLUMN_MACHINE, .when = WITH_BY),                \
        COLUMN(row, "LABEL", TABLE_TEXT, shown_label, NULL, .readers = COLUMN_HUMAN, .when = WITH_BY)
#define THREAD_COLUMNS(row, member)                                                                                    \
    COLUMN(row, "thread", TABLE_TEXT, member, thread_meaning, .readers = COLUMN_MACHINE, .when = WITH_THREADS),        \
        COLUMN(row, "thread", TABLE_TEXT, shown_thread, NULL, .readers = COLUMN_HUMAN, .when = WITH_THREADS)
/* A column that formats for readers have only where it fits. */
#define FITTING_COLUMN(row, name, type, member, text, views, show)                                                     \
    COLUMN(row, name, type, member, text, .readers = COLUMN_MACHINE, .when = (views)),                                 \
        COLUMN(row, name, type, member, NULL, .readers = COLUMN_HUMAN, .when = (show))

/* ------------------------------------------------------------------------------------------ kinds -- */

static struct column kind_columns[] = {
    LABEL_COLUMNS(waste_kind_row),
    COLUMN(waste_kind_row, "kind", TABLE_TEXT, name, kind_meaning),
    THREAD_COLUMNS(waste_kind_row, kind.thread),
    COLUMN(waste_kind_row, "fraction", TABLE_SHARE, kind.fraction.value,
           "Wasted bytes divided by all bytes that the run loaded (silent-load, spatial-load, adjacent-load) or "
           "stored (dead-store, silent-store); mean over runs. It is given as 0 to 1, or in percent in the formats for "
           "readers."),
    FITTING_COLUMN(
        waste_kind_row, "lo", TABLE_SHARE, kind.fraction.interval.low,
        "The lower end of the confidence interval of that mean: mean - q s/sqrt(n), for n runs with the sample "
        "standard deviation s (n-1) and the quantile q of --method and --confidence. It is blank for one run of "
        "engine exact or rewrite that was not recorded in bursts. One sampled run has Wilson's interval for the "
        "effective number of its traps, within 0 and 1. --bias widens the intervals of sampled kinds. Where an end "
        "would extend beyond 0 to 1 the interval is Wilson's for the effective number of observations, with q in "
        "place of z.",
        0, SHOW_INTERVAL),
    FITTING_COLUMN(waste_kind_row, "hi", TABLE_SHARE, kind.fraction.interval.high, "The upper end of this interval.", 0,
                   SHOW_INTERVAL),
    COLUMN(waste_kind_row, "pair_fraction", TABLE_SHARE, kind.pair_fraction.value,
           "Wasted bytes divided by the bytes of all pairs, that is, of accesses to addresses that had been accessed "
           "before; mean over runs. A sampling profiler can see only this fraction, so compare it with other runs "
           "instead of fraction."),
    FITTING_COLUMN(waste_kind_row, "bytes", TABLE_BYTES, kind.bytes, "All bytes loaded or stored, in all runs.", 0,
                   SHOW_BYTES),
    COLUMN(waste_kind_row, "wasted_bytes", TABLE_BYTES, kind.wasted_bytes, "The number of these that were wasted."),
    FITTING_COLUMN(waste_kind_row, "precise_fraction", TABLE_SHARE, kind.precise_fraction.value,
                   "Wasted bytes divided by all bytes, of those that are compared exactly; mean over runs.", 0,
                   SHOW_CLASSES),
    FITTING_COLUMN(waste_kind_row, "approx_fraction", TABLE_SHARE, kind.approx_fraction.value,
                   "The same for those of floating-point operations.", 0, SHOW_CLASSES),
    COLUMN(waste_kind_row, "events", TABLE_COUNT, kind.events, "Accesses in pairs, in all runs.",
           .readers = COLUMN_MACHINE),
    FITTING_COLUMN(waste_kind_row, "runs", TABLE_COUNT, runs, "The number of runs in fraction.", 0, SHOW_RUNS),
    FITTING_COLUMN(
        waste_kind_row, "pair_lo", TABLE_SHARE, kind.pair_fraction.interval.low,
        "Only for sampled accesses: the lower end of the interval of pair_fraction. Bytes and events are then those "
        "of the accesses that the sampled ones represent.",
        SAMPLED(KINDS), SHOW_SAMPLED),
    FITTING_COLUMN(waste_kind_row, "pair_hi", TABLE_SHARE, kind.pair_fraction.interval.high, "Its upper end.",
                   SAMPLED(KINDS), SHOW_SAMPLED),
    FITTING_COLUMN(waste_kind_row, "traps", TABLE_COUNT, kind.traps, "The number of sampled pairs.", SAMPLED(KINDS),
                   SHOW_SAMPLED),
    FITTING_COLUMN(
        waste_kind_row, "unseen", TABLE_SHARE, kind.unseen,
        "Only without --threads, if a run was recorded in bursts (assay record --burst): the share of the counted "
        "bytes that may be wasted, but only because of what precedes the burst. The fraction assumes that these "
        "bytes are wasted as often as accesses that reach back into the first half of a burst; a note gives that "
        "frequency. The interval of one run, over its bursts, allows for all or none of these bytes being wasted, "
        "and for one more burst unlike all others.",
        WITH_BURSTS, SHOW_BURSTS),
    FITTING_COLUMN(waste_kind_row, "bursts", TABLE_COUNT, kind.bursts, "The number of bursts.", WITH_BURSTS,
                   SHOW_BURSTS),
    COLUMN(waste_kind_row, "approx_part", TABLE_SHARE, kind.approx_part.value,
           "Only with --by: the part of fraction from floating-point operations, that is, their wasted bytes divided "
           "by all bytes; the rest is precise.",
           .readers = COLUMN_MACHINE, .when = WITH_BY)};

/* ------------------------------------------------------------------------------------------ locations -- */

/* Columns that are in several lists are explained in one of them. */
#define EXPLAINED(text) text
#define AGAIN(text) NULL

#define OBJECT_COLUMNS(views, MEANING)                                                                                 \
    COLUMN(                                                                                                            \
        waste_location_row, "object", TABLE_TEXT, object.full,                                                         \
        MEANING("For objects, and for pairs that have an object, its name. A static object is named by its symbol, "   \
                "with the address in its file. An object on the heap is named by the stack that allocated it, and "    \
                "a mapped one by the stack that called mmap(2). All objects that were allocated or mapped by the "     \
                "same stack count as one. [lost definition] is an object that the trace does not define; no symbol "   \
                "or function begins with a bracket."),                                                                 \
        .readers = COLUMN_MACHINE, .when = (views)),                                                                   \
        COLUMN(waste_location_row, "storage", TABLE_TEXT, storage,                                                     \
               MEANING("For objects, and for pairs that have an object: static, heap, mapped, or unknown for an "      \
                       "object whose definition was lost."),                                                           \
               .readers = COLUMN_MACHINE, .when = (views))
#define PAIR_COLUMNS(views, sampled_views, MEANING)                                                                    \
    COLUMN(waste_location_row, "first_context", TABLE_TEXT, sides[0].full,                                             \
           MEANING("For pairs, the stack of the earlier access, from the outermost frame to the innermost, joined by " \
                   "\" > \". For a dead store the first access is the wasted one, for the other kinds the second. "    \
                   "[unknown] is a stack that could not be walked, and [lost definition] one that the trace does not " \
                   "define."),                                                                                         \
           .readers = COLUMN_MACHINE, .when = (views)),                                                                \
        COLUMN(waste_location_row, "second_context", TABLE_TEXT, sides[1].full,                                        \
               MEANING("The stack of the later access."), .readers = COLUMN_MACHINE, .when = (views)),                 \
        COLUMN(waste_location_row, "scope", TABLE_TEXT, scope.full, MEANING(scope_meaning), .readers = COLUMN_MACHINE, \
               .when = (views)),                                                                                       \
        COLUMN(waste_location_row, "first_instruction", TABLE_TEXT, first_instruction,                                 \
               MEANING("Only for pairs of sampled accesses: the machine instruction of the earlier access; \"...\" "   \
                       "follows one of several."),                                                                     \
               .readers = COLUMN_MACHINE, .when = (sampled_views)),                                                    \
        COLUMN(waste_location_row, "second_instruction", TABLE_TEXT, second_instruction,                               \
               MEANING("The machine instruction of the later access."), .readers = COLUMN_MACHINE,                     \
               .when = (sampled_views))

static const char scope_meaning[] =
    "For pairs and loops, the function and line of the outermost loop that iterated between the two accesses (of its "
    "for or while). In machine formats it is blank if there was no such loop, or it is unknown; --scopes has a row of "
    "all these pairs, which formats for readers call (no loop), or (no loop or unknown) where loops may be unknown.";

/* For machines what was added later comes last. */
static struct column location_columns[] = {
    LABEL_COLUMNS(waste_location_row),
    COLUMN(waste_location_row, "rank", TABLE_COUNT, rank, "1, 2, 3, ... within a table, by traffic_share."),
    COLUMN(waste_location_row, "kind", TABLE_TEXT, kind, kind_meaning),
    THREAD_COLUMNS(waste_location_row, thread),
    OBJECT_COLUMNS(VIEW(OBJECTS) | VIEW(OBJECT_PAIRS), EXPLAINED),
    COLUMN(waste_location_row, "object", TABLE_TEXT, object.brief, NULL, .readers = COLUMN_HUMAN,
           .when = VIEW(OBJECTS)),
    COLUMN(waste_location_row, "storage", TABLE_TEXT, storage, NULL, .readers = COLUMN_HUMAN, .when = SHOW_STORAGE),
    COLUMN(waste_location_row, "scope", TABLE_TEXT, scope.full, NULL, .readers = COLUMN_MACHINE, .when = VIEW(SCOPES)),
    COLUMN(waste_location_row, "scope", TABLE_TEXT, scope.brief, NULL, .readers = COLUMN_HUMAN, .when = VIEW(SCOPES)),
    COLUMN(waste_location_row, "pair", TABLE_TEXT, pair,
           "Only with --objects and --pairs: all in an object's own row, which is the row of --objects alone; then 1, "
           "2, 3, ... for its pairs. rest stands for all other pairs together, including those that wasted nothing. "
           "Fractions, shares, bytes and events of the rows below all add up to it, except pair_fraction.",
           .when = VIEW(OBJECT_PAIRS)),
    COLUMN(waste_location_row, "traffic_share", TABLE_SHARE, location.traffic_share, NULL, .readers = COLUMN_HUMAN),
    FITTING_COLUMN(
        waste_location_row, "fraction", TABLE_SHARE, location.fraction.value,
        "For a pair or a loop, its wasted bytes divided by all bytes that the run loaded (silent-load, spatial-load, "
        "adjacent-load) or stored (dead-store, silent-store; eq. 3.2); mean over runs. For an object, and for a pair "
        "within an "
        "object, they are divided by the bytes of the pairs of all objects (eq. 3.3). The fractions of different "
        "kinds have different denominators: compare traffic_share.",
        0, SHOW_FRACTION),
    FITTING_COLUMN(
        waste_location_row, "lo", TABLE_SHARE, location.fraction.interval.low,
        "The lower end of the confidence interval of that mean: as for a kind, but of sampled accesses for the "
        "sampling error alone, and blank for one run in bursts.",
        0, SHOW_INTERVAL),
    FITTING_COLUMN(waste_location_row, "hi", TABLE_SHARE, location.fraction.interval.high,
                   "The upper end of this interval.", 0, SHOW_INTERVAL),
    COLUMN(waste_location_row, "object_share", TABLE_SHARE, object_share, NULL, .readers = COLUMN_HUMAN,
           .when = SHOW_OBJECT_SHARE),
    COLUMN(waste_location_row, "pair_fraction", TABLE_SHARE, location.pair_fraction, NULL, .readers = COLUMN_HUMAN,
           .when = SHOW_PAIR_FRACTION),
    FITTING_COLUMN(waste_location_row, "wasted_bytes", TABLE_BYTES, location.wasted_bytes,
                   "The wasted bytes of its pairs in all runs.", 0, SHOW_WASTED),
    PAIR_COLUMNS(VIEW(PAIRS), SAMPLED(PAIRS), AGAIN),
    COLUMN(waste_location_row, "contexts", TABLE_LINES, contexts,
           "Only in formats for readers, for pairs: first_context, and below it second_context, both with the frames "
           "in their middle left out; then, in parentheses, the loop and the object, if the pair has them. An object's "
           "own row has the object.",
           .readers = COLUMN_HUMAN, .when = VIEW(PAIRS) | VIEW(OBJECT_PAIRS)),
    COLUMN(waste_location_row, "bytes", TABLE_COUNT, location.bytes, "All bytes of its pairs in all runs.",
           .readers = COLUMN_MACHINE),
    COLUMN(waste_location_row, "wasted_events", TABLE_COUNT, location.wasted_events,
           "The wasted accesses of its pairs in all runs. An access whose bytes follow several earlier accesses is in "
           "as many pairs, and counts in the first.",
           .readers = COLUMN_MACHINE),
    COLUMN(waste_location_row, "events", TABLE_COUNT, location.events, "All accesses of its pairs in all runs.",
           .readers = COLUMN_MACHINE),
    COLUMN(waste_location_row, "pair_fraction", TABLE_SHARE, location.pair_fraction,
           "wasted_bytes divided by bytes: 1 if every access of these pairs was wasted; mean over the runs that have "
           "any.",
           .readers = COLUMN_MACHINE),
    COLUMN(waste_location_row, "object_share", TABLE_SHARE, object_share,
           "Only with --objects and --pairs: wasted bytes divided by those of the object; mean over the runs in which "
           "it wasted any.",
           .readers = COLUMN_MACHINE, .when = VIEW(OBJECT_PAIRS)),
    COLUMN(waste_location_row, "waste_share", TABLE_SHARE, location.waste_share,
           "Wasted bytes divided by all wasted bytes of this kind in the run; mean over runs.",
           .readers = COLUMN_MACHINE),
    COLUMN(waste_location_row, "precise_fraction", TABLE_SHARE, location.precise_fraction,
           "As fraction, for the bytes that are compared exactly. Formats for readers leave this and the next one out.",
           .readers = COLUMN_MACHINE),
    COLUMN(waste_location_row, "approx_fraction", TABLE_SHARE, location.approx_fraction,
           "As fraction, for those of floating-point operations.", .readers = COLUMN_MACHINE),
    PAIR_COLUMNS(VIEW(OBJECT_PAIRS), SAMPLED(OBJECT_PAIRS), EXPLAINED),
    OBJECT_COLUMNS(VIEW(PAIRS), AGAIN),
    COLUMN(waste_location_row, "traffic_share", TABLE_SHARE, location.traffic_share,
           "Wasted bytes divided by all bytes that a run loaded and stored, whatever the kind; mean over the runs that "
           "recorded the kind. Rows of all kinds are ranked by it. A run that recorded only loads or only stores is "
           "taken to have as many bytes of the others as the other runs have on average, if any has. Accesses without "
           "totals count the bytes of their pairs.",
           .readers = COLUMN_MACHINE),
};

/* ------------------------------------------------------------------------------------------ functions and lines -- */

#define CONTEXT_COLUMN(form, who, views, MEANING)                                                                      \
    COLUMN(waste_ranking_row, "context", TABLE_TEXT, context.form,                                                     \
           MEANING("The stack of the access that wasted most bytes there, from the outermost frame to the innermost, " \
                   "joined by \" > \". Formats for readers leave out the frames in its middle."),                      \
           .readers = (who), .when = (views))

#define SITE_COLUMNS(form, who, MEANING)                                                                               \
    COLUMN(waste_ranking_row, "function", TABLE_TEXT, form,                                                            \
           MEANING("The function. Accesses within a library of the language belong to the function that called it. "   \
                   "Formats for readers cut long names."),                                                             \
           .readers = (who), .when = VIEW(FUNCTIONS)),                                                                 \
        COLUMN(waste_ranking_row, "line", TABLE_TEXT, form, MEANING("The function and line, likewise."),               \
               .readers = (who), .when = VIEW(LINES))

static const struct column ranking_columns[] = {
    COLUMN(waste_ranking_row, "rank", TABLE_COUNT, rank, "1, 2, 3, ..."),
    SITE_COLUMNS(site, COLUMN_MACHINE, EXPLAINED),
    SITE_COLUMNS(brief_site, COLUMN_HUMAN, AGAIN),
    COLUMN(waste_ranking_row, "gain", TABLE_SHARE, gain.value,
           "Only with --hot: an estimate of the share of the program's time that mending the code can save, which is "
           "the time of its lines, each multiplied by the share of its accesses that were wasted. Rows are ranked by "
           "it.",
           .when = WITH_TIMES),
    COLUMN(
        waste_ranking_row, "gain_lo", TABLE_SHARE, gain.low,
        "The lower end of the gain's confidence interval, from that of the time: over runs of the profile, or Wilson's "
        "for the samples of a single run.",
        .readers = COLUMN_MACHINE, .when = WITH_TIMES),
    COLUMN(waste_ranking_row, "gain_hi", TABLE_SHARE, gain.high, "Its upper end.", .readers = COLUMN_MACHINE,
           .when = WITH_TIMES),
    COLUMN(
        waste_ranking_row, "bound", TABLE_SHARE, bound.value,
        "Only with --hot: as gain, with all that may be needed for the wasted accesses alone: needed loads for wasted "
        "stores or the reverse, lines near them that access nothing, and lines that call the function. Mending seldom "
        "saves more.",
        .when = WITH_TIMES),
    COLUMN(waste_ranking_row, "bound_lo", TABLE_SHARE, bound.low, "The lower end of its confidence interval.",
           .readers = COLUMN_MACHINE, .when = WITH_TIMES),
    COLUMN(waste_ranking_row, "bound_hi", TABLE_SHARE, bound.high, "Its upper end.", .readers = COLUMN_MACHINE,
           .when = WITH_TIMES),
    COLUMN(waste_ranking_row, "time", TABLE_SHARE, time.value,
           "Only with --hot: the share of the samples of the CPU profile there; mean over its runs.",
           .when = WITH_TIMES),
    COLUMN(waste_ranking_row, "time_lo", TABLE_SHARE, time.low, "The lower end of its confidence interval.",
           .readers = COLUMN_MACHINE, .when = WITH_TIMES),
    COLUMN(waste_ranking_row, "time_hi", TABLE_SHARE, time.high, "Its upper end.", .readers = COLUMN_MACHINE,
           .when = WITH_TIMES),
    COLUMN(waste_ranking_row, "wasted", TABLE_SHARE, wasted,
           "The share of the accesses there that were wasted, of those to addresses that had been accessed before. A "
           "store that is both dead and silent counts once."),
    COLUMN(waste_ranking_row, "dead_store", TABLE_SHARE, kinds[WASTE_DEAD_STORE],
           "The share of the stores there that were dead; blank if there were none.", .readers = COLUMN_MACHINE),
    COLUMN(waste_ranking_row, "silent_store", TABLE_SHARE, kinds[WASTE_SILENT_STORE],
           "The share of the stores there that were silent.", .readers = COLUMN_MACHINE),
    COLUMN(waste_ranking_row, "silent_load", TABLE_SHARE, kinds[WASTE_SILENT_LOAD],
           "The share of the loads there that were silent.", .readers = COLUMN_MACHINE),
    COLUMN(waste_ranking_row, "spatial_load", TABLE_SHARE, kinds[WASTE_SPATIAL_LOAD],
           "The share of the loads there that loaded the last value of their data object.", .readers = COLUMN_MACHINE),
    COLUMN(waste_ranking_row, "adjacent_load", TABLE_SHARE, kinds[WASTE_ADJACENT_LOAD],
           "The share of the loads there that were adjacent.", .readers = COLUMN_MACHINE),
    COLUMN(waste_ranking_row, "accesses", TABLE_COUNT, accesses, "The accesses that wasted counts, in all runs.",
           .readers = COLUMN_MACHINE),
    COLUMN(waste_ranking_row, "wasted_bytes", TABLE_BYTES, wasted_bytes,
           "The bytes that were wasted there, in all runs.", .readers = COLUMN_MACHINE),
    COLUMN(waste_ranking_row, "kind", TABLE_TEXT, kind,
           "Only in formats for readers and without --hot: the kind of most of the wasted bytes.",
           .readers = COLUMN_HUMAN, .when = SHOW_WASTED),
    FITTING_COLUMN(waste_ranking_row, "traffic_share", TABLE_SHARE, traffic_share,
                   "Wasted bytes divided by all bytes that a run loaded and stored, of all kinds alike, as for pairs; "
                   "mean over runs. A store that is both dead and silent counts once. Without --hot rows are ranked by "
                   "it.",
                   0, SHOW_WASTED),
    COLUMN(waste_ranking_row, "lines", TABLE_TEXT, lines,
           "The three lines of the function that come first in the order of --lines, with the gain of each, or without "
           "--hot its traffic_share. Formats for readers show those that fit.",
           .readers = COLUMN_MACHINE, .when = VIEW(FUNCTIONS)),
    COLUMN(waste_ranking_row, "lines", TABLE_TEXT, brief_lines, NULL, .readers = COLUMN_HUMAN, .when = VIEW(FUNCTIONS)),
    CONTEXT_COLUMN(full, COLUMN_MACHINE, 0, EXPLAINED),
    CONTEXT_COLUMN(brief, COLUMN_HUMAN, VIEW(LINES), AGAIN),
    COLUMN(
        waste_ranking_row, "inefficiency", TABLE_TEXT, inefficiency,
        "The kind of inefficiency that the wasted accesses look like, a name of the table in docs/waste.md; blank if "
        "they look like none. Formats for readers say it below the table.",
        .readers = COLUMN_MACHINE),
    COLUMN(waste_ranking_row, "evidence", TABLE_TEXT, evidence,
           "The facts that led to this name; of a function those of the first line in lines that has this name.",
           .readers = COLUMN_MACHINE),
    COLUMN(waste_ranking_row, "remedy", TABLE_TEXT, remedy, "What usually mends this kind of inefficiency.",
           .readers = COLUMN_MACHINE)};

const struct columns waste_tables[WASTE_TABLES] = {
    [WASTE_KINDS_TABLE] = COLUMNS("One row for each kind that was recorded", kind_columns),
    [WASTE_LOCATIONS_TABLE] =
        COLUMNS("With --pairs, --objects or --scopes, one row for each pair, object or loop", location_columns),
    [WASTE_RANKING_TABLE] = COLUMNS(
        "With --hot, --functions or --lines, one row for each function or line that wasted anything", ranking_columns),
    [WASTE_BASELINE_TABLE] = {.title = "With --baseline, one row for each total and each function, line, pair, loop or "
                                       "object that wasted anything in either version",
                              .items = waste_baseline_columns,
                              .count = WASTE_BASELINE_COLUMNS}};

unsigned waste_given(const struct waste_request *request)
{
    unsigned view = 1U << request->view, given = view;
    for (size_t i = 0; request->by && i < 2; i++) { /* for machines and for readers */
        kind_columns[i].name = run_label_column(run_label_named(request->by), &waste_tables[WASTE_KINDS_TABLE]);
        location_columns[i].name = run_label_column(run_label_named(request->by), &waste_tables[WASTE_LOCATIONS_TABLE]);
    }
    given |= request->sampled ? view << WASTE_VIEWS : 0;
    given |= request->times ? WITH_TIMES : 0;
    given |= request->by ? WITH_BY : 0;
    given |= request->threads ? WITH_THREADS : 0;
    given |= request->bursts && !request->threads ? WITH_BURSTS : 0;
    given |= request->adjacent ? WITH_ADJACENT : 0;
    size_t text_width;
    return given | waste_layout(request, given, &text_width);
}
