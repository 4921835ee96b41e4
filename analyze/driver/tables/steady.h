/*
 * steady.h - warnings about values that don't come from one steady state: warm-up, changes of level, autocorrelation.
 */
#ifndef ASSAY_ANALYZE_DRIVER_TABLES_STEADY_H
#define ASSAY_ANALYZE_DRIVER_TABLES_STEADY_H

#include "analyze/cli/report.h"
#include "stats/exact/series.h"

/* Adds warnings that begin with `label` for what an interval of independent values ignores: how many values at the
 * beginning look like warm-up (changepoint.h), that the level changes, or how many independent values the series is
 * worth if that is less than half or more than twice (effective.h), and not by chance (Ljung-Box, p below 0.01). A
 * permutation test must confirm each of them (exchange.h): at most 1 % of series without any order get a warning,
 * whatever their length and distribution (autocorrelation beyond 2000 values: only by Ljung-Box). Notes report series
 * that are too long to be searched, or sorted and therefore not series. `ess` is that number, NaN if unknown: then
 * there is no warning about it. On up to `jobs` threads. */
void steady_warn(const struct series *series, double ess, unsigned jobs, const char *label, struct report *report);

#endif
