/*
 * assay cache - how often do a program's accesses miss in a machine's caches and TLB?
 *
 * Records: access, iteration (the gaps between bursts), site; fetch and code, if the trace has them. Method: simulation
 * (analyze/cache/simulation.h) in the order of the process, one cycle an instruction. Source: Inagaki, Onodera,
 * Komatsu, Nakatani, "Stride Prefetching by Dynamically Inspecting Objects", PLDI 2003, §4.2 (misses per instruction);
 * Valgrind 3.19's cachegrind for its rules.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cache/misses.h"
#include "analyze/cache/misses_tables.h"
#include "analyze/cli/number.h"
#include "analyze/cli/result.h"

enum { KEY_CACHE = 0x100, KEY_PREFETCHER, KEY_SITES };

static struct analyzer analyzer; /* its inputs are those of the machine */
static struct {
    struct cache_machine machine;
    bool named;             /* by --cache */
    const char *prefetcher; /* NULL: the machine's own */
    struct error_text
        message; /* why the machine is not the processor that runs this; "": it is, or another was named */
    bool sites;
    uint64_t top; /* sites that are shown; 0: all */
} own;

static const struct argp_option options[] = {
    {"cache", KEY_CACHE, "MACHINE", 0,
     "pentium4, athlon-mp, cachegrind, this (the processor that runs this; the default), or levels as in "
     "D1=32K,8,64:L2=256K,4,64:LL=8M,16,64:I1=32K,8,64:TLB=64,4,4K, each with size, ways and line; cachegrind: before "
     "levels takes its rules",
     0},
    {"hardware-prefetcher", KEY_PREFETCHER, "KIND", 0, "none, next-line or stream (default: the machine's)", 0},
    {"sites", KEY_SITES, "N", 0, "show the N lines of code that miss most (0: all)", 0},
    {0}};

static int cache_parse_option(int key, char *arg, void *unused)
{
    (void)unused;
    struct cache_machine tried = {0};
    switch (key) {
    case KEY_CACHE:
        own.message = (struct error_text){""};
        if (cache_machine_find(arg, &own.machine, &own.message) != STATUS_GOOD) {
            /* The driver's message about a bad value does not say what is wrong with it. */
            result_print_error("cache", "--cache %.200s: %s", arg, own.message.text);
            exit(STATUS_USAGE);
        }
        own.named = true;
        analyzer.inputs = misses_inputs(&own.machine);
        return 0;
    case KEY_PREFETCHER:
        own.prefetcher = arg;
        return cache_machine_prefetcher(&tried, arg) ? 0 : EINVAL;
    case KEY_SITES:
        own.sites = true;
        return number_parse_count(arg, 0, UINT32_MAX, &own.top);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ------------------------------------------------------------------------------------------ report -- */

static void cache_note_trace(const struct misses_trace *trace, const char *path, const struct cache_machine *machine,
                             struct report *report)
{
    if (trace->counts.fetches == 0 && machine->instructions.bytes)
        report_note(report,
                    "%s has no instruction fetches (record --fetches), so caches behind the first one have data alone",
                    path);
    if (trace->by_thread)
        report_note(report,
                    "%s: accesses of different threads are in the order in which they were handed over, in "
                    "portions of up to 512",
                    path);
    if (trace->gaps > 0)
        report_note(report, "%s: caches are empty after each of %" PRIu64 " gaps between bursts", path, trace->gaps);
    if (machine->prefetcher != CACHE_PREFETCHER_NONE)
        report_note(report, "%s: the hardware prefetched %" PRIu64 " lines, and %" PRIu64 " of them were accessed",
                    path, trace->counts.hardware_prefetches, trace->counts.hardware_useful);
    if (trace->unknown > 0)
        report_warn(report, "%s: the result leaves out %" PRIu64 " accesses or executions that are not defined", path,
                    trace->unknown);
}

static int cache_report(void *given, struct report *report)
{
    const struct misses *misses = given;
    const struct cache_machine *machine = &misses->machine;
    int error = own.sites ? misses_print_sites(misses, own.top, report) : misses_print_levels(misses, report);
    if (*own.message.text && cache_machine_same(machine, &own.machine))
        report_warn(report, "%s; the caches of cachegrind stand in for them (--cache)", own.message.text);
    if (misses_trace_count(misses) == 0)
        report_warn(report, "no accesses: record with --mode memory");
    report->no_result |= misses_trace_count(misses) == 0;

    char text[512] = "";
    for (unsigned i = 0; i < machine->level_count; i++) {
        const struct cache_level *level = &machine->levels[i];
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "; %s %" PRIu64 " KB, %u-way, lines of %u",
                 cache_machine_level_name(machine, i), level->bytes >> 10, level->ways, level->line);
    }
    report_note(report, "simulated: %s%s%s", machine->name, text,
                machine->cachegrind ? "; with cachegrind's rules: what crosses lines is one access, and so is what an "
                                      "instruction loads and stores again"
                                    : "");
    for (size_t i = 0; i < misses_trace_count(misses); i++) {
        const struct misses_trace *trace = misses_trace_at(misses, i);
        cache_note_trace(trace, relations_text_at(&misses->relations, trace->path), machine, report);
        report->no_result |= trace->unknown > 0;
    }
    return error;
}

/* ------------------------------------------------------------------------------------------ analyzer -- */

static void *cache_new_state(const struct analysis_options *unused)
{
    struct cache_machine machine = own.machine;
    (void)unused;
    if (own.prefetcher)
        cache_machine_prefetcher(&machine, own.prefetcher);
    return misses_new(&machine, own.named || own.prefetcher);
}

static struct analyzer analyzer = {
    .name = "cache",
    .doc = "How often do a program's accesses miss in a machine's caches and TLB?\v"
           "Examples:\n"
           "  assay record --mode memory -o out -- ./program\n"
           "  assay cache out/*.trace\n"
           "  assay cache --cache pentium4 --sites 20 out/*.trace\n"
           "  assay cache --cache D1=32K,8,64:L2=1M,16,64 --format csv out/*.trace\n",
    .by = true,
    .options = options,
    .parse = cache_parse_option,
    .own = &own,
    .whole_streams = true,
    .tables = misses_tables,
    .table_count = MISSES_TABLES,
    .init = cache_new_state,
    .feed = misses_feed,
    .finalize = misses_finalize,
    .merge = misses_merge,
    .save = misses_save,
    .load = misses_load,
    .report = cache_report,
    .free = misses_free,
};

int main(int argc, char **argv)
{
    struct error_text unused;
    if (cache_machine_find("this", &own.machine, &own.message) != STATUS_GOOD)
        cache_machine_find("cachegrind", &own.machine, &unused);
    analyzer.inputs = misses_inputs(&own.machine);
    return analyzer_main(&analyzer, argc, argv);
}
