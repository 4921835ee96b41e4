/*
 * steady.h - warnings about values that don't come from one steady state: warm-up, changes of level, autocorrelation.
 */
#ifndef ASSAY_TABULAR_STEADY_H
#define ASSAY_TABULAR_STEADY_H

#include "analyze/frame/report.h"
#include "stats/exact/series.h"

/* Adds warnings that begin with `label` for what an interval of independent values would not know: how many values at
 * the begin look like warm-up (changepoint.h), that the level changes, or how many independent values the series is
 * worth if that is less than half or more than twice (effective.h), and not by chance (Ljung-Box, p below 0.01). Each
 * of them needs that a permutation test agrees (exchange.h): of series without any order at most 1 % are warned of,
 * whatever their length and distribution (autocorrelation beyond 2000 values: by Ljung-Box alone). Notes tell of series
 * that are too long to be searched, or sorted and so no series. `ess` is that number, NaN if unknown: then nothing is
 * said of it. On up to `jobs` threads. */
void steady_warn(const struct series *series, double ess, unsigned jobs, const char *label, struct report *report);

#endif
