/*
 * leave_out.h - a part of a result that does not exist: the rest is still worth printing.
 *
 * A group that is too small, a metric that is constant: a warning says which and why, and the program continues. It
 * fails only if nothing is left, with the first of these reasons.
 */
#ifndef ASSAY_ANALYZE_DRIVER_TABLES_LEAVE_OUT_H
#define ASSAY_ANALYZE_DRIVER_TABLES_LEAVE_OUT_H

#include "analyze/cli/report.h"
#include "base/error_text.h"

/* Warns in the report about what has this name (report_warn_of()), and keeps the text in *first, unless there is one
 * already. */
void leave_out(struct report *report, struct error_text *first, const char *name, const char *detail,
               const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
