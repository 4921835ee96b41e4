/*
 * assay strides - what could be prefetched, and would it pay?
 *
 * Records: access, iteration (mode memory). For each load in a loop: the stride from one iteration to the next (inter),
 * its distance from a load through whose value it loads (intra), or the load that indexes it (indirect); then a plan of
 * prefetches, simulated on the same trace.
 * Source: analyze/strides/strides.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/driver/analyzer.h"
#include "analyze/cache/machine.h"
#include "analyze/cli/number.h"
#include "analyze/cli/result.h"
#include "analyze/strides/code.h"
#include "analyze/strides/strides.h"
#include "analyze/strides/tables.h"

enum {
    KEY_MAJORITY = 0x100,
    KEY_MOVES,
    KEY_ITERATIONS,
    KEY_SMALL,
    KEY_DISTANCE,
    KEY_CACHE,
    KEY_PREFETCHER,
    KEY_ALGORITHM,
    KEY_ALWAYS,
    KEY_ROWS,
    KEY_CODE,
    KEY_LEVELS,
    KEY_SOURCE
};

static struct strides_options own = {.majority = 0.75, .small = 20, .algorithm = STRIDES_INTER_INTRA};
static const char *prefetcher, *source;
static bool as_code, as_levels;
static uint64_t most_rows = 25;
static bool machine_unknown; /* of the processor at hand: another one stands for it */

static const struct argp_option options[] = {
    {"cache", KEY_CACHE, "MACHINE", 0,
     "simulate the caches of pentium4, athlon-mp, cachegrind, this (the processor at hand, default) or "
     "D1=SIZE,WAYS,LINE:…",
     0},
    {"hardware-prefetcher", KEY_PREFETCHER, "NAME", 0, "simulate one, too: none, next-line or stream", 0},
    {"majority", KEY_MAJORITY, "P", 0, "a stride recurs if it is more than P of all (default 75%)", 0},
    {"moves", KEY_MOVES, NULL, 0,
     "count only steps to another address: a load may stay where it is in some iterations, as in lists that are merged",
     0},
    {"iterations", KEY_ITERATIONS, "N", 0,
     "look only at the first N iterations of each burst that execute a load, as object inspection does with 20 "
     "(default: all)",
     0},
    {"small-loop", KEY_SMALL, "N", 0,
     "look at loads of loops with fewer than N iterations an entry as part of the loop around, too (default 20)", 0},
    {"distance", KEY_DISTANCE, "N", 0, "prefetch N iterations ahead (default: as many as the simulated memory takes)",
     0},
    {"algorithm", KEY_ALGORITHM, "NAME", 0,
     "inter: prefetch along strides only; inter+intra (default): also through values loaded ahead", 0},
    {"always", KEY_ALWAYS, NULL, 0, "plan prefetches even where the simulation finds that they do not pay", 0},
    {"code", KEY_CODE, NULL, 0, "show the plan as lines to paste into the source", 0},
    {"levels", KEY_LEVELS, NULL, 0, "show the misses of each level of the simulated caches without and with the plan",
     0},
    {"source", KEY_SOURCE, "DIR", 0, "for --code: where the source files are (default: the current directory)", 0},
    {"rows", KEY_ROWS, "N", 0, "show readers the N loads that miss most (default 25; 0: all)", 0},
    {0}};

static int strides_parse_algorithm(const char *arg)
{
    if (strcmp(arg, "inter") == 0)
        own.algorithm = STRIDES_INTER;
    else if (strcmp(arg, "inter+intra") == 0)
        own.algorithm = STRIDES_INTER_INTRA;
    else
        return EINVAL;
    return 0;
}

/* Ends the program with one line that says what is wrong with a machine. */
static void strides_choose_machine(const char *text)
{
    struct error_text message;
    if (cache_machine_find(text, &own.machine, &message) != STATUS_GOOD) {
        result_print_error("strides", "--cache %s: %s", text, message.text);
        exit(STATUS_USAGE);
    }
    machine_unknown = false;
    if (prefetcher)
        cache_machine_prefetcher(&own.machine, prefetcher);
}

static int strides_parse_option(int key, char *arg, void *unused)
{
    (void)unused;
    bool only_shows = key == KEY_CODE || key == KEY_LEVELS || key == KEY_SOURCE || key == KEY_ROWS;
    own.chosen |= key >= KEY_MAJORITY && key <= KEY_SOURCE && !only_shows;
    switch (key) {
    case KEY_CACHE:
        strides_choose_machine(arg);
        return 0;
    case KEY_PREFETCHER:
        prefetcher = arg;
        return cache_machine_prefetcher(&own.machine, arg) ? 0 : EINVAL;
    case KEY_MAJORITY:
        return number_parse_share(arg, &own.majority);
    case KEY_MOVES:
        own.moves = true;
        return 0;
    case KEY_ITERATIONS:
        return number_parse_count(arg, 2, (uint64_t)1 << 53, &own.iterations);
    case KEY_SMALL:
        return number_parse_count(arg, 0, (uint64_t)1 << 53, &own.small);
    case KEY_DISTANCE:
        return number_parse_count(arg, 1, 1 << 20, &own.distance);
    case KEY_ALGORITHM:
        return strides_parse_algorithm(arg);
    case KEY_ALWAYS:
        own.always = true;
        return 0;
    case KEY_CODE:
        as_code = true;
        return 0;
    case KEY_LEVELS:
        as_levels = true;
        return 0;
    case KEY_SOURCE:
        source = arg;
        return 0;
    case KEY_ROWS:
        return number_parse_count(arg, 0, (uint64_t)1 << 53, &most_rows);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int strides_report(void *state, struct report *report)
{
    struct plan plan;
    int error = plan_make(state, true, &plan);
    if (!error && as_code)
        error = code_table(state, &plan, source, report);
    else if (!error && as_levels)
        error = tables_levels(state, report);
    else if (!error)
        error = tables_loads(state, &plan, most_rows, report);
    plan_free(&plan);
    if (!error && report->wants_figure)
        error = tables_levels_figure(state, report);
    if (machine_unknown && cache_machine_same(&((struct strides *)state)->options.machine, &own.machine))
        report_warn(report, "this system does not tell the caches of its processor: simulated those of %s",
                    own.machine.name);
    return error ? error : tables_summary(state, report);
}

static const struct analyzer_input inputs[] = {
    {TRACE_ACCESS, TRACE_COLUMN(ACCESS_SITE) | TRACE_COLUMN(ACCESS_INSTRUCTIONS) | TRACE_COLUMN(ACCESS_ADDRESS) |
                       TRACE_COLUMN(ACCESS_VALUE)},
    {TRACE_ITERATION, TRACE_ALL_COLUMNS},
    {0, 0}};

static struct columns tables[3]; /* main() collects them */

static const struct analyzer analyzer = {
    .name = "strides",
    .figure = "misses",
    .doc = "What could be prefetched, and would it pay? Strides of loads in loops, and a plan of prefetches.\v"
           "Examples:\n"
           "  assay record -m memory --values -o out -- ./a\n"
           "  assay strides out/*.trace\n"
           "  assay strides --cache this --distance 4 out/*.trace\n"
           "  assay strides --code out/*.trace\n"
           "  assay strides --levels --algorithm inter out/*.trace\n"
           "  assay strides --cache pentium4 --plot misses.pdf out/*.trace\n"
           "  assay strides --iterations 20 --format csv out/*.trace\n",
    .pools = true,
    .by = true,
    .options = options,
    .parse = strides_parse_option,
    .own = &own,
    .inputs = inputs,
    .whole_streams = true,
    .tables = tables,
    .table_count = sizeof tables / sizeof *tables,
    .init = strides_init,
    .feed = strides_feed,
    .finalize = strides_finalize,
    .merge = strides_merge,
    .save = strides_save,
    .load = strides_load,
    .report = strides_report,
    .free = strides_free,
};

int main(int argc, char **argv)
{
    struct error_text message;
    tables[0] = tables_loads_columns;
    tables[1] = tables_levels_columns;
    tables[2] = code_columns;
    machine_unknown = cache_machine_find("this", &own.machine, &message) != STATUS_GOOD;
    if (machine_unknown)
        cache_machine_find("cachegrind", &own.machine, &message);
    return analyzer_main(&analyzer, argc, argv);
}
