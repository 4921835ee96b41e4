/*
 * levels_report.h - says what the unit of analysis is, where values were measured in processes.
 */
#ifndef ASSAY_ANALYZE_DRIVER_TABLES_LEVELS_REPORT_H
#define ASSAY_ANALYZE_DRIVER_TABLES_LEVELS_REPORT_H

#include "analyze/cli/report.h"
#include "analyze/driver/tables/groups.h"

enum { LEVELS_NAME_MAX = 100 };

/* "fork", "processes": what the groups' processes are called, for one or for several of them. A column whose name is
 * not a word gives "process (column '3')". */
void levels_name(const struct groups *groups, bool several, char name[LEVELS_NAME_MAX]);

/* After groups_take_means(): a note that values are means, of how many values, and a warning about each group of one
 * process, for which nothing is known about differences between processes. Nothing if each process has one value. */
void levels_report(const struct groups *groups, struct report *report);

#endif
