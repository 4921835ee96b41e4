#include "analyze/cache/misses_tables.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/names/method_name.h"

/* ------------------------------------------------------------------------------------------ levels -- */

static double misses_share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : NAN;
}

/* What comes to a level, and what it misses. */
struct traffic {
    uint64_t loads, stores, fetches, load_misses, store_misses, fetch_misses;
    const uint64_t *write_backs; /* NULL: it has none */
    bool data, code;             /* which of them it sees */
};

static void misses_print_kind(struct table *table, bool seen, uint64_t came, uint64_t missed)
{
    if (!seen) {
        for (int i = 0; i < 3; i++)
            table_blank(table);
        return;
    }
    table_count(table, came);
    table_count(table, missed);
    table_real(table, misses_share(missed, came));
}

static void misses_print_level(struct table *table, const struct misses_trace *trace, const char *level,
                               const struct traffic *traffic)
{
    uint64_t misses = traffic->load_misses + traffic->store_misses + traffic->fetch_misses;
    table_text(table, trace->path);
    table_text(table, level);
    misses_print_kind(table, traffic->data, traffic->loads, traffic->load_misses);
    misses_print_kind(table, traffic->data, traffic->stores, traffic->store_misses);
    misses_print_kind(table, traffic->code, traffic->fetches, traffic->fetch_misses);
    table_real(table, misses_share(misses, trace->instructions));
    if (traffic->write_backs)
        table_count(table, *traffic->write_backs);
    else
        table_blank(table);
}

static void misses_print_trace(struct table *table, const struct misses_trace *trace,
                               const struct cache_machine *machine)
{
    const struct cache_counts *counts = &trace->counts;
    bool code = counts->fetches > 0;
    struct traffic traffic = {.loads = counts->loads, .stores = counts->stores};
    for (unsigned i = 0; i < machine->level_count; i++) {
        traffic = (struct traffic){.loads = i ? counts->load_misses[i - 1] : counts->loads,
                                   .stores = i ? counts->store_misses[i - 1] : counts->stores,
                                   .fetches = i ? counts->fetch_misses[i - 1] : 0,
                                   .load_misses = counts->load_misses[i],
                                   .store_misses = counts->store_misses[i],
                                   .fetch_misses = i ? counts->fetch_misses[i] : 0,
                                   .write_backs = &counts->write_backs[i],
                                   .data = true,
                                   .code = code && i > 0};
        misses_print_level(table, trace, cache_machine_level_name(machine, i), &traffic);
    }
    traffic = (struct traffic){.fetches = counts->fetches, .fetch_misses = counts->fetch_misses[0], .code = true};
    if (code)
        misses_print_level(table, trace, "I1", &traffic);
    traffic = (struct traffic){.loads = counts->loads,
                               .stores = counts->stores,
                               .load_misses = counts->load_tlb_misses,
                               .store_misses = counts->store_tlb_misses,
                               .data = true};
    if (machine->tlb_entries)
        misses_print_level(table, trace, "DTLB", &traffic);
}

int misses_print_levels(const struct misses *misses, struct report *report)
{
    static const struct table_column columns[] = {{"trace", TABLE_TEXT},
                                                  {"level", TABLE_TEXT},
                                                  {"loads", TABLE_COUNT},
                                                  {"load_misses", TABLE_COUNT},
                                                  {"load_miss_rate", TABLE_SHARE},
                                                  {"stores", TABLE_COUNT},
                                                  {"store_misses", TABLE_COUNT},
                                                  {"store_miss_rate", TABLE_SHARE},
                                                  {"fetches", TABLE_COUNT},
                                                  {"fetch_misses", TABLE_COUNT},
                                                  {"fetch_miss_rate", TABLE_SHARE},
                                                  {"mpi", TABLE_REAL},
                                                  {"write_backs", TABLE_COUNT}};
    report->table = table_new(TABLE_COLUMNS(columns));
    if (!report->table)
        return ENOMEM;
    for (size_t i = 0; i < misses->count; i++)
        misses_print_trace(report->table, &misses->traces[i], &misses->machine);
    return 0;
}

/* ------------------------------------------------------------------------------------------ sites -- */

/* A row of --sites. */
struct site {
    const struct misses *misses;
    const struct misses_trace *trace;
    const struct misses_location *location;
};

static uint64_t misses_at_level(const struct misses_location *location, unsigned level)
{
    return location->load_misses[level] + location->store_misses[level];
}

/* Most misses of the first level first, then of the others, then by name. */
static int misses_compare_sites(const void *a, const void *b)
{
    const struct site *x = a, *y = b;
    for (unsigned level = 0; level < CACHE_LEVELS_MAX; level++) {
        uint64_t left = misses_at_level(x->location, level), right = misses_at_level(y->location, level);
        if (left != right)
            return left > right ? -1 : 1;
    }
    char *const *texts = x->misses->texts.texts;
    int order = strcmp(x->trace->path, y->trace->path);
    order = order ? order : strcmp(texts[x->location->method], texts[y->location->method]);
    order = order ? order : strcmp(texts[x->location->file], texts[y->location->file]);
    return order ? order : x->location->line < y->location->line ? -1 : x->location->line > y->location->line;
}

static struct table *misses_new_sites_table(const struct cache_machine *machine)
{
    static const char *const FIRST[] = {"trace", "method", "line", "loads", "stores"};
    struct table_column columns[sizeof FIRST / sizeof *FIRST + 2 * CACHE_LEVELS_MAX + 1];
    char names[2 * CACHE_LEVELS_MAX][32];
    size_t count = 0;
    for (; count < sizeof FIRST / sizeof *FIRST; count++)
        columns[count] = (struct table_column){FIRST[count], count < 3 ? TABLE_TEXT : TABLE_COUNT};
    for (unsigned i = 0; i < 2 * machine->level_count; i++) {
        const char *level = cache_machine_level_name(machine, i / 2);
        snprintf(names[i], sizeof names[i], "%s_%s_misses", level, i % 2 ? "store" : "load");
        columns[count++] = (struct table_column){names[i], TABLE_COUNT};
    }
    if (machine->tlb_entries)
        columns[count++] = (struct table_column){"DTLB_misses", TABLE_COUNT};
    return table_new(columns, count);
}

static void misses_print_site(struct table *table, const struct site *site)
{
    const struct misses_location *location = site->location;
    const struct cache_machine *machine = &site->misses->machine;
    char *const *texts = site->misses->texts.texts, line[METHOD_NAME_MAX];
    snprintf(line, sizeof line, location->line ? "%s:%u" : "%s:?", texts[location->file], location->line);
    table_text(table, site->trace->path);
    table_text(table, texts[location->method]);
    table_text(table, line);
    table_count(table, location->loads);
    table_count(table, location->stores);
    for (unsigned i = 0; i < machine->level_count; i++) {
        table_count(table, location->load_misses[i]);
        table_count(table, location->store_misses[i]);
    }
    if (machine->tlb_entries)
        table_count(table, location->tlb_misses);
}

int misses_print_sites(const struct misses *misses, uint64_t top, struct report *report)
{
    size_t count = 0, at = 0;
    for (size_t t = 0; t < misses->count; t++)
        count += misses->traces[t].location_count;
    struct site *sites = calloc(count + 1, sizeof *sites);
    report->table = misses_new_sites_table(&misses->machine);
    if (!sites || !report->table) {
        free(sites);
        return ENOMEM;
    }
    for (size_t t = 0; t < misses->count; t++)
        for (size_t i = 0; i < misses->traces[t].location_count; i++)
            sites[at++] = (struct site){misses, &misses->traces[t], &misses->traces[t].locations[i]};
    qsort(sites, count, sizeof *sites, misses_compare_sites);
    size_t shown = top && top < count ? (size_t)top : count;
    for (size_t i = 0; i < shown; i++)
        misses_print_site(report->table, &sites[i]);
    if (shown < count)
        report_note(report, "%zu more lines are not shown (--sites 0 shows all)", count - shown);
    free(sites);
    return 0;
}
