/*
 * misses_tables.h - the tables of assay cache: report->table. 0 or ENOMEM.
 */
#ifndef ASSAY_CACHE_MISSES_TABLES_H
#define ASSAY_CACHE_MISSES_TABLES_H

#include "analyze/cache/misses.h"

enum { MISSES_LEVELS_TABLE, MISSES_SITES_TABLE, MISSES_TABLES };
extern const struct columns misses_tables[MISSES_TABLES];

/* A row for each level of each trace. */
int misses_print_levels(const struct misses *misses, struct report *report);

/* A row for each of the `top` lines of code (0: all) with the most misses of the first level. */
int misses_print_sites(const struct misses *misses, uint64_t top, struct report *report);

#endif
