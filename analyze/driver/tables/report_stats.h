/*
 * report_stats.h - statistics that do not exist, and those that lack memory.
 */
#ifndef ASSAY_ANALYZE_DRIVER_TABLES_REPORT_STATS_H
#define ASSAY_ANALYZE_DRIVER_TABLES_REPORT_STATS_H

#include "analyze/cli/report.h"
#include "stats/status.h"

/* Whether a function of stats with this status has a result. If not, the report shows it as missing; but without memory
 * there is no report. */
static inline bool report_stats_exist(struct report *report, enum stats_status status)
{
    report->no_memory |= status == STATS_NO_MEMORY;
    return status == STATS_OK;
}

#endif
