/*
 * reading_report.h - warnings and notes about what was read otherwise than it was written, or might be.
 */
#ifndef ASSAY_ANALYZE_DRIVER_TABLES_READING_REPORT_H
#define ASSAY_ANALYZE_DRIVER_TABLES_READING_REPORT_H

#include "analyze/cli/report.h"
#include "analyze/driver/tables/groups.h"
#include "table/read/rows.h"

/* Blank cells, rounded values, doubts about headers, and a value column chosen by its name. */
void reading_report(const struct rows_account *account, const struct rows_request *request, struct report *report);

/* Warns about groups of which no row is left. A benchmark's name may be one of several texts of its groups. Returns the
 * name of the one that comes before all other groups, owned by the account, or NULL. */
const char *reading_report_lost(const struct groups *groups, const struct rows_account *account, struct report *report);

#endif
