#include "analyze/cache/misses_tables.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/names/method_name.h"

/* ------------------------------------------------------------------------------------------ columns -- */

/* What comes to a level, and what it misses. */
struct misses_level {
    const char *trace, *level;
    bool data, code, storage; /* which of them it sees; whether it has lines to write back */
    uint64_t loads, load_misses, stores, store_misses, fetches, fetch_misses, write_backs;
    double load_rate, store_rate, fetch_rate, mpi;
};

#define LEVEL_COLUMN(name, type, member, seen, text)                                                                   \
    COLUMN(misses_level, name, type, member, text, .present = offsetof(struct misses_level, seen))

static const struct column level_columns[] = {
    COLUMN(misses_level, "trace", TABLE_TEXT, trace, "The path of the trace."),
    COLUMN(misses_level, "level", TABLE_TEXT, level,
           "D1, L2, L3 or, with the rules of cachegrind, LL: a level of the caches. I1 is the first level of "
           "instructions, and DTLB the TLB of data."),
    LEVEL_COLUMN("loads", TABLE_COUNT, loads, data,
                 "The loads that come to this level: all of them, or those that missed the previous one."),
    LEVEL_COLUMN("load_misses", TABLE_COUNT, load_misses, data,
                 "How many of them miss this level. An access that crosses the border of a line or page is one miss if "
                 "it misses either part."),
    LEVEL_COLUMN("load_miss_rate", TABLE_SHARE, load_rate, data,
                 "load_misses / loads, as 0 to 1, or in percent in the formats for readers."),
    LEVEL_COLUMN("stores", TABLE_COUNT, stores, data, "The same for stores."),
    LEVEL_COLUMN("store_misses", TABLE_COUNT, store_misses, data, "How many of the stores miss this level."),
    LEVEL_COLUMN("store_miss_rate", TABLE_SHARE, store_rate, data, "store_misses / stores."),
    LEVEL_COLUMN("fetches", TABLE_COUNT, fetches, code,
                 "The same for instruction fetches. The cell is empty if the level sees none."),
    LEVEL_COLUMN("fetch_misses", TABLE_COUNT, fetch_misses, code, "How many of the fetches miss this level."),
    LEVEL_COLUMN("fetch_miss_rate", TABLE_SHARE, fetch_rate, code, "fetch_misses / fetches."),
    COLUMN(misses_level, "mpi", TABLE_REAL, mpi,
           "Misses per instruction: all misses of this level / the instructions that were executed while accesses were "
           "recorded."),
    LEVEL_COLUMN("write_backs", TABLE_COUNT, write_backs, storage,
                 "How many lines of this level were replaced after they had been stored to, and so were written "
                 "back.")};

/* A row of --sites. */
struct misses_site {
    const char *trace, *method, *file, *line;
    struct misses_location counts;
};

/* A machine has these levels behind the first one. */
enum { WITH_L2 = 1, WITH_LL = 2, WITH_L3 = 4, WITH_TLB = 8 };

#define SITE_COLUMN(name, member, text, ...) COLUMN(misses_site, name, TABLE_COUNT, member, text, __VA_ARGS__)

static const struct column site_columns[] = {
    COLUMN(misses_site, "trace", TABLE_TEXT, trace, "The path of the trace."),
    COLUMN(misses_site, "method", TABLE_TEXT, method, "The method of the code."),
    COLUMN(misses_site, "line", TABLE_TEXT, line, "Its file and line; the line is ? if it is unknown."),
    SITE_COLUMN("loads", counts.loads, "The loads of that line."),
    SITE_COLUMN("stores", counts.stores, "Its stores."),
    SITE_COLUMN("D1_load_misses", counts.load_misses[0],
                "How many of its loads missed D1. Levels that the machine lacks have no columns."),
    SITE_COLUMN("D1_store_misses", counts.store_misses[0], "How many of its stores missed D1."),
    SITE_COLUMN("L2_load_misses", counts.load_misses[1], "How many of its loads missed L2, too.", .when = WITH_L2),
    SITE_COLUMN("L2_store_misses", counts.store_misses[1], "How many of its stores missed L2, too.", .when = WITH_L2),
    SITE_COLUMN("LL_load_misses", counts.load_misses[1],
                "The same for LL, which is the last level by the rules of cachegrind.", .when = WITH_LL),
    SITE_COLUMN("LL_store_misses", counts.store_misses[1], "The same for stores.", .when = WITH_LL),
    SITE_COLUMN("L3_load_misses", counts.load_misses[2], "How many of its loads missed all three levels.",
                .when = WITH_L3),
    SITE_COLUMN("L3_store_misses", counts.store_misses[2], "How many of its stores missed all three levels.",
                .when = WITH_L3),
    SITE_COLUMN("DTLB_misses", counts.tlb_misses, "How many of its accesses missed the TLB.", .when = WITH_TLB)};

const struct columns misses_tables[MISSES_TABLES] = {
    [MISSES_LEVELS_TABLE] = COLUMNS("One row for each level of each trace", level_columns),
    [MISSES_SITES_TABLE] = COLUMNS("With --sites, one row for each line of code", site_columns)};

/* ------------------------------------------------------------------------------------------ levels -- */

static double misses_share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : NAN;
}

/* Adds a row, whose rates follow from its counts. */
static void misses_print_level(const struct misses_trace *trace, struct misses_level level, struct report *report)
{
    level.load_rate = misses_share(level.load_misses, level.loads);
    level.store_rate = misses_share(level.store_misses, level.stores);
    level.fetch_rate = misses_share(level.fetch_misses, level.fetches);
    level.mpi = misses_share(level.load_misses + level.store_misses + level.fetch_misses, trace->instructions);
    report_row(report, &level);
}

static void misses_print_trace(const struct misses *misses, const struct misses_trace *trace, struct report *report)
{
    const struct cache_counts *counts = &trace->counts;
    const struct cache_machine *machine = &misses->machine;
    const char *path = relations_text_at(&misses->relations, trace->path);
    bool code = counts->fetches > 0;
    for (unsigned i = 0; i < machine->level_count; i++) {
        struct misses_level level = {.trace = path,
                                     .level = cache_machine_level_name(machine, i),
                                     .data = true,
                                     .code = i > 0 && code,
                                     .storage = true,
                                     .loads = i ? counts->load_misses[i - 1] : counts->loads,
                                     .stores = i ? counts->store_misses[i - 1] : counts->stores,
                                     .fetches = i ? counts->fetch_misses[i - 1] : 0,
                                     .load_misses = counts->load_misses[i],
                                     .store_misses = counts->store_misses[i],
                                     .fetch_misses = i ? counts->fetch_misses[i] : 0,
                                     .write_backs = counts->write_backs[i]};
        misses_print_level(trace, level, report);
    }
    struct misses_level instructions = {.trace = path,
                                        .level = "I1",
                                        .code = true,
                                        .fetches = counts->fetches,
                                        .fetch_misses = counts->fetch_misses[0]};
    struct misses_level tlb = {.trace = path,
                               .level = "DTLB",
                               .data = true,
                               .loads = counts->loads,
                               .stores = counts->stores,
                               .load_misses = counts->load_tlb_misses,
                               .store_misses = counts->store_tlb_misses};
    if (code)
        misses_print_level(trace, instructions, report);
    if (machine->tlb_entries)
        misses_print_level(trace, tlb, report);
}

int misses_print_levels(const struct misses *misses, struct report *report)
{
    if (report_tables(report, &misses_tables[MISSES_LEVELS_TABLE], 0) != 0)
        return ENOMEM;
    for (size_t i = 0; i < misses_trace_count(misses); i++)
        misses_print_trace(misses, misses_trace_at(misses, i), report);
    return 0;
}

/* ------------------------------------------------------------------------------------------ sites -- */

/* Most misses of the first level first, then of the others, then by name. */
static int misses_compare_sites(const void *a, const void *b)
{
    const struct misses_site *x = a, *y = b;
    for (unsigned level = 0; level < CACHE_LEVELS_MAX; level++) {
        uint64_t left = x->counts.load_misses[level] + x->counts.store_misses[level],
                 right = y->counts.load_misses[level] + y->counts.store_misses[level];
        if (left != right)
            return left > right ? -1 : 1;
    }
    int order = strcmp(x->trace, y->trace);
    order = order ? order : strcmp(x->method, y->method);
    order = order ? order : strcmp(x->file, y->file);
    return order ? order : x->counts.line < y->counts.line ? -1 : x->counts.line > y->counts.line;
}

int misses_print_sites(const struct misses *misses, uint64_t top, struct report *report)
{
    const struct relations *relations = &misses->relations;
    const struct cache_machine *machine = &misses->machine;
    size_t count = relations_count(relations, MISSES_LOCATIONS), shown = top && top < count ? top : count;
    unsigned second = machine->level_count < 2 ? 0 : machine->cachegrind ? WITH_LL : WITH_L2;
    struct misses_site *sites = calloc(count + 1, sizeof *sites);
    if (report_tables(report, &misses_tables[MISSES_SITES_TABLE],
                      second | (machine->level_count > 2 ? WITH_L3 : 0) | (machine->tlb_entries ? WITH_TLB : 0)) != 0 ||
        !sites) {
        free(sites);
        return ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        const struct misses_location *location = relations_at(relations, MISSES_LOCATIONS, i);
        sites[i] =
            (struct misses_site){.trace = relations_text_at(relations, misses_trace_at(misses, location->trace)->path),
                                 .method = relations_text_at(relations, location->method),
                                 .file = relations_text_at(relations, location->file),
                                 .counts = *location};
    }
    qsort(sites, count, sizeof *sites, misses_compare_sites);
    for (size_t i = 0; i < shown; i++) {
        char line[METHOD_NAME_MAX];
        snprintf(line, sizeof line, sites[i].counts.line ? "%s:%u" : "%s:?", sites[i].file, sites[i].counts.line);
        sites[i].line = line;
        report_row(report, &sites[i]);
    }
    if (shown < count)
        report_note(report, "%zu more lines are not shown (--sites 0 shows all)", count - shown);
    free(sites);
    return 0;
}
